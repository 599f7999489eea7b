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
    location = tuple(int(part) if part.isdecimal() else part for part in key.strip().split("."))
    if "" in location:
        raise ConfigError(f"--set {override}: '{key}' has an empty name between its points.")
    try:
        value = parse(text, f"--set {override}").data
    except ConfigError as error:
        raise ConfigError(f"--set {override}: the value cannot be read ({error}).") from None
    _put(source, location, value, override)


def _put(source: Source, location: Location, value: Any, override: str) -> None:
    holder = source.data
    for depth, item in enumerate(location[:-1]):
        _check(holder, location[:depth], item, override)
        if isinstance(holder, dict) and holder.get(item) is None:
            holder[item] = {}
        holder = holder[item]
    _check(holder, location[:-1], location[-1], override)
    holder[location[-1]] = value
    source.overrides[location] = override


def _check(holder: Any, location: Location, item: str | int, override: str) -> None:
    name = option_name(location)
    if isinstance(holder, list):
        if not isinstance(item, int) or item >= len(holder):
            raise ConfigError(
                f"--set {override}: {name} is a list of {len(holder)}; name an item 0..{len(holder) - 1}."
            )
    elif not isinstance(holder, dict):
        raise ConfigError(
            f"--set {override}: {name} is {holder!r} in the case, not a group. Set {name} as a whole."
        )
