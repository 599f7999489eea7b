"""A documented name of a public interface, and its text as Markdown."""

import re
from dataclasses import dataclass, field, replace


@dataclass
class Entry:
    """A function, type, constant or field of an interface.

    name: the name that users write, such as `halcyon.mesh.cut` or `mesh::Mesh::n_cells`. signatures: its
    declaration in its language; several of an overloaded function. text: its comment or docstring. members:
    the names in a type. file: where it is declared. kind: "function" also for methods."""

    name: str
    kind: str
    signatures: list[str]
    text: str
    file: str
    members: list["Entry"] = field(default_factory=list)

    def all_names(self) -> list["Entry"]:
        """The entry and its members."""
        return [self, *(each for member in self.members for each in member.all_names())]


def anchor_of(name: str) -> str:
    """The anchor of a name: the name, with words for signs that an anchor cannot have."""
    name = re.sub(r"__(\w+)__", r"-\1", name.replace("::", "."))  # Markdown reads __ as bold
    return re.sub(r"[^\w.~-]", lambda sign: f"-{ord(sign[0]):x}", name)


def with_constructor(entry: Entry) -> Entry:
    """A Python type whose constructor is part of its own declaration and text."""
    found = next((each for each in entry.members if each.name.endswith(".__init__")), None)
    if found is None:
        return entry
    calls = [f"{entry.name}({each.partition('(')[2].removesuffix(' -> None')}" for each in found.signatures]
    text = "\n\n".join(dict.fromkeys(filter(None, (entry.text, found.text))))
    members = [each for each in entry.members if each is not found]
    return replace(entry, signatures=[*entry.signatures, *calls], text=text, members=members)


def merged(entries: list[Entry]) -> list[Entry]:
    """Entries with the overloads of a function as one."""
    by_name: dict[str, Entry] = {}
    for entry in entries:
        if (other := by_name.get(entry.name)) is None:
            by_name[entry.name] = entry
            continue
        other.signatures += [each for each in entry.signatures if each not in other.signatures]
        other.text = "\n\n".join(dict.fromkeys(filter(None, (other.text, entry.text))))
        other.members += entry.members
    for entry in by_name.values():
        entry.members = merged(entry.members)
    return list(by_name.values())


TAG = re.compile(r"(?:^|(?<=\s))@(t?param|returns?|throws|raises)\s+")
WORDS = {"return": "Returns ", "returns": "Returns ", "throws": "Throws ", "raises": "Raises "}


def markdown(text: str) -> str:
    """The text of a comment as Markdown: paragraphs, blocks of code that are indented by four spaces, and
    the tags @param, @returns and @throws as a list."""
    blocks = re.split(r"\n[ \t]*\n", text.strip("\n"))
    parts: list[str] = []
    for block in blocks:
        if not block.strip():
            continue
        if all(line.startswith("    ") for line in block.splitlines()) and parts:
            parts.append(block)
        else:
            parts.append(tagged(" ".join(line.strip() for line in block.splitlines())))
    return "\n\n".join(parts)


def tagged(paragraph: str) -> str:
    """A paragraph of one line, with a list of its tags."""
    first, *tags = TAG.split(paragraph)
    lines = [escaped(first.strip())] if first.strip() else []
    if tags:
        lines.append("")
    for tag, body in zip(tags[::2], tags[1::2], strict=True):
        if tag in WORDS:
            lines.append(f"- {WORDS[tag]}{escaped(body.strip())}")
        else:
            name, _, rest = body.strip().partition(" ")
            lines.append(f"- `{name}`: {escaped(rest.strip())}")
    return "\n".join(lines).strip("\n")


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, apart from code in backticks."""
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(part if part.startswith("`") else protected(part) for part in parts)


def protected(text: str) -> str:
    text = re.sub(r"([\\*_\[\]`])", r"\\\1", text).replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"^([#>+-]|\d+\.)(?=\s)", r"\\\1", text)
