"""What files hold of a quantity: the times of a run, and where each of them is read."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from halcyon.base import InputError
from halcyon.mesh.cf_file import shown
from halcyon.wave.gridded.grid_variable import GridVariable, grid_variables
from halcyon.wave.gridded.interpolation import Axes
from halcyon.wave.gridded.quantity import Quantity
from halcyon.wave.records import Between, found_files, seconds_since, shown_files

_GAP = 1.5  # of the usual step between records, beyond which one is missing
_SECOND = np.timedelta64(1000, "ms")


@dataclass(frozen=True)
class Record:
    """A time, datetime64[ms] UTC, and the variables and records of files whose mean it has."""

    time: np.datetime64
    parts: tuple[tuple[GridVariable, int], ...]


@dataclass(frozen=True)
class Catalogue:
    """The records of a quantity on one grid, in the order of time."""

    quantity: Quantity
    axes: Axes
    records: tuple[Record, ...]

    @property
    def paths(self):
        """The files that the records are in."""
        return sorted({variable.path for record in self.records for variable, _ in record.parts})


def catalogue(files, quantities, *, names=None, unit=None):
    """Catalogues of quantities in files, each of which has one of them or several.

    files: names and patterns; names: of the variables where they are given, one a quantity, None where not;
    unit: of all, where their attributes lack it. Raises ConfigError where no file has a name, InputError for
    files that cannot be read or whose grids differ, and where a quantity or a file is of no use."""
    wanted = dict(zip(quantities, names or [None] * len(quantities), strict=True))
    paths = found_files(files)
    by_file = [grid_variables(path, wanted, unit) for path in paths]
    for path, held in zip(paths, by_file, strict=True):
        if not held:
            raise InputError(_nothing_text(path, wanted))
    for quantity, name in wanted.items():
        if not any(quantity in held for held in by_file):
            raise InputError(_nothing_text(paths[0], {quantity: name}))
    return [_joined(q, [held[q] for held in by_file if q in held]) for q in quantities]


def _nothing_text(path, wanted):
    named = [repr(name) for name in wanted.values() if name]
    if named:
        return f"{path} has no variable {' or '.join(named)}: give another name."
    what = " or ".join(quantity.name for quantity in wanted)
    return f"{path} has no variable that is plainly {what}. Name it by the option variables."


def _joined(quantity, variables):
    axes = variables[0].axes
    for each in variables:
        if not axes.same_as(each.axes):
            raise InputError(f"{each.path} has another grid than {axes.path}. Give files of one grid.")
    rows = [Record(time, ((each, i),)) for each in variables for i, time in enumerate(each.times)]
    rows.sort(key=lambda record: record.time)
    return Catalogue(quantity, axes, tuple(rows))


def serving(found, start, end, *, climatology=False, longest_gap=None):
    """The part of a catalogue that a run from start to end (datetime64, UTC) needs.

    climatology: whether the records are of no certain year, so that their monthly means serve any; longest
    gap [s]: allowed between records; by default half as long again as usual. Raises InputError where they do
    not cover the run, leave a gap, or two have one time."""
    if climatology:
        found = _monthly(found, start, end)
    times = np.array([record.time for record in found.records])
    if not len(times):
        raise InputError(f"{found.axes.path}: there is no record of {found.quantity.name}.")
    needed = needed_records(
        times, start, end, longest_gap, f"{shown_files(found.paths)}: {found.quantity.name}"
    )
    return Catalogue(found.quantity, found.axes, found.records[needed])


def needed_records(times, start, end, longest_gap, what):
    """The slice of times (datetime64, ascending) that a run from start to end needs; what: whose, for errors.

    Raises InputError where they do not cover the run, and where two of them are the same, or farther apart
    than the longest gap [s], by default half as long again as is usual among all times."""
    if start < times[0] or end > times[-1]:
        raise InputError(
            f"{what} is given from {shown(times[0])} to {shown(times[-1])} UTC, the run goes from "
            f"{shown(start)} to {shown(end)}. Give files that cover it, or shorten it."
        )
    first, last = np.searchsorted(times, start, "right") - 1, np.searchsorted(times, end, "left")
    _require_steady(times[first : last + 1], times, longest_gap, what)
    return slice(first, last + 1)


def _require_steady(kept, times, longest_gap, what):
    steps_s = np.diff(np.unique(times)) / _SECOND
    longest = _GAP * np.median(steps_s) if longest_gap is None and len(steps_s) else longest_gap
    for before, after in pairwise(kept):
        if before == after:
            raise InputError(f"{what} has two records of {shown(after)} UTC. Give each time once.")
    for before, after in pairwise(kept):
        if (after - before) / _SECOND > longest:
            raise InputError(
                f"{what} lacks records between {shown(before)} and {shown(after)} UTC. Give all files, or set"
                f" longest_gap to at least {(after - before) / _SECOND:g} s."
            )


def _monthly(found, start, end):
    """Records in the middles of the months around a run, each the mean of all records of that month."""
    months = _month_of(np.array([record.time for record in found.records]))
    absent = [month + 1 for month in range(12) if not (months == month).any()]
    if absent:
        raise InputError(
            f"{shown_files(found.paths)}: a monthly climatology of {found.quantity.name} needs all months; "
            f"there is none of month {', '.join(map(str, absent))}."
        )
    first, last = (np.datetime64(time, "M") for time in (start, end))
    records = []
    for month in np.arange(first - 1, last + 2):
        parts = [found.records[i].parts[0] for i in np.flatnonzero(months == _month_of(month))]
        begin, end = month.astype("datetime64[ms]"), (month + 1).astype("datetime64[ms]")
        records.append(Record(begin + (end - begin) // 2, tuple(parts)))
    return Catalogue(found.quantity, found.axes, tuple(records))


def _month_of(times):
    """The month, 0 for January, of times (datetime64)."""
    return times.astype("datetime64[M]").astype(int) % 12


class Series(Between):
    """What a catalogue gives at places, see `Between`; values are NaN where there is none.

    found: a `Catalogue` that covers the run, see `serving`; interpolation: an `Interpolation` of its grid;
    start (datetime64, UTC): time 0 of the run. Reading raises InputError where a file cannot be read.
    """

    def __init__(self, found, interpolation, start):
        times = np.array([record.time for record in found.records])
        super().__init__(seconds_since(start, times), self._values)
        self.found, self._interpolation = found, interpolation

    def place(self, record):
        """`winds.nc: u10 at 2022-09-01 06:00 UTC`, for errors."""
        variable, _ = self.found.records[record].parts[0]
        return f"{variable.path}: {variable.name} at {shown(self.found.records[record].time)} UTC"

    def _values(self, record):
        parts = self.found.records[record].parts
        window = self._interpolation.window
        total = sum(variable.read(i, window) for variable, i in parts)
        return self._interpolation(total / len(parts))
