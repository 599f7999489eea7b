"""Names of the previous version that still work in this version, each with a one-line warning.

`OPTIONS`, `COMMANDS` and `NAMES` list all of these names (old name: new name); a name that is removed here
stops working."""

from __future__ import annotations

import functools
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

# Options of cases and simulations; names of options of machine files begin with `machine`. `[]` is any list
# item.
OPTIONS: dict[str, str] = {}

# Options of commands, as `command --option`.
COMMANDS: dict[str, str] = {}

# Old Python names, as `package.name`, `package.Class.member` or `package.function(keyword)`; the new name
# replaces the last part: name, member or keyword.
NAMES: dict[str, str] = {
    "halcyon.atmosphere.Core.longest_step_with_room": "longest_step_with_margin",
    "halcyon.atmosphere.Core.trouble": "failure",
    "halcyon.atmosphere.Transport.carried": "edge_values",
    "halcyon.base.memory": "format_bytes",
    "halcyon.base.seconds": "format_seconds",
    "halcyon.comm.Progress(nap_s)": "poll_interval_s",
    "halcyon.comm.Progress.n_turns": "n_polls",
    "halcyon.comm.together": "collective_errors",
    "halcyon.decomposition.Places": "EntityAreas",
    "halcyon.decomposition.places_of": "entity_areas_of",
    "halcyon.halo.Pending": "PendingExchange",
    "halcyon.io.FieldsFile.is_whole": "is_complete",
    "halcyon.io.Writer.is_whole": "is_complete",
    "halcyon.io.Writer.sync_behind": "sync_in_background",
    "halcyon.io.holds": "has_records",
    "halcyon.io.stamp": "write_checksums",
    "halcyon.mesh.clean": "clean_selection",
    "halcyon.mesh.MeshSpec.needs_depth": "depth_source",
    "halcyon.mesh.is_plain": "is_canonical",
    "halcyon.mesh.require_whole": "require_complete",
    "halcyon.options.name_in": "one_of",
    "halcyon.options.told": "shortened_repr",
    "halcyon.options.whole": "integer",
    "halcyon.schedule.LEAST_SHARE": "MIN_EXPOSED_SHARE",
    "halcyon.schedule.ceiling": "max_hidden_share",
    "halcyon.schedule.hidden": "hidden_share",
    "halcyon.score.Buoy.place": "position",
    "halcyon.score.pairs_of": "collocate",
    "halcyon.semi_lagrangian.Advection.depart": "set_departures",
    "halcyon.semi_lagrangian.Advection.follow": "find_departures",
    "halcyon.semi_lagrangian.Advection.how": "exchange_settings",
    "halcyon.semi_lagrangian.TRIED": "TUNED_METHODS",
    "halcyon.spectral.Model.communicate": "set_exchange",
    "halcyon.spectral.Model.go_on": "resume",
    "halcyon.spectral.Model.held": "restart_variables",
    "halcyon.spectral.Model.how": "exchange_settings",
    "halcyon.spectral.Model.rehearse": "time_transforms",
    "halcyon.spectral.Model.trouble": "failure",
    "halcyon.transform.Bifourier.communicate": "set_exchange",
    "halcyon.transform.Bifourier.how": "exchange_settings",
    "halcyon.transform.Bifourier.schedule(way)": "direction",
    "halcyon.transform.Choice": "ExchangeSettings",
    "halcyon.transform.Grid.place": "location",
    "halcyon.transform.Transform.communicate": "set_exchange",
    "halcyon.transform.Transform.how": "exchange_settings",
    "halcyon.transform.Transform.schedule(way)": "direction",
    "halcyon.wave.Model.note_heights": "update_largest_height",
    "halcyon.wave.gridded.Quantity.of": "from_text",
    "halcyon.wave.gridded.Series.missing": "records_to_read",
    "halcyon.wave.gridded.Series.place": "location",
    "halcyon.wave.gridded.select_period(found)": "full",
    "halcyon.wave.gridded.serving": "select_period",
    "halcyon.wave.spectra.between_points": "point_weights",
    "halcyon.wave.track.Track.check(in_part)": "partial",
    "halcyon.wave.track.Track.place": "location",
    "halcyon.wave.wind.made_radii": "modelled_radii",
    "halcyon.wave.wind.modelled_radii(found)": "vortex",
}


class DeprecatedNameWarning(FutureWarning):
    """A name of the previous version was used."""


def warn(old: str, new: str, place: str = "", stack_level: int = 2) -> None:
    """Warns that `old` is now called `new`. place: file in which the name was used, if not Python code."""
    text = f"'{old}' is now called '{new}'; the old name will stop working in the next version."
    warnings.warn(f"{place}: {text}" if place else text, DeprecatedNameWarning, stacklevel=stack_level + 1)


Location = tuple[str | int, ...]  # of an option in a case: its keys and list indices, from the outside in


def current_location(location: Location) -> Location:
    """Returns the location of an option with current names."""
    for old, new in OPTIONS.items():
        indices = _list_indices(_parts(old), location)
        if indices is not None:
            return _filled(_parts(new), indices) + location[len(_parts(old)) :]
    return location


def renamed_options(locations: Sequence[Location]) -> Iterator[tuple[Location, Location]]:
    """Yields the old and the current location of each option in `locations` that has been renamed."""
    for old, new in OPTIONS.items():
        for location in locations:
            indices = _list_indices(_parts(old), location)
            if indices is not None and len(location) == len(_parts(old)):
                yield location, _filled(_parts(new), indices)


def _parts(name: str) -> list[str]:
    """Returns the keys in the name of an option, and `[]` for each list item."""
    return name.replace("[]", ".[]").split(".")


def _list_indices(pattern: Sequence[str], location: Location) -> list[int] | None:
    """Returns the list indices where `pattern` has `[]`; None unless `location` begins with `pattern`."""
    if len(location) < len(pattern):
        return None
    pairs = list(zip(pattern, location, strict=False))
    if not all(isinstance(item, int) if part == "[]" else part == item for part, item in pairs):
        return None
    return [item for item in location[: len(pattern)] if isinstance(item, int)]


def _filled(pattern: Sequence[str], indices: Sequence[int]) -> Location:
    """Returns the location for a pattern, with the given list indices instead of `[]`."""
    remaining = iter(indices)
    return tuple(next(remaining) if part == "[]" else part for part in pattern)


def current_arguments(arguments: Sequence[str]) -> list[str]:
    """Returns a command line with the current names of its options; warns of each old name."""
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
    """Makes the old names of `package` work. Each package calls `provide` after it has defined its names."""
    module = sys.modules[package]
    names: dict[str, str] = {}
    for old, new in NAMES.items():
        name = old.removeprefix(f"{package}.")
        if name == old or "." in name.split("(")[0].partition(".")[2]:
            continue
        keyword = re.fullmatch(r"([\w.]+)\((\w+)\)", name)
        owner_name, _, member = (keyword[1] if keyword else name).rpartition(".")
        owner = getattr(module, owner_name, None) if owner_name else module
        if owner is None or (owner_name and not isinstance(owner, type)):
            continue
        if keyword:
            function = getattr(owner, member)
            if isinstance(function, type):
                owner, member = function, "__init__"
                function = getattr(owner, member)
            setattr(owner, member, _with_keyword(function, keyword[2], new))
        elif owner_name:
            setattr(owner, member, _OldMember(member, new))
        else:
            names[name] = new
    if names:
        vars(module)["__getattr__"] = _module_getattr(package, names, vars(module).get("__getattr__"))


def _module_getattr(
    package: str, names: Mapping[str, str], previous: Callable[[str], Any] | None
) -> Callable[[str], Any]:
    """Returns a module's __getattr__ for old names; other names are passed to the previous __getattr__, if
    any."""

    def getattr_(name: str) -> Any:
        if name in names:
            warn(f"{package}.{name}", f"{package}.{names[name]}")
            return getattr(sys.modules[package], names[name])
        if previous is not None:
            return previous(name)
        raise AttributeError(f"module '{package}' has no attribute '{name}'")

    return getattr_


class _OldMember:
    """Descriptor for the old name of a member of a class: warns, and returns the member."""

    def __init__(self, old: str, new: str) -> None:
        self.old, self.new = old, new

    def __get__(self, instance: Any, owner: type) -> Any:
        warn(self.old, self.new)
        return getattr(owner if instance is None else instance, self.new)


def _with_keyword(function: Callable[..., Any], old: str, new: str) -> Callable[..., Any]:
    """Returns a function that also accepts the old name of a keyword."""

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if old in kwargs:
            warn(old, new)
            kwargs[new] = kwargs.pop(old)
        return function(*args, **kwargs)

    return wrapped
