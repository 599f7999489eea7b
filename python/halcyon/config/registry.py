"""Groups of options that are built from the registries of `halcyon.choices`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from keyword import iskeyword
from typing import Annotated, Any, Literal, Union

from pydantic import Discriminator, Field, Tag, create_model

from halcyon.choices import Choice, ChoiceOption, choice, choices, names
from halcyon.config.option import FilePath, Group, joined_by_or, option


def quoted_list(names: Iterable[str]) -> str:
    """`'a', 'b' or 'c'`"""
    return joined_by_or([f"'{name}'" for name in names])


def groups_of(registry: str, *, tag: str, base: type[Group]) -> dict[str, type[Group]]:
    """One group per entry of a registry, by the entry's name; the classes belong to the module of `base`.
    `tag`: the option whose value is the entry's name, such as `type`."""
    allowed = quoted_list(names(registry))
    return {entry.name: group_of(entry, entry.name, tag, allowed, base) for entry in choices(registry)}


def group_of(entry: Choice, title: str, tag: str, allowed: str, base: type[Group]) -> type[Group]:
    """The group of one entry, a class named after `title`. `allowed`: the names of all entries, in words."""
    fields = {
        _identifier(entry_option.name): (
            _tag_field(entry, entry_option, allowed) if entry_option.name == tag else field_of(entry_option)
        )
        for entry_option in entry.options
    }
    return _class("".join(word.capitalize() for word in title.split("_")), base, entry.text, fields)


def combined_group(
    title: str, entries: Iterable[Choice], base: type[Group], extra: Mapping[str, tuple[Any, Any]]
) -> type[Group]:
    """One group with the options of all entries, each once, in the order of the entry with most options.

    @param extra additional fields, which come first; but a field such as `links` takes the place of the
        entries' dotted options `links.bandwidth`, `links.latency`
    """
    options = {
        entry_option.name: entry_option
        for entry in sorted(entries, key=_most_options_first)
        for entry_option in entry.options
    }
    subgroups = {name.partition(".")[0] for name in options if "." in name}
    fields = {name: field for name, field in extra.items() if name not in subgroups}
    for name, entry_option in options.items():
        top_name = name.partition(".")[0]
        fields[_identifier(top_name)] = extra[top_name] if top_name in subgroups else field_of(entry_option)
    return _class(title, base, base.__doc__, fields)


def tagged_union(
    groups: Mapping[str, Any], tag_of: Callable[[Any], str | None], default: str | None = None
) -> Any:
    """The type of an option whose value is one of several groups, or one of certain strings.

    @param groups the groups by tag; the tag of a string NAME is `<NAME>`
    @param tag_of returns the tag of the group for the options that a file gives
    @param default tag of the group that is used for an unknown tag
    """
    tags = {group: tag for tag, group in groups.items()}

    def tag(value: Any) -> str | None:
        if isinstance(value, dict):
            selected = tag_of(value)
            return selected if selected in groups else default
        return f"<{value}>" if isinstance(value, str) else tags.get(type(value))

    parts = tuple(Annotated[group, Tag(tag)] for tag, group in groups.items())
    return Annotated[Union[parts], Discriminator(tag)]  # noqa: UP007


def type_tag(options: Mapping[str, Any]) -> str:
    """The tag that the option `type` of a group selects."""
    return f"<{options.get('type')}>"


def field_of(entry: ChoiceOption) -> tuple[Any, Any]:
    """Converts an option of a registry into a field of a group: its type, and its declaration."""
    limits: dict[str, Any] = {
        limit: _bound(entry, limit) for limit in ("ge", "gt", "le") if getattr(entry, limit) is not None
    }
    alias = {"alias": entry.name} if iskeyword(entry.name) else {}
    # `entry.word`: a word such as auto that a numeric option also accepts, its default.
    default = {} if entry.required else {"default": entry.word or entry.value}
    value_type: Any = type(entry.value)
    if entry.names:
        value_type = Literal[tuple(value_type(name) for name in entry.names)]
    elif value_type is str and entry.allowed.startswith("the name of a file"):
        value_type = FilePath
    elif entry.word:
        value_type, limits = Annotated[value_type, Field(**limits)] | Literal[entry.word], {}
    elif value_type is list:
        value_type, limits = list[Annotated[int, Field(**limits)]], {}
    return value_type, option(
        entry.text, unit=entry.unit, allowed=entry.allowed, **default, **limits, **alias
    )


def fields_of(registry: str, name: str) -> dict[str, Any]:
    """The options of an entry of a registry as fields, by their names."""
    fields = {entry_option.name: field_of(entry_option) for entry_option in choice(registry, name).options}
    return {option_name: declaration for option_name, (_, declaration) in fields.items()}


def _class(name: str, base: type[Group], text: str | None, fields: Mapping[str, Any]) -> type[Group]:
    """Creates a group as an attribute of the module of its base, so that its objects can be pickled when a
    case is sent to the ranks."""
    group = create_model(name, __base__=base, __doc__=text, __module__=base.__module__, **fields)
    setattr(sys.modules[base.__module__], name, group)
    return group


def _tag_field(entry: Choice, tag: ChoiceOption, allowed: str) -> tuple[Any, Any]:
    """The field of the option `tag`, whose only value is the entry's name."""
    default = {} if tag.required else {"default": entry.name}
    return Literal[entry.name], option(tag.text, allowed=tag.allowed or allowed, **default)


def _most_options_first(entry: Choice) -> int:
    return -len(entry.options)


def _identifier(name: str) -> str:
    """A valid Python name for an option such as `lambda`."""
    return f"{name}_" if iskeyword(name) else name


def _bound(entry: ChoiceOption, limit: str) -> int | float:
    bound = getattr(entry, limit)
    return bound if isinstance(entry.value, float) else int(bound)
