"""Catalogues of gridded quantities: their times, and the file and record of each."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from halcyon.base import InputError
from halcyon.mesh.cf_file import format_time
from halcyon.wave.gridded.grid_variable import GridVariable, grid_variables
from halcyon.wave.gridded.interpolation import Axes
from halcyon.wave.gridded.quantity import Quantity
from halcyon.wave.records import TimeInterpolation, files_text, resolve_files, seconds_since

_GAP = 1.5  # longest gap between records, as a multiple of the median interval
_SECOND = np.timedelta64(1000, "ms")


@dataclass(frozen=True)
class Record:
    """A record: its time, datetime64[ms] UTC, and the parts (variable, record in the file) it averages."""

    time: np.datetime64
    parts: tuple[tuple[GridVariable, int], ...]


@dataclass(frozen=True)
class Catalogue:
    """The records of a quantity on one grid, ascending in time."""

    quantity: Quantity
    axes: Axes
    records: tuple[Record, ...]

    @property
    def paths(self):
        """The files of the records."""
        return sorted({variable.path for record in self.records for variable, _ in record.parts})


def catalogue(files, quantities, *, names=None, unit=None):
    """Returns the catalogue of each quantity; a file may hold one or several of them.

    files: names and patterns; names: variable names, one per quantity, None: detected by their attributes;
    unit: overrides the units of all variables. Raises ConfigError for a name that matches no file,
    InputError for files that cannot be read, have different grids or contain none of the quantities, and for
    missing quantities."""
    requested = dict(zip(quantities, names or [None] * len(quantities), strict=True))
    paths = resolve_files(files)
    by_file = [grid_variables(path, requested, unit) for path in paths]
    for path, variables in zip(paths, by_file, strict=True):
        if not variables:
            raise InputError(_missing_text(path, requested))
    for quantity, name in requested.items():
        if not any(quantity in variables for variables in by_file):
            raise InputError(_missing_text(paths[0], {quantity: name}))
    return [_join(q, [variables[q] for variables in by_file if q in variables]) for q in quantities]


def _missing_text(path, requested):
    named = [repr(name) for name in requested.values() if name]
    if named:
        return f"{path} has no variable {' or '.join(named)}. Give the name of a variable of the file."
    label = " or ".join(quantity.name for quantity in requested)
    return f"{path} has no variable recognized as {label}. Name it by the option variables."


def _join(quantity, variables):
    axes = variables[0].axes
    for each in variables:
        if not axes.same_as(each.axes):
            raise InputError(f"{each.path} has another grid than {axes.path}. Give files on the same grid.")
    rows = [Record(time, ((each, i),)) for each in variables for i, time in enumerate(each.times)]
    rows.sort(key=lambda record: record.time)
    return Catalogue(quantity, axes, tuple(rows))


def select_period(found, start, end, *, climatology=False, longest_gap=None):
    """Returns the part of a catalogue that a run from start to end (datetime64, UTC) needs.

    climatology: whether to use monthly means over all years of the records; longest_gap [s]: longest allowed
    gap between records, by default 1.5 times their median interval. Raises InputError where the records do
    not cover the run, have a longer gap, or two records have the same time."""
    if climatology:
        found = _monthly(found, start, end)
    times = np.array([record.time for record in found.records])
    if not len(times):
        raise InputError(f"{found.axes.path} has no record of {found.quantity.name}.")
    needed = needed_records(
        times, start, end, longest_gap, f"{files_text(found.paths)}: {found.quantity.name}"
    )
    return Catalogue(found.quantity, found.axes, found.records[needed])


def needed_records(times, start, end, longest_gap, label):
    """Returns the slice of times (datetime64, ascending) that a run from start to end needs; label: for
    errors.

    Raises InputError where the times do not cover the run, and where two times are equal or farther apart
    than longest_gap [s], by default 1.5 times the median interval."""
    if start < times[0] or end > times[-1]:
        raise InputError(
            f"{label} is given from {format_time(times[0])} to {format_time(times[-1])} UTC, the run goes "
            f"from {format_time(start)} to {format_time(end)}. Give files that cover it, or shorten it."
        )
    first, last = np.searchsorted(times, start, "right") - 1, np.searchsorted(times, end, "left")
    _require_no_gap(times[first : last + 1], times, longest_gap, label)
    return slice(first, last + 1)


def _require_no_gap(kept, times, longest_gap, label):
    steps_s = np.diff(np.unique(times)) / _SECOND
    longest = _GAP * np.median(steps_s) if longest_gap is None and len(steps_s) else longest_gap
    for before, after in pairwise(kept):
        if before == after:
            raise InputError(f"{label} has two records of {format_time(after)} UTC. Give each time once.")
    for before, after in pairwise(kept):
        if (after - before) / _SECOND > longest:
            raise InputError(
                f"{label} lacks records between {format_time(before)} and {format_time(after)} UTC. Give "
                f"all files, or set longest_gap to at least {(after - before) / _SECOND:g} s."
            )


def _monthly(found, start, end):
    """Returns mid-month records around a run, each the mean of all records of that month."""
    months = _month_of(np.array([record.time for record in found.records]))
    absent = [month + 1 for month in range(12) if not (months == month).any()]
    if absent:
        raise InputError(
            f"{files_text(found.paths)}: a monthly climatology of {found.quantity.name} needs all months; "
            f"there is no record of month {', '.join(map(str, absent))}."
        )
    first, last = (np.datetime64(time, "M") for time in (start, end))
    records = []
    for month in np.arange(first - 1, last + 2):
        parts = [found.records[i].parts[0] for i in np.flatnonzero(months == _month_of(month))]
        begin, end = month.astype("datetime64[ms]"), (month + 1).astype("datetime64[ms]")
        records.append(Record(begin + (end - begin) // 2, tuple(parts)))
    return Catalogue(found.quantity, found.axes, tuple(records))


def _month_of(times):
    """Returns the month of times (datetime64), 0 for January."""
    return times.astype("datetime64[M]").astype(int) % 12


class Series(TimeInterpolation):
    """The values of a catalogue at the positions of an interpolation, linear in time; NaN where missing.

    catalogue: a `Catalogue` that covers the run, see `select_period`; interpolation: an `Interpolation` of
    its grid; start (datetime64, UTC): time 0 of the run. `read` raises InputError where a file cannot be
    read."""

    def __init__(self, catalogue, interpolation, start):
        times = np.array([record.time for record in catalogue.records])
        super().__init__(seconds_since(start, times), self._values)
        self.catalogue, self._interpolation = catalogue, interpolation

    def location(self, record):
        """Returns the source of a record for errors, as `winds.nc: u10 at 2022-09-01 06:00 UTC`."""
        variable, _ = self.catalogue.records[record].parts[0]
        return f"{variable.path}: {variable.name} at {format_time(self.catalogue.records[record].time)} UTC"

    def _values(self, record):
        parts = self.catalogue.records[record].parts
        window = self._interpolation.window
        total = sum(variable.read(i, window) for variable, i in parts)
        return self._interpolation(total / len(parts))
