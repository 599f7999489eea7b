"""Means of a wind over the cells of a mesh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

if TYPE_CHECKING:
    from halcyon._core.mesh import Mesh


class CellPoints:
    """Points within cells at which a wind is evaluated: latitudes, longitudes [rad] (cell, k), flattened;
    weights (k, cell) that sum to 1 over k."""

    def __init__(self, latitudes: np.ndarray, longitudes: np.ndarray, weights: np.ndarray) -> None:
        self.latitudes, self.longitudes, self.weights = latitudes, longitudes, weights

    @classmethod
    def centres(cls, latitudes: np.ndarray, longitudes: np.ndarray) -> Self:
        """Returns the centres [rad] (cell) as the only points."""
        return cls(latitudes, longitudes, np.ones((1, len(latitudes))))

    @classmethod
    def of_cells(cls, mesh: Mesh, n_cells: int) -> Self:
        """Returns the centroids of the triangles of each of the first `n_cells` cells, between its centre and
        two adjacent vertices, with the triangles' areas as weights: exact for a linear wind. Arithmetic that
        is rounded alike in all arrays, so that a cell's points do not depend on the partition; longitudes and
        latitudes are averaged, which at a pole is coarse."""
        offsets = np.asarray(mesh.cell_offsets[: n_cells + 1])
        counts = np.diff(offsets)
        k = np.arange(counts.max(initial=1))[:, None]
        first, second = (np.asarray(mesh.vertices_on_cell)[offsets[:-1] + i % counts] for i in (k, k + 1))
        vertices, centre = np.asarray(mesh.vertex_points), np.asarray(mesh.cell_points[:n_cells])
        normal = np.cross(vertices[first] - centre, vertices[second] - centre)
        area = np.where(k < counts, np.sqrt((normal * normal).sum(axis=-1)), 0.0)
        vertex_latitude, vertex_longitude = map(np.asarray, (mesh.vertex_latitude, mesh.vertex_longitude))
        latitude, longitude = (
            np.asarray(each[:n_cells]) for each in (mesh.cell_latitude, mesh.cell_longitude)
        )
        to_first, to_second = (
            np.remainder(vertex_longitude[each] - longitude + np.pi, 2 * np.pi) - np.pi
            for each in (first, second)
        )
        latitudes = (latitude + vertex_latitude[first] + vertex_latitude[second]) / 3
        longitudes = longitude + (to_first + to_second) / 3
        return cls(latitudes.T.ravel(), longitudes.T.ravel(), area / _sum(area))

    def mean(self, values: np.ndarray) -> np.ndarray:
        """Returns the mean (cell) of values at the points."""
        return _sum(self.weights * values.reshape(len(self.weights[0]), -1).T)


def _sum(values: np.ndarray) -> np.ndarray:
    """Returns the sum (cell) of values (k, cell), in the order of k, whatever the number of cells."""
    total = values[0]
    for row in values[1:]:
        total = total + row
    return total
