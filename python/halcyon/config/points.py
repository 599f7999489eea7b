"""Expands a case file of `halcyon simulate` into its simulations: one for each combination of its `series`
(named sets of changed options) and of the values in `sweep`."""

from __future__ import annotations

import copy
import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from halcyon.base import ConfigError, Error
from halcyon.config.load import validated
from halcyon.config.load_machine import machine_data
from halcyon.config.simulation import Simulation
from halcyon.config.yaml_source import (
    Location,
    Source,
    apply_override,
    error_location,
    parse_location,
    read_source,
    set_option,
)

VARIATION_OPTIONS = ("series", "sweep")
FIXED_OPTIONS = (
    "title",
    "picture",
    "repetitions",
    *VARIATION_OPTIONS,
)  # options that are the same in all simulations
MAX_SIMULATIONS = 10_000  # largest number of simulations of a case


@dataclass(frozen=True)
class SweepPoint:
    """One simulation of a case, which is one combination of its series and swept options."""

    series: str  # name of the series; empty without series
    swept: Mapping[str, Any]  # values of the swept options, as the case gives them
    case: Simulation  # the options of this simulation
    source: Source = field(repr=False, compare=False)

    def locate_error(self, error: Error) -> Error:
        """Returns the error prefixed by the name of this simulation and, if the error has the location of an
        option (set by `yaml_source.errors_at`), by the line of that option."""
        location = error_location(error)
        position = [] if location is None else [self.source.position(location)]
        located = type(error)(": ".join([*position, *filter(None, [str(self)]), str(error)]))
        if location is not None:
            vars(located)["location"] = location
        return located

    def __str__(self) -> str:
        return ", ".join(
            [*filter(None, [self.series]), *(f"{key} {value}" for key, value in self.swept.items())]
        )


def load_simulation(path: str | os.PathLike[str], overrides: Sequence[str] = ()) -> list[SweepPoint]:
    """Reads and checks a case of `halcyon simulate`, and returns all its simulations, series by series.

    @param overrides values of single options, each `option=value`, such as `ranks=1000`
    @raises ConfigError with one line per mistake, each naming file and line (or the override)"""
    path = Path(path)
    source = read_source(path, str(path), "simulation")
    for override in overrides:
        apply_override(source, override)
    return expand_case(source, path)


def expand_case(source: Source, path: Path) -> list[SweepPoint]:
    """Expands a case that has been read into its simulations; file names are relative to the folder of
    `path`.

    Raises ConfigError as `load_simulation`."""
    # Mistakes in options that do not vary, and in the form of series and sweep, are reported before the case
    # is expanded.
    first = next(_variants(source), None)
    validated(Simulation, path, _variant_source(source, path, [] if first is None else first.changes))
    variants = list(itertools.islice(_repeated(_variants(source), source), MAX_SIMULATIONS + 1))
    if len(variants) > MAX_SIMULATIONS:
        text = f"the case has more than {MAX_SIMULATIONS} simulations. Sweep over fewer values."
        raise ConfigError(f"{source.position(('sweep',))}: {text}")
    sources = ((variant, _variant_source(source, path, variant.changes)) for variant in variants)
    return [
        SweepPoint(variant.series, variant.swept, validated(Simulation, path, changed), changed)
        for variant, changed in sources
    ]


class _Change(NamedTuple):
    """Another value of an option."""

    option: str  # dotted name
    value_location: Location  # where the case gives the value
    value: Any


@dataclass(frozen=True)
class _Variant:
    """A simulation of the case, given by its changes of the options."""

    series: str
    swept: Mapping[str, Any]
    changes: Sequence[_Change]


def _variants(source: Source) -> Iterator[_Variant]:
    """Yields all combinations of the series and the swept values."""
    series, sweep = (source.data.get(name) for name in VARIATION_OPTIONS)
    if not _has_valid_form(series, sweep):
        return
    swept_changes = [
        [_Change(option, ("sweep", option, i), value) for i, value in enumerate(values)]
        for option, values in (sweep or {}).items()
    ]
    for index, name, changes in _series(source, series):
        for combination in itertools.product(*swept_changes):
            conflicts = {change.option for change in changes} & {change.option for change in combination}
            if conflicts:
                position = source.position(("series", index))
                raise ConfigError(
                    f"{position}: {min(conflicts)} is both swept and changed by the series '{name}'."
                    " Remove one of them."
                )
            swept = {change.option: change.value for change in combination}
            yield _Variant(name, swept, [*changes, *combination])


def _repeated(variants: Iterator[_Variant], source: Source) -> Iterator[_Variant]:
    """Yields each variant as often as the option `repetitions` says, with ascending seeds. Invalid options
    are reported when the case is validated."""
    number = source.data.get("repetitions", 1)
    engine = source.data.get("engine") or {}
    for variant in variants:
        given = {change.option: change.value for change in variant.changes}
        seed = given.get("engine.seed", engine.get("seed", 1))
        yield variant
        for i in range(1, number) if type(seed) is int else ():
            change = _Change("engine.seed", ("repetitions",), seed + i)
            others = [each for each in variant.changes if each.option != "engine.seed"]
            yield replace(variant, changes=[*others, change])


def _series(source: Source, series: Any) -> Iterator[tuple[int, str, list[_Change]]]:
    """Yields the index, the name and the changes of each series; if the case has no series, a single series
    without a name and changes."""
    names: list[str] = []
    for i, options in enumerate(series or [{"name": ""}]):
        position = source.position(("series", i))
        name = options.get("name")
        if not isinstance(name, str):
            raise ConfigError(
                f"{position}: a series needs a name, such as {{name: Bruck, workload.algorithm: bruck}}."
            )
        if name in names:
            raise ConfigError(f"{position}: two series have the name '{name}'. Give another name.")
        names.append(name)
        changes = [
            _Change(option, ("series", i, option), value)
            for option, value in options.items()
            if option != "name"
        ]
        yield i, name, changes


def _has_valid_form(series: Any, sweep: Any) -> bool:
    """Whether the options `series` and `sweep` have a valid form; errors are reported when the case is
    validated."""
    are_groups = series is None or (
        isinstance(series, list) and all(isinstance(options, dict) for options in series)
    )
    are_lists = isinstance(sweep, dict) and all(
        isinstance(values, list) and values for values in sweep.values()
    )
    return are_groups and (sweep is None or are_lists)


def _variant_source(source: Source, path: Path, changes: Sequence[_Change]) -> Source:
    """The case with some options changed, and with the options of its `machine.base` added."""
    variant = replace(
        source, data=copy.deepcopy(source.data), lines=dict(source.lines), overrides=dict(source.overrides)
    )
    _expand_machine_name(variant)
    for name, value_location, value in changes:
        position = source.position(value_location)
        if name.split(".")[0] in FIXED_OPTIONS:
            raise ConfigError(f"{position}: {name} is an option of the whole case and cannot vary.")
        option = variant.to_current_names(parse_location(name, f"{position}: {name}"), position)
        set_option(variant, option, copy.deepcopy(value), f"{position}: {name}")
        _record_location(variant, option, source, value_location)
        _expand_machine_name(variant)
    _merge_machine_base(variant, path.absolute().parent)
    return variant


def _record_location(variant: Source, option: Location, source: Source, value_location: Location) -> None:
    """Records in `variant`, for error messages, that the value of `option` comes from `value_location` in the
    case `source` or on the command line."""
    variant.forget_positions(option)
    for end in range(len(value_location), 0, -1):
        if value_location[:end] in source.overrides:
            variant.overrides[option] = source.overrides[value_location[:end]]
            return
        if value_location[:end] in source.lines:
            variant.lines[option] = source.lines[value_location[:end]]
            break
    n = len(value_location)
    variant.lines |= {
        (*option, *key[n:]): line for key, line in source.lines.items() if key[:n] == value_location
    }


def _expand_machine_name(source: Source) -> None:
    """Expands `machine: NAME` to `machine: {base: NAME}`."""
    if isinstance(source.data.get("machine"), str):
        source.data["machine"] = {"base": source.data["machine"]}


def _merge_machine_base(source: Source, folder: Path) -> None:
    """Adds the options of `machine.base` to `machine`; options that the case gives take precedence."""
    given = source.data.get("machine", {})
    if not isinstance(given, dict) or not isinstance(given.get("base", "reference"), str):
        return
    base = given.get("base", "reference")
    try:
        options = machine_data(base, folder)
    except ConfigError as error:
        text = str(error)
        message = text if text.startswith("the machine '") else f"the machine {base}: {text}"
        raise ConfigError(f"{source.position(('machine', 'base'))}: {message}") from None
    source.data["machine"] = _merged(options, given)


def _merged(base: Any, given: Any) -> Any:
    """Recursively merges `given` into `base`; a group of another type replaces the group of the base."""
    if not (isinstance(base, dict) and isinstance(given, dict)) or base.get("type") != given.get(
        "type", base.get("type")
    ):
        return given
    return base | {key: _merged(base.get(key), value) for key, value in given.items()}
