"""Depth of the sea at points, from a netCDF file of heights or depths on longitudes and latitudes."""

from pathlib import Path

import numpy as np

from halcyon.base import EARTH_RADIUS, ConfigError, InputError
from halcyon.mesh.relief import Relief, read_relief
from halcyon.mesh.spec import ETOPO5
from halcyon.mesh.sphere import chord, to_points

FEWEST = 4  # grid points around a place that make a mean; with fewer, the grid is the coarser one


def depth_at(source, lon, lat, minimum, *, radius=0.0, variable=None):
    """Depth [m], positive down, at places of the sea.

    Where the grid has at least 4 points within `radius`, the depth is the mean over those of them that are
    sea; elsewhere it is bilinear. Either way it is at least `minimum`, also where the grid holds land.

    source: "etopo5" or the path of a netCDF file. lon, lat: (n) [degrees]. minimum: [m]. radius: [m], a
    number or (n). variable: the file's variable, where it is not plain.
    Raises ConfigError for a bad `minimum`, InputError if the file is missing or unclear, does not cover a
    place, or has no value at one."""
    if not minimum > 0:
        raise ConfigError(f"The minimum depth is {minimum:g} m, but must be positive.")
    lon, lat = np.asarray(lon, float), np.asarray(lat, float)
    radius = np.broadcast_to(np.asarray(radius, float), lon.shape)
    relief = read_relief(_path(source), _around(lon, lat, radius), variable)
    relief.require_cover(lon, lat)
    depth = bilinear(relief, lon, lat)
    mean, is_mean = mean_of_sea(relief, lon, lat, radius)
    depth[is_mean] = mean[is_mean]
    _require_values(relief, depth, lon, lat)
    return np.maximum(depth, minimum)


def bilinear(relief: Relief, lon, lat):
    """Depth (n) [m] between the four grid points around each place; those at the rim count for the margin."""
    i = np.clip(np.searchsorted(relief.lat, lat) - 1, 0, len(relief.lat) - 2)
    j = np.clip(np.searchsorted(relief.lon, relief.turned(lon)) - 1, 0, len(relief.lon) - 2)
    y = np.clip((lat - relief.lat[i]) / (relief.lat[i + 1] - relief.lat[i]), 0, 1)
    x = np.clip((relief.turned(lon) - relief.lon[j]) / (relief.lon[j + 1] - relief.lon[j]), 0, 1)
    d = relief.depth
    return (1 - y) * ((1 - x) * d[i, j] + x * d[i, j + 1]) + y * ((1 - x) * d[i + 1, j] + x * d[i + 1, j + 1])


def mean_of_sea(relief: Relief, lon, lat, radius):
    """Mean depth (n) [m] over the grid's sea points within `radius` [m], and where (n) it has enough points
    for one. Where all of them are land, the mean is 0."""
    from scipy.spatial import cKDTree

    grid_lon, grid_lat = (a.ravel() for a in np.meshgrid(relief.lon, relief.lat))
    tree = cKDTree(to_points(grid_lon, grid_lat))
    found = tree.query_ball_point(to_points(lon, lat), chord(radius / EARTH_RADIUS), return_sorted=True)
    count = np.array([len(near) for near in found])
    if count.sum() == 0:
        return np.zeros(len(lon)), np.zeros(len(lon), bool)
    depth = relief.depth.ravel()[np.concatenate([np.asarray(near, int) for near in found])]
    place = np.repeat(np.arange(len(lon)), count)
    is_sea = ~(depth <= 0)  # a missing value counts as sea, to be noticed
    total = np.bincount(place[is_sea], depth[is_sea], minlength=len(lon))
    return total / np.maximum(np.bincount(place[is_sea], minlength=len(lon)), 1), count >= FEWEST


def _path(source):
    path = ETOPO5 if source == "etopo5" else Path(source)
    if path.is_file():
        return path
    if source == "etopo5":
        raise InputError(
            f"The depth file {path} is missing. Install the Debian package ferret-datasets (apt-get install "
            "--no-install-recommends ferret-datasets), or give another netCDF file as depth source."
        )
    raise InputError(f"The depth file {path} does not exist. Check the path, which is relative to the case.")


def _around(lon, lat, radius):
    """The box of the places with a margin [degrees]: (west, south, east, north)."""
    margin = np.degrees(radius.max() / EARTH_RADIUS) + 0.01
    widest = np.cos(np.radians(min(np.abs(lat).max() + margin, 89)))
    west, east = lon.min() - margin / widest, lon.max() + margin / widest
    return west, max(lat.min() - margin, -90), east, min(lat.max() + margin, 90)


def _require_values(relief, depth, lon, lat):
    bad = np.flatnonzero(~np.isfinite(depth))
    if len(bad):
        raise InputError(
            f"{relief.path}: {relief.name} has no value near {lon[bad[0]]:.2f}E {lat[bad[0]]:.2f}N (and at "
            f"{len(bad) - 1} more places of the mesh). Fill the gaps, or give another file or region."
        )
