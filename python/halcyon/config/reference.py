"""The reference documentation of the options, generated from their declarations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import NoneType
from typing import Any

from pydantic import create_model
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from halcyon.choices import choices
from halcyon.config.case import Case
from halcyon.config.option import Group, allowed_text, decimal, groups_by_tag, item_type, options_of, unit_of
from halcyon.config.registry import field_of


@dataclass(frozen=True)
class Entry:
    """One option, or the heading of a group, in the reference."""

    name: str
    text: str
    default: str
    unit: str
    allowed: str
    is_group: bool


def reference(group: type[Group] = Case, prefix: str = "", tag: str = "") -> Iterator[Entry]:
    """Yields every option of a file, or of a group of options, each group before its options. The heading of
    a group that only some equation sets support (`Group.equation_sets_for`) lists these sets.

    @param prefix beginning of the names, such as `mesh.`
    @param tag the tag of `group` among alternative groups
    """
    for key, field in options_of(group).items():
        name = f"{prefix}{key}"
        groups = groups_by_tag(field.annotation)
        items = groups_by_tag(item_type(field.annotation))
        if not groups or _allows_other_than_group(field):
            yield _entry(name, field, f"'{tag}'" if tag and key == "type" else allowed_text(field))
        equation_sets_for = group.equation_sets_for.get(key, {})
        for inner_tag, inner in groups.items():
            word = inner_tag.strip("<>")
            if equation_sets_for and word not in equation_sets_for and word != "file":
                continue
            text = _first_sentence(inner)
            if word in equation_sets_for:
                text += f" For {', '.join(equation_sets_for[word])}."
            yield Entry(f"{name} ({word})" if word else name, text, "", "", "", is_group=True)
            yield from reference(inner, f"{name}.", word)
        for inner in items.values():
            yield from reference(inner, f"{name}[].")
            yield from _schemes(getattr(inner, "registry", ""), f"{name}[]")


def part_of(file: type[Group], part: str) -> list[Entry]:
    """The entries of one group or option of a file, by its dotted name; empty if the name is unknown.

    An option of several alternative groups is listed once if it is the same in all these groups, else below
    the heading of each group."""
    requested = plain_name(part)
    matching: list[tuple[Entry | None, Entry]] = []  # the heading above each entry, and the entry
    heading: Entry | None = None
    for entry in reference(file):
        name = plain_name(entry.name)
        if entry.is_group and requested.startswith(f"{name}."):
            heading = entry
        elif name == requested or name.startswith(f"{requested}."):
            matching.append((heading, entry))
    different = dict.fromkeys(entry for _, entry in matching)
    if len({plain_name(entry.name) for entry in different}) > 1 or len(different) <= 1:
        return list(different)
    return [entry for pair in matching for entry in pair if entry is not None]


def _schemes(registry: str, name: str) -> Iterator[Entry]:
    """The options of the schemes of a registry, each scheme before its options."""
    for scheme in choices(registry) if registry else ():
        text = scheme.text
        if "fields" in scheme.traits:
            text += " `halcyon describe atmosphere` lists its fields."
        yield Entry(f"{name} ({scheme.name})", text, "", "", "", is_group=True)
        fields: dict[str, Any] = {each.name: field_of(each) for each in scheme.options}
        yield from reference(create_model(scheme.name, __base__=Group, **fields), f"{name}.")


def plain_name(name: str) -> str:
    """The dotted name of an option or group, without the tag of a group and the indexes of lists."""
    name = re.sub(r"\[\d*\]", "", name.partition(" ")[0])
    return ".".join(word for word in name.strip(". ").split(".") if not word.isdecimal())


def _allows_other_than_group(field: FieldInfo) -> bool:
    """Whether a value other than a group is allowed, such as the name of a topology."""
    text = allowed_text(field)
    return not text.startswith("a group") or "'none'" in text


def _entry(name: str, field: FieldInfo, allowed: str) -> Entry:
    return Entry(name, field.description or "", default_text(field), unit_of(field), allowed, is_group=False)


def default_text(field: FieldInfo) -> str:
    """The default of an option as in YAML; `required`; or empty."""
    if field.is_required():
        return "required"
    value = field.default
    if isinstance(value, (NoneType, Group)) or value is PydanticUndefined:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(str, value))}]"
    return decimal(value) if isinstance(value, float) else str(value)


def _first_sentence(group: type[Group]) -> str:
    paragraph = " ".join((group.__doc__ or "").strip().partition("\n\n")[0].split())
    return re.split(r"(?<=[.!?]) (?=[A-Z`])", paragraph)[0]
