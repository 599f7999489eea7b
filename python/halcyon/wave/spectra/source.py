"""Spectra at points and times, from files of several formats."""

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.base import InputError
from halcyon.mesh.cf_file import format_time
from halcyon.wave.records import resolve_files
from halcyon.wave.spectra.netcdf import read_netcdf
from halcyon.wave.spectra.swan_text import is_swan_text, read_swan_text

MAX_STEP_RATIO = 2.0  # largest step between directions over the median step; above it directions are missing


@dataclass(frozen=True)
class SpectraSource:
    """Spectra at a set of points.

    paths: the files; frequency [Hz] ascending; direction [rad] of propagation, clockwise from north;
    longitude, latitude [degrees] (point); times datetime64[ms] UTC (record), increasing; read(record,
    points): the densities [m2 s rad-1] (point, frequency, direction), NaN where missing.
    """

    paths: list[Path]
    frequency: np.ndarray
    direction: np.ndarray
    longitude: np.ndarray
    latitude: np.ndarray
    times: np.ndarray
    read: Any

    def density(self, record, points):
        """Returns the result of `read`. Raises InputError where a value is missing or negative."""
        found = self.read(record, points)
        wrong = ~((found >= 0) & np.isfinite(found)).all(axis=(1, 2))
        if wrong.any():
            point = int(points[np.flatnonzero(wrong)[0]])
            raise InputError(
                f"{self.paths[0]}: the spectrum of point {point + 1} ({self.longitude[point]:.2f} E "
                f"{self.latitude[point]:.2f} N) at {format_time(self.times[record])} UTC has missing or "
                "negative values. Correct the file."
            )
        return found


def open_spectra(files, *, directions="auto", variable=None):
    """Opens files of spectra, for successive times or for different points: netCDF of WAVEWATCH III,
    SWAN or the package wavespectra, or SWAN's spectral text files.

    files: names and patterns; directions: convention of a netCDF file without that metadata, "from",
    "towards" or "cartesian" (towards, anticlockwise from east); variable: name of the densities, if
    ambiguous. Raises ConfigError for a name that matches no file, InputError for files that cannot be read,
    or do not have the same bins and the same times at all points."""
    parts = [_read(path, directions, variable) for path in resolve_files(files)]
    first, by_points = parts[0], {}
    for part in parts:
        for name in ("frequency", "direction"):
            if not np.array_equal(getattr(first, name), getattr(part, name)):
                raise InputError(
                    f"{part.path} has other {name}s than {first.path}. Give files with the same bins."
                )
        by_points.setdefault((part.longitude.tobytes(), part.latitude.tobytes()), []).append(part)
    series = [_series(group) for group in by_points.values()]
    times = [[time for time, _, _ in rows] for rows in series]
    for rows, other_times in zip(series, times, strict=True):
        if other_times != times[0]:
            raise InputError(
                f"{rows[0][1].path} has other points than {series[0][0][1].path}, and other times. Give files"
                " that have the same times at all points."
            )
    heads = [rows[0][1] for rows in series]
    starts = np.cumsum([0, *(len(head.longitude) for head in heads)])

    def read(record, points):
        file = np.searchsorted(starts, points, "right") - 1
        found = np.empty((len(points), len(first.frequency), len(first.direction)))
        for each in np.unique(file):
            _, part, i = series[each][record]
            found[file == each] = part.read(i, np.asarray(points)[file == each] - starts[each])
        return found

    return SpectraSource(
        [part.path for part in parts],
        first.frequency,
        first.direction,
        *(np.concatenate([getattr(head, name) for head in heads]) for name in ("longitude", "latitude")),
        np.array(times[0]),
        read,
    )


def _series(parts):
    """Returns the records (time, file, index) of files of the same points, ascending in time."""
    rows = [(time, part, i) for part in parts for i, time in enumerate(part.times)]
    rows.sort(key=lambda row: row[0])
    for (before, part, _), (time, _, _) in pairwise(rows):
        if time == before:
            raise InputError(f"{part.path}: two spectra of a point have the time {format_time(time)} UTC.")
    return rows


def _read(path, directions, variable):
    found = read_swan_text(path) if is_swan_text(path) else read_netcdf(path, directions, variable)
    if not len(found.times):
        raise InputError(f"{path} has no spectra.")
    if not np.all(np.diff(found.frequency, prepend=0) > 0):
        raise InputError(f"{path}: the frequencies must be above 0 and ascending.")
    _require_full_circle(path, found.direction)
    return found


def _require_full_circle(path, direction):
    """Raises InputError where directions [rad] do not cover the full circle."""
    steps = np.diff(np.sort(direction), append=direction.min() + 2 * np.pi)
    if not steps.max() <= MAX_STEP_RATIO * np.median(steps):
        raise InputError(
            f"{path}: the directions do not cover the full circle: two of the {len(direction)} are"
            f" {np.degrees(steps.max()):.0f} degrees apart. Give spectra over all directions."
        )
