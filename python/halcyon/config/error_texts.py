"""Converts the errors of pydantic into one line per mistake: position, given value, allowed values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from pydantic import BeforeValidator, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from halcyon.config.abbreviations import did_you_mean, meanings
from halcyon.config.option import Group, allowed_text, groups_by_tag, item_text, item_type, options_of
from halcyon.config.yaml_source import Location, Source, option_name, set_option

Finding = tuple[str, str]  # a mistake in a combination of valid options: the option at fault, the error text


@dataclass(frozen=True)
class _Target:
    """The option at fault, found from the location in pydantic's error."""

    location: Location
    field: FieldInfo | None  # declaration of the option; None for an unknown option
    group: type[Group] | None  # type of the option, if a group; for an unknown option, the group around
    alternatives: tuple[type[Group], ...]  # groups among which the value's type or options select one
    is_item: bool = False  # whether the error is in an item of a list


def error_lines(error: ValidationError, root: type[Group], source: Source) -> list[str]:
    """The lines of an error text, one per invalid option, in the order of the file. `root`: the group of all
    options of the file."""
    details = [(detail, _target(root, detail["loc"])) for detail in error.errors(include_url=False)]
    misspelt = {_intended(target, root) for detail, target in details if detail["type"] == "extra_forbidden"}
    lines: dict[Location, str] = {}
    for detail, target in details:
        if detail["type"] == "missing" and target.location in misspelt:
            continue
        text = _mistake_text(detail, target, root, source)
        lines.setdefault(target.location, f"{source.position(target.location)}: {text}")
    return [lines[location] for location in sorted(lines, key=lambda each: _sort_key(source, each))]


def numbers_as_texts(error: ValidationError, root: type[Group], source: Source) -> bool:
    """Replaces numbers and booleans where an option is a text, such as the station name 44014, by their text
    in the file. Returns whether there are any."""
    targets = [_target(root, d["loc"]) for d in error.errors(include_url=False) if d["type"] == "string_type"]
    plain_texts = [t for t in targets if not t.is_item and t.field is not None and _is_text(t.field)]
    replaced = [t.location for t in plain_texts if t.location in source.texts]
    for location in replaced:
        set_option(source, location, source.texts.pop(location), option_name(location))
    return bool(replaced)


def _is_text(field: FieldInfo) -> bool:
    """Whether an option is any text, and not the name of a file."""
    is_path = any(isinstance(each, BeforeValidator) for each in field.metadata)
    return field.annotation in (str, str | None) and not is_path


def suggestion(word: str, known: Iterable[str]) -> str:
    """Advice for an unknown word: the most similar known word, or else all known words."""
    similar = did_you_mean(word, known)
    return f"Did you mean '{similar}'?" if similar else f"There are: {', '.join(known)}."


def unused_option(option: str, combination: str, instead: str = "") -> Finding:
    """The mistake of an option without effect in a combination, such as "with equations.scheme = 'upwind'".

    @param instead change of other options that gives this option an effect, in words
    """
    advice = f"Leave it out, or {instead}." if instead else "Leave it out."
    return option, f"{option} does nothing {combination}. {advice}"


def value_text(value: Any) -> str:
    """A given value as an error text quotes it."""
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


def _sort_key(source: Source, location: Location) -> tuple[int, str]:
    """Sorting key of an error: the line of the option or of the nearest group around it, and the name."""
    for end in range(len(location), -1, -1):
        if location[:end] in source.lines:
            return source.lines[location[:end]], option_name(location)
    return 0, option_name(location)


def _target(root: type[Group], loc: Location) -> _Target:
    """Follows `loc`, pydantic's location of an error, through the groups, without the parts that pydantic
    adds for unions and validators."""
    location: Location = ()
    group: type[Group] | None = root
    alternatives: tuple[type[Group], ...] = ()
    field: FieldInfo | None = None
    annotation: Any = root
    is_item = False
    for item in loc:
        if isinstance(item, str) and item.startswith("<"):
            group = groups_by_tag(annotation).get(item)
            alternatives = tuple(groups_by_tag(annotation).values())
        elif item_type(annotation) is not None and (isinstance(item, int) or get_origin(annotation) is dict):
            location, annotation, is_item = (*location, item), item_type(annotation), True
            group = groups_by_tag(annotation).get("")
        elif group is not None:
            location = (*location, item)
            field = options_of(group).get(str(item))
            if field is None:
                return _Target(location, field=None, group=group, alternatives=alternatives)
            annotation, is_item, alternatives = field.annotation, False, ()
            group = groups_by_tag(annotation).get("")
        else:
            break
    return _Target(location, field, group, alternatives, is_item)


def _mistake_text(detail: ErrorDetails, target: _Target, root: type[Group], source: Source) -> str:
    name = option_name(target.location)
    if detail["type"] == "extra_forbidden":
        return _unknown_option_text(target, root, source)
    if detail["type"] == "missing" and target.field is not None:
        return f"{name} is missing: {target.field.description} Give {allowed_text(target.field)}."
    if detail["type"] == "too_short" and not detail["input"]:
        return f"{name} is empty. Give it one value or more."
    if target.is_item or target.field is None:
        options = f": {', '.join(options_of(target.group))}" if target.group else ""
        items = None if target.field is None else item_text(target.field)
        expected = f"a group of options{options}" if target.group else items or "a name"
        return f"{name} = {value_text(detail['input'])} must be {expected}."
    given = _given(source, target.location)
    intended = _intended_value(given, target.field)
    text = f"{name} = {value_text(given)} must be {allowed_text(target.field)}."
    return f"{text} Did you mean '{intended}'?" if intended else text


def _given(source: Source, location: Location) -> Any:
    """The value of an option as the case file gives it."""
    value = source.data
    for item in location:
        value = value[item]
    return value


def _intended_value(given: Any, field: FieldInfo) -> str | None:
    """The allowed value that was probably intended: a name, or `type: NAME` for a group."""
    groups = {tag.strip("<>"): group for tag, group in groups_by_tag(field.annotation).items()}
    if isinstance(given, dict):
        words = {key: word for key, word in given.items() if isinstance(word, str)}
    elif isinstance(given, str):
        words = {key: given for group in groups.values() for key in options_of(group)}
    else:
        return None
    names = {key: did_you_mean(word, _names(groups, key)) for key, word in words.items()}
    selection = next((f"{key}: {name}" for key, name in names.items() if name), None)
    if selection or isinstance(given, dict):
        return selection
    return did_you_mean(given, re.findall(r"'(\w+)'", allowed_text(field).partition(" such as ")[0]))


def _names(groups: dict[str, type[Group]], key: str) -> list[str]:
    """The allowed values of the option `key`, such as `type`, that select one of the alternative groups."""
    fields = (options_of(group).get(key) for group in groups.values())
    names = {name for field in fields if field for name in _literals(field.annotation)}
    return sorted(name for name in names if name in groups)


def _literals(annotation: Any) -> Iterator[str]:
    if get_origin(annotation) is Literal:
        yield from (value for value in get_args(annotation) if isinstance(value, str))


def _unknown_option_text(target: _Target, root: type[Group], source: Source) -> str:
    *parent, word = target.location
    name = option_name(target.location)
    assert target.group is not None  # of an unknown option
    known = list(options_of(target.group))
    given = _given(source, tuple(parent))
    for alternative in target.alternatives:
        options = options_of(alternative)
        conflicting = next((key for key in known if key not in options and key in given), None)
        if word in options and conflicting is not None:
            return (
                f"{name} does not go together with {option_name((*parent, conflicting))}. Remove one of them."
            )
    intended = _intended(target, root)
    if intended:
        return f"unknown option '{name}'. Did you mean '{option_name(intended)}'?"
    kind = f" of type '{given['type']}'" if "type" in known and "type" in given else ""
    return f"unknown option '{name}'{kind}. Allowed here: {', '.join(known)}."


def _intended(target: _Target, root: type[Group]) -> Location | None:
    """The option that was probably intended by an unknown name: the option that the name abbreviates, in the
    same group or elsewhere in the file, or else the option of the same group with the most similar name."""
    *parent, word = target.location
    assert target.group is not None
    options = options_of(target.group)
    paths = [tuple(path.split(".")) for path in meanings(str(word))]
    for path in paths:
        if path[-1] in options:
            return (*parent, path[-1])
    for path in paths:
        if _has_option(root, path):
            return path
    similar = did_you_mean(str(word), options)
    return (*parent, similar) if similar else None


def _has_option(root: type[Group], path: Location) -> bool:
    groups = [root]
    for name in path:
        fields = [options_of(group)[name] for group in groups if name in options_of(group)]
        groups = [group for field in fields for group in groups_by_tag(field.annotation).values()]
        if not fields:
            return False
    return True
