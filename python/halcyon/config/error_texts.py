"""Turns what pydantic found into one line a mistake: where, what was given, what is allowed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from halcyon.config.option import Group, allowed_text, item_text, item_type, options_of, variants
from halcyon.config.yaml_source import Location, Source, option_name

Finding = tuple[str, str]  # a mistake of a case whose options are right one by one: the option, and the text


@dataclass(frozen=True)
class _Found:
    """The option that a location of pydantic leads to."""

    location: Location
    field: FieldInfo | None
    group: type[Group] | None
    siblings: tuple[type[Group], ...]
    is_item: bool = False


def mistakes(error: ValidationError, model: type[Group], source: Source) -> list[str]:
    """The lines of an error text, in the order of the file, one for each option that is wrong."""
    details = [(detail, _find(model, detail["loc"])) for detail in error.errors(include_url=False)]
    misspelt = {_meant(found) for detail, found in details if detail["type"] == "extra_forbidden"}
    lines: dict[Location, str] = {}
    for detail, found in details:
        if detail["type"] == "missing" and found.location in misspelt:
            continue
        lines.setdefault(found.location, f"{source.place(found.location)}: {_text(detail, found, source)}")
    return [lines[location] for location in sorted(lines, key=lambda at: _order(source, at))]


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """The known word that is nearest to `word`, if any is near."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return near[0] if near else None


def hint(word: str, known: Iterable[str]) -> str:
    """What to give instead of an unknown word: the nearest, or else all that are known."""
    near = did_you_mean(word, known)
    return f"Did you mean '{near}'?" if near else f"There are: {', '.join(known)}."


def idle(option: str, beside: str, instead: str = "") -> Finding:
    """The mistake that an option was given which does nothing beside something."""
    advice = f"Leave it out, or {instead}." if instead else "Leave it out."
    return option, f"{option} does nothing {beside}. {advice}"


def shown(value: Any) -> str:
    """A value as the user gave it."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a group of options"
    if isinstance(value, list):
        return "a list"
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _order(source: Source, location: Location) -> tuple[int, str]:
    for end in range(len(location), -1, -1):
        if location[:end] in source.lines:
            return source.lines[location[:end]], option_name(location)
    return 0, option_name(location)


def _find(model: type[Group], loc: Location) -> _Found:
    """Follows `loc` through the groups; what pydantic adds for unions and validators is left out."""
    location: Location = ()
    group: type[Group] | None = model
    siblings: tuple[type[Group], ...] = ()
    field: FieldInfo | None = None
    annotation: Any = model
    is_item = False
    for item in loc:
        if isinstance(item, str) and item.startswith("<"):
            group = variants(annotation).get(item)
            siblings = tuple(variants(annotation).values())
        elif item_type(annotation) is not None and (isinstance(item, int) or get_origin(annotation) is dict):
            location, annotation, is_item = (*location, item), item_type(annotation), True
            group = variants(annotation).get("")
        elif group is not None:
            location = (*location, item)
            field = options_of(group).get(str(item))
            if field is None:
                return _Found(location, None, group, siblings)
            annotation, is_item, siblings = field.annotation, False, ()
            group = variants(annotation).get("")
        else:
            break
    return _Found(location, field, group, siblings, is_item)


def _text(detail: dict[str, Any], found: _Found, source: Source) -> str:
    name = option_name(found.location)
    if detail["type"] == "extra_forbidden":
        return _unknown(found, source)
    if detail["type"] == "missing" and found.field is not None:
        return f"{name} is missing: {found.field.description} Give {allowed_text(found.field)}."
    if detail["type"] == "too_short" and not detail["input"]:
        return f"{name} is empty. Give it one value or more."
    if found.is_item or found.field is None:
        fields = f": {', '.join(options_of(found.group))}" if found.group else ""
        items = None if found.field is None else item_text(found.field)
        expected = f"a group of options{fields}" if found.group else items or "a name"
        return f"{name} = {shown(detail['input'])} must be {expected}."
    return f"{name} = {shown(_given(source, found.location))} must be {allowed_text(found.field)}."


def _given(source: Source, location: Location) -> Any:
    value = source.data
    for item in location:
        value = value[item]
    return value


def _unknown(found: _Found, source: Source) -> str:
    *parent, word = found.location
    name = option_name(found.location)
    known = list(options_of(found.group))
    given = _given(source, tuple(parent))
    for other in found.siblings:
        theirs = options_of(other)
        own = next((key for key in known if key not in theirs and key in given), None)
        if word in theirs and own is not None:
            return f"{name} does not go together with {option_name((*parent, own))}. Remove one of them."
    meant = _meant(found)
    if meant:
        return f"unknown option '{name}'. Did you mean '{option_name(meant)}'?"
    kind = f" of type '{given['type']}'" if "type" in known and "type" in given else ""
    return f"unknown option '{name}'{kind}. Allowed here: {', '.join(known)}."


def _meant(found: _Found) -> Location | None:
    """The option that an unknown one was probably meant to be."""
    *parent, word = found.location
    near = did_you_mean(str(word), options_of(found.group))
    return (*parent, near) if near else None
