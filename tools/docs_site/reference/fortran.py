"""The public names of Fortran modules with their comments, and the names that a module exports of others."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from tools.docs_site.reference.entry import Entry, merged

PROCEDURE = re.compile(r"(?:(?!end\b)[\w(), =*]+\s)?(?:subroutine|function)\s+(\w+)", re.IGNORECASE)
TYPE = re.compile(r"type(?:\s*,[^:]*)?\s*(?:::\s*|\s+)(?!is\b)(\w+)$", re.IGNORECASE)
DECLARATION = re.compile(
    r"(?:integer|real|complex|logical|character|type|class|procedure)\b.*?::(.*)", re.IGNORECASE
)


@dataclass
class Line:
    """A statement with its comment `!>`; a comment behind it, or nothing, in `note`."""

    code: str
    text: str = ""


@dataclass
class Module:
    """The declarations of a module."""

    public: set[str] = field(default_factory=set)
    types: dict[str, Entry] = field(default_factory=dict)
    bindings: dict[str, dict[str, list[str]]] = field(default_factory=dict)  # type: name: procedures
    procedures: dict[str, Entry] = field(default_factory=dict)
    interfaces: dict[str, tuple[list[str], str]] = field(default_factory=dict)
    constants: dict[str, Entry] = field(default_factory=dict)


def lines_of(path: Path) -> list[Line]:
    """The statements of a file, each on one line, with those of included files."""
    lines: list[Line] = []
    comment: list[str] = []
    pending = ""
    for raw in path.read_text().splitlines():
        text = raw.strip()
        if text.startswith("!>"):
            comment.append(text[2:].removeprefix(" "))
        elif text.startswith("!"):
            continue
        elif included := re.match(r"include\s+[\"'](.+)[\"']", text):
            lines += lines_of(path.parent / included[1])
        elif not text and not pending:
            comment = []
        else:
            code = re.sub(r"\s*!(?=[^\"']*$).*", "", text)
            pending += code.removesuffix("&").strip() + (" " if code.endswith("&") else "")
            if not code.endswith("&"):
                lines.append(Line(pending, "\n".join(comment)))
                comment, pending = [], ""
    return lines


def read_module(path: Path, root: Path) -> Module:
    module, file = Module(), str(path.relative_to(root))
    lines = lines_of(path)
    in_type = in_interface = ""
    for number, line in enumerate(lines):
        code = line.code
        if re.match(r"end\s*type", code, re.IGNORECASE):
            in_type = ""
        elif re.match(r"end\s*interface", code, re.IGNORECASE):
            in_interface = ""
        elif in_type:
            read_component(module, in_type, line, file)
        elif in_interface:
            if procedures := re.match(r"(?:module )?procedure\s*(?:::)?\s*(.+)", code):
                module.interfaces[in_interface][0].extend(re.split(r"\s*,\s*", procedures[1]))
            elif (name := PROCEDURE.match(code)) and not code.lower().startswith("end"):
                module.procedures[name[1]] = Entry(
                    name[1], "function", [signature(lines, number)], line.text, file
                )
        elif names := re.match(r"public\s*::\s*(.+)", code):
            module.public.update(re.split(r"\s*,\s*", names[1]))
        elif name := TYPE.match(code):
            in_type = name[1]
            module.types[in_type] = Entry(in_type, "type", [code], line.text, file)
            module.bindings[in_type] = {}
        elif name := re.match(r"(abstract )?interface\s*(\w*)", code):
            in_interface = name[2] or "abstract"
            module.interfaces[in_interface] = ([], line.text)
        elif (name := PROCEDURE.match(code)) and not code.lower().startswith("end"):
            module.procedures[name[1]] = Entry(
                name[1], "function", [signature(lines, number)], line.text, file
            )
        elif ", public" in code and (declared := DECLARATION.match(code)):
            for constant in re.findall(r"(\w+)\s*=\s*[^,]+", declared[1]):
                module.public.add(constant)
                module.constants[constant] = Entry(constant, "constant", [code], line.text, file)
    return module


def read_component(module: Module, type_name: str, line: Line, file: str) -> None:
    if re.match(r"(procedure|generic)\b", line.code):
        if "private" in line.code.split("::")[0]:
            return
        names = line.code.partition("::")[2]
        if "=>" in names:
            name, _, targets = names.partition("=>")
            module.bindings[type_name][name.strip()] = re.findall(r"\w+", targets)
        else:
            module.bindings[type_name] |= {name: [name] for name in re.findall(r"\w+", names)}
    elif (declared := DECLARATION.match(line.code)) and "private" not in line.code.split("::")[0]:
        for name in re.findall(r"(?:^|,)\s*(\w+)", re.sub(r"\([^)]*\)", "", declared[1])):
            member = Entry(f"{type_name}%{name}", "constant", [line.code], line.text, file)
            module.types[type_name].members.append(member)


def signature(lines: list[Line], number: int) -> str:
    """The first line of a procedure, and the declarations of its arguments and its result."""
    head = lines[number].code
    names = set(re.findall(r"\w+", head[head.index("(") :] if "(" in head else head))
    declared = []
    for line in lines[number + 1 :]:
        declaration = DECLARATION.match(line.code)
        if not declaration:
            break
        if names & set(re.findall(r"\w+", re.sub(r"\([^)]*\)", "", declaration[1]))):
            declared.append(f"  {line.code}")
    return "\n".join([head, *declared])


def entries_of(module: Module, names: dict[str, str]) -> list[Entry]:
    """The documented names of a module. names: exported name of each name in the module."""
    entries = []
    for name, exported in names.items():
        if name in module.types:
            entries.append(type_entry(module, name, exported))
        elif name in module.interfaces:
            procedures, text = module.interfaces[name]
            parts = [module.procedures[each] for each in procedures]
            head = Entry(exported, "function", [], text, parts[0].file)
            entries += merged(
                [head, *(Entry(exported, "function", p.signatures, p.text, p.file) for p in parts)]
            )
        elif name in module.procedures:
            entry = module.procedures[name]
            entries.append(Entry(exported, "function", entry.signatures, entry.text, entry.file))
        else:
            entries.append(module.constants[name])
    return entries


def type_entry(module: Module, name: str, exported: str) -> Entry:
    entry = module.types[name]
    shown = entry.signatures[0].replace(name, exported)
    members = [
        Entry(
            member.name.replace(f"{name}%", f"{exported}%"),
            member.kind,
            member.signatures,
            member.text,
            member.file,
        )
        for member in entry.members
    ]
    for bound, procedures in module.bindings[name].items():
        for procedure in filter(None, map(module.procedures.get, procedures)):
            members.append(
                Entry(f"{exported}%{bound}", "function", procedure.signatures, procedure.text, procedure.file)
            )
    return Entry(exported, "type", [shown], entry.text, entry.file, merged(members))


def fortran_entries(root: Path) -> dict[str, list[Entry]]:
    """The names that users get from the modules halcyon and halcyon_physics."""
    entries = []
    for line in lines_of(root / "fortran/halcyon.f90"):
        if used := re.match(r"use\s+(\w+)\s*,\s*only\s*:\s*(.+)", line.code):
            pairs = [each.partition("=>") for each in re.split(r"\s*,\s*", used[2])]
            names = {(target or name).strip(): name.strip() for name, _, target in pairs}
            entries += entries_of(read_module(root / f"fortran/{used[1]}.f90", root), names)
    physics = read_module(root / "fortran/halcyon_physics.f90", root)
    return {
        "halcyon": entries,
        "halcyon_physics": entries_of(physics, {name: name for name in sorted(physics.public)}),
    }
