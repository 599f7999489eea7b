"""Fields of a file on longitudes and latitudes: bilinear to places, or shared out over polygons as boxes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from halcyon._core import remap
from halcyon.base import InputError
from halcyon.remap.faces import points_of
from halcyon.wave.gridded import Axes, Interpolation
from halcyon.wave.gridded.axes import Window


@dataclass(frozen=True)
class LatLonBoxes:
    """Edges of columns and rows [degrees], ascending, of the whole globe; longitudes and latitudes [degrees]
    of the places of which columns and rows have their values."""

    longitude_edges: np.ndarray
    latitude_edges: np.ndarray
    longitudes: np.ndarray
    latitudes: np.ndarray

    @classmethod
    def around(cls, longitudes: np.ndarray, latitudes: np.ndarray) -> LatLonBoxes:
        """Those around the points of a grid [degrees] that covers the globe, from middle to middle."""
        seam = (longitudes[0] + longitudes[-1] - 360) / 2
        middles = (longitudes[1:] + longitudes[:-1]) / 2, (latitudes[1:] + latitudes[:-1]) / 2
        return cls(
            np.concatenate([[seam], middles[0], [seam + 360]]),
            np.concatenate([[-90.0], middles[1], [90.0]]),
            longitudes,
            latitudes,
        )

    @classmethod
    def even(cls, n_rows: int) -> LatLonBoxes:
        """As wide as high [degrees], with their values in their middles."""
        rows, columns = np.linspace(-90, 90, n_rows + 1), np.linspace(-180, 180, 2 * n_rows + 1)
        return cls(columns, rows, (columns[1:] + columns[:-1]) / 2, (rows[1:] + rows[:-1]) / 2)

    @property
    def n_columns(self) -> int:
        return len(self.longitudes)

    def rows(self, south: np.ndarray, north: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The first and the last of the rows that reach between latitudes [degrees] (n)."""
        first = np.searchsorted(self.latitude_edges, south, "right") - 1
        last = np.searchsorted(self.latitude_edges, north, "left") - 1
        most = len(self.latitudes) - 1
        return np.clip(first, 0, most), np.clip(last, 0, most)

    def between(self, first: int, last: int) -> LatLonBoxes:
        """Rows first..last; all columns, so that areas do not depend on which part is taken."""
        return LatLonBoxes(
            self.longitude_edges,
            self.latitude_edges[first : last + 2],
            self.longitudes,
            self.latitudes[first : last + 1],
        )

    def grid(self) -> remap.LatLonGrid:
        return remap.LatLonGrid(np.radians(self.longitude_edges), np.radians(self.latitude_edges))

    def points(self, boxes: np.ndarray) -> np.ndarray:
        """The places (n, 3) on the unit sphere of boxes by their numbers, rows from the south (n)."""
        row, column = np.divmod(boxes, self.n_columns)
        return points_of(self.longitudes[column], self.latitudes[row])


@dataclass(frozen=True)
class Corners:
    """Around each of n places: nodes of the file's places, laid flat, and weights that sum to 1, (corner, n);
    longitudes and latitudes [rad] of the nodes, (corner, n)."""

    nodes: np.ndarray
    weights: np.ndarray
    longitude: np.ndarray
    latitude: np.ndarray

    @property
    def size(self) -> int:
        return self.nodes.shape[1]

    def mean(self, flat: np.ndarray) -> np.ndarray:
        """Values (n) of values (node); NaN where one that has weight is."""
        total = np.zeros(self.size)
        for node, weight in zip(self.nodes, self.weights, strict=True):
            total += np.where(weight != 0, weight * flat[node], 0)
        return total

    def bounded_mean(self, flat: np.ndarray) -> np.ndarray:
        """The same, to the last bit not beyond the values that have weight."""
        values = np.where(self.weights != 0, flat[self.nodes], np.nan)
        return np.clip(self.mean(flat), np.fmin.reduce(values), np.fmax.reduce(values))

    def along(self, directions: np.ndarray) -> tuple[Corners, Corners]:
        """The same with weights by which the components of a vector, eastward and northward at the nodes,
        give that along directions (n, 3)."""
        x, y, z = directions.T
        lon, lat = self.longitude, self.latitude
        east = -np.sin(lon) * x + np.cos(lon) * y
        north = -np.sin(lat) * (np.cos(lon) * x + np.sin(lon) * y) + np.cos(lat) * z
        return tuple(Corners(self.nodes, self.weights * part, lon, lat) for part in (east, north))


class LatLon:
    """The places of an open netCDF file on longitudes and latitudes. Raises InputError where they do not
    cover the globe."""

    def __init__(self, path: str, file: Any) -> None:
        self.axes = Axes.of(path, file)
        self.dimensions = self.axes.dimensions
        _require_globe(path, self.axes)

    def corners(self, points: np.ndarray) -> tuple[Corners, Window]:
        """Those around points (n, 3) of the unit sphere, and the part of the grid that holds them."""
        x, y, z = np.ascontiguousarray(points.T)
        lon, lat = np.degrees(np.arctan2(y, x)), np.degrees(np.arctan2(z, np.sqrt(x * x + y * y)))
        found = Interpolation(self.axes, lon, lat)
        row, column = np.divmod(found.nodes, found.window.n_columns)
        columns = (column + found.window.first_column) % len(self.axes.longitude)
        at = self.axes.longitude[columns], self.axes.latitude[row + found.window.first_row]
        return Corners(found.nodes, found.weights, *map(np.radians, at)), found.window

    def spacing(self, points: np.ndarray) -> np.ndarray:
        """That of the rows [rad], at points (n, 3)."""
        return np.full(len(points), np.radians(np.diff(self.axes.latitude).max()))

    def fineness(self, points: np.ndarray) -> np.ndarray:
        """What tells points (n, 3) apart that want boxes of another size: nothing does."""
        return np.zeros(len(points), np.int64)

    def boxes(self, point: np.ndarray) -> LatLonBoxes:
        """Those around the points of the grid."""
        return LatLonBoxes.around(self.axes.longitude, np.clip(self.axes.latitude, -90, 90))

    def read(self, part: Any, window: Window) -> np.ndarray:
        """Values (..., row, column) of some levels of a variable."""
        return self.axes.read(part, window)


def _require_globe(path: str, axes: Axes) -> None:
    lat, lon = axes.latitude, axes.longitude
    slack = 1.001 * np.diff(lat).max()
    if axes.is_periodic and lat[0] - slack <= -90 and lat[-1] + slack >= 90:
        return
    raise InputError(
        f"{path} does not cover the globe: it reaches from {lat[0]:g} to {lat[-1]:g} N and from {lon[0]:g} to"
        f" {lon[-1]:g} E. Give a file of the whole globe."
    )
