"""Cells that stand for places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halcyon.decomposition import LocalMesh
from halcyon.mesh.sphere import to_lonlat, to_points

if TYPE_CHECKING:
    from mpi4py import MPI

Centres = tuple[np.ndarray, np.ndarray]


def nearest_cells(
    longitude: np.ndarray, latitude: np.ndarray, local: LocalMesh, comm: MPI.Comm, *, within: float
) -> tuple[list[int], Centres]:
    """Collective. The cells (global ids, ascending, each once) nearest to places [degrees], where they are
    nearer than so many of their widths; and the longitudes and latitudes [degrees] of their centres."""
    mine = [nearest(point, local) for point in to_points(longitude, latitude)]
    everywhere = comm.allgather(mine)
    best = [min(found) for found in zip(*everywhere, strict=True)]
    kept = {cell: centre for distance, cell, width, *centre in best if distance <= within * width}
    cells = sorted(kept)
    centres = np.array([kept[cell] for cell in cells]).reshape(-1, 2)
    return cells, (centres[:, 0], centres[:, 1])


def nearest(point: np.ndarray, local: LocalMesh) -> tuple[float, int, float, float, float]:
    """Of this rank's cells the nearest to a point (3): chord, global id, width, longitude and latitude
    [degrees] of the centre."""
    mesh, n_owned = local.mesh, local.part.cells.n_owned
    ids, centres = local.part.cells.to_global[:n_owned], np.asarray(mesh.cell_points)[:n_owned]
    squared = sum((centres[:, axis] - point[axis]) ** 2 for axis in range(3))
    cell = np.lexsort((ids, squared))[0]
    longitude, latitude = to_lonlat(centres[cell][None])
    width = float(np.sqrt(mesh.area_cell[cell]))
    return float(np.sqrt(squared[cell])), int(ids[cell]), width, float(longitude[0]), float(latitude[0])
