#!/usr/bin/env python3
"""Checks C++ includes, Python imports and Fortran module uses against layers.txt.

tools/check_layers.py [ROOT]     prints each violation as file:line: text; the exit code is 1 if there are any

A module uses only modules of lower layers; neither modules nor files depend on each other in cycles. Python
functions import only costly libraries (HEAVY) and modules (STARTS_MPI), except in the modules of LAZY and
UNCOMPILED. Imports within functions are checked, imports for type checking are not.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

USE = re.compile(r"^\s*use\b\s*(?:::)?\s*(\w+)", re.IGNORECASE)  # `use, intrinsic ::` does not match
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
PACKAGES = ("benchmarks/halcyon_bench", "validation/halcyon_validation")  # packages with one module each
CPP = {".hpp", ".cpp", ".h", ".c"}
HEAVY = {  # libraries whose import takes long
    *(
        "IPython",
        "PIL",
        "cf_xarray",
        "cftime",
        "eccodes",
        "matplotlib",
        "mpi4py",
        "netCDF4",
        "otf2",
        "pydantic",
        "pyproj",
        "rich",
        "scipy",
        "shapely",
    ),
    *("pyproj", "typer", "xarray", "yaml", "zarr"),
}
LAZY = {"cli"}  # modules whose functions import the code that they run
UNCOMPILED = {"choices", "config", "launch"}  # modules that can be imported without the compiled module
STARTS_MPI = {"comm", "mpi_library"}  # modules that import mpi4py, and take as long


@dataclass
class Layers:
    """The contents of layers.txt: the layer of each module, and the modules that may include the header of a
    library."""

    layer_of: dict[str, int] = field(default_factory=dict)
    headers: dict[str, set[str]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> "Layers":
        layers = cls()
        for line in path.read_text().splitlines():
            words = line.split("#")[0].split()
            if words and words[0] == "header":
                layers.headers[words[1]] = set(words[2:])
            elif words:
                layers.layer_of |= dict.fromkeys(words[1:], int(words[0]))
        return layers

    def violation(self, user: str, used: str) -> str | None:
        """The reason why module `user` must not use module `used`, or None."""
        if used not in self.layer_of:
            return f"module '{used}' is not in layers.txt"
        layer, used_layer = self.layer_of[user], self.layer_of[used]
        if user == used or used_layer < layer:
            return None
        return f"'{user}' (layer {layer}) uses '{used}' (layer {used_layer}); a module uses only lower layers"


@dataclass
class Use:
    """An include or import of a file, a module or a library."""

    line: int
    file: Path | None = None
    module: str | None = None
    library: str | None = None
    in_function: bool = False


def cpp_files(root: Path) -> Iterator[tuple[str, Path]]:
    """Each C++ file with its module."""
    for path in sorted((root / "cpp").rglob("*")):
        if path.suffix in CPP:
            first, *rest = path.relative_to(root / "cpp").parts
            yield (rest[0] if first == "halcyon" else first), path


def python_files(root: Path) -> Iterator[tuple[str, Path]]:
    """Each Python file with its module: `python` for __init__.py and __main__.py of the package, and one
    module per package in PACKAGES."""
    package = root / "python/halcyon"
    for path in sorted(package.rglob("*.py")):
        module = path.relative_to(package).parts[0].removesuffix(".py")
        yield ("python" if module.startswith("__") else module), path
    for folder in PACKAGES:
        yield from ((Path(folder).name, path) for path in sorted((root / folder).rglob("*.py")))


def fortran_files(root: Path) -> Iterator[tuple[str, Path]]:
    """Each file of the Fortran module."""
    yield from (("fortran", path) for path in sorted((root / "fortran").rglob("*.f90")))


def cpp_uses(path: Path, root: Path) -> Iterator[Use]:
    """The includes of a C++ file."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        included = Path(match[1])
        candidates = [folder / included for folder in (root / "cpp", path.parent, root / "cpp/halcyon/capi")]
        file = next((path for path in candidates if path.is_file()), None)
        if included.parts[0] == "halcyon" and len(included.parts) > 2:
            yield Use(number, file, module=included.parts[1])
        else:
            yield Use(number, file, library=match[1])


def imports_of(tree: ast.AST, in_function: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    """Each import statement, except for type checking, and whether it is inside a function."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node, in_function
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for other in node.orelse:
                yield from imports_of(ast.Module([other], []), in_function)
        else:
            inner = in_function or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            yield from imports_of(node, inner)


def imported_modules(node: ast.AST, package: list[str]) -> list[list[str]]:
    """The imported names of an import statement inside `package`, split at the dots."""
    if isinstance(node, ast.Import):
        return [alias.name.split(".") for alias in node.names]
    base = package[: len(package) - node.level + 1] if node.level else []
    base = base + (node.module.split(".") if node.module else [])
    return [[*base, alias.name] for alias in node.names]


def module_file(name: list[str], root: Path) -> Path | None:
    """The file of a Python module, or of the Python module that defines a name."""
    parent_of = {Path(folder).name: root / Path(folder).parent for folder in PACKAGES} | {
        "halcyon": root / "python"
    }
    if not name or name[0] not in parent_of:
        return None
    for parts in filter(None, (name, name[:-1])):
        path = parent_of[name[0]].joinpath(*parts)
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.is_file():
                return file
    return None


def python_uses(layers: Layers, path: Path, root: Path) -> Iterator[Use]:
    """The imports of a Python file."""
    package = list(path.relative_to(root).parent.parts[1:])
    for node, in_function in imports_of(ast.parse(path.read_text(), str(path))):
        for name in imported_modules(node, package):
            file, module = module_file(name, root), used_module(layers, name, root)
            library = None if file or module or name[0] == "halcyon" else name[0]
            yield Use(node.lineno, file, module, library, in_function)
            if (
                isinstance(node, ast.ImportFrom) and not node.level
            ):  # `from package import name` also imports the package
                yield Use(node.lineno, module_file(name[:-1], root), module, library, in_function)


def used_module(layers: Layers, name: list[str], root: Path) -> str | None:
    """The module of an imported name, or None for other packages and names outside all modules."""
    if name[0] in {Path(folder).name for folder in PACKAGES}:
        return name[0]
    if name[0] != "halcyon" or len(name) < 2:
        return None
    inner = [part for part in name[1:] if part != "_core"]
    if not inner or inner[0].startswith("_"):
        return None
    folder = root / "python/halcyon" / inner[0]
    is_module = inner[0] in layers.layer_of or folder.is_dir() or folder.with_suffix(".py").is_file()
    return inner[0] if is_module or len(name) > 2 else None


def is_costly(use: Use) -> bool:
    """Whether an import is slow, and therefore allowed inside functions."""
    return use.library in HEAVY or use.module in STARTS_MPI


def check_uses(layers: Layers, module: str, uses: list[Use], is_python: bool) -> Iterator[tuple[int, str]]:
    """The violations of one C++ or Python file as (line, text)."""
    for use in uses:
        violation = layers.violation(module, use.module) if use.module else None
        if violation:
            yield use.line, violation
        elif not is_python and use.library and module not in layers.headers.get(use.library, {module}):
            yield use.line, f"<{use.library}> is only for {', '.join(sorted(layers.headers[use.library]))}"
        elif use.in_function and module not in LAZY | UNCOMPILED and not is_costly(use):
            label = f"'{use.library or use.module or 'halcyon'}' is imported within a function"
            yield use.line, f"{label}; only costly libraries and the code of a command may be"


def check_fortran(path: Path) -> Iterator[tuple[int, str]]:
    """Uses of Fortran modules that are neither in this folder nor intrinsic, as (line, text)."""
    allowed = {other.stem for other in path.parent.glob("*.f90")} | {"halcyon_abi"}  # generated by the build
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = USE.match(line)
        if match and match[1].lower() not in allowed:
            yield number, f"'fortran' uses the module {match[1]}; it may use the C interface only"


def cycles(graph: dict) -> list[list]:
    """The strongly connected components with more than one node (Tarjan 1972)."""
    index, low, stack, components = {}, {}, [], []

    def visit(node) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            cycle = [stack.pop()]
            while cycle[-1] != node:
                cycle.append(stack.pop())
            if len(cycle) > 1:
                components.append(sorted(cycle))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return components


@dataclass
class Graphs:
    """The dependencies among files and among modules."""

    files: dict[Path, set[Path]] = field(default_factory=dict)
    modules: dict[str, set[str]] = field(default_factory=dict)

    def add(self, path: Path, module: str, uses: list[Use]) -> None:
        self.files[path] = {use.file for use in uses if use.file} - {path}
        self.modules.setdefault(module, set()).update({use.module for use in uses if use.module} - {module})


def read(layers: Layers, root: Path) -> Iterator[tuple[str, Path, list[Use]]]:
    """Each file of C++ and Python with its module and what it uses."""
    for module, path in cpp_files(root):
        yield module, path, list(cpp_uses(path, root))
    for module, path in python_files(root):
        yield module, path, list(python_uses(layers, path, root))


def graphs(root: Path) -> tuple[Graphs, Graphs]:
    """The dependencies of C++ and of Python."""
    cpp, python = Graphs(), Graphs()
    for module, path, uses in read(Layers.read(root / "layers.txt"), root):
        (python if path.suffix == ".py" else cpp).add(path, module, uses)
    return cpp, python


def check(root: Path) -> list[str]:
    """All violations below `root`."""
    layers, violations, modules = Layers.read(root / "layers.txt"), [], set()
    cpp, python = Graphs(), Graphs()
    for module, path, uses in [
        *read(layers, root),
        *((module, path, []) for module, path in fortran_files(root)),
    ]:
        relative_path, is_python = path.relative_to(root), path.suffix == ".py"
        modules.add(module)
        if module not in layers.layer_of:
            violations.append(f"{relative_path}:1: module '{module}' is not in layers.txt")
            continue
        is_fortran = path.suffix == ".f90"
        lines = check_fortran(path) if is_fortran else check_uses(layers, module, uses, is_python)
        violations += dict.fromkeys(f"{relative_path}:{line}: {text}" for line, text in lines)
        (python if is_python else cpp).add(path, module, uses)
    for graph in (cpp, python):
        for cycle in cycles(graph.modules):
            violations.append(f"layers.txt:1: modules form a cycle: {', '.join(cycle)}")
        for cycle in cycles(graph.files):
            names = ", ".join(str(path.relative_to(root)) for path in cycle)
            violations.append(f"{cycle[0].relative_to(root)}:1: files form a cycle: {names}")
    violations += [
        f"layers.txt:1: module '{module}' has no files" for module in sorted(layers.layer_of.keys() - modules)
    ]
    return violations


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1]).resolve()
    sys.setrecursionlimit(10000)
    violations = check(root)
    print(*violations, f"layers: {len(violations)} violations", sep="\n")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
