"""The polygons over which the ground of a mesh's cells is averaged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halcyon.mesh import Mesh
from halcyon.remap import Faces


@dataclass(frozen=True)
class Outlines:
    """centres (cell, 3) and corners of cells, on the unit sphere; spacing [rad] (cell), the root of a cell's
    area; growth: how many times as wide as the cell the polygon is.

    corners: (corner, 3) of one cell after the other; offsets: (cell + 1) into them."""

    centres: np.ndarray
    corners: np.ndarray
    offsets: np.ndarray
    spacing: np.ndarray
    growth: float = 1.0

    @classmethod
    def of(cls, mesh: Mesh, growth: float = 1.0) -> Outlines:
        """Of a mesh's cells, grown about their centres."""
        corners = np.asarray(mesh.vertex_points)[np.asarray(mesh.vertices_on_cell)]
        areas = np.asarray(mesh.area_cell)
        return cls.grown(np.asarray(mesh.cell_points), corners, np.asarray(mesh.cell_offsets), areas, growth)

    @classmethod
    def grown(
        cls, centres: np.ndarray, corners: np.ndarray, offsets: np.ndarray, areas: np.ndarray, growth: float
    ) -> Outlines:
        """Of polygons with areas [unit sphere] (cell), grown about their centres."""
        if growth != 1:
            middle = np.repeat(centres, np.diff(offsets), axis=0)
            corners = _on_sphere(middle + growth * (corners - middle))
        return cls(centres, corners, offsets, growth * np.sqrt(areas), growth)

    def part(self, cells: np.ndarray) -> Outlines:
        """Those of some cells, by their numbers."""
        counts = np.diff(self.offsets)[cells]
        offsets = np.concatenate([[0], np.cumsum(counts)])
        taken = np.repeat(self.offsets[cells] - offsets[:-1], counts) + np.arange(offsets[-1])
        return Outlines(self.centres[cells], self.corners[taken], offsets, self.spacing[cells], self.growth)

    @property
    def faces(self) -> Faces:
        """The same with corners of their own."""
        numbers = np.arange(len(self.corners), dtype=np.int32)
        return Faces(np.ascontiguousarray(self.corners), self.offsets.astype(np.int32), numbers)

    def latitudes(self) -> tuple[np.ndarray, np.ndarray]:
        """Two [degrees] (cell) between which each polygon lies."""
        away = self.corners - np.repeat(self.centres, np.diff(self.offsets), axis=0)
        chord = np.sqrt(np.maximum.reduceat((away**2).sum(axis=1), self.offsets[:-1]))
        reach = np.degrees(2 * np.arcsin(np.minimum(chord / 2, 1)))
        middle = np.degrees(np.arcsin(np.clip(self.centres[:, 2], -1, 1)))
        return np.maximum(middle - reach, -90), np.minimum(middle + reach, 90)


def _on_sphere(vectors: np.ndarray) -> np.ndarray:
    x, y, z = vectors.T
    return vectors / np.sqrt(x * x + y * y + z * z)[:, None]
