"""The public names of the Python modules with their docstrings, read from the sources without an import."""

import ast
import inspect
from dataclasses import replace
from functools import cache
from pathlib import Path

from tools.docs_site.reference.bindings import Bindings, renamed
from tools.docs_site.reference.entry import Entry, with_constructor

NOT_SHOWN = {"self", "cls"}
LOADED_AS = {"open": "open_results"}  # names of halcyon that its modules have under another name
PARTS = {"halcyon.mesh.scvt"}  # public modules inside a package that are not packages


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def doc_of(node: ast.AST) -> str:
    return inspect.cleandoc(ast.get_docstring(node, clean=False) or "")


class Package:
    """The package halcyon: its public modules and their names."""

    def __init__(self, root: Path, bindings: Bindings) -> None:
        self.root, self.bindings = root, bindings

    def file_of(self, module: str) -> Path:
        path = self.root / "python" / module.replace(".", "/")
        return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")

    def modules(self) -> dict[str, list[str]]:
        """The public modules, with their names: modules and packages of halcyon that have a list __all__."""
        found = {}
        for path in sorted((self.root / "python/halcyon").rglob("*.py")):
            parts = path.relative_to(self.root / "python").with_suffix("").parts
            module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            if parts[-1] == "__init__" or len(parts) == 2 or module in PARTS:
                found[module] = listed(path)
        found["halcyon"] = self.names_of_package()
        return {module: names for module, names in sorted(found.items()) if names}

    def names_of_package(self) -> list[str]:
        """The names of halcyon itself: of its table of names that are loaded at first use, and its models."""
        path = self.file_of("halcyon")
        return [
            *ast.literal_eval(assigned_value(path, "_NAMES")),
            *ast.literal_eval(assigned_value(path, "_MODELS")),
        ]

    def entries(self, module: str, names: list[str]) -> list[Entry]:
        return [
            exported(with_constructor(self.find(self.file_of(module), name)), f"{module}.{name}")
            for name in sorted(names, key=str.lower)
        ]

    def find(self, path: Path, name: str) -> Entry:
        """The entry of a name at the top of a file, or of the file that it is imported from."""
        if path == self.file_of("halcyon") and name in ast.literal_eval(assigned_value(path, "_MODELS")):
            constructors = self.file_of("halcyon.api.constructors")
            text = doc_of(parsed(constructors)) + " `help(NAME)` lists them.".replace(
                "NAME", f"halcyon.{name}"
            )
            return Entry(name, "function", [f"{name}(**options) -> Simulation"], text, str(constructors))
        file = str(path.relative_to(self.root))
        for node in parsed(path).body:
            if isinstance(node, ast.FunctionDef) and node.name == name:
                return self.function(node, file)
            if isinstance(node, ast.ClassDef) and node.name == name:
                return self.type(node, file)
            if isinstance(node, ast.ImportFrom) and (entry := self.imported(node, name, file)):
                return entry
            if isinstance(node, ast.Assign | ast.AnnAssign) and (entry := self.assigned(node, path, name)):
                return entry
        raise KeyError(f"{file} has no name {name} that `make docs` finds")

    def imported(self, node: ast.ImportFrom, name: str, file: str) -> Entry | None:
        for alias in node.names:
            if (alias.asname or alias.name) == name and (node.module or "").startswith("halcyon"):
                if node.module.startswith("halcyon._core"):
                    return self.compiled(node.module.rpartition(".")[2], alias.name)
                submodule = self.file_of(f"{node.module}.{alias.name}")
                if submodule.exists():
                    return Entry(
                        name,
                        "module",
                        [f"from {node.module} import {alias.name}"],
                        doc_of(parsed(submodule)),
                        file,
                    )
                return self.find(self.file_of(node.module), alias.name)
        return None

    def compiled(self, module: str, name: str) -> Entry:
        if entry := self.bindings.find(module, name):
            return entry
        return Entry(name, "constant", [name], "", "cpp/bindings")

    def assigned(self, node: ast.Assign | ast.AnnAssign, path: Path, name: str) -> Entry | None:
        """A constant; another name of a function, such as one of _core; or a name of a table of names that
        are imported at their first use."""
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
        if isinstance(node.value, ast.Dict) and name not in names:
            for key, value in zip(node.value.keys, node.value.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == name and isinstance(value, ast.Constant):
                    return renamed(self.find(self.file_of(value.value), LOADED_AS.get(name, name)), name)
        if name not in names or node.value is None:
            return None
        for each in ast.walk(node.value):
            if isinstance(each, ast.Name) and each.id == f"_{name}":  # wraps an imported function
                return self.find(path, f"_{name}")
            is_attribute = isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name)
            if is_attribute and each.attr == name and (module := core_modules(path).get(each.value.id)):
                return self.compiled(module, name)
        return Entry(
            name, "constant", [ast.unparse(node)], comment_of(path, node), str(path.relative_to(self.root))
        )

    def function(self, node: ast.FunctionDef, file: str, prefix: str = "") -> Entry:
        decorators = {ast.unparse(each).split("(")[0] for each in node.decorator_list}
        if decorators & {"property", "cached_property", "functools.cached_property"}:
            result = f": {ast.unparse(node.returns)}" if node.returns else ""
            return Entry(prefix + node.name, "constant", [node.name + result], doc_of(node), file)
        marks = "".join(
            f"@{each}\n" for each in sorted(decorators & {"classmethod", "staticmethod", "contextmanager"})
        )
        return Entry(prefix + node.name, "function", [marks + signature(node)], doc_of(node), file)

    def type(self, node: ast.ClassDef, file: str) -> Entry:
        bases = ", ".join(ast.unparse(each) for each in node.bases)
        entry = Entry(
            node.name,
            "type",
            [f"class {node.name}({bases})" if bases else f"class {node.name}"],
            doc_of(node),
            file,
        )
        for base in node.bases:
            if isinstance(base, ast.Name) and (inherited := self.base(base.id, self.root / file)):
                entry.members += [
                    replace(m, name=m.name.replace(base.id, node.name, 1)) for m in inherited.members
                ]
        for each in node.body:
            if isinstance(each, ast.FunctionDef) and (
                not each.name.startswith("_") or each.name in {"__init__", "__call__"}
            ):
                entry.members.append(self.function(each, file, f"{node.name}."))
            elif isinstance(each, ast.AnnAssign) and not ast.unparse(each.target).startswith("_"):
                name = ast.unparse(each.target)
                entry.members.append(Entry(f"{node.name}.{name}", "constant", [ast.unparse(each)], "", file))
            elif isinstance(each, ast.Assign) and not (name := ast.unparse(each.targets[0])).startswith("_"):
                texts = [a.value for a in ast.walk(each.value) if isinstance(a, ast.Constant)]
                is_property = ast.unparse(each.value).startswith("core_property(")
                shown, text = (name, texts[-1]) if is_property else (ast.unparse(each), "")
                entry.members.append(Entry(f"{node.name}.{name}", "constant", [shown], text, file))
        entry.members = list({member.name: member for member in entry.members}.values())
        return entry

    def base(self, name: str, path: Path) -> Entry | None:
        """A base class that is a class of the package."""
        try:
            found = self.find(path, name)
        except KeyError:
            return None
        return found if found.kind == "type" else None


def listed(path: Path) -> list[str]:
    for node in parsed(path).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            if isinstance(node.value, ast.Call):  # list(TABLE)
                return list(ast.literal_eval(assigned_value(path, ast.unparse(node.value.args[0]))))
            return ast.literal_eval(node.value)
    return []


def assigned_value(path: Path, name: str) -> ast.expr:
    return next(
        node.value
        for node in parsed(path).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name
    )


def core_modules(path: Path) -> dict[str, str]:
    """The modules of halcyon._core that a file imports, by the names that it gives them."""
    return {
        alias.asname or alias.name: alias.name
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ImportFrom) and node.module == "halcyon._core"
        for alias in node.names
    }


def comment_of(path: Path, node: ast.AST) -> str:
    """The comment behind a statement, or the string below it."""
    line = path.read_text().splitlines()[node.end_lineno - 1]
    return (
        line[node.end_col_offset :].strip().removeprefix("#").strip()
        if node.end_col_offset < len(line)
        else ""
    )


def signature(node: ast.FunctionDef) -> str:
    """The name, arguments and result of a function; one argument per line if they do not fit on one."""
    arguments = ast.parse(f"def f({ast.unparse(node.args)}): pass").body[0].args
    kept = [each for each in split_arguments(ast.unparse(arguments)) if each not in NOT_SHOWN]
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    line = f"{node.name}({', '.join(kept)}){result}"
    return (
        line
        if len(line) <= 100
        else f"{node.name}(\n" + "".join(f"    {each},\n" for each in kept) + f"){result}"
    )


def split_arguments(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    return [part for part in [*parts, text[start:].strip()] if part]


def exported(entry: Entry, name: str) -> Entry:
    """An entry, and its members, under the name of the module that exports it."""
    own = entry.name.split(".")[0]
    members = [
        Entry(f"{name}{m.name.removeprefix(own)}", m.kind, m.signatures, m.text, m.file)
        for m in entry.members
    ]
    return Entry(name, entry.kind, entry.signatures, entry.text, entry.file, members)
