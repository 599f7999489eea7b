"""Boxes of longitude and latitude around the globe, which share out a file's field over polygons."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halcyon._core import remap
from halcyon.remap.faces import points_of


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
