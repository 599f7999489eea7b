"""Catalogues of gridded quantities: the times of their records, and where each record is in the files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.base import AbsentError, ChoiceError, InputError
from halcyon.mesh.cf_file import format_time, in_unit
from halcyon.wave.gridded.grid import Grid
from halcyon.wave.gridded.grid_variable import GridVariable, grid_variables, unsuitable_text
from halcyon.wave.gridded.quantity import Quantity
from halcyon.wave.records import TimeInterpolation, files_text, resolve_files, seconds_since

_COMPARED_RECORDS = 4  # of a wind that must change
_GAP_RATIO = 1.5  # ratio of the longest allowed gap between records to the median interval
_SECOND = np.timedelta64(1000, "ms")


@dataclass(frozen=True)
class Record:
    """A record of a quantity: the mean of its parts, which are one record of a file, or, in a climatology,
    the records of a month in all years.

    time: datetime64[ms] UTC; parts: (variable, index of the record in the file)."""

    time: np.datetime64
    parts: tuple[tuple[GridVariable, int], ...]

    @property
    def grid(self) -> Grid:
        """The grid of the parts."""
        variable, i = self.parts[0]
        return variable.grid_of(i)

    @property
    def keys(self) -> dict[str, Any]:
        """What distinguishes the first part from others of the same time: values by name."""
        variable, i = self.parts[0]
        return {key: values[i] for key, values in variable.keys.items()}


@dataclass(frozen=True)
class Catalogue:
    """The records of a quantity, ascending in time.

    grid: of the first record; the others may have other grids, such as a nest that follows a storm.
    relative_to_grid: whether the quantity is the component of a vector along an axis of the grid, not towards
    east or north."""

    quantity: Quantity
    grid: Grid
    records: tuple[Record, ...]
    relative_to_grid: bool = False

    @property
    def paths(self) -> list[Path]:
        """The files of the records."""
        return sorted({variable.path for record in self.records for variable, _ in record.parts})

    @property
    def gap_text(self) -> str:
        """A text on the longest gap between the records, empty where it is not above 1.5 times the median
        interval."""
        times = np.array([record.time for record in self.records])
        steps_s = np.diff(times) / _SECOND
        if not len(steps_s) or steps_s.max() <= _GAP_RATIO * np.median(steps_s):
            return ""
        before, after = (format_time(times[np.argmax(steps_s) + i]) for i in (0, 1))
        return (
            f"{files_text(self.paths)}: {self.quantity.name} is interpolated over {steps_s.max():g} s from"
            f" {before} to {after} UTC; the usual interval is {np.median(steps_s):g} s."
        )


def catalogue(
    files: Iterable[str | Path],
    quantities: Sequence[Quantity],
    *,
    names: Sequence[str | None] | None = None,
    unit: str | None = None,
    components: str = "auto",
    select: Mapping[str, Any] | None = None,
    means: bool = False,
) -> list[Catalogue]:
    """Returns the catalogue of each quantity; a file may contain one or several quantities.

    files: names and patterns; names: variable names, one per quantity, or None to detect the variables by
    their attributes; unit: overrides the units of all variables; components: whether two quantities are along
    the axes of the `grid`, or `east_north`; `auto`: as the files say; select: values of coordinates or keys
    of messages (dict), such as a member; means: whether means over time intervals are taken. Raises
    ConfigError for a name that matches no file, InputError for files that cannot be read, have different
    grids or contain none of the quantities, for missing quantities, and for components whose directions the
    files do not say."""
    requested = dict(zip(quantities, names or [None] * len(quantities), strict=True))
    paths = resolve_files(files)
    variables_of_files = [*_variables_of_files(paths, requested, unit, select, means)]
    for quantity, name in requested.items():
        if not any(quantity in variables for variables in variables_of_files):
            raise InputError(_missing_text(paths[0], {quantity: name}, select))
    variables = [[found[q] for found in variables_of_files if q in found] for q in quantities]
    joined = [join(*each) for each in zip(quantities, variables, strict=True)]
    if len(joined) != 2 or not are_relative_to_grid(joined, list(chain(*variables)), components):
        return joined
    return [replace(component, relative_to_grid=True) for component in joined]


def _variables_of_files(
    paths: Sequence[Path],
    requested: Mapping[Quantity, str | None],
    unit: str | None,
    select: Mapping[str, Any] | None,
    means: bool,
) -> Iterator[Mapping[Quantity, GridVariable]]:
    """Yields the variables of each file. Files without the selected values are left out, such as those of
    other members; the error of the first is raised if all are."""
    absent = []
    for path in paths:
        try:
            variables = grid_variables(path, requested, unit, select=select, means=means)
        except AbsentError as error:
            absent.append(error)
            continue
        if not variables:
            raise InputError(_missing_text(path, requested, select))
        yield variables
    if len(absent) == len(paths):
        raise absent[0]


def are_relative_to_grid(
    pair: Sequence[Catalogue], variables: Iterable[GridVariable], components: str
) -> bool:
    """Returns whether the two components of a vector, given by the variables, are relative to their grids.

    Raises InputError where the files do not say it, and for grids without axes."""
    grids, given = [each.grid for each in pair], {_is_along_grid(variable) for variable in variables}
    label = f"{grids[0].path}: {' and '.join(dict.fromkeys(variable.name for variable in variables))}"
    if components == "auto" and len(given) > 1:
        raise InputError(
            f"{label}: some are along the axes of the grid, others not. Set the option components to grid or"
            " east_north."
        )
    is_relative = given == {True} if components == "auto" else components == "grid"
    if is_relative and not all(grid.has_axes for grid in grids):
        raise InputError(
            f"{label} are along the axes of a grid, but the points of the file have no rows and columns. Give"
            " eastward and northward components; if they are, set components: east_north."
        )
    if components != "auto" or given != {None}:
        return is_relative
    if not grids[0].same_as(grids[1]):  # on the sides of grid boxes, as in ROMS and NEMO
        return True
    raise InputError(
        f"{label} are on two-dimensional latitudes and longitudes, and the file does not say whether they"
        " point along the grid's rows and columns or to east and north. Set components: grid or components:"
        " east_north."
    )


def _is_along_grid(variable: GridVariable) -> bool | None:
    """Returns whether a component is along an axis of its grid, None if the file does not say and it makes a
    difference."""
    grid, given = variable.grids[0], variable.relative_to_grid
    return False if given is None and (grid.is_plain or not grid.has_axes) else given


def _missing_text(
    path: Path, requested: Mapping[Quantity, str | None], select: Mapping[str, Any] | None
) -> str:
    named = [repr(name) for name in requested.values() if name]
    if named:
        return f"{path} has no variable {' or '.join(named)}. Give the name of a variable of the file."
    label = " or ".join(quantity.name for quantity in requested)
    others = "".join(unsuitable_text(path, quantity, select) for quantity in requested)
    return f"{path} has no variable recognized as {label}.{others} Name it by the option variables."


def join(quantity: Quantity, variables: Sequence[GridVariable]) -> Catalogue:
    """Returns the catalogue of all records of the variables, which are the quantity in each of the files."""
    grids, records = [variables[0].grids[0]], []
    for variable in variables:
        for grid in variable.grids:
            grids.append(grids[-1] if grid.is_read_as(grids[-1]) else grid)
        variable = replace(variable, grids=tuple(grids[-len(variable.grids) :]))  # each grid once in memory
        records += [Record(time, ((variable, i),)) for i, time in enumerate(variable.times)]
    records.sort(key=lambda record: record.time)
    return Catalogue(quantity, grids[0], tuple(records))


def select_period(
    full: Catalogue,
    start: np.datetime64,
    end: np.datetime64,
    *,
    climatology: bool = False,
    longest_gap: float | None = None,
) -> Catalogue:
    """Returns the part of a catalogue that a run from start to end (datetime64, UTC) needs.

    climatology: whether to use monthly means over all years of the records; longest_gap [s]: longest allowed
    gap between records, by default 1.5 times the median interval. Raises InputError where the records do not
    cover the run, have a longer gap, or two records have the same time."""
    if not full.records:
        raise InputError(f"{full.grid.path} has no record of {full.quantity.name}.")
    times = np.array([record.time for record in full.records])
    if climatology:
        first, last = times[0], times[-1]
    else:  # the times around the run
        first, last = np.append(start, times[times <= start])[-1], np.append(times[times >= end], end)[0]
    full = _without_repetitions(full, first, last)
    full = _monthly(full, start, end) if climatology else full
    times = np.array([record.time for record in full.records])
    needed = needed_records(times, start, end, longest_gap, f"{files_text(full.paths)}: {full.quantity.name}")
    return replace(full, records=full.records[needed])


def _without_repetitions(full: Catalogue, first: np.datetime64, last: np.datetime64) -> Catalogue:
    """Returns a catalogue with each time once. Of records of the same time, the one of the lowest `expver`
    counts (final ERA5 before preliminary), or the first of equal ones.

    Raises InputError where records from `first` to `last` with the same time differ."""
    kept: list[Record] = []
    for record in full.records:
        if not kept or kept[-1].time != record.time:
            kept.append(record)
            continue
        keys = kept[-1].keys, record.keys
        lowest = _lowest_expver(*keys)
        if lowest is not None:
            kept[-1] = (kept[-1], record)[lowest]
        elif first <= record.time <= last and not _have_equal_values(kept[-1], record):
            raise _repetition_error(full.quantity, (kept[-1], record), keys)
    return replace(full, records=tuple(kept))


def _lowest_expver(first: Mapping[str, Any], second: Mapping[str, Any]) -> int | None:
    """Returns which of two records, given by their keys, has the lower expver; None if they differ in
    others."""
    if not {"expver"} <= first.keys() & second.keys() or first["expver"] == second["expver"]:
        return None
    if any(first[k] != second[k] for k in ("number", "step", "level") if k in first and k in second):
        return None
    return int(str(second["expver"]) < str(first["expver"]))


def _have_equal_values(first: Record, second: Record) -> bool:
    values = [variable.raw(i) for each in (first, second) for variable, i in each.parts]
    return values[0].dtype == values[1].dtype and np.array_equal(values[0], values[1], equal_nan=True)


def _repetition_error(
    quantity: Quantity, records: Sequence[Record], keys: Sequence[Mapping[str, Any]]
) -> InputError:
    time = format_time(records[0].time)
    paths = dict.fromkeys(str(record.parts[0][0].path) for record in records)
    label = f"{' and '.join(paths)}: {quantity.name} has two records of {time} UTC"
    for key in keys[0]:
        if key in keys[1] and keys[0][key] != keys[1][key]:
            values = [format_time(k[key]) if key == "time" else k[key] for k in keys]
            return ChoiceError(
                f"{label}, of {key} {values[0]} and {values[1]}. Choose: select: {{{key}: {values[0]}}}.",
                select={key: values[0]},
            )
    return InputError(f"{label} with other values. Give each time once.")


def require_change(catalogues: Sequence[Catalogue]) -> None:
    """Raises InputError where no component of a wind changes between its first records: all values are
    equal."""
    for of_component in catalogues:
        first, *others = of_component.records[:_COMPARED_RECORDS]
        if not others or not all(_have_equal_values(first, other) for other in others):
            return
    records = catalogues[0].records[:_COMPARED_RECORDS]
    raise InputError(
        f"{files_text(catalogues[0].paths)}: the wind is the same in all {len(records)} records from"
        f" {format_time(records[0].time)} to {format_time(records[-1].time)} UTC. Give files in which it"
        " changes, or set steady: true."
    )


def needed_records(
    times: np.ndarray, start: np.datetime64, end: np.datetime64, longest_gap: float | None, label: str
) -> slice:
    """Returns the slice of times (datetime64, ascending) that a run from start to end needs.

    label: files and quantity, for errors.

    Raises InputError where the times do not cover the run, and where two times are equal or farther apart
    than longest_gap [s], by default 1.5 times the median interval."""
    if start < times[0] or end > times[-1]:
        raise InputError(
            f"{label} is given from {format_time(times[0])} to {format_time(times[-1])} UTC, the run goes "
            f"from {format_time(start)} to {format_time(end)}. Give files that cover the run, or shorten "
            "the run."
        )
    first, last = np.searchsorted(times, start, "right") - 1, np.searchsorted(times, end, "left")
    _require_no_gap(times[first : last + 1], times, longest_gap, label)
    return slice(first, last + 1)


def _require_no_gap(
    needed_times: np.ndarray, times: np.ndarray, longest_gap: float | None, label: str
) -> None:
    """Raises InputError where two needed times are equal or too far apart.

    times: those of all records, whose median interval determines the default of longest_gap."""
    steps_s = np.diff(np.unique(times)) / _SECOND
    longest = _GAP_RATIO * np.median(steps_s) if longest_gap is None and len(steps_s) else longest_gap
    for before, after in pairwise(needed_times):
        if before == after:
            raise InputError(f"{label} has two records of {format_time(after)} UTC. Give each time once.")
    gaps_s = np.diff(needed_times) / _SECOND
    if not len(gaps_s) or longest is None or gaps_s.max() <= longest:
        return
    before, after = (needed_times[np.argmax(gaps_s) + i] for i in (0, 1))
    n = np.count_nonzero(gaps_s > longest)
    raise InputError(
        f"{label} lacks records between {format_time(before)} and {format_time(after)} UTC"
        f"{f', the longest of {n} gaps' if n > 1 else ''}; the usual interval is {np.median(steps_s):g} s."
        f" Give all files, or set longest_gap to at least {gaps_s.max():g} s."
    )


def _monthly(full: Catalogue, start: np.datetime64, end: np.datetime64) -> Catalogue:
    """Returns a catalogue of mid-month records around a run, each the mean over the month in all years."""
    calendar_months = _calendar_month(np.array([record.time for record in full.records]))
    absent = [month + 1 for month in range(12) if not (calendar_months == month).any()]
    if absent:
        raise InputError(
            f"{files_text(full.paths)}: a monthly climatology of {full.quantity.name} needs all months; "
            f"there is no record of month {', '.join(map(str, absent))}."
        )
    first, last = in_unit(start, "M"), in_unit(end, "M")
    records = []
    months: Any = np.arange(first - 1, last + 2)
    for month in months:
        same_month = np.flatnonzero(calendar_months == _calendar_month(month))
        parts = [full.records[i].parts[0] for i in same_month]
        _require_one_grid([full.records[i] for i in same_month])
        month_begin, month_end = month.astype("datetime64[ms]"), (month + 1).astype("datetime64[ms]")
        records.append(Record(month_begin + (month_end - month_begin) // 2, tuple(parts)))
    return replace(full, records=tuple(records))


def _require_one_grid(records: Sequence[Record]) -> None:
    """Raises InputError where records whose mean is needed have several grids."""
    for record in records:
        if not record.grid.same_as(records[0].grid):
            raise InputError(
                f"{record.grid.path} has another grid than {records[0].grid.path}. Give files on the same"
                " grid for a climatology."
            )


def _calendar_month(times: np.datetime64 | np.ndarray) -> np.ndarray:
    """Returns the calendar month of times (datetime64), 0 for January."""
    return times.astype("datetime64[M]").astype(int) % 12


class Series(TimeInterpolation):
    """The values of a catalogue at the positions of an interpolation, linear in time; NaN where missing.

    catalogue: a `Catalogue` that covers the run, see `select_period`; interpolation_of: returns the
    `Interpolation` or `ComponentInterpolation` from a grid; start (datetime64, UTC): time 0 of the run.
    `read` raises InputError where a file cannot be read. The next record is read in the background."""

    def __init__(
        self, catalogue: Catalogue, interpolation_of: Callable[[Grid], Any], start: np.datetime64
    ) -> None:
        times = np.array([record.time for record in catalogue.records])
        super().__init__(seconds_since(start, times), self.values, prefetch=True)
        self.catalogue, self._interpolation_of = catalogue, interpolation_of

    def grid_of(self, record: int) -> Grid:
        """Returns the grid of a record."""
        return self.catalogue.records[record].grid

    def location(self, record: int) -> str:
        """Returns the source of a record for errors, as `winds.nc: u10 at 2022-09-01 06:00 UTC`."""
        variable, _ = self.catalogue.records[record].parts[0]
        return f"{variable.path}: {variable.name} at {format_time(self.catalogue.records[record].time)} UTC"

    def value_beyond(self, record: int, position: int) -> float | None:
        """Returns a value of the file near a position that is out of the quantity's limits; None if there is
        none at its grid points."""
        lowest, highest = self.catalogue.quantity.limits
        interpolation = self._interpolation_of(self.grid_of(record))
        for values in self._parts(record):
            near = values.ravel()[interpolation.nodes[:, position]]
            near = near[interpolation.weights[:, position] > 0]
            beyond = near[(near < lowest) | (near > highest)]
            if len(beyond):
                return float(beyond[0])
        return None

    def _parts(self, record: int) -> list[np.ndarray]:
        window = self._interpolation_of(self.grid_of(record)).window
        return [variable.read(i, window) for variable, i in self.catalogue.records[record].parts]

    def values(self, record: int) -> np.ndarray:
        """Returns the values of a record, which is read now, in this thread.

        A value out of the limits makes the result infinite: the mean of a record with others, or of a grid
        point with its neighbours, could be within the limits."""
        lowest, highest = self.catalogue.quantity.limits
        parts = self._parts(record)
        beyond = np.any([(values < lowest) | (values > highest) for values in parts], axis=0)
        return self._interpolation_of(self.grid_of(record))(np.where(beyond, np.inf, sum(parts) / len(parts)))


def _always(component: Any, grid: Grid) -> Any:
    return component


def vector_at(
    catalogues: Sequence[Catalogue], record: int, longitude: np.ndarray, latitude: np.ndarray
) -> np.ndarray:
    """Returns eastward and northward components (2, n) of a record of both components' catalogues at
    positions [degrees] (n), NaN where the grid does not cover them or has no value. Raises InputError where a
    file cannot be read."""
    total: Any = 0
    for axis, of_component in enumerate(catalogues):
        scalar = of_component.records[record].grid.interpolation(longitude, latitude, 0.0)
        component = scalar.component(axis, relative_to_grid=of_component.relative_to_grid)
        series = Series(of_component, partial(_always, component), np.datetime64(0, "s"))
        total = total + np.where(scalar.covered, series.values(record), np.nan)
    return total
