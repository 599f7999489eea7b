"""Names of the previous version that still work in this one, each with a one-line warning.

`OPTIONS`, `COMMANDS` and `NAMES` are the whole list: an entry that is removed here stops working.
"""

from __future__ import annotations

import functools
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

# Options of cases and simulations; those of machine files begin with `machine`. `[]`: any item of a list.
OPTIONS: dict[str, str] = {}

# Options of commands, each `command --option`.
COMMANDS: dict[str, str] = {}

# Python names `package.name`, `package.Class.member` or `package.function(keyword)`; the new name alone.
NAMES: dict[str, str] = {}


class DeprecatedNameWarning(FutureWarning):
    """A name of the previous version was used."""


def warn(old: str, new: str, place: str = "", stack_level: int = 2) -> None:
    """Warns that `old` is now called `new`. `place`: where it was used, if not in Python."""
    text = f"'{old}' is now called '{new}'; the old name will stop working in the next version."
    warnings.warn(f"{place}: {text}" if place else text, DeprecatedNameWarning, stacklevel=stack_level + 1)


Location = tuple[str | int, ...]


def current_location(location: Location) -> Location:
    """The location of an option under its current name."""
    for old, new in OPTIONS.items():
        found = _match(_parts(old), location)
        if found is not None:
            return _filled(_parts(new), found) + location[len(_parts(old)) :]
    return location


def renamed_options(locations: Sequence[Location]) -> Iterator[tuple[Location, Location]]:
    """The old and the current location of each option among `locations` that has been renamed."""
    for old, new in OPTIONS.items():
        for location in locations:
            found = _match(_parts(old), location)
            if found is not None and len(location) == len(_parts(old)):
                yield location, _filled(_parts(new), found)


def _parts(name: str) -> list[str]:
    return name.replace("[]", ".[]").split(".")


def _match(pattern: Sequence[str], location: Location) -> list[int] | None:
    """The list indices in `location` if it begins with `pattern`, else None."""
    if len(location) < len(pattern):
        return None
    pairs = list(zip(pattern, location, strict=False))
    if not all(isinstance(item, int) if part == "[]" else part == item for part, item in pairs):
        return None
    return [item for item in location[: len(pattern)] if isinstance(item, int)]


def _filled(pattern: Sequence[str], indices: Sequence[int]) -> Location:
    remaining = iter(indices)
    return tuple(next(remaining) if part == "[]" else part for part in pattern)


def current_arguments(arguments: Sequence[str]) -> list[str]:
    """A command line with the current names of its options; warns of each old one."""
    words: list[str] = []
    for word in arguments:
        option, equals, value = word.partition("=")
        for old, new in COMMANDS.items():
            command, _, name = old.rpartition(" ")
            if option == name and words[: command.count(" ") + 1] == command.split(" "):
                warn(old, new)
                option = new.rpartition(" ")[2]
        words.append(option + equals + value)
    return words


def provide(package: str) -> None:
    """Makes the old names of `package` work. Call it after the package has defined its names."""
    module = sys.modules[package]
    names: dict[str, str] = {}
    for old, new in NAMES.items():
        name = old.removeprefix(f"{package}.")
        if name == old or "." in name.split("(")[0].partition(".")[2]:
            continue
        keyword = re.fullmatch(r"([\w.]+)\((\w+)\)", name)
        holder_name, _, member = (keyword[1] if keyword else name).rpartition(".")
        holder = getattr(module, holder_name, None) if holder_name else module
        if holder is None:
            continue
        if keyword:
            setattr(holder, member, _with_keyword(getattr(holder, member), keyword[2], new))
        elif holder_name:
            setattr(holder, member, _forwarding(member, new))
        else:
            names[name] = new
    if names:
        module.__getattr__ = _module_getattr(package, names)


def _module_getattr(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    def getattr_(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        warn(f"{package}.{name}", f"{package}.{names[name]}")
        return getattr(sys.modules[package], names[name])

    return getattr_


def _forwarding(old: str, new: str) -> property:
    def get(self: Any) -> Any:
        warn(old, new)
        return getattr(self, new)

    return property(get)


def _with_keyword(function: Callable[..., Any], old: str, new: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if old in kwargs:
            warn(old, new)
            kwargs[new] = kwargs.pop(old)
        return function(*args, **kwargs)

    return wrapped
