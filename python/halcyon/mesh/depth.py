"""Depth of the sea at points, from a netCDF file of heights or depths on longitudes and latitudes."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from halcyon.base import EARTH_RADIUS, ConfigError, InputError
from halcyon.mesh.grid_file import read_relief
from halcyon.mesh.spec import ETOPO5
from halcyon.mesh.sphere import chord, to_points

AT_ONCE = 200_000  # places whose depths are found together
ENOUGH = 10  # steps of the grid in a radius; more are not looked at
FEWEST = 4  # grid points around a place that make a mean; with fewer, the grid is the coarser one


def depth_at(source, lon, lat, minimum, *, radius=0.0, variable=None):
    """Depth [m], positive down, at places of the sea: `relief_at`, but at least `minimum`, also on land.

    minimum: [m]. The others, and what is raised: as `relief_at`. Raises ConfigError for a bad `minimum`."""
    if not minimum > 0:
        raise ConfigError(f"The minimum depth is {minimum:g} m, but must be positive.")
    return np.maximum(relief_at(source, lon, lat, radius=radius, variable=variable), minimum)


def relief_at(source, lon, lat, *, radius=0.0, variable=None):
    """Depth (n) [m], positive down, 0 or less on land.

    Where the grid has at least 4 points within `radius`, the depth is the mean over those of them that are
    sea, 0 where none is; elsewhere it is bilinear.

    source: "etopo5" or the path of a netCDF file. lon, lat: (n) [degrees]. radius: [m], a number or (n).
    variable: the file's variable, where it is not plain.
    Raises InputError if the file is missing or unclear, does not cover a place, or has no value at one."""
    lon, lat = np.asarray(lon, float), np.asarray(lat, float)
    radius = np.broadcast_to(np.asarray(radius, float), lon.shape)
    path, depth = _path(source), np.empty(len(lon))
    order = np.argsort(lat, kind="stable")
    for places in np.array_split(order, -(-len(lon) // AT_ONCE)):
        depth[places] = _band(path, lon[places], lat[places], radius[places], variable)
    return depth


def _band(path, lon, lat, radius, variable):
    """The same for few places of near latitudes."""
    relief = read_relief(path, _around(lon, lat, radius), variable)
    relief.require_cover(lon, lat)
    depth = relief.at(lon, lat)
    relief = thinned(relief, radius)
    asked = np.flatnonzero(may_have_mean(relief, lat, radius))
    if len(asked):
        mean, is_mean = mean_of_sea(relief, lon[asked], lat[asked], radius[asked])
        depth[asked[is_mean]] = mean[is_mean]
    _require_values(relief, depth, lon, lat)
    return depth


def thinned(relief, radius):
    """Every so many rows and columns of a grid, so that the smallest radius [m] spans 10 of its steps."""
    step = EARTH_RADIUS * np.radians(np.diff(relief.lat).min())
    n = max(1, int(radius.min() / (ENOUGH * step)))
    return replace(relief, lon=relief.lon[::n], lat=relief.lat[::n], values=relief.values[::n, ::n])


def may_have_mean(relief, lat, radius):
    """Where (n) a circle of a radius [m] can hold 4 points of the grid; at the poles it always can."""
    degrees = np.degrees(radius / EARTH_RADIUS)
    shrunk = np.cos(np.radians(np.minimum(np.abs(lat) + degrees, 90)))
    rows = 2 * degrees / np.diff(relief.lat).min() + 1
    columns = 2 * degrees / (np.diff(relief.lon).min() * np.maximum(shrunk, 1e-9)) + 1
    return np.floor(rows) * np.floor(columns) >= FEWEST


def mean_of_sea(relief, lon, lat, radius):
    """Mean depth (n) [m] over the grid's sea points within `radius` [m], and where (n) it has enough points
    for one. Where all of them are land, the mean is 0."""
    from scipy.spatial import cKDTree

    grid_lon, grid_lat = (a.ravel() for a in np.meshgrid(relief.lon, relief.lat))
    tree = cKDTree(to_points(grid_lon, grid_lat))
    found = tree.query_ball_point(to_points(lon, lat), chord(radius / EARTH_RADIUS), return_sorted=True)
    count = np.array([len(near) for near in found])
    if count.sum() == 0:
        return np.zeros(len(lon)), np.zeros(len(lon), bool)
    depth = relief.values.ravel()[np.concatenate([np.asarray(near, int) for near in found])]
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
