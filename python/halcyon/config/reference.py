"""The reference of the case file, made from the options themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import NoneType

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from halcyon.config.case import Case
from halcyon.config.option import Group, allowed_text, figure, item_type, options_of, unit_of, variants


@dataclass(frozen=True)
class Entry:
    """One option, or the heading of a group."""

    name: str
    text: str
    default: str
    unit: str
    allowed: str
    is_group: bool


def reference(model: type[Group] = Case, prefix: str = "", tag: str = "") -> Iterator[Entry]:
    """Every option of the case file, groups before their options, in the order of the file; of groups that go
    together with some equations only (`Group.goes_with`), which. `tag`: that of the group among others."""
    for key, field in options_of(model).items():
        name = f"{prefix}{key}"
        groups = variants(field.annotation)
        items = variants(item_type(field.annotation))
        if not groups or _may_be_no_group(field):
            yield _entry(name, field, f"'{tag}'" if tag and key == "type" else allowed_text(field))
        goes_with = model.goes_with.get(key, {})
        for inner_tag, inner in groups.items():
            word = inner_tag.strip("<>")
            if goes_with and word not in goes_with and word != "file":
                continue
            text = _first_sentence(inner)
            if word in goes_with:
                text += f" Of {', '.join(goes_with[word])}."
            yield Entry(f"{name} ({word})" if word else name, text, "", "", "", is_group=True)
            yield from reference(inner, f"{name}.", word)
        for inner in items.values():
            yield from reference(inner, f"{name}[].")


def _may_be_no_group(field: FieldInfo) -> bool:
    """Whether something else may stand for a group: a name, as of a topology."""
    return not allowed_text(field).startswith("a group")


def _entry(name: str, field: FieldInfo, allowed: str) -> Entry:
    return Entry(name, field.description or "", _default(field), unit_of(field), allowed, is_group=False)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.default
    if isinstance(value, (NoneType, Group)) or value is PydanticUndefined:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(str, value))}]"
    return figure(value) if isinstance(value, float) else str(value)


def _first_sentence(model: type[Group]) -> str:
    paragraph = " ".join((model.__doc__ or "").strip().partition("\n\n")[0].split())
    return re.split(r"(?<=[.!?]) (?=[A-Z`])", paragraph)[0]
