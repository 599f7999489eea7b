"""The sequence in which a cell order visits the cells, edges or vertices of a rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halcyon import graph

if TYPE_CHECKING:
    from halcyon.mesh import Mesh

# Orders that are computed from the neighbour lists of cells, and from the points of cells.
OF_LISTS = {"bfs": graph.bfs_order, "rcm": graph.rcm_order, "grist_hilbert": graph.grist_hilbert_order}
OF_POINTS = {
    "hilbert": graph.hilbert_order,
    "morton": graph.morton_order,
    "grist_morton": graph.grist_morton_order,
}


def cells_in(order: str, mesh: Mesh) -> np.ndarray:
    """The cell order of a mesh, one of `halcyon.graph.ORDERS`: int32, order[new index] = old index."""
    if order in OF_LISTS:
        return OF_LISTS[order](mesh.cell_offsets, mesh.cells_on_cell)
    return OF_POINTS[order](mesh.cell_points)


def index_path(mesh: Mesh, order: str, chosen: np.ndarray, on: str = "cells") -> np.ndarray:
    """The `chosen` cells, edges or vertices, in one of `halcyon.graph.ORDERS` of the whole mesh. Edges and
    vertices are in the order in which the ordered cells first list them."""
    if order == "natural":
        return np.sort(chosen)
    path = cells_in(order, mesh)
    if on != "cells":
        path = _by_first_cell(mesh, path, mesh.edges_on_cell if on == "edges" else mesh.vertices_on_cell)
    is_chosen = np.zeros(len(path), bool)
    is_chosen[chosen] = True
    return path[is_chosen[path]]


def _by_first_cell(mesh: Mesh, cells: np.ndarray, on_cell: np.ndarray) -> np.ndarray:
    """The edges or vertices in the order of their first occurrence in the lists `on_cell` of `cells`."""
    counts = np.diff(mesh.cell_offsets)[cells]
    starts = np.asarray(mesh.cell_offsets)[cells] - (np.cumsum(counts) - counts)
    elements = np.asarray(on_cell)[np.repeat(starts, counts) + np.arange(counts.sum())]
    unique, first_index = np.unique(elements, return_index=True)
    return unique[np.argsort(first_index)]
