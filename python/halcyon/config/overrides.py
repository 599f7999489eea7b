"""`--set time.step=600`: options given on the command line replace those of the case file."""

from __future__ import annotations

from typing import Any

from halcyon.base import ConfigError
from halcyon.config.yaml_source import Location, Source, option_name, parse


def apply(source: Source, override: str) -> None:
    """Puts one override into `source`. Raises ConfigError naming the option when it does not fit."""
    key, equals, text = override.partition("=")
    if not equals or not key.strip():
        raise ConfigError(f"--set {override}: write --set option=value, such as --set time.step=600.")
    location = location_of(key, f"--set {override}")
    try:
        value = parse(text, f"--set {override}").data
    except ConfigError as error:
        raise ConfigError(f"--set {override}: the value cannot be read ({error}).") from None
    put(source, location, value, f"--set {override}")
    source.forget(location)
    source.overrides[location] = override


def location_of(key: str, place: str) -> Location:
    """Where the option `output.stations.2.name` stands. Raises ConfigError, beginning with `place`, where no
    option can be called so."""
    location = tuple(int(part) if part.isdecimal() else part for part in key.strip().split("."))
    if "" in location:
        raise ConfigError(f"{place}: '{key}' has an empty name between its points.")
    return location


def put(source: Source, location: Location, value: Any, place: str) -> None:
    """Gives an option another value. Raises ConfigError, beginning with `place`, where it stands in no group
    or list."""
    holder = source.data
    for depth, item in enumerate(location[:-1]):
        _check(holder, location[:depth], item, place)
        if isinstance(holder, dict) and holder.get(item) is None:
            holder[item] = {}
        holder = holder[item]
    _check(holder, location[:-1], location[-1], place)
    holder[location[-1]] = value


def _check(holder: Any, location: Location, item: str | int, place: str) -> None:
    name = option_name(location)
    if isinstance(holder, list):
        if not isinstance(item, int) or item >= len(holder):
            raise ConfigError(
                f"{place}: {name} is a list of {len(holder)}; name an item 0..{len(holder) - 1}."
            )
    elif not isinstance(holder, dict):
        raise ConfigError(f"{place}: {name} is {holder!r} in the case, not a group. Set {name} as a whole.")
