"""Halo exchange of a small model with Halcyon: hello_halo.py [MESH]

Two fields on the cells of a longitude-latitude grid, or of a mesh file in the MPAS format, hold global ids.
Every rank sums over the neighbours of its cells; the inner cells overlap with the halo exchange."""

import sys

import numpy as np

from halcyon import graph, mesh
from halcyon.comm import world
from halcyon.halo import Decomposition, Field, Halo, Topology

N_LONGITUDES, N_LATITUDES, N_LEVELS, N_LAYERS = 24, 12, 10, 1


def grid():
    """Offsets, and the cells east, north, west and south of each cell; -1 beyond the poles."""
    cells = np.arange(N_LONGITUDES * N_LATITUDES, dtype=np.int32).reshape(N_LATITUDES, N_LONGITUDES)
    north, south = np.full_like(cells, -1), np.full_like(cells, -1)
    north[:-1], south[1:] = cells[1:], cells[:-1]
    around = np.stack([np.roll(cells, -1, axis=1), north, np.roll(cells, 1, axis=1), south], axis=-1)
    return np.arange(0, around.size + 1, 4, dtype=np.int32), around.ravel()


def read(path):
    """Offsets, and the neighbours of each cell of a mesh file."""
    whole_mesh = mesh.read_mpas(path)
    return whole_mesh.cell_offsets, whole_mesh.cells_on_cell


def local_neighbours(offsets, cells_on_cell, cells):
    """The neighbours of the owned cells, as local indices."""
    ids = [cells_on_cell[offsets[id] : offsets[id + 1]] for id in cells.to_global[: cells.n_owned]]
    ids = [row[row >= 0] for row in ids]
    neighbours = cells.to_local(np.concatenate(ids).astype(np.int64))
    return np.split(neighbours, np.cumsum([len(each) for each in ids])[:-1])


def heat_of(ids):
    """Values that depend on the global ids, so that received values can be checked."""
    return ids.astype(np.float64)


def wind_of(ids):
    return ids[:, None].astype(np.float32) + np.float32(0.01) * np.arange(N_LEVELS, dtype=np.float32)


def main(comm, path):
    # Decompose the mesh, partitioned by METIS.
    offsets, cells_on_cell = read(path) if path else grid()
    topology = Topology(offsets, cells_on_cell)
    owners = graph.partition(offsets, cells_on_cell, comm.size)
    part = Decomposition(topology, owners, comm.rank, N_LAYERS)
    cells, ids = part.cells, part.cells.to_global

    # Renumber the arrays of the model.
    neighbours = local_neighbours(offsets, cells_on_cell, cells)

    # Group the fields that are exchanged together.
    group = [Field("cell", np.float64), Field("cell", np.float32, (N_LEVELS,))]
    halo = Halo(comm, part, group, method="auto", node_memory=True)
    heat, wind = halo.allocate()
    heat[: cells.n_owned] = heat_of(ids[: cells.n_owned])
    wind[: cells.n_owned] = wind_of(ids[: cells.n_owned])

    # Exchange, overlapped with computation.
    with halo.start([heat, wind]):
        sums = [heat[each].sum() for each in neighbours[: part.n_inner]]
    sums += [heat[each].sum() for each in neighbours[part.n_inner :]]

    # Check that every value equals the value on its owner.
    n_wrong = np.count_nonzero(heat != heat_of(ids)) + np.count_nonzero(wind != wind_of(ids))
    counts = np.array([len(ids) - cells.n_owned, n_wrong, sum(sums)], np.int64)
    n_halo, n_wrong, total = comm.allreduce(counts)
    if comm.rank == 0:
        print(
            f"{topology.n_cells} cells on {comm.size} ranks, {n_halo} in halos, {n_wrong} values wrong,"
            f" neighbours add up to {total}"
        )


if __name__ == "__main__":
    main(world(), sys.argv[1] if len(sys.argv) > 1 else None)
