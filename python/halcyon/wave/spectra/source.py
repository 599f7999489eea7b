"""Spectra at points and times, whatever files they come from."""

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.base import InputError
from halcyon.mesh.cf_file import shown
from halcyon.wave.records import found_files
from halcyon.wave.spectra.netcdf import read_netcdf
from halcyon.wave.spectra.swan_text import is_swan_text, read_swan_text

MOST_STEP = 2.0  # of the usual step between directions, beyond which some are left out


@dataclass(frozen=True)
class SpectraSource:
    """Spectra of one set of points.

    paths: the files; frequency [Hz] ascending; direction [rad] towards, clockwise from north; longitude,
    latitude [degrees] (point); times datetime64[ms] UTC (record), increasing; reading(record, points): the
    densities [m2 s rad-1] (point, frequency, direction), NaN where missing.
    """

    paths: list[Path]
    frequency: np.ndarray
    direction: np.ndarray
    longitude: np.ndarray
    latitude: np.ndarray
    times: np.ndarray
    reading: Any

    def density(self, record, points):
        """As `reading`. Raises InputError where a value is missing or negative."""
        found = self.reading(record, points)
        wrong = ~((found >= 0) & np.isfinite(found)).all(axis=(1, 2))
        if wrong.any():
            point = int(points[np.flatnonzero(wrong)[0]])
            raise InputError(
                f"{self.paths[0]}: the spectrum of point {point + 1} ({self.longitude[point]:.2f} E "
                f"{self.latitude[point]:.2f} N) at {shown(self.times[record])} UTC has missing or negative "
                "values. Mend the file."
            )
        return found


def open_spectra(files, *, directions="auto", variable=None):
    """The spectra of files that follow each other in time, or are each of points of their own: netCDF as
    WAVEWATCH III, SWAN or the package wavespectra write it, or SWAN's spectral text files.

    files: names and patterns; directions: "from", "towards" or "cartesian" (towards, anticlockwise from
    east), where a netCDF file does not say it; variable: name of the densities, where that is not plain.
    Raises ConfigError where a name stands for no file, InputError for files that cannot be read, or do not
    have the same bins and, at all points, the same times."""
    parts = [_read(path, directions, variable) for path in found_files(files)]
    first, by_places = parts[0], {}
    for part in parts:
        for name in ("frequency", "direction"):
            if not np.array_equal(getattr(first, name), getattr(part, name)):
                raise InputError(f"{part.path} has other {name}s than {first.path}. Give files that agree.")
        by_places.setdefault((part.longitude.tobytes(), part.latitude.tobytes()), []).append(part)
    series = [_series(group) for group in by_places.values()]
    times = [[time for time, _, _ in rows] for rows in series]
    for rows, theirs in zip(series, times, strict=True):
        if theirs != times[0]:
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
            found[file == each] = part.reading(i, np.asarray(points)[file == each] - starts[each])
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
    """The records (time, file, number) of files of the same points, in the order of time."""
    rows = [(time, part, i) for part in parts for i, time in enumerate(part.times)]
    rows.sort(key=lambda row: row[0])
    for (before, part, _), (time, _, _) in pairwise(rows):
        if time == before:
            raise InputError(f"{part.path}: two spectra of a point have the time {shown(time)} UTC.")
    return rows


def _read(path, directions, variable):
    found = read_swan_text(path) if is_swan_text(path) else read_netcdf(path, directions, variable)
    if not len(found.times):
        raise InputError(f"{path} has no spectra.")
    if not np.all(np.diff(found.frequency, prepend=0) > 0):
        raise InputError(f"{path}: the frequencies are not above 0 and ascending.")
    _require_round(path, found.direction)
    return found


def _require_round(path, direction):
    """Raises InputError where directions [rad] leave out a part of the round."""
    steps = np.diff(np.sort(direction), append=direction.min() + 2 * np.pi)
    if not steps.max() <= MOST_STEP * np.median(steps):
        raise InputError(
            f"{path}: the directions do not go round evenly: two of the {len(direction)} are"
            f" {np.degrees(steps.max()):.0f} degrees apart. Give spectra over all directions."
        )
