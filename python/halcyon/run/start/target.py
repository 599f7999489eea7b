"""Where a rank needs a state: its part of a mesh, polygons over which ground is averaged, and its levels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halcyon.atmosphere.levels import HIGHEST, lowest_surface_pressure
from halcyon.decomposition import LocalMesh
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
            corners = _normalized(middle + growth * (corners - middle))
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


@dataclass(frozen=True)
class Target:
    """cell_points: (local cell, 3), of which n_cells are owned; outlines: over which ground is averaged;
    edge_points, edge_normals: (owned edge, 3) middles of the edges and directions across them; cells_on_edge:
    local (owned edge, 2); a [Pa] and b: (interface), from the top."""

    cell_points: np.ndarray
    outlines: Outlines
    n_cells: int
    edge_points: np.ndarray
    edge_normals: np.ndarray
    cells_on_edge: np.ndarray
    a: np.ndarray
    b: np.ndarray

    @classmethod
    def of(
        cls, local: LocalMesh, interfaces: tuple[np.ndarray, np.ndarray], smoothing: float = 1.0
    ) -> Target:
        """Of a rank's part of a mesh; smoothing: how many times as wide as cells their outlines are."""
        mesh, n_edges = local.mesh, local.part.edges.n_owned
        cells, ends = mesh.cells_on_edge[:n_edges], mesh.vertices_on_edge[:n_edges]
        points = mesh.cell_points
        return cls(
            cell_points=np.asarray(points),
            outlines=Outlines.of(mesh, smoothing),
            n_cells=local.part.cells.n_owned,
            edge_points=_normalized(mesh.vertex_points[ends[:, 0]] + mesh.vertex_points[ends[:, 1]]),
            edge_normals=_normalized(points[cells[:, 1]] - points[cells[:, 0]]),
            cells_on_edge=np.asarray(cells),
            a=interfaces[0],
            b=interfaces[1],
        )

    @property
    def n_levels(self) -> int:
        return len(self.a) - 1

    @property
    def surface_limits(self) -> tuple[float, float]:
        """The pressures at the ground [Pa] between which the levels hold."""
        return surface_limits(self.a[0])

    def interfaces(self, surface: np.ndarray) -> np.ndarray:
        """Pressures [Pa] (n, interface) under pressures at the ground [Pa] (n)."""
        return self.a + self.b * surface[:, None]


def surface_limits(top: float) -> tuple[float, float]:
    """The pressures at the ground [Pa] between which levels with that pressure at the top hold."""
    return lowest_surface_pressure(top), HIGHEST


def _normalized(vectors: np.ndarray) -> np.ndarray:
    x, y, z = vectors.T
    return vectors / np.sqrt(x * x + y * y + z * z)[:, None]
