"""Where a rank needs a state: its part of a mesh, and its levels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halcyon.atmosphere.levels import HIGHEST, lowest_surface_pressure
from halcyon.decomposition import LocalMesh
from halcyon.run.start.outlines import Outlines


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
