"""Which cells of a mesh are kept, so that its outer boundary is clean."""

import numpy as np

from halcyon.base import InputError


def clean(mesh, keep):
    """The largest part of the kept cells (cell), without cells that hang on by a single neighbour; removing
    one may make another hang, so it goes on until there is none. Raises InputError if nothing stays."""
    keep = largest_part(mesh, keep) if keep.any() else keep.copy()
    n_neighbours = _kept_neighbours(mesh, keep)
    hanging = np.flatnonzero(keep & (n_neighbours < 2))
    while len(hanging):
        keep[hanging] = False
        beside = neighbours_of(mesh, hanging)
        np.subtract.at(n_neighbours, beside, 1)
        hanging = np.unique(beside[keep[beside] & (n_neighbours[beside] < 2)])
    if not keep.any():
        raise InputError("No cell of the mesh is kept. Widen the region, or give a finer spacing.")
    return keep


def largest_part(mesh, keep):
    """The largest set (cell) of kept cells that are neighbours of each other."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = _kept_edges(mesh, keep)
    links = coo_array((np.ones(len(edges), np.int8), tuple(edges.T)), shape=(mesh.n_cells, mesh.n_cells))
    _, part = connected_components(links, directed=False)
    return keep & (part == np.argmax(np.bincount(part[keep])))


def neighbours_of(mesh, cells):
    """The neighbours of cells, one after the other."""
    starts, counts = mesh.cell_offsets[cells], np.diff(mesh.cell_offsets)[cells]
    place = np.repeat(starts - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    beside = mesh.cells_on_cell[place]
    return beside[beside >= 0]


def _kept_edges(mesh, keep):
    """The two cells (n, 2) of every edge between kept cells."""
    edges = mesh.cells_on_edge[(mesh.cells_on_edge >= 0).all(axis=1)]
    return edges[keep[edges].all(axis=1)]


def _kept_neighbours(mesh, keep):
    """The number (cell) of kept neighbours."""
    return np.bincount(_kept_edges(mesh, keep).ravel(), minlength=mesh.n_cells)
