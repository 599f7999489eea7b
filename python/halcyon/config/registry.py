"""Groups of options that are built from the registries of `halcyon.choices`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from keyword import iskeyword
from typing import Annotated, Any, Literal, Union

from pydantic import Discriminator, Field, Tag, create_model

from halcyon.choices import Choice, ChoiceOption, choice, choices, names
from halcyon.config.option import FilePath, Group, alternatives, option


def quoted_list(names: Iterable[str]) -> str:
    """`'a', 'b' or 'c'`"""
    return alternatives([f"'{name}'" for name in names])


def groups_of(registry: str, *, tag: str, base: type[Group]) -> dict[str, type[Group]]:
    """One group per entry of a registry, by the entry's name; the classes belong to the module of `base`.
    `tag`: the option whose value is the name."""
    allowed = quoted_list(names(registry))
    return {each.name: group_of(each, each.name, tag, allowed, base) for each in choices(registry)}


def group_of(entry: Choice, title: str, tag: str, allowed: str, base: type[Group]) -> type[Group]:
    """The group of one entry, a class named after `title`. `allowed`: the names of all entries, in words."""
    fields = {
        _identifier(each.name): _tag(entry, each, allowed) if each.name == tag else field_of(each)
        for each in entry.options
    }
    return _class("".join(word.capitalize() for word in title.split("_")), base, entry.text, fields)


def combined_group(
    title: str, entries: Iterable[Choice], base: type[Group], own: Mapping[str, tuple[Any, Any]]
) -> type[Group]:
    """One group with the options of all entries, each once, in the order of the entry with most options.

    @param own additional fields, placed first; a field `name` replaces the options `name.xyz` of the entries
    """
    found = {each.name: each for entry in sorted(entries, key=_most_options_first) for each in entry.options}
    inner = {name.partition(".")[0] for name in found if "." in name}
    fields = {name: field for name, field in own.items() if name not in inner}
    for name, each in found.items():
        first = name.partition(".")[0]
        fields[_identifier(first)] = own[first] if first in inner else field_of(each)
    return _class(title, base, base.__doc__, fields)


def tagged_union(
    groups: Mapping[str, Any], tag_of: Callable[[Any], str | None], default: str | None = None
) -> Any:
    """The type of an option that is one of several groups, selected by tag, or a string. `tag_of` returns the
    tag of given options; for an unknown tag the group of `default` is used."""
    tags = {kind: tag for tag, kind in groups.items()}

    def tag(value: Any) -> str | None:
        if isinstance(value, dict):
            found = tag_of(value)
            return found if found in groups else default
        return f"<{value}>" if isinstance(value, str) else tags.get(type(value))

    parts = tuple(Annotated[group, Tag(tag)] for tag, group in groups.items())
    return Annotated[Union[parts], Discriminator(tag)]  # noqa: UP007


def type_tag(given: Mapping[str, Any]) -> str:
    """The tag that the option `type` of a group selects."""
    return f"<{given.get('type')}>"


def field_of(given: ChoiceOption) -> tuple[Any, Any]:
    """Converts an option of a registry into a field of a group."""
    limits = {word: _bound(given, word) for word in ("ge", "gt", "le") if getattr(given, word) is not None}
    alias = {"alias": given.name} if iskeyword(given.name) else {}
    default = {} if given.required else {"default": given.word or given.value}
    kind: Any = type(given.value)
    if given.names:
        kind = Literal[tuple(kind(name) for name in given.names)]
    elif kind is str and given.allowed.startswith("the name of a file"):
        kind = FilePath
    elif given.word:
        kind, limits = Annotated[kind, Field(**limits)] | Literal[given.word], {}
    elif kind is list:
        kind, limits = list[Annotated[int, Field(**limits)]], {}
    return kind, option(given.text, unit=given.unit, allowed=given.allowed, **default, **limits, **alias)


def fields_of(registry: str, name: str) -> dict[str, Any]:
    """The options of an entry of a registry as fields, by their names."""
    return {each.name: field_of(each)[1] for each in choice(registry, name).options}


def _class(name: str, base: type[Group], text: str | None, fields: Mapping[str, Any]) -> type[Group]:
    """Creates a group as an attribute of the module of its base, so that MPI can pickle cases."""
    group = create_model(name, __base__=base, __doc__=text, __module__=base.__module__, **fields)
    setattr(sys.modules[base.__module__], name, group)
    return group


def _tag(entry: Choice, given: ChoiceOption, allowed: str) -> tuple[Any, Any]:
    default = {} if given.required else {"default": entry.name}
    return Literal[entry.name], option(given.text, allowed=given.allowed or allowed, **default)


def _most_options_first(entry: Choice) -> int:
    return -len(entry.options)


def _identifier(name: str) -> str:
    return f"{name}_" if iskeyword(name) else name


def _bound(given: ChoiceOption, word: str) -> int | float:
    bound = getattr(given, word)
    return bound if isinstance(given.value, float) else int(bound)
