"""Spectra at points and times, from files of several formats."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.base import AbsentError, InputError
from halcyon.mesh.cf_file import format_time
from halcyon.mesh.data_file import is_grib
from halcyon.mesh.plausible import limits
from halcyon.mesh.sphere import position_text
from halcyon.wave.records import resolve_files
from halcyon.wave.spectra.file import SpectraFile
from halcyon.wave.spectra.grib import read_grib
from halcyon.wave.spectra.ndbc import is_ndbc_text, read_ndbc
from halcyon.wave.spectra.netcdf import read_netcdf
from halcyon.wave.spectra.swan_text import is_swan_text, read_swan_text
from halcyon.wave.spectra.ww3_text import is_ww3_text, read_ww3_text

_SourceRecord = tuple[np.datetime64 | None, SpectraFile, int]  # time, file, index in the file


@dataclass(frozen=True)
class SpectraSource:
    """Spectra at a set of points.

    paths: the files; frequency [Hz] ascending; direction [rad] of propagation, clockwise from north;
    longitude, latitude [degrees] (point); times datetime64[ms] UTC (record), increasing, of stationary
    spectra none; read(record, points): returns densities [m2 s rad-1] (point, frequency, direction) at the
    points with the given indices, NaN where missing; missing_is_calm: whether missing spectra
    mean that there are no waves, as under ice; tail_of_last: see `rebinning.Tail`; warnings: texts, one for
    each doubtful file.
    """

    paths: list[Path]
    frequency: np.ndarray
    direction: np.ndarray
    longitude: np.ndarray
    latitude: np.ndarray
    times: np.ndarray
    read: Any
    missing_is_calm: bool = False
    tail_of_last: bool = False
    warnings: tuple[str, ...] = ()

    def density(self, record: int, points: np.ndarray) -> np.ndarray:
        """Returns the result of `read`. Raises InputError where a value is missing, negative or too large."""
        density = self.read(record, points)
        if self.missing_is_calm:
            density = np.nan_to_num(density, nan=0.0)
        lowest, highest = limits("wave_density")
        invalid = np.argwhere(~((density >= lowest) & (density <= highest)))
        if len(invalid):
            row, i, j = map(int, invalid[0])
            value, point = float(density[row, i, j]), int(points[row])
            position = position_text(self.longitude[point], self.latitude[point])
            time = f" at {format_time(self.times[record])} UTC" if len(self.times) else ""
            text = "a missing value" if np.isnan(value) else f"the value {value:g} m2 s rad-1"
            raise InputError(
                f"{self.paths[0]}: the spectrum of point {point + 1} ({position}){time} has {text} at"
                f" {self.frequency[i]:.4g} Hz towards {np.degrees(self.direction[j]) % 360:.4g} degrees;"
                f" values must be from {lowest:g} to {highest:g}. Correct the file."
            )
        return density


def open_spectra(files: Iterable[str | Path], **options: Any) -> SpectraSource:
    """Opens files of spectra with the same bins and times at all points; arguments as of `open_sources`.
    Raises InputError for files that have several."""
    first, *others = open_sources(files, **options)
    if others:
        raise InputError(
            f"{others[0].paths[0]} has other points than {first.paths[0]}, and other times, frequencies or "
            "directions. Give files that have the same at all points."
        )
    return first


def open_sources(
    files: Iterable[str | Path],
    *,
    directions: str = "auto",
    variable: str | None = None,
    position: tuple[float, float] | None = None,
    select: Mapping[str, Any] | None = None,
) -> list[SpectraSource]:
    """Opens files of spectra. They may contain different times or different points; points with the same
    bins and the same times are one `SpectraSource`, in the order of the names of the files.

    files: names and patterns; directions: convention of a netCDF file that does not state it, "from",
    "towards" or "cartesian" (towards, anticlockwise from east); variable: name of the densities, if
    ambiguous; position: longitude and latitude [degrees] of the point of files of one point without a
    position; select: values of coordinates of netCDF or keys of GRIB (dict), such as a member. Raises
    ConfigError for a name that matches no file, InputError for files that cannot be read, or
    differ in the bins at a point."""
    groups: dict[Any, list[SpectraFile]] = {}  # files with the same points
    joined: dict[Any, list[list[_SourceRecord]]] = {}  # groups with the same bins and times
    for file in _read_files(resolve_files(files), directions, variable, position, select):
        groups.setdefault((file.longitude.tobytes(), file.latitude.tobytes()), []).append(file)
    for group in groups.values():
        first, records = group[0], _sorted_records(group)
        for file, name in itertools.product(group, ("frequency", "direction")):
            if not np.array_equal(getattr(first, name), getattr(file, name)):
                raise InputError(
                    f"{file.path} and {first.path} differ in {name} at the same points. Give files with the "
                    "same bins."
                )
        bins = first.frequency.tobytes(), first.direction.tobytes(), first.tail_of_last
        key = (*bins, *(time for time, _, _ in records))
        joined.setdefault(key, []).append(records)
    return [_source(series) for series in joined.values()]


def _source(series: Sequence[Sequence[_SourceRecord]]) -> SpectraSource:
    """Returns the source of groups of points with the same bins and times. series: `_sorted_records` of each
    group."""
    firsts = [records[0][1] for records in series]  # one file of each group, for its points
    first, offsets = firsts[0], np.cumsum([0, *(len(file.longitude) for file in firsts)])

    def read(record: int, points: np.ndarray) -> np.ndarray:
        group_of_point = np.searchsorted(offsets, points, "right") - 1
        density = np.empty((len(points), len(first.frequency), len(first.direction)))
        for group in np.unique(group_of_point):
            _, file, i = series[group][record]
            in_group = group_of_point == group
            density[in_group] = file.read(i, np.asarray(points)[in_group] - offsets[group])
        return density

    return SpectraSource(
        paths=sorted(
            {path for records in series for _, file, _ in records for path in (file.path, *file.others)}
        ),
        frequency=first.frequency,
        direction=first.direction,
        longitude=np.concatenate([file.longitude for file in firsts]),
        latitude=np.concatenate([file.latitude for file in firsts]),
        times=np.array([time for time, _, _ in series[0] if time is not None], "datetime64[ms]"),
        read=read,
        warnings=tuple(dict.fromkeys(file.warning for file in firsts if file.warning)),
        tail_of_last=first.tail_of_last,
        missing_is_calm=all(file.missing_is_calm for records in series for _, file, _ in records),
    )


def _sorted_records(files: Sequence[SpectraFile]) -> list[_SourceRecord]:
    """Returns the records (time, file, index in the file) of files of the same points, ascending in time; the
    time of stationary spectra is None."""
    if not len(files[0].times) and len(files) == 1:
        return [(None, files[0], 0)]
    for file in files:
        if not len(file.times):
            raise InputError(f"{file.path} has no times, but others have the same points. Give one of them.")
    records = [(time, file, i) for file in files for i, time in enumerate(file.times)]
    records.sort(key=lambda record: record[0])
    for (before, file, _), (time, _, _) in pairwise(records):
        if time == before:
            raise InputError(
                f"{file.path}: two spectra of a point have the time {format_time(time)} UTC. "
                "Give each time once."
            )
    return records


def is_spectra_text(path: Path) -> bool:
    """Returns whether a file is one of the text formats of spectra."""
    return is_ndbc_text(path) or is_swan_text(path) or is_ww3_text(path)


def _read_files(
    paths: Sequence[Path],
    directions: str,
    variable: str | None,
    position: tuple[float, float] | None,
    select: Mapping[str, Any] | None,
) -> Iterator[SpectraFile]:
    """Yields the `SpectraFile` of files of any format; NDBC's five files are one. Files without the selected
    values are left out, such as those of other members; the error of the first is raised if all are."""
    of_buoys, absent = [path for path in paths if is_ndbc_text(path)], []
    for path in paths:
        if path in of_buoys:
            continue
        try:
            if is_swan_text(path):
                file = read_swan_text(path, position)
            elif is_ww3_text(path):
                file = read_ww3_text(path)
            elif is_grib(path):
                file = read_grib(path, select)
            else:
                file = read_netcdf(path, directions, variable, position, select)
        except AbsentError as error:
            absent.append(error)
            continue
        yield file.checked()
    if absent and len(absent) == len(paths):
        raise absent[0]
    if of_buoys:
        yield from (file.checked() for file in read_ndbc(of_buoys, position))
