"""Wave heights of altimeters along their tracks, against the fields of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.base import EARTH_RADIUS, InputError
from halcyon.mesh.cf_file import numbers, open_decoded, positions, reading
from halcyon.mesh.coast import land
from halcyon.mesh.plausible import require_plausible
from halcyon.mesh.spacing_coast import Shore
from halcyon.mesh.sphere import arc, middle_of, to_lonlat, to_points, wrapped
from halcyon.score.pairs import Pairs

LAND_DISTANCE = 50e3  # [m] within which land may disturb the echo of an altimeter
_GAP_S = 3.0  # longest time between successive measurements of 1 Hz without a gap
_LEAST_SHARE = 0.5  # of the length of a super-observation that its measurements must cover
_STANDARD_NAME = "sea_surface_wave_significant_height"
_NAMES = ("VAVH", "swh_denoised", "swh_adjusted", "swh", "swh_ku")  # the first of these is used
_UNFILTERED = "VAVH_UNFILTERED"
# Flags of good values: Copernicus Marine (and OceanSITES), AVISO, ESA Sea State CCI (3: good).
_FLAGS = {"VAVH_QC": (1, 2), "validation_flag": (0,), "swh_quality": (3,)}
_SHORE = "l", 5e3  # resolution of GSHHG, and the spacing [m] that its points resolve


@dataclass(frozen=True)
class AlongTrack:
    """Measurements along a track: times datetime64[ms] (n), ascending; unit vectors of the positions (n, 3);
    significant height [m] (n)."""

    times: np.ndarray
    points: np.ndarray
    height: np.ndarray

    def selected(self, chosen: np.ndarray) -> AlongTrack:
        return AlongTrack(self.times[chosen], self.points[chosen], self.height[chosen])


def read_altimeter(path: Path) -> AlongTrack:
    """Reads a file of level 3, such as Copernicus Marine's. Values whose flags are not good are left out.

    Raises InputError for files without significant heights along a track."""
    with open_decoded(path) as file, reading(path, "as netCDF"):
        candidates = [n for n in file.variables if file[n].attrs.get("standard_name") == _STANDARD_NAME]
        name = next((n for n in (*_NAMES, *candidates) if n in file.variables), None)
        if name == _UNFILTERED or (name not in _NAMES and len(candidates) > 1):
            raise InputError(
                f"{path} has {' and '.join(map(str, candidates))}, but none of {', '.join(_NAMES)}: it is not"
                f" clear which heights are meant, and {_UNFILTERED} has the noise of the instrument. Give a"
                f" file with VAVH, or rename one (ncrename -v {name},VAVH FILE)."
            )
        axes = [
            next((n for n in names if n in file.variables), None)
            for names in (("time",), ("longitude", "lon"), ("latitude", "lat"))
        ]
        has_all = name is not None and None not in axes
        same_dimension = has_all and len({file[n].dims for n in (name, *axes)}) == 1 and file[name].ndim == 1
        if not same_dimension or file[axes[0]].dtype.kind != "M":
            raise InputError(
                f"{path} is not a file of an altimeter along its track: it needs time, longitude, latitude"
                f" and one of {', '.join(_NAMES)}, or a variable with the standard_name {_STANDARD_NAME}, on"
                " one dimension."
            )
        height = numbers(file[name], path)
        for flag, good in _FLAGS.items():
            if flag in file.variables and file[flag].dims == file[name].dims:
                height = np.where(np.isin(numbers(file[flag]), good), height, np.nan)
        place = [
            positions(path, file[n], kind)
            for n, kind in zip(axes[1:], ("longitude", "latitude"), strict=True)
        ]
        times = file[axes[0]].values.astype("datetime64[ms]")
    require_plausible("wave_height", f"{path}: {name}", height, lambda i: f"at {times[i[0]]}")
    track = AlongTrack(times, to_points(*place), height)
    valid = np.isfinite(height) & np.isfinite(track.points).all(axis=1) & ~np.isnat(times)
    order = np.argsort(times[valid], kind="stable")
    return track.selected(np.flatnonzero(valid)[order])


def collocate_altimeter(
    run: Path,
    files: Sequence[Path],
    *,
    window_s: float = 1800.0,
    land_distance: float = LAND_DISTANCE,
    length: float | None = None,
) -> list[Pairs]:
    """Pairs the heights of a run with those of altimeters, one `Pairs` per file.

    Measurements within `land_distance` [m] of land, or outside of the mesh and the times of the run, are left
    out. Each other one is paired with the nearest cell, linearly interpolated in time between records, of
    which the nearer is at most `window_s` [s] away. Both are averaged along the track over super-observations
    of `length` [m], by default the local spacing of the mesh, which must be covered to at least half, without
    gaps: so that both have the same scale (Janssen et al. 2007, J. Atmos. Ocean. Technol. 24, 1665-1677).

    run: folder of a run. Raises InputError if files cannot be read, or no values can be paired."""
    fields = _Fields(run)
    found = [
        pairs
        for file in map(Path, files)
        if (pairs := _pairs(fields, read_altimeter(file), file, window_s, land_distance, length)) is not None
    ]
    if not found:
        raise InputError(
            f"Fewer than two super-observations of {', '.join(map(str, files))} are within the mesh and the"
            f" times of {run}, {land_distance / 1e3:g} km from land. Give files that cover the run."
        )
    return found


def _pairs(
    fields: _Fields,
    track: AlongTrack,
    file: Path,
    window_s: float,
    land_distance: float,
    length: float | None,
) -> Pairs | None:
    """Returns the pairs of a file; None if these are fewer than two."""
    cells, distance = fields.nearest(track.points)
    near = (distance < fields.spacing[cells]) & (track.times >= fields.times[0])
    near &= track.times <= fields.times[-1]
    track, cells = track.selected(near), cells[near]
    off_shore = _is_off_shore(track.points, land_distance)
    track, cells = track.selected(off_shore), cells[off_shore]
    modelled = fields.height(track.times, cells, window_s)
    valid = np.isfinite(modelled)
    track, cells, modelled = track.selected(valid), cells[valid], modelled[valid]
    lengths = fields.spacing[cells] if length is None else np.full(len(cells), length)
    groups = _super_observations(track, lengths)
    if len(groups) < 2:
        return None
    middle = [track.times[group][0] + (track.times[group] - track.times[group][0]).mean() for group in groups]
    return Pairs(
        station="along track",
        buoy=file.stem,
        variable="significant_height",
        times=np.array(middle, "datetime64[s]"),
        modelled=np.array([modelled[group].mean() for group in groups]),
        measured=np.array([track.height[group].mean() for group in groups]),
    )


def _super_observations(track: AlongTrack, lengths: np.ndarray) -> list[slice]:
    """Returns the groups of successive measurements of a track. lengths [m] (n): of a group that begins at a
    measurement."""
    if len(track.times) < 2:
        return []
    step = np.linalg.norm(np.diff(track.points, axis=0), axis=1) * EARTH_RADIUS
    has_gap = np.diff(track.times).astype("timedelta64[ms]").astype(float) > 1e3 * _GAP_S
    typical = np.median(step[~has_gap]) if (~has_gap).any() else 0.0
    groups, first, covered = [], 0, 0.0
    for i in range(1, len(track.times) + 1):
        if i < len(track.times) and not has_gap[i - 1] and covered + step[i - 1] < lengths[first]:
            covered += step[i - 1]
            continue
        if covered + typical >= _LEAST_SHARE * lengths[first]:
            groups.append(slice(first, i))
        first, covered = i, 0.0
    return groups


def _is_off_shore(points: np.ndarray, least: float) -> np.ndarray:
    """Returns whether points (n, 3) are at least a distance [m] from land; islands of all sizes count."""
    if not len(points):
        return np.zeros(0, bool)
    resolution, finest = _SHORE
    longitude, latitude = to_lonlat(points)
    middle = middle_of(longitude)
    longitude = wrapped(longitude, middle)
    margin = np.degrees(least / EARTH_RADIUS) + 1
    wide = min(margin / max(np.cos(np.radians(np.abs(latitude).max() + margin)), 0.01), 180)
    box = (
        max(longitude.min() - wide, middle - 180),
        max(latitude.min() - margin, -90),
        min(longitude.max() + wide, middle + 180),
        min(latitude.max() + margin, 90),
    )
    shore = Shore(land(resolution, box), box, finest)
    return shore.signed_distance(points) * EARTH_RADIUS >= least


class _Fields:
    """The heights of a run by cell and time.

    times datetime64[ms] (record) ascending; spacing [m] (cell): distance to the nearest other cell."""

    def __init__(self, run: Path) -> None:
        from scipy.spatial import cKDTree

        paths = sorted(Path(run).glob("fields_*.nc"))
        if not paths:
            raise InputError(f"{run} has no files fields_*.nc: it is not the folder of a run.")
        self._records = []
        for path in paths:
            with open_decoded(path) as file, reading(path, "as fields of a run"):
                if "significant_height" not in file.variables or "face" not in file.sizes:
                    raise InputError(
                        f"{path} has no significant_height. Name it in output.variables of the case."
                    )
                times = np.atleast_1d(file["time"].values).astype("datetime64[ms]")
                self._records += [(time, path, i) for i, time in enumerate(times)]
                place = [
                    positions(path, file[n], kind) for n, kind in (("lon", "longitude"), ("lat", "latitude"))
                ]
        self._records.sort(key=lambda record: record[0])
        self.times = np.array([time for time, _, _ in self._records])
        points = to_points(*place)
        self._tree = cKDTree(points)
        self._read: dict[Any, np.ndarray] = {}
        self.spacing = arc(self._tree.query(points, k=2)[0][:, 1]) * EARTH_RADIUS

    def nearest(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns the nearest cell of each point (n, 3), and its distance [m]."""
        distance, cells = self._tree.query(points)
        return cells, arc(distance) * EARTH_RADIUS

    def height(self, times: np.ndarray, cells: np.ndarray, window_s: float) -> np.ndarray:
        """Returns the heights [m] (n) in cells (n) at times (n), NaN where the nearest record is more than
        `window_s` away."""
        after = np.clip(np.searchsorted(self.times, times), 1, max(len(self.times) - 1, 1))
        after = np.minimum(after, len(self.times) - 1)
        before = np.maximum(after - 1, 0)
        span, since = (
            (b - a).astype("timedelta64[ms]").astype(float)
            for a, b in ((self.times[before], self.times[after]), (self.times[before], times))
        )
        weight = np.divide(since, span, out=np.zeros(len(times)), where=span > 0)
        offset_s = np.minimum(np.abs(since), np.abs(span - since)) / 1e3
        first, second = (self._at(records, cells) for records in (before, after))
        return np.where(offset_s <= window_s, (1 - weight) * first + weight * second, np.nan)

    def _at(self, records: np.ndarray, cells: np.ndarray) -> np.ndarray:
        values = np.empty(len(cells))
        for record in np.unique(records):
            if record not in self._read:
                _, path, i = self._records[record]
                with open_decoded(path) as file, reading(path, "as fields of a run"):
                    self._read[record] = numbers(file["significant_height"].isel(time=i), path)
            chosen = records == record
            values[chosen] = self._read[record][cells[chosen]]
        return values
