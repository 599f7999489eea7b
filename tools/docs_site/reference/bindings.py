"""The names of the compiled module halcyon._core with their arguments and texts, read from its bindings.

A class or function without a text has the comment of the C++ declaration that it binds."""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tools.docs_site.reference.entry import Entry, merged

STRING = r"\"(?:\\.|[^\"\\])*\""
TYPE = r"nb::(?P<kind>class_|enum_|exception)<(?P<cpp>[^;(]*?)>"
TYPE_OF_ARGUMENT = TYPE.replace("kind", "argument_kind").replace("<cpp>", "<argument>")
EVENT = re.compile(
    rf"{TYPE}\s*(?:\w+\s*)?\(\s*\w+\s*,\s*(?P<type>\"\w+\"|\w+)|{TYPE_OF_ARGUMENT}&\s+\w+"
    r"|(?P<receiver>\bm)?\.(?P<def>def\w*|value)\((?=[^)])"
    r"|(?P<helper>\bbind_\w+)(?:<[^;(]*>)?\(\s*(?P<target>m|type)\s*,\s*(?=\")|void\s+(?P<defined>bind_\w+)\("
)
MEMBERS = re.compile(r"\s*(?:properties|methods|views|arrays)<(.*)>\(\)\s*$", re.DOTALL)
ARGUMENT = re.compile(r"\"(\w+)\"_a(?:\.\w+\(\))*\s*(?:=\s*(.+))?$", re.DOTALL)
DEFAULTS = {"true": "True", "false": "False", "nb::none()": "None"}


def group_at(text: str, start: int) -> str:
    """The content of the parentheses that open at a position."""
    depth = 0
    for match in re.compile(rf"{STRING}|'(?:\\.|[^'\\])'|[(){{}}\[\]]", re.DOTALL).finditer(text, start):
        depth += (match[0] in "({[") - (match[0] in ")}]") if len(match[0]) == 1 else 0
        if depth == 0:
            return text[start + 1 : match.start()]
    raise ValueError(f"an open bracket: {text[start : start + 60]}")


def arguments(text: str) -> list[str]:
    """A list of arguments, split at its commas outside brackets and strings."""
    parts, depth, start = [], 0, 0
    for match in re.compile(rf"{STRING}|'(?:\\.|[^'\\])'|->|[(){{}}\[\],<>]", re.DOTALL).finditer(text):
        sign = match[0]
        if sign in "({[" or (sign == "<" and re.search(r"\w$", text[: match.start()])):
            depth += 1
        elif sign in ")}]" or (
            sign == ">" and depth and text[: match.start()].count("<") > text[: match.start()].count(">")
        ):
            depth -= 1
        elif sign == "," and depth == 0:
            parts.append(text[start : match.start()].strip())
            start = match.end()
    return [*parts, text[start:].strip()]


def python_default(text: str) -> str:
    """A default of C++ in Python; an ellipsis if it is computed."""
    text = DEFAULTS.get(text, text)
    try:
        return repr(ast.literal_eval(text))
    except (SyntaxError, ValueError):
        return "..."


def literal(text: str) -> str | None:
    """The value of adjacent string literals; None for other text."""
    if not re.fullmatch(rf"(?:{STRING}\s*)+", text, re.DOTALL):
        return None
    return "".join(part[1:-1].replace('\\"', '"').replace("\\n", "\n") for part in re.findall(STRING, text))


def renamed(entry: Entry, name: str) -> Entry:
    """A type with its members, or a function, under another name."""
    if entry.name == name:
        return entry
    if entry.kind == "function":
        return replace(entry, name=name, signatures=[f"{name}({entry.signatures[0].partition('(')[2]}"])
    members = [
        replace(each, name=each.name.replace(f"{entry.name}.", f"{name}.", 1)) for each in entry.members
    ]
    return replace(entry, name=name, signatures=[f"class {name}"], members=members)


class Bindings:
    """The entries of the compiled module by the name of their Python module and their own name."""

    def __init__(self, root: Path, cpp: dict[str, Entry]) -> None:
        """cpp: the C++ entries by name, of which missing texts are taken."""
        self.cpp = cpp
        self.modules: dict[str, dict[str, Entry]] = {}
        for path in sorted((root / "cpp/bindings").rglob("*.cpp")):
            relative = path.relative_to(root / "cpp/bindings")
            module = self.modules.setdefault(relative.parts[0].removesuffix(".cpp"), {})
            for entry in merged(list(self.read(path.read_text(), str(path.relative_to(root))))):
                if entry.name in module:
                    entry = merged([module[entry.name], entry])[0]
                module[entry.name] = entry

    def find(self, module: str, name: str) -> Entry | None:
        """The entry of a name in a module of _core; two modules may be bound in one file."""
        if entry := self.modules.get(module, {}).get(name):
            return entry
        return next((entries[name] for entries in self.modules.values() if name in entries), None)

    def read(self, text: str, file: str) -> Iterator[Entry]:
        text = re.sub(rf"({STRING})|//[^\n]*", lambda match: match[1] or "", text)
        current: Entry | None = None
        types: dict[str, Entry] = {}
        templates: dict[str, Entry] = {}  # whose name is an argument, by the function that binds them
        function = ""
        for event in EVENT.finditer(text):
            if event["defined"]:
                function = event["defined"]
            elif event["type"]:
                given = arguments(group_at(text, text.index("(", event.start())))
                current = self.new_type(event, given, file)
                types[event["cpp"].split(",")[0].strip()] = current
                if literal(event["type"]):
                    yield current
                else:
                    templates[function] = current
            elif event["argument"]:
                cpp = event["argument"].split(",")[0].strip()
                if cpp not in types:  # a type that another file binds
                    types[cpp] = Entry(cpp.split("::")[-1], "type", [], "", file)
                    yield types[cpp]
                current = types[cpp]
            elif event["helper"]:
                given = arguments(group_at(text, text.index("(", event.start("helper"))))
                if event["target"] == "m" and event["helper"] in templates:
                    bound = renamed(templates[event["helper"]], literal(given[1]))
                    yield replace(bound, text=bound.text or self.text_of(given[-1]))
                elif event["target"] == "m":
                    yield from self.bound_by_helper(None, given[1:], file)
                elif current is not None:
                    current.members += self.bound_by_helper(current, given[1:], file)
            else:
                given = arguments(group_at(text, event.end() - 1))
                if event["receiver"] and (name := literal(given[0])):
                    yield self.function(name, given[1:], "", file)
                elif event["receiver"]:
                    templates[function] = self.function("NAME", given[1:], "", file)
                elif not event["receiver"] and current is not None:
                    current.members += self.members(current, event["def"], given, file)

    def new_type(self, event: re.Match, given: list[str], file: str) -> Entry:
        texts = [text for each in given[2:] if (text := literal(each))]
        cpp = event["cpp"].split(",")[0].strip().removeprefix("halcyon::")
        text = texts[0] if texts else self.text_of(cpp)
        name = literal(event["type"]) or "NAME"
        return Entry(name, "type", [f"class {name}"], text, file)

    def bound_by_helper(self, owner: Entry | None, given: list[str], file: str) -> Iterator[Entry]:
        """The members of a call such as bind_operator(type, "divergence", "u", ..., "Divergence of u."), or,
        without a text, the properties of bind_coordinates(type, "latitude", "longitude", ...)."""
        texts = [text for each in given if (text := literal(each))]
        prefix = f"{owner.name}." if owner else ""
        if len(texts[-1].split()) > 1:
            signature = f"{texts[0]}({', '.join(texts[1:-1])})"
            yield Entry(prefix + texts[0], "function", [signature], texts[-1], file)
        else:
            yield from (Entry(prefix + name, "constant", [name], "", file) for name in texts)

    def text_of(self, cpp: str) -> str:
        """The comment of a C++ name, which may lack its namespaces."""
        for name in (cpp, *(each for each in self.cpp if each.endswith(f"::{cpp}"))):
            if name in self.cpp and self.cpp[name].text:
                return self.cpp[name].text
        return ""

    def members(self, owner: Entry, method: str, given: list[str], file: str) -> Iterator[Entry]:
        if listed := MEMBERS.match(given[0]):
            for cpp in re.findall(r"&([\w:]+)", listed[1]):
                name = cpp.split("::")[-1]
                kind = "function" if given[0].lstrip().startswith("methods") else "constant"
                signature = f"{name}()" if kind == "function" else name
                yield Entry(f"{owner.name}.{name}", kind, [signature], self.text_of(cpp), file)
        elif (name := literal(given[0])) is None:
            if given[0].startswith(("init_from", "nb::init")):
                yield self.function("__init__", given[1:], f"{owner.name}.", file)
        elif method in {"def", "def_static"}:
            if not name.startswith("__") or name == "__call__":
                yield self.function(name, given[1:], f"{owner.name}.", file)
        else:
            texts = [text for each in given[1:] if (text := literal(each))]
            bound = re.match(r"&([\w:]+)$", given[1]) if len(given) > 1 else None
            text = texts[0] if texts else self.text_of(bound[1]) if bound else ""
            yield Entry(f"{owner.name}.{name}", "constant", [name], text, file)

    def function(self, name: str, given: list[str], prefix: str, file: str) -> Entry:
        """A function with its arguments and their defaults."""
        shown, texts = [], []
        for each in given:
            if argument := ARGUMENT.match(each):
                shown.append(argument[1] + (f"={python_default(argument[2].strip())}" if argument[2] else ""))
            elif each == "nb::kw_only()":
                shown.append("*")
            elif text := literal(each):
                texts.append(text)
        parameters = self.parameters(given[0], is_method=bool(prefix)) if given else []
        if not shown:
            shown = parameters
        shown = [f"**{each}" if f"**{each}" in parameters else each for each in shown]
        bound = re.match(r"&([\w:]+)$", given[0]) if given else None
        text = texts[0] if texts else self.text_of(bound[1].removeprefix("halcyon::")) if bound else ""
        return Entry(prefix + name, "function", [f"{name}({', '.join(shown)})"], text, file)

    def parameters(self, function: str, *, is_method: bool) -> list[str]:
        """The names of the parameters of a C++ function: of a lambda, or of a declared function."""
        if function.startswith("["):
            text = group_at(function, function.index("(")) if re.match(r"\[[^\]]*\]\s*\(", function) else ""
        else:
            name = re.sub(r"<.*", "", function.removeprefix("&").removeprefix("halcyon::"))
            declared = next((e for n, e in self.cpp.items() if n == name or n.endswith(f"::{name}")), None)
            if declared is None or "(" not in declared.signatures[0]:
                return []
            text, is_method = group_at(declared.signatures[0], declared.signatures[0].index("(")), False
        names = []
        for each in arguments(text)[1 if is_method else 0 :]:
            if name := re.search(r"(\w+)\s*(?:=.*)?$", each, re.DOTALL):
                names.append(f"**{name[1]}" if "nb::kwargs" in each else name[1])
        return names
