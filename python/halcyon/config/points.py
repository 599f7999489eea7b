"""From a case file of `halcyon simulate` to the simulations that it asks for."""

from __future__ import annotations

import copy
import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

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

VARIED = ("series", "sweep")
NOT_VARIED = ("title", "picture", *VARIED)
MOST_POINTS = 10_000


@dataclass(frozen=True)
class Point:
    """One simulation of a case, and what tells it from the others: the name of its series and the value of
    each option that is swept, as they were given."""

    series: str
    swept: Mapping[str, Any]
    case: Simulation
    source: Source = field(repr=False, compare=False)

    def named(self, error: Error) -> Error:
        """The error with the place of the option that it belongs to (`located.about`), and with what tells
        this simulation from the others."""
        location = error_location(error)
        place = [] if location is None else [self.source.position(location)]
        return type(error)(": ".join([*place, *filter(None, [str(self)]), str(error)]))

    def __str__(self) -> str:
        return ", ".join(
            [*filter(None, [self.series]), *(f"{key} {value}" for key, value in self.swept.items())]
        )


def load_simulation(path: str | os.PathLike[str], overrides: Sequence[str] = ()) -> list[Point]:
    """Reads and checks a case of `halcyon simulate`: all its simulations, series by series.

    @param overrides of single options, each `option=value`, such as `ranks=1000`
    @raises ConfigError with one line a mistake, each naming file and line (or the override)
    """
    path = Path(path)
    source = read_source(path, str(path), "simulation")
    for override in overrides:
        apply_override(source, override)
    return points_of(source, path)


def points_of(source: Source, path: Path) -> list[Point]:
    """The simulations of a case that has been read; `path` is where relative names of files begin.

    Raises ConfigError as `load_simulation`."""
    first = next(_variants(source), None)
    validated(Simulation, path, _at(source, path, [] if first is None else first.changes))
    variants = list(itertools.islice(_variants(source), MOST_POINTS + 1))
    if len(variants) > MOST_POINTS:
        text = f"the case has more than {MOST_POINTS} simulations. Sweep over fewer values."
        raise ConfigError(f"{source.position(('sweep',))}: {text}")
    cases = ((variant, _at(source, path, variant.changes)) for variant in variants)
    return [Point(each.series, each.swept, validated(Simulation, path, case), case) for each, case in cases]


@dataclass(frozen=True)
class _Variant:
    """Changes of a case: each option, the place where its value is written, and the value."""

    series: str
    swept: Mapping[str, Any]
    changes: Sequence[tuple[str, Location, Any]]


def _variants(source: Source) -> Iterator[_Variant]:
    series, sweep = (source.data.get(name) for name in VARIED)
    if not _is_sound(series, sweep):
        return
    choices = [
        [(key, ("sweep", key, i), value) for i, value in enumerate(values)]
        for key, values in (sweep or {}).items()
    ]
    for number, name, changes in _series(source, series):
        for chosen in itertools.product(*choices):
            clash = {key for key, _, _ in changes} & {key for key, _, _ in chosen}
            if clash:
                place = source.position(("series", number))
                raise ConfigError(f"{place}: {min(clash)} is both swept and changed by the series '{name}'.")
            yield _Variant(name, {key: value for key, _, value in chosen}, [*changes, *chosen])


def _series(source: Source, series: Any) -> Iterator[tuple[int, str, list[tuple[str, Location, Any]]]]:
    names: list[str] = []
    for i, variant in enumerate(series or [{"name": ""}]):
        place = source.position(("series", i))
        name = variant.get("name")
        if not isinstance(name, str):
            raise ConfigError(
                f"{place}: a series needs a name, such as {{name: Bruck, workload.algorithm: bruck}}."
            )
        if name in names:
            raise ConfigError(f"{place}: the series '{name}' is named twice; names are unique.")
        names.append(name)
        yield i, name, [(key, ("series", i, key), value) for key, value in variant.items() if key != "name"]


def _is_sound(series: Any, sweep: Any) -> bool:
    """Whether both have the form that they should; what is wrong with them is then said of the whole case."""
    groups = series is None or (isinstance(series, list) and all(isinstance(each, dict) for each in series))
    lists = isinstance(sweep, dict) and all(isinstance(each, list) and each for each in sweep.values())
    return groups and (sweep is None or lists)


def _at(source: Source, path: Path, changes: Sequence[tuple[str, Location, Any]]) -> Source:
    """The case with some options changed and its machine's base put in."""
    changed = replace(
        source, data=copy.deepcopy(source.data), lines=dict(source.lines), overrides=dict(source.overrides)
    )
    _name_base(changed)
    for key, written, value in changes:
        if key.split(".")[0] in NOT_VARIED:
            raise ConfigError(f"{source.position(written)}: {key} is of the case as a whole and cannot vary.")
        option = changed.current(
            parse_location(key, f"{source.position(written)}: {key}"), source.position(written)
        )
        set_option(changed, option, copy.deepcopy(value), f"{source.position(written)}: {key}")
        _note(changed, option, source, written)
        _name_base(changed)
    _add_base(changed, path.absolute().parent)
    return changed


def _note(changed: Source, option: Location, source: Source, written: Location) -> None:
    """An option stands where its value is written: in the case, or on the command line."""
    changed.forget(option)
    for end in range(len(written), 0, -1):
        if written[:end] in source.overrides:
            changed.overrides[option] = source.overrides[written[:end]]
            return
        if written[:end] in source.lines:
            changed.lines[option] = source.lines[written[:end]]
            break
    n = len(written)
    changed.lines |= {(*option, *at[n:]): line for at, line in source.lines.items() if at[:n] == written}


def _name_base(source: Source) -> None:
    """`machine: reference` says the base of a machine none of whose options is given."""
    if isinstance(source.data.get("machine"), str):
        source.data["machine"] = {"base": source.data["machine"]}


def _add_base(source: Source, folder: Path) -> None:
    """Puts the options of the machine's base where the case gives none."""
    given = source.data.get("machine", {})
    if not isinstance(given, dict) or not isinstance(given.get("base", "reference"), str):
        return
    base = given.get("base", "reference")
    try:
        options = machine_data(base, folder)
    except ConfigError as error:
        text = str(error)
        at_fault = text if text.startswith("the machine '") else f"the machine {base}: {text}"
        raise ConfigError(f"{source.position(('machine', 'base'))}: {at_fault}") from None
    source.data["machine"] = _merged(options, given)


def _merged(base: Any, given: Any) -> Any:
    """`given`, with what `base` has beside it; a group of another type stands alone."""
    if not (isinstance(base, dict) and isinstance(given, dict)) or base.get("type") != given.get(
        "type", base.get("type")
    ):
        return given
    return base | {key: _merged(base.get(key), value) for key, value in given.items()}
