"""What files hold of a quantity: the times of a run, and where each of them is read."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from halcyon.base import InputError
from halcyon.mesh import require_whole
from halcyon.wave.gridded.axes import Axes
from halcyon.wave.gridded.grid_variable import GridVariable, axes_of, find_variable, laid_out
from halcyon.wave.gridded.quantity import Quantity
from halcyon.wave.gridded.times import MONTHS, decoded, middle_of_month, month_of, shown, time_variable
from halcyon.wave.records import found_files, shown_files

_GAP = 1.5  # of the usual step between records, beyond which one is missing


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
    paths = found_files(files)
    found = {quantity: [] for quantity in quantities}
    for path in paths:
        wanted = zip(quantities, names or [None] * len(quantities), strict=True)
        if not _add(path, dict(wanted), unit, found):
            raise InputError(_nothing_text(path, quantities, names))
    for quantity, name in zip(quantities, names or [None] * len(quantities), strict=True):
        if not found[quantity]:
            raise InputError(_nothing_text(paths[0], [quantity], [name] if name else None))
    return [_joined(quantity, entries) for quantity, entries in found.items()]


def _add(path, wanted, unit, found):
    """Adds what a file holds of the quantities: (axes, times, variable). Gives whether it holds any."""
    from netCDF4 import Dataset

    require_whole(str(path))
    try:
        with Dataset(path) as file:
            held = {q: find_variable(path, file, q, name) for q, name in wanted.items()}
            held = {q: variable for q, variable in held.items() if variable is not None}
            if not held:
                return False
            axes, dimensions = axes_of(path, file)
            for q, variable in held.items():
                times = _times(path, file, variable)
                found[q].append((axes, times, laid_out(path, file, variable, q, dimensions, unit)))
            return True
    except (OSError, RuntimeError) as error:
        raise InputError(f"{path} cannot be read as netCDF: {error}.") from None


def _times(path, file, variable):
    found = time_variable(file, variable)
    if found is None:
        raise InputError(f"{path}: {variable.name} has no times, in units like 'hours since 2022-01-01'.")
    return decoded(found, path)


def _nothing_text(path, quantities, names):
    what = " or ".join(quantity.name for quantity in quantities)
    if names and any(names):
        return (
            f"{path} has no variable {' or '.join(repr(name) for name in names if name)}: give another name."
        )
    return f"{path} has no variable that is plainly {what}. Name it by the option variables."


def _joined(quantity, entries):
    axes = entries[0][0]
    for other, _, variable in entries:
        if not axes.same_as(other):
            raise InputError(f"{variable.path} has another grid than {axes.path}. Give files of one grid.")
    rows = [Record(time, ((variable, i),)) for _, times, variable in entries for i, time in enumerate(times)]
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
    steps_s = np.diff(np.unique(times)) / np.timedelta64(1000, "ms")
    longest = _GAP * np.median(steps_s) if longest_gap is None and len(steps_s) else longest_gap
    for before, after in pairwise(kept):
        if before == after:
            raise InputError(f"{what} has two records of {shown(after)} UTC. Give each time once.")
    for before, after in pairwise(kept):
        step_s = (after - before) / np.timedelta64(1000, "ms")
        if step_s > longest:
            raise InputError(
                f"{what} lacks records between {shown(before)} and {shown(after)} UTC. Give all files, or set"
                f" longest_gap to at least {step_s:g} s."
            )


def _monthly(found, start, end):
    """Records in the middles of the months around a run, each the mean of all records of that month."""
    times = np.array([record.time for record in found.records])
    months = month_of(times)
    absent = [month + 1 for month in range(MONTHS) if not (months == month).any()]
    if absent:
        raise InputError(
            f"{shown_files(found.paths)}: a monthly climatology of {found.quantity.name} needs all months; "
            f"there is none of month {', '.join(map(str, absent))}."
        )
    first, last = (np.datetime64(time, "M") for time in (start, end))
    records = []
    for month in np.arange(first - 1, last + 2):
        parts = [found.records[i].parts[0] for i in np.flatnonzero(months == month_of(month))]
        records.append(Record(middle_of_month(month), tuple(parts)))
    return Catalogue(found.quantity, found.axes, tuple(records))
