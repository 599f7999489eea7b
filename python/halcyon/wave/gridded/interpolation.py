"""From longitudes and latitudes to the cells of a mesh: bilinear, with weights that are made once."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.base import EARTH_RADIUS, ConfigError, InputError
from halcyon.mesh.cf_file import LATITUDE, LONGITUDE, find_axis, numbers, values_of

_NEIGHBOURS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))
MOST_PASSES = 200


class Interpolation:
    """Bilinear interpolation of a part of a grid, the window, to places [degrees] (n).

    Places up to one grid step beyond the rim get the values of the rim; `covered` (n) tells the others.
    nodes: of the window, laid flat, around each place, and their weights, (4, n).
    reach [m]: grid points without a value within it of others get the mean of those, see `filled`.
    What a place gets depends on the grid around it alone, not on the window or the other places. Raises
    ConfigError as `passes_of`.
    """

    def __init__(self, axes, longitude, latitude, *, reach=0.0):
        self.passes = passes_of(axes, reach)
        row, north = _row(axes, latitude)
        column, east = _column(axes, longitude)
        self.covered = _covered(axes, longitude, latitude)
        self.window = _window(axes, row, column, self.passes)
        at_row, at_column = row - self.window.first_row, column - self.window.first_column
        if axes.is_periodic:
            at_column = self.passes + (at_column - self.passes) % len(axes.longitude)
        corners = [(i, j) for i in (0, 1) for j in (0, 1)]
        nodes = [(at_row + i) * self.window.n_columns + at_column + j for i, j in corners]
        weights = [(north if i else 1 - north) * (east if j else 1 - east) for i, j in corners]
        self.nodes, self.weights = np.array(nodes), np.array(weights)

    def __call__(self, values):
        """Values (n) at the places of values (row, column) of the window; NaN where one that is needed is."""
        flat = filled(values, self.passes).ravel()
        total = np.zeros(len(self.covered))
        for nodes, weights in zip(self.nodes, self.weights, strict=True):
            total += np.where(weights > 0, weights * flat[nodes], 0)
        return total


def filled(values, passes):
    """The same, with what is missing taken from around it: in each pass a missing value (row, column) becomes
    the mean of those of its eight neighbours that are there."""
    for _ in range(passes):
        missing = np.isnan(values)
        if not missing.any():
            return values
        padded = np.pad(values, 1, constant_values=np.nan)
        total, count = np.zeros(values.shape), np.zeros(values.shape)
        for rows, columns in _NEIGHBOURS:
            near = padded[1 + rows : 1 + rows + len(values), 1 + columns : 1 + columns + values.shape[1]]
            there = ~np.isnan(near)
            total += np.where(there, near, 0)
            count += there
        values = np.where(
            missing, np.divide(total, count, out=np.full(values.shape, np.nan), where=count > 0), values
        )
    return values


def passes_of(axes, reach):
    """How many steps of a grid a reach [m] is, rounded up. Raises ConfigError where they are too many."""
    step = math.radians(np.diff(axes.latitude).mean()) * EARTH_RADIUS
    passes = math.ceil(reach / step)
    if passes > MOST_PASSES:
        raise ConfigError(
            f"reach = {reach:g} m is {passes} steps of the grid of {axes.path}; at most {MOST_PASSES} are"
            f" allowed, {MOST_PASSES * step:.0f} m."
        )
    return passes


def _row(axes, latitude):
    """The row south of each place, and the weight of the row north of it."""
    lat = axes.latitude
    row = np.clip(np.searchsorted(lat, latitude, "right") - 1, 0, len(lat) - 2)
    return row, np.clip((latitude - lat[row]) / (lat[row + 1] - lat[row]), 0, 1)


def _column(axes, longitude):
    """The column west of each place, and the weight of the column east of it."""
    lon = _closed(axes)
    turned = _turned(axes, longitude)
    column = np.clip(np.searchsorted(lon, turned, "right") - 1, 0, len(lon) - 2)
    return column, np.clip((turned - lon[column]) / (lon[column + 1] - lon[column]), 0, 1)


def _closed(axes):
    """The longitudes, with the first again at the end of a round."""
    lon = axes.longitude
    return np.append(lon, lon[0] + 360) if axes.is_periodic else lon


def _turned(axes, longitude):
    """Longitudes [degrees] turned into the range of the grid."""
    slack = 0.0 if axes.is_periodic else axes.longitude[1] - axes.longitude[0]
    return axes.longitude[0] + np.mod(longitude - axes.longitude[0] + slack, 360) - slack


def _covered(axes, longitude, latitude):
    lat, lon = axes.latitude, axes.longitude
    south, north = lat[0] - (lat[1] - lat[0]), lat[-1] + (lat[-1] - lat[-2])
    inside = (latitude >= south) & (latitude <= north)
    return inside & (axes.is_periodic | (_turned(axes, longitude) <= lon[-1] + (lon[-1] - lon[-2])))


def _window(axes, row, column, margin):
    """The least window that holds the corners around all places, and a margin for the filling."""
    first = max(int(row.min()) - margin, 0)
    last = min(int(row.max()) + 1 + margin, len(axes.latitude) - 1)
    n = len(axes.longitude)
    if not axes.is_periodic:
        west = max(int(column.min()) - margin, 0)
        return Window(first, last, west, min(int(column.max()) + 1 + margin, n - 1) - west + 1)
    used = np.unique(column)
    gaps = np.diff(used, append=used[0] + n)
    west = int(used[(np.argmax(gaps) + 1) % len(used)])
    across = n - int(gaps.max()) + 2
    return Window(first, last, west - margin, across + 2 * margin)


_ROUND = 360.0
_STEP_SLACK = 1e-3  # of a grid step, for axes in single precision


@dataclass(frozen=True)
class Window:
    """Rows first_row..last_row of a grid, and n_columns from first_column on, which may pass the seam."""

    first_row: int
    last_row: int
    first_column: int
    n_columns: int


@dataclass(frozen=True)
class Axes:
    """Ascending latitudes and longitudes [degrees] of a grid, of which those of the file beyond one round are
    left out.

    is_periodic: whether the longitudes go round the Earth; dimensions: of latitude and longitude in the file;
    descending: those that it has in the other order.
    """

    path: Path
    latitude: np.ndarray
    longitude: np.ndarray
    is_periodic: bool
    dimensions: tuple[str, str]
    descending: tuple[str, ...]

    @classmethod
    def of(cls, path, file):
        """Of an open file, whose longitudes may pass from 180 to -180.

        Raises InputError where there are none, they do not run steadily, or are fewer than two."""
        found = [find_axis(path, file, axis) for axis in (LATITUDE, LONGITUDE)]
        dimensions = tuple(each.dims[0] for each in found)
        values = [numbers(found[0]), np.unwrap(numbers(found[1]), period=_ROUND)]
        for (name, *_), each in zip((LATITUDE, LONGITUDE), values, strict=True):
            steps = np.diff(each)
            if not len(steps) or not (np.all(steps > 0) or np.all(steps < 0)):
                raise InputError(
                    f"{path}: the {name}s do not run steadily up or down, or are fewer than two. Sort them."
                )
        descending = tuple(name for name, v in zip(dimensions, values, strict=True) if v[0] > v[-1])
        lat, lon = (v[::-1] if v[0] > v[-1] else v for v in values)
        step = np.diff(lon).max()
        is_periodic = bool(lon[0] + _ROUND - lon[-1] <= step * (1 + _STEP_SLACK))
        lon = lon[lon < lon[0] + _ROUND - step * _STEP_SLACK] if is_periodic else lon
        return cls(Path(path), lat, lon, is_periodic, dimensions, descending)

    def same_as(self, other):
        """Whether another file has the same grid."""
        return np.array_equal(self.latitude, other.latitude) and np.array_equal(
            self.longitude, other.longitude
        )

    def read(self, variable: Any, window: Window) -> np.ndarray:
        """A window (..., row, column) of a variable of the file, whose other dimensions stay as they are."""
        lat, lon = self.dimensions
        ascending = variable.isel(dict.fromkeys(self.descending, slice(None, None, -1)))
        rows = ascending.isel({lat: slice(window.first_row, window.last_row + 1)})
        n, first, left, parts = len(self.longitude), window.first_column, window.n_columns, []
        while left:
            begin = first % n
            size = min(left, n - begin)
            part = rows.isel({lon: slice(begin, begin + size)}).compute()
            parts.append(values_of(part.transpose(..., lat, lon)))
            first, left = first + size, left - size
        return np.concatenate(parts, axis=-1)
