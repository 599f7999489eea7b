"""Bilinear interpolation from longitude-latitude grids to the cells of a mesh, with precomputed weights."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.base import EARTH_RADIUS, ConfigError, InputError
from halcyon.mesh.cf_file import LATITUDE, LONGITUDE, find_axis, positions, values_of

# Offsets (row, column) of the eight neighbours of a grid point.
_NEIGHBOURS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))
MAX_PASSES = 200  # of fill_missing


class Interpolation:
    """Bilinear interpolation of a part of a grid, the window, to positions [degrees] (n).

    Positions up to one grid step outside the grid get the values at the edge of the grid; `covered` (n) is
    False for positions farther outside.
    nodes, weights (4, n): the four grid points around each position, as flat indices into the window, and
    their weights.
    reach [m]: grid points without a value are filled from values within this distance, see `fill_missing`.
    The result at a position depends neither on the window nor on other positions. Raises ConfigError where
    `fill_passes` does.
    """

    def __init__(self, axes, longitude, latitude, *, reach=0.0):
        self.passes = fill_passes(axes, reach)
        row, north = _row(axes, latitude)
        column, east = _column(axes, longitude)
        self.covered = _covered(axes, longitude, latitude)
        self.window = _window(axes, row, column, self.passes)
        window_row, window_column = row - self.window.first_row, column - self.window.first_column
        if axes.is_periodic:  # the window's first `passes` columns are its margin
            window_column = self.passes + (window_column - self.passes) % len(axes.longitude)
        corners = [(i, j) for i in (0, 1) for j in (0, 1)]  # offsets (row, column) of the four nodes
        nodes = [(window_row + i) * self.window.n_columns + window_column + j for i, j in corners]
        weights = [(north if i else 1 - north) * (east if j else 1 - east) for i, j in corners]
        self.nodes, self.weights = np.array(nodes), np.array(weights)

    def __call__(self, values):
        """Interpolates values (row, column) of the window to the positions (n); NaN where a node is NaN."""
        flat = fill_missing(values, self.passes).ravel()
        total = np.zeros(len(self.covered))
        for nodes, weights in zip(self.nodes, self.weights, strict=True):
            total += np.where(weights > 0, weights * flat[nodes], 0)
        return total


def fill_missing(values, passes):
    """Fills missing values (row, column): each pass sets a missing value to the mean of the values of its
    eight neighbours, if any neighbour has a value."""
    for _ in range(passes):
        missing = np.isnan(values)
        if not missing.any():
            return values
        padded = np.pad(values, 1, constant_values=np.nan)
        total, count = np.zeros(values.shape), np.zeros(values.shape)
        for i, j in _NEIGHBOURS:
            neighbour = padded[1 + i : 1 + i + values.shape[0], 1 + j : 1 + j + values.shape[1]]
            valid = ~np.isnan(neighbour)
            total += np.where(valid, neighbour, 0)
            count += valid
        values = np.where(
            missing, np.divide(total, count, out=np.full(values.shape, np.nan), where=count > 0), values
        )
    return values


def fill_passes(axes, reach):
    """Returns the number of passes of `fill_missing` for a reach [m]: the reach in grid steps, rounded up.

    Raises ConfigError above MAX_PASSES."""
    step = math.radians(np.diff(axes.latitude).mean()) * EARTH_RADIUS
    passes = math.ceil(reach / step)
    if passes > MAX_PASSES:
        raise ConfigError(
            f"reach = {reach:g} m is {passes} steps of the grid of {axes.path}; at most {MAX_PASSES} are"
            f" allowed, {MAX_PASSES * step:.0f} m."
        )
    return passes


def _row(axes, latitude):
    """Returns the row south of each position, and the weight of the next row to the north."""
    lat = axes.latitude
    row = np.clip(np.searchsorted(lat, latitude, "right") - 1, 0, len(lat) - 2)
    return row, np.clip((latitude - lat[row]) / (lat[row + 1] - lat[row]), 0, 1)


def _column(axes, longitude):
    """Returns the column west of each position, and the weight of the next column to the east."""
    lon = _closed_longitudes(axes)
    wrapped = _wrapped(axes, longitude)
    column = np.clip(np.searchsorted(lon, wrapped, "right") - 1, 0, len(lon) - 2)
    return column, np.clip((wrapped - lon[column]) / (lon[column + 1] - lon[column]), 0, 1)


def _closed_longitudes(axes):
    """Returns the longitudes; on a periodic grid with the first appended, plus 360 degrees."""
    lon = axes.longitude
    return np.append(lon, lon[0] + 360) if axes.is_periodic else lon


def _wrapped(axes, longitude):
    """Wraps longitudes [degrees] into the full circle that begins at the grid's western side (periodic grid)
    or one grid step west of it."""
    west_margin = 0.0 if axes.is_periodic else axes.longitude[1] - axes.longitude[0]
    return axes.longitude[0] + np.mod(longitude - axes.longitude[0] + west_margin, 360) - west_margin


def _covered(axes, longitude, latitude):
    """Returns whether positions are inside the grid or at most one grid step outside."""
    lat, lon = axes.latitude, axes.longitude
    south, north = lat[0] - (lat[1] - lat[0]), lat[-1] + (lat[-1] - lat[-2])
    inside = (latitude >= south) & (latitude <= north)
    return inside & (axes.is_periodic | (_wrapped(axes, longitude) <= lon[-1] + (lon[-1] - lon[-2])))


def _window(axes, row, column, margin):
    """Returns the smallest window with the nodes of all positions, plus a margin for filling."""
    first_row = max(int(row.min()) - margin, 0)
    last_row = min(int(row.max()) + 1 + margin, len(axes.latitude) - 1)
    n = len(axes.longitude)
    if not axes.is_periodic:
        west = max(int(column.min()) - margin, 0)
        east = min(int(column.max()) + 1 + margin, n - 1)
        return Window(first_row, last_row, west, east - west + 1)
    used = np.unique(column)
    gaps = np.diff(used, append=used[0] + n)  # the window covers the circle except for the widest gap
    west = int(used[(np.argmax(gaps) + 1) % len(used)])
    n_columns = n - int(gaps.max()) + 2
    return Window(first_row, last_row, west - margin, n_columns + 2 * margin)


_FULL_CIRCLE = 360.0
_STEP_SLACK = 1e-3  # tolerance in grid steps, for axes in single precision


@dataclass(frozen=True)
class Window:
    """Rows first_row to last_row of a grid, and n_columns columns from first_column on; on a periodic grid,
    column numbers are modulo the number of columns."""

    first_row: int
    last_row: int
    first_column: int
    n_columns: int


@dataclass(frozen=True)
class Axes:
    """Ascending latitudes and longitudes [degrees] of a grid, without repeated longitudes.

    is_periodic: whether the longitudes cover the full circle; dimensions: names of the latitude and longitude
    dimensions in the file; descending: names of the dimensions along which the file's coordinates descend.
    """

    path: Path
    latitude: np.ndarray
    longitude: np.ndarray
    is_periodic: bool
    dimensions: tuple[str, str]
    descending: tuple[str, ...]

    @classmethod
    def from_file(cls, path, file):
        """Reads the axes from an open file; its longitudes may jump from 180 to -180.

        Raises InputError where an axis is missing, not monotonic or has fewer than two values."""
        variables = [find_axis(path, file, axis) for axis in (LATITUDE, LONGITUDE)]
        dimensions = tuple(variable.dims[0] for variable in variables)
        values = [
            positions(path, v, name) for v, name in zip(variables, ("latitude", "longitude"), strict=True)
        ]
        values[1] = np.unwrap(values[1], period=_FULL_CIRCLE)
        for (name, *_), coordinates in zip((LATITUDE, LONGITUDE), values, strict=True):
            steps = np.diff(coordinates)
            if not len(steps) or not (np.all(steps > 0) or np.all(steps < 0)):
                raise InputError(
                    f"{path}: the {name}s are not monotonic, or fewer than two. Sort the grid by {name}."
                )
        descending = tuple(name for name, v in zip(dimensions, values, strict=True) if v[0] > v[-1])
        lat, lon = (v[::-1] if v[0] > v[-1] else v for v in values)
        step = np.diff(lon).max()
        is_periodic = bool(lon[0] + _FULL_CIRCLE - lon[-1] <= step * (1 + _STEP_SLACK))
        lon = lon[lon < lon[0] + _FULL_CIRCLE - step * _STEP_SLACK] if is_periodic else lon
        return cls(Path(path), lat, lon, is_periodic, dimensions, descending)

    def same_as(self, other):
        """Returns whether two grids have equal latitudes and longitudes."""
        return np.array_equal(self.latitude, other.latitude) and np.array_equal(
            self.longitude, other.longitude
        )

    def read(self, variable: Any, window: Window) -> np.ndarray:
        """Reads a window (..., row, column) of a variable of the file; the other dimensions are kept."""
        lat, lon = self.dimensions
        ascending = variable.isel(dict.fromkeys(self.descending, slice(None, None, -1)))
        rows = ascending.isel({lat: slice(window.first_row, window.last_row + 1)})
        n, first, n_left, parts = len(self.longitude), window.first_column, window.n_columns, []
        while n_left:  # columns, up to the end of the grid, then again from its first column
            begin = first % n
            size = min(n_left, n - begin)
            part = rows.isel({lon: slice(begin, begin + size)}).compute()
            parts.append(values_of(part.transpose(..., lat, lon)))
            first, n_left = first + size, n_left - size
        return np.concatenate(parts, axis=-1)
