"""Grids of gridded fields: the interface of all kinds, and precomputed interpolation to the cells of a mesh.

A grid is a number of points with latitudes and longitudes; `ids` are the flat indices of points in the file's
order of rows and columns (see each kind). The kinds are `Axes`, `Curvilinear`, `ReducedRows` and `Scattered`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from halcyon.base import EARTH_RADIUS, ConfigError
from halcyon.mesh.cf_file import values_of
from halcyon.mesh.sphere import east_at, to_points

MAX_PASSES = 200  # of filling missing values
FULL_CIRCLE = 360.0
# Offsets (row, column) of the eight neighbours of a grid point.
_NEIGHBOURS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))


@dataclass(frozen=True)
class Window:
    """Rows first_row to last_row of a grid, and n_columns columns from first_column on; on a periodic grid,
    column numbers are modulo the number of columns. A list of points has one row."""

    first_row: int
    last_row: int
    first_column: int
    n_columns: int


@dataclass(frozen=True)
class Interpolation:
    """Linear interpolation of a part of a grid, the window, to positions (n).

    Positions up to one grid step outside the grid get the values at the edge of the grid; `covered` (n) is
    False for positions farther outside.
    nodes, weights (k, n): the grid points around each position, as flat indices into the window, and their
    weights; ids (k, n): their indices in the grid.
    passes: grid points without a value are filled from values near them in this number of passes.
    positions (n, 3): on the unit sphere.
    The result at a position depends neither on the window nor on other positions.
    """

    grid: Grid
    window: Window
    nodes: np.ndarray
    weights: np.ndarray
    ids: np.ndarray
    covered: np.ndarray
    passes: int
    positions: np.ndarray

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """Interpolates values (row, column) of the window to the positions (n); NaN where a node is NaN."""
        return self.weighted_sum(values, self.weights)

    def weighted_sum(self, values: np.ndarray, factors: np.ndarray) -> np.ndarray:
        """Returns the sum of factors (k, n) times the values of the nodes that have a weight; NaN where one
        of these is NaN."""
        flat = self.grid.fill(values, self.passes).ravel()
        total = np.zeros(len(self.covered))
        for nodes, weights, factor in zip(self.nodes, self.weights, factors, strict=True):
            is_used = weights > 0
            total += np.where(is_used, factor, 0) * np.where(is_used, flat[nodes], 0)
        return total

    def component(self, axis: int, *, relative_to_grid: bool) -> ComponentInterpolation:
        """Returns the interpolation of one component of a vector, 0 along x or east, 1 along y or north.

        relative_to_grid: whether the components in the file are along the grid's own axes."""
        grid = self.grid
        directions = grid.x_directions(self.ids) if relative_to_grid else east_at(grid.longitudes(self.ids))
        at_nodes = grid.points(self.ids)
        if axis == 1:
            directions = np.cross(at_nodes, directions)
        turned = _transported(directions, at_nodes, self.positions)
        longitude = np.degrees(np.arctan2(self.positions[:, 1], self.positions[:, 0]))
        east = east_at(longitude)
        factors = [dot(turned, to) * self.weights for to in (east, np.cross(self.positions, east))]
        return ComponentInterpolation(self, np.array(factors))


@dataclass(frozen=True)
class ComponentInterpolation:
    """Interpolation of one component of a vector: its contributions to the eastward and to the northward
    component at the positions. The sum of the contributions of both components is the vector.

    The vectors at the nodes are carried to the position along great circles (parallel transport on the
    sphere), so that there is no error at the poles. factors (2, k, n): weights times the cosines of the
    angles between the direction of the component and east or north."""

    scalar: Interpolation
    factors: np.ndarray

    @property
    def window(self) -> Window:
        return self.scalar.window

    @property
    def nodes(self) -> np.ndarray:
        return self.scalar.nodes

    @property
    def weights(self) -> np.ndarray:
        return self.scalar.weights

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """Returns the contributions (2, n) of values (row, column) of the window."""
        return np.array([self.scalar.weighted_sum(values, factor) for factor in self.factors])


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Returns the scalar products over the last axis (3), in fixed order."""
    return a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]


def _transported(vectors: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Tangent vectors (..., 3) at unit vectors `start`, carried along great circles to `end`: v - (v . e) /
    (1 + s . e) (s + e), the rotation that takes s to e (Rodrigues' formula)."""
    scale = dot(vectors, end) / (1 + dot(start, end))
    return vectors - scale[..., None] * (start + end)


class Grid(ABC):
    """The interface of all kinds of grids.

    path: the file, for errors; latitude, longitude [degrees]: of the points, in their shape, NaN where
    missing, unless a kind says otherwise; dimensions: names of its horizontal dimensions in the file, slowest
    first.
    is_plain: whether the components of vectors are interpolated one by one, since the grid's axes point to
    east and north; has_axes: whether components may be relative to the axes of the grid."""

    is_plain: ClassVar[bool] = False
    has_axes: ClassVar[bool] = False
    path: Path
    latitude: np.ndarray
    longitude: np.ndarray
    dimensions: tuple[str, ...]

    def geometry(self) -> tuple[np.ndarray, ...]:
        """The arrays that define the places of all points."""
        return self.latitude, self.longitude

    def longitudes(self, ids: np.ndarray) -> np.ndarray:
        """Longitudes [degrees] of points."""
        return self.longitude.ravel()[ids]

    def latitudes(self, ids: np.ndarray) -> np.ndarray:
        """Latitudes [degrees] of points."""
        return self.latitude.ravel()[ids]

    @abstractmethod
    def interpolation(self, longitude: np.ndarray, latitude: np.ndarray, reach: float = 0.0) -> Interpolation:
        """The interpolation to positions (n) [degrees].

        reach [m]: grid points without a value are filled from values within this distance. Raises ConfigError
        where `fill_passes` does."""

    @abstractmethod
    def read(self, variable: Any, window: Window) -> np.ndarray:
        """Reads a window (..., row, column) of an xarray DataArray with the grid's dimensions, NaN where
        missing; other dimensions are kept. In a list of points, (..., point)."""

    @abstractmethod
    def fill(self, values: np.ndarray, passes: int) -> np.ndarray:
        """Fills missing values of a window: each pass sets a missing value to the mean of the values of its
        neighbours, if any neighbour has a value."""

    @property
    @abstractmethod
    def step(self) -> float:
        """A typical distance of adjacent points [rad]."""

    @property
    def extent(self) -> str:
        """The bounds of the grid, for errors, as `from 80 to 200 E and from -20 to 70 N`."""
        return bounds_text(self.longitude, self.latitude)

    def x_directions(self, ids: np.ndarray) -> np.ndarray:
        """Unit vectors (..., 3) along the grid's x axis at points, by default towards east."""
        return east_at(self.longitudes(ids))

    def points(self, ids: np.ndarray) -> np.ndarray:
        """Points (..., 3) of the unit sphere."""
        return to_points(self.longitudes(ids), self.latitudes(ids))

    def same_as(self, other: Grid) -> bool:
        """Whether two grids have the same points, in the same order."""
        return self is other or (
            type(self) is type(other)
            and all(
                np.array_equal(a, b, equal_nan=True)
                for a, b in zip(self.geometry(), other.geometry(), strict=True)
            )
        )

    def is_read_as(self, other: Grid) -> bool:
        """Whether two grids have the same points, and files on them are read alike."""
        layouts = [(grid.dimensions, getattr(grid, "descending", ())) for grid in (self, other)]
        return layouts[0] == layouts[1] and self.same_as(other)

    def fill_passes(self, reach: float) -> int:
        """The number of passes of `fill` for a reach [m]: the reach in grid steps, rounded up.

        Raises ConfigError above MAX_PASSES."""
        step = self.step * EARTH_RADIUS
        passes = math.ceil(reach / step)
        if passes > MAX_PASSES:
            raise ConfigError(
                f"reach = {reach:g} m is {passes} steps of the grid of {self.path}; at most {MAX_PASSES} are"
                f" allowed, {MAX_PASSES * step:.0f} m."
            )
        return passes


class RowsAndColumns(Grid):
    """A grid of n_rows times n_columns points, whose columns may go around the globe (`is_periodic`).

    descending: names of the dimensions that are read backwards."""

    has_axes = True
    is_periodic: bool
    descending: tuple[str, ...] = ()

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""

    def read(self, variable: Any, window: Window) -> np.ndarray:
        y, x = self.dimensions
        ascending = variable.isel(dict.fromkeys(self.descending, slice(None, None, -1)))
        rows = ascending.isel({y: slice(window.first_row, window.last_row + 1)})
        n, first, n_left, parts = self.shape[1], window.first_column, window.n_columns, []
        while n_left:  # columns, up to the end of the grid, then again from its first column
            begin = first % n
            size = min(n_left, n - begin)
            part = rows.isel({x: slice(begin, begin + size)}).compute()
            parts.append(values_of(part.transpose(..., y, x)))
            first, n_left = first + size, n_left - size
        return np.concatenate(parts, axis=-1)

    def fill(self, values: np.ndarray, passes: int) -> np.ndarray:
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
            mean = np.divide(total, count, out=np.full(values.shape, np.nan), where=count > 0)
            values = np.where(missing, mean, values)
        return values

    def _interpolation(
        self, ids: np.ndarray, weights: np.ndarray, covered: np.ndarray, passes: int, positions: np.ndarray
    ) -> Interpolation:
        """The interpolation with the smallest window that contains all nodes and a margin for filling."""
        (n_rows, n), (row, column) = self.shape, np.divmod(ids, self.shape[1])
        first_row = max(int(row.min()) - passes, 0)
        last_row = min(int(row.max()) + passes, n_rows - 1)
        used = np.unique(column)
        if self.is_periodic:
            gaps = np.diff(used, append=used[0] + n)  # the window is the circle without the widest gap
            west = int(used[(np.argmax(gaps) + 1) % len(used)])
            first_column, n_columns = west - passes, n - int(gaps.max()) + 1 + 2 * passes
            column = passes + (column - west) % n
        else:
            first_column = max(int(used[0]) - passes, 0)
            n_columns = min(int(used[-1]) + passes, n - 1) - first_column + 1
            column = column - first_column
        window = Window(first_row, last_row, first_column, n_columns)
        nodes = (row - first_row) * n_columns + column
        return Interpolation(self, window, nodes, weights, ids, covered, passes, positions)


class PointList(Grid):
    """A grid of points in one dimension of the file. With `passes`, the window contains all points."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of points."""

    @abstractmethod
    def links(self) -> np.ndarray:
        """Pairs (2, m) of adjacent points, each pair once."""

    def read(self, variable: Any, window: Window) -> np.ndarray:
        (name,) = self.dimensions
        part = variable.isel({name: slice(window.first_column, window.first_column + window.n_columns)})
        return values_of(part.compute().transpose(..., name))

    def fill(self, values: np.ndarray, passes: int) -> np.ndarray:
        if not passes or not np.isnan(values).any():
            return values
        a, b = self.links()
        start, end = np.concatenate([a, b]), np.concatenate([b, a])
        for _ in range(passes):
            missing = np.isnan(values)
            gives = ~missing[start] & missing[end]
            if not gives.any():
                return values
            count = np.bincount(end[gives], minlength=self.size)
            total = np.bincount(end[gives], values[start[gives]], minlength=self.size)
            values = np.where(count > 0, total / np.maximum(count, 1), values)
        return values

    def _interpolation(
        self, ids: np.ndarray, weights: np.ndarray, covered: np.ndarray, passes: int, positions: np.ndarray
    ) -> Interpolation:
        first, last = (0, self.size - 1) if passes else (int(ids.min()), int(ids.max()))
        window = Window(0, 0, first, last - first + 1)
        return Interpolation(self, window, ids - first, weights, ids, covered, passes, positions)


def bounds_text(longitude: np.ndarray, latitude: np.ndarray) -> str:
    """The bounds of points [degrees], NaN where missing, as `from 80 to 200 E and from -20 to 70 N`: of the
    longitudes, the circle without its widest gap."""
    valid = np.isfinite(longitude) & np.isfinite(latitude)
    east, north = np.unique(np.mod(longitude[valid], FULL_CIRCLE)), latitude[valid]
    gaps = np.diff(east, append=east[0] + FULL_CIRCLE)
    last = int(np.argmax(gaps))
    west = east[(last + 1) % len(east)]
    width = FULL_CIRCLE - gaps[last]
    west = west - FULL_CIRCLE if west + width > FULL_CIRCLE or west > FULL_CIRCLE / 2 else west
    return f"from {west:g} to {west + width:g} E and from {north.min():g} to {north.max():g} N"
