"""Grids with two-dimensional latitudes and longitudes, with bilinear interpolation in quadrilaterals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from halcyon.base import InputError
from halcyon.mesh.sphere import to_points
from halcyon.wave.gridded.axes import Axes
from halcyon.wave.gridded.grid import Interpolation, RowsAndColumns, dot
from halcyon.wave.gridded.quadrilaterals import CORNERS, Quadrilaterals

_CLOSED = 1.5  # largest gap of a closed grid, in steps


@dataclass(frozen=True, eq=False)
class Curvilinear(RowsAndColumns):
    """Points in rows and columns, such as those of a projection or of an ocean model's grid.

    latitude, longitude [degrees] (row, column), NaN where missing; their x axis is along rows, the y axis is
    on its left. is_periodic: the last column is followed by the first; is_folded: the last row is followed by
    itself, backwards (tripolar grids)."""

    path: Path
    latitude: np.ndarray
    longitude: np.ndarray
    is_periodic: bool
    is_folded: bool
    dimensions: tuple[str, str]
    descending: tuple[str, ...]

    @classmethod
    def of(
        cls,
        path: Path | str,
        latitude: np.ndarray,
        longitude: np.ndarray,
        *,
        dimensions: tuple[str, str] = ("row", "column"),
        descending: tuple[str, ...] = (),
    ) -> Axes | Curvilinear:
        """The grid of points [degrees] (row, column), NaN where missing, in either order of rows; `Axes` if
        the latitude is the same along each row and the longitude along each column. descending: names of the
        dimensions whose order in the file is the opposite.

        Points at 0 E 0 N are missing if there are several, as where ocean models leave out land. Raises
        InputError for fewer than 2 rows or columns."""
        lat, lon = np.array(latitude, float), np.array(longitude, float)
        if lat.ndim != 2 or lat.shape != lon.shape or min(lat.shape) < 2:
            raise InputError(
                f"{path}: the latitudes have the shape {lat.shape}, the longitudes {lon.shape}. Give a grid"
                " of at least 2 rows and 2 columns."
            )
        if np.array_equal(lat, np.broadcast_to(lat[:, :1], lat.shape)) and np.array_equal(
            lon, np.broadcast_to(lon[:1], lon.shape)
        ):
            axes = Axes.of(path, lat[:, 0], lon[0], dimensions=dimensions)
            return replace(axes, descending=tuple({*axes.descending} ^ {*descending}))
        is_origin = (lat == 0) & (lon == 0)
        missing = ~np.isfinite(lat + lon) | (is_origin & (is_origin.sum() > 1))
        lat[missing] = lon[missing] = np.nan
        if missing.all():
            raise InputError(f"{path}: no point has a latitude and a longitude. Give a file that has them.")
        step = _median_distance(lat[:, 1:], lon[:, 1:], lat[:, :-1], lon[:, :-1])
        east_gap = _median_distance(lat[:, 0], lon[:, 0], lat[:, -1], lon[:, -1])
        row_step = _median_distance(lat[-1], lon[-1], lat[-2], lon[-2])
        fold_gap = _median_distance(lat[-1], lon[-1], lat[-1, ::-1], lon[-1, ::-1])
        is_periodic = bool(lat.shape[1] > 3 and east_gap <= _CLOSED * step)
        is_folded = bool(is_periodic and fold_gap <= _CLOSED * row_step)
        return cls(Path(path), lat, lon, is_periodic, is_folded, dimensions, descending)

    @property
    def shape(self) -> tuple[int, int]:
        return self.latitude.shape

    @cached_property
    def step(self) -> float:
        steps = [
            _median_distance(self.latitude[1:], self.longitude[1:], self.latitude[:-1], self.longitude[:-1]),
            _median_distance(
                self.latitude[:, 1:], self.longitude[:, 1:], self.latitude[:, :-1], self.longitude[:, :-1]
            ),
        ]
        return float(np.nanmin(steps))

    def interpolation(self, longitude: np.ndarray, latitude: np.ndarray, reach: float = 0.0) -> Interpolation:
        passes, positions = self.fill_passes(reach), to_points(longitude, latitude)
        ids = np.arange(self.latitude.size).reshape(self.shape)
        if self.is_periodic:
            ids = np.concatenate([ids, ids[:, :1]], axis=1)
        if self.is_folded:
            folded = ids[-1:, : self.shape[1]][:, ::-1]
            ids = np.concatenate([ids, np.concatenate([folded, folded[:, :1]], axis=1)])
        row, column, weights = Quadrilaterals(self.points(ids)).find(positions)
        nodes = np.array([ids[row + i, column + j] for i, j in CORNERS])
        covered = np.asarray(weights.any(axis=0))
        return self._interpolation(nodes, weights, covered, passes, positions)

    def x_directions(self, ids: np.ndarray) -> np.ndarray:
        """By differences of second order of the points along the row, one-sided at its ends.

        Along an arc with points at distances a to the west and b to the east, the direction is (east - here)
        a / b + (here - west) b / a."""
        here, column = self.points(ids), ids % self.shape[1]

        def offset(k: int) -> np.ndarray:
            """Vectors from the point k columns east of each point; NaN outside the grid."""
            at = column + k
            is_inside = self.is_periodic | ((at >= 0) & (at < self.shape[1]))
            other = self.points(ids - column + at % self.shape[1])
            return np.where(is_inside[..., None], other - here, np.nan)

        direction = _weighted(offset(1), -offset(-1), 1)
        for k in (1, -1):  # at an end of a row: two points on one side, else one
            one_sided = k * _weighted(offset(k), offset(2 * k), -1)
            for other in (one_sided, k * offset(k)):
                direction = np.where(np.isnan(direction), other, direction)
        direction = direction - dot(direction, here)[..., None] * here
        return direction / np.sqrt(dot(direction, direction))[..., None]


def _weighted(first: np.ndarray, second: np.ndarray, sign: int) -> np.ndarray:
    """first b / a + sign second a / b, where a and b are the lengths of vectors (..., 3); NaN where one of
    these is 0."""
    a, b = (np.sqrt(dot(v, v))[..., None] for v in (first, second))
    a, b = (np.where(length > 0, length, np.nan) for length in (a, b))
    return first * (b / a) + sign * second * (a / b)


def _median_distance(
    latitude: np.ndarray, longitude: np.ndarray, other_latitude: np.ndarray, other_longitude: np.ndarray
) -> float:
    """The median distance [rad] of pairs of points [degrees] that differ; infinite without any."""
    offset = to_points(longitude, latitude) - to_points(other_longitude, other_latitude)
    distance = np.sqrt(dot(offset, offset))
    distance = distance[distance > 0]
    return float(np.median(distance)) if distance.size else np.inf
