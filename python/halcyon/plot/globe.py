"""An orthographic view of the sphere, for figures of the cells of a mesh anywhere on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from halcyon.mesh import Mesh


@dataclass(frozen=True)
class View:
    """The orthographic view from above a point of the unit sphere. axes: (3, 3) unit vectors east, north and
    up."""

    axes: np.ndarray

    @classmethod
    def above(cls, points: np.ndarray) -> View:
        """The view from above the mean of points (n, 3), or above the first point if the mean is near zero.
        Above a pole, the meridian of Greenwich is at the bottom."""
        middle = points.mean(axis=0)
        middle = middle if np.linalg.norm(middle) > 1e-3 else points[0]
        up = middle / np.linalg.norm(middle)
        pole = np.array([0.0, 0.0, 1.0]) if abs(up[2]) < 1 - 1e-9 else np.array([-up[2], 0.0, 0.0])
        east = np.cross(pole, up)
        east /= np.linalg.norm(east)
        return cls(np.stack([east, np.cross(up, east), up]))

    def plane(self, points: np.ndarray) -> np.ndarray:
        """Projects points (n, 3) to (n, 2), in radii from the centre, also points on the far side."""
        return points @ self.axes[:2].T

    def image(self, middle: np.ndarray, half: float, n: int) -> tuple[np.ndarray, np.ndarray]:
        """The points (n * n, 3) of the sphere at the n x n pixels of a square of the projection, rows from
        the bottom, and whether each pixel shows the sphere. middle, half: centre and half side of the square
        [radii]."""
        pixels = (np.arange(n) + 0.5) / n * 2 - 1
        x, y = np.meshgrid(middle[0] + half * pixels, middle[1] + half * pixels)
        plane = np.column_stack([x.ravel(), y.ravel()])
        height = 1 - (plane**2).sum(axis=1)
        is_visible = height > 0
        points = np.column_stack([plane, np.sqrt(np.maximum(height, 0))]) @ self.axes
        return points, is_visible


def cell_polygons(mesh: Mesh, cells: np.ndarray, view: View) -> list[np.ndarray]:
    """The projected corners (corner, 2) of cells."""
    offsets, corners = mesh.cell_offsets, view.plane(mesh.vertex_points)
    return [corners[mesh.vertices_on_cell[offsets[cell] : offsets[cell + 1]]] for cell in cells]


def nearest_cells(mesh: Mesh, points: np.ndarray) -> np.ndarray:
    """The cell (n) that contains each point (n, 3); -1 outside a limited area."""
    from scipy.spatial import cKDTree

    tree = cKDTree(mesh.cell_points, balanced_tree=False, compact_nodes=False)
    distance, cell = tree.query(points, workers=-1)
    return np.where(distance < np.sqrt(mesh.area_cell[cell]), cell, -1)
