"""Bathymetry at points, from a netCDF file of heights or depths on longitudes and latitudes."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from halcyon.base import EARTH_RADIUS, ConfigError, InputError
from halcyon.mesh.grid_file import read_relief
from halcyon.mesh.spec import ETOPO5
from halcyon.mesh.sphere import chord, position_text, to_points

if TYPE_CHECKING:
    from halcyon.mesh.grid_file import Grid


BATCH = 200_000  # points per batch
STEPS_PER_RADIUS = 10  # grid steps per radius; finer grids are thinned
MIN_POINTS = 4  # grid points needed for a mean; where there are fewer, the grid is coarser than the mesh


def depth_at(
    source: str | os.PathLike[str],
    lon: ArrayLike,
    lat: ArrayLike,
    minimum: float,
    *,
    radius: ArrayLike = 0.0,
    variable: str | None = None,
) -> np.ndarray:
    """Returns the depth (n) [m], positive down: that of `relief_at`, but at least `minimum`, also on land.

    minimum: [m]. Other parameters and errors: as `relief_at`. Raises ConfigError for an invalid `minimum`."""
    if not minimum > 0:
        raise ConfigError(f"The minimum depth is {minimum:g} m, but must be positive.")
    return np.maximum(relief_at(source, lon, lat, radius=radius, variable=variable), minimum)


def relief_at(
    source: str | os.PathLike[str],
    lon: ArrayLike,
    lat: ArrayLike,
    *,
    radius: ArrayLike = 0.0,
    variable: str | None = None,
) -> np.ndarray:
    """Returns the depth (n) [m], positive down, 0 or less on land.

    Where the file's grid has at least 4 points within `radius`, the depth is the mean over the sea points
    among them, or 0 if all are on land; elsewhere the depth is interpolated bilinearly.

    source: "etopo5" or the path of a netCDF file. lon, lat: (n) [degrees]. radius: [m], a number or (n).
    variable: name in the file, needed if there are several variables. Raises InputError if the file or the
    variable is missing, several variables match, or a point has no value."""
    lon, lat = np.asarray(lon, float), np.asarray(lat, float)
    radius = np.broadcast_to(np.asarray(radius, float), lon.shape)
    path, depth = _path(source), np.empty(len(lon))
    order = np.argsort(lat, kind="stable")
    for batch in np.array_split(order, -(-len(lon) // BATCH)):
        depth[batch] = _relief_in_band(path, lon[batch], lat[batch], radius[batch], variable)
    return depth


def _relief_in_band(
    path: Path, lon: np.ndarray, lat: np.ndarray, radius: np.ndarray, variable: str | None
) -> np.ndarray:
    """As `relief_at` for points in a band of latitudes."""
    relief = read_relief(path, _bounding_box(lon, lat, radius), variable)
    relief.require_cover(lon, lat)
    depth = relief.interpolate(lon, lat)
    relief = thinned(relief, radius)
    candidates = np.flatnonzero(may_have_mean(relief, lat, radius))
    if len(candidates):
        mean, is_mean = mean_of_sea(relief, lon[candidates], lat[candidates], radius[candidates])
        depth[candidates[is_mean]] = mean[is_mean]
    _require_values(relief, depth, lon, lat)
    return depth


def thinned(relief: Grid, radius: np.ndarray) -> Grid:
    """Returns every n-th row and column of a grid, such that the smallest radius [m] spans 10 steps."""
    step = EARTH_RADIUS * np.radians(np.diff(relief.lat).min())
    n = max(1, int(radius.min() / (STEPS_PER_RADIUS * step)))
    return replace(relief, lon=relief.lon[::n], lat=relief.lat[::n], values=relief.values[::n, ::n])


def may_have_mean(relief: Grid, lat: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """Returns (n) whether the circle of `radius` (n) [m] around a point at `lat` (n) [degrees] can contain 4
    points of the grid; always true at the poles."""
    degrees = np.degrees(radius / EARTH_RADIUS)
    cos_lat = np.cos(np.radians(np.minimum(np.abs(lat) + degrees, 90)))
    rows = 2 * degrees / np.diff(relief.lat).min() + 1
    columns = 2 * degrees / (np.diff(relief.lon).min() * np.maximum(cos_lat, 1e-9)) + 1
    return np.floor(rows) * np.floor(columns) >= MIN_POINTS


def mean_of_sea(
    relief: Grid, lon: np.ndarray, lat: np.ndarray, radius: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the mean depth (n) [m] over the grid's sea points within `radius` [m], and whether (n) there
    are enough points for a mean. If all points are land, the mean is 0."""
    from scipy.spatial import cKDTree

    grid_lon, grid_lat = (a.ravel() for a in np.meshgrid(relief.lon, relief.lat))
    tree = cKDTree(to_points(grid_lon, grid_lat))
    neighbours = tree.query_ball_point(to_points(lon, lat), chord(radius / EARTH_RADIUS), return_sorted=True)
    count = np.array([len(near) for near in neighbours])
    if count.sum() == 0:
        return np.zeros(len(lon)), np.zeros(len(lon), bool)
    depth = relief.values.ravel()[np.concatenate([np.asarray(near, int) for near in neighbours])]
    point = np.repeat(np.arange(len(lon)), count)
    is_sea = ~(depth <= 0)  # missing values count as sea, so that they are reported
    total = np.bincount(point[is_sea], depth[is_sea], minlength=len(lon))
    return total / np.maximum(np.bincount(point[is_sea], minlength=len(lon)), 1), count >= MIN_POINTS


def _path(source: str | os.PathLike[str]) -> Path:
    path = ETOPO5 if source == "etopo5" else Path(source)
    if path.is_file():
        return path
    if source == "etopo5":
        raise InputError(
            f"The depth file {path} is missing. Install the Debian package ferret-datasets (apt-get install "
            "--no-install-recommends ferret-datasets), or give another netCDF file as depth source."
        )
    raise InputError(f"The depth file {path} does not exist. Check the path, which is relative to the case.")


def _bounding_box(lon: np.ndarray, lat: np.ndarray, radius: np.ndarray) -> tuple[float, float, float, float]:
    """Returns the bounding box of the points with a margin [degrees]: (west, south, east, north)."""
    margin = np.degrees(radius.max() / EARTH_RADIUS) + 0.01
    cos_lat = np.cos(np.radians(min(np.abs(lat).max() + margin, 89)))
    west, east = lon.min() - margin / cos_lat, lon.max() + margin / cos_lat
    return west, max(lat.min() - margin, -90), east, min(lat.max() + margin, 90)


def _require_values(relief: Grid, depth: np.ndarray, lon: np.ndarray, lat: np.ndarray) -> None:
    bad = np.flatnonzero(~np.isfinite(depth))
    if len(bad):
        position = position_text(lon[bad[0]], lat[bad[0]])
        raise InputError(
            f"{relief.path}: {relief.name} has no value near {position} (and at {len(bad) - 1} more points of"
            " the mesh). Fill the gaps, or give another file or region."
        )
