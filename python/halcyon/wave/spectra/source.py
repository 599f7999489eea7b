"""Spectra at points and times, from files of several formats."""

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.base import InputError
from halcyon.mesh.cf_file import format_time
from halcyon.mesh.plausible import limits
from halcyon.mesh.sphere import position_text
from halcyon.wave.records import resolve_files
from halcyon.wave.spectra.netcdf import read_netcdf
from halcyon.wave.spectra.swan_text import is_swan_text, read_swan_text

# Largest allowed step between adjacent directions over the median step; beyond it, directions are missing.
MAX_STEP_RATIO = 2.0


@dataclass(frozen=True)
class SpectraSource:
    """Spectra at a set of points.

    paths: the files; frequency [Hz] ascending; direction [rad] of propagation, clockwise from north;
    longitude, latitude [degrees] (point); times datetime64[ms] UTC (record), increasing; read(record,
    points): returns densities [m2 s rad-1] (point, frequency, direction) at the points with the given
    indices, NaN where missing.
    """

    paths: list[Path]
    frequency: np.ndarray
    direction: np.ndarray
    longitude: np.ndarray
    latitude: np.ndarray
    times: np.ndarray
    read: Any

    def density(self, record, points):
        """Returns the result of `read`. Raises InputError where a value is missing, negative or too large."""
        density = self.read(record, points)
        lowest, highest = limits("wave_density")
        invalid = ~((density >= lowest) & (density <= highest)).all(axis=(1, 2))
        if invalid.any():
            point = int(points[np.flatnonzero(invalid)[0]])
            position = position_text(self.longitude[point], self.latitude[point])
            raise InputError(
                f"{self.paths[0]}: the spectrum of point {point + 1} ({position}) at"
                f" {format_time(self.times[record])} UTC has missing or negative values, or values above"
                f" {highest:g} m2 s rad-1. Correct the file."
            )
        return density


def open_spectra(files, *, directions="auto", variable=None):
    """Opens files of spectra as one source. The files may contain different times or different points;
    formats are netCDF of WAVEWATCH III, SWAN or the package wavespectra, and SWAN's spectral text files.

    files: names and patterns; directions: convention of a netCDF file that does not state it, "from",
    "towards" or "cartesian" (towards, anticlockwise from east); variable: name of the densities, if
    ambiguous. Raises ConfigError for a name that matches no file, InputError for files that cannot be read,
    or do not have the same bins and the same times at all points."""
    spectra_files = [_read_file(path, directions, variable) for path in resolve_files(files)]
    first, groups = spectra_files[0], {}  # groups: files with the same points
    for file in spectra_files:
        for name in ("frequency", "direction"):
            if not np.array_equal(getattr(first, name), getattr(file, name)):
                raise InputError(
                    f"{file.path} and {first.path} differ in {name}. Give files with the same bins."
                )
        groups.setdefault((file.longitude.tobytes(), file.latitude.tobytes()), []).append(file)
    series = [_sorted_records(group) for group in groups.values()]
    times = [[time for time, _, _ in records] for records in series]
    for records, group_times in zip(series, times, strict=True):
        if group_times != times[0]:
            raise InputError(
                f"{records[0][1].path} has other points than {series[0][0][1].path}, and other times. Give "
                "files that have the same times at all points."
            )
    first_files = [records[0][1] for records in series]  # one of each group, for its points
    point_offsets = np.cumsum([0, *(len(file.longitude) for file in first_files)])

    def read(record, points):
        group_of_point = np.searchsorted(point_offsets, points, "right") - 1
        density = np.empty((len(points), len(first.frequency), len(first.direction)))
        for group in np.unique(group_of_point):
            _, file, i = series[group][record]
            in_group = group_of_point == group
            density[in_group] = file.read(i, np.asarray(points)[in_group] - point_offsets[group])
        return density

    return SpectraSource(
        [file.path for file in spectra_files],
        first.frequency,
        first.direction,
        *(
            np.concatenate([getattr(file, name) for file in first_files])
            for name in ("longitude", "latitude")
        ),
        np.array(times[0]),
        read,
    )


def _sorted_records(files):
    """Returns the records (time, file, index in the file) of files of the same points, ascending in time."""
    records = [(time, file, i) for file in files for i, time in enumerate(file.times)]
    records.sort(key=lambda record: record[0])
    for (before, file, _), (time, _, _) in pairwise(records):
        if time == before:
            raise InputError(f"{file.path}: two spectra of a point have the time {format_time(time)} UTC.")
    return records


def _read_file(path, directions, variable):
    """Reads the metadata of a file of any format; the spectra of a SWAN text file, too."""
    spectra_file = read_swan_text(path) if is_swan_text(path) else read_netcdf(path, directions, variable)
    if not len(spectra_file.times):
        raise InputError(f"{path} has no spectra.")
    if not np.all(np.diff(spectra_file.frequency, prepend=0) > 0):
        raise InputError(f"{path}: the frequencies must be above 0 and ascending.")
    _require_full_circle(path, spectra_file.direction)
    return spectra_file


def _require_full_circle(path, direction):
    """Raises InputError where directions [rad] do not cover the full circle."""
    steps = np.diff(np.sort(direction), append=direction.min() + 2 * np.pi)
    if not steps.max() <= MAX_STEP_RATIO * np.median(steps):
        raise InputError(
            f"{path}: the directions do not cover the full circle: two adjacent of the"
            f" {len(direction)} directions are {np.degrees(steps.max()):.0f} degrees apart. Give spectra over"
            " all directions."
        )
