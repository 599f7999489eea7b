"""Which cells of a mesh lie at its open sides."""

from __future__ import annotations

import numpy as np

from halcyon.config.mesh import Region
from halcyon.decomposition import LocalMesh
from halcyon.mesh.sphere import to_lonlat

SLACK = 0.25  # of the distance of two cells: cells are not quite regular


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
        centres = np.asarray(mesh.cell_points)[cells]
        mirrored = 2 * np.asarray(mesh.edge_points)[edges] - centres
        slack = SLACK * np.degrees(np.linalg.norm(mirrored - centres, axis=1))
        longitude, latitude = to_lonlat(mirrored / np.linalg.norm(mirrored, axis=1)[:, None])
        cells = cells[~_well_inside(region, longitude, latitude, slack)]
    return np.unique(cells)


def _well_inside(box: Region, longitude: np.ndarray, latitude: np.ndarray, slack: np.ndarray) -> np.ndarray:
    """Whether places lie in a box and farther than their slack [degrees of arc] from its sides."""
    east = slack / np.cos(np.radians(latitude))
    across = (longitude - box.west) % 360
    within = (across >= east) & (across <= box.east - box.west - east)
    if box.east - box.west >= 360:
        within[:] = True
    return within & (latitude >= box.south + slack) & (latitude <= box.north - slack)
