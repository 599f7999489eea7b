"""Which cells of a mesh lie at its open sides."""

from __future__ import annotations

import numpy as np

from halcyon.config.mesh import Region
from halcyon.decomposition import LocalMesh
from halcyon.mesh.sphere import to_lonlat


def open_cells(local: LocalMesh, region: Region | None) -> np.ndarray:
    """The owned cells, ascending local numbers, that lack a neighbour because the region ends there.

    Where a neighbour is missing, its centre would be about where the cell's is mirrored at their edge:
    outside the region the sea goes on, inside there is land. Without a region all that lack a neighbour
    count."""
    mesh, n_owned = local.mesh, local.part.cells.n_owned
    offsets = np.asarray(mesh.cell_offsets[: n_owned + 1])
    cell_of_slot = np.repeat(np.arange(n_owned), np.diff(offsets))
    lacking = np.flatnonzero(np.asarray(mesh.cells_on_cell[: offsets[-1]]) < 0)
    cells = cell_of_slot[lacking]
    if region is not None:
        edges = np.asarray(mesh.edges_on_cell)[lacking]
        mirrored = 2 * np.asarray(mesh.edge_points)[edges] - np.asarray(mesh.cell_points)[cells]
        longitude, latitude = to_lonlat(mirrored / np.linalg.norm(mirrored, axis=1)[:, None])
        cells = cells[~_inside(region, longitude, latitude)]
    return np.unique(cells)


def _inside(box: Region, longitude: np.ndarray, latitude: np.ndarray) -> np.ndarray:
    within = (longitude - box.west) % 360 <= box.east - box.west
    return within & (latitude >= box.south) & (latitude <= box.north)
