"""The path of an order through the cells, edges or vertices that a rank has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halcyon import graph

if TYPE_CHECKING:
    from halcyon.mesh import Mesh

OF_LISTS = {"bfs": graph.bfs_order, "rcm": graph.rcm_order, "grist_hilbert": graph.grist_hilbert_order}
OF_POINTS = {
    "hilbert": graph.hilbert_order,
    "morton": graph.morton_order,
    "grist_morton": graph.grist_morton_order,
}


def cells_in(order: str, mesh: Mesh) -> np.ndarray:
    """The cells int32 of a mesh in one of `halcyon.graph.ORDERS`: order[new] = old."""
    if order in OF_LISTS:
        return OF_LISTS[order](mesh.cell_offsets, mesh.cells_on_cell)
    return OF_POINTS[order](mesh.cell_points)


def index_path(mesh: Mesh, order: str, chosen: np.ndarray, on: str = "cells") -> np.ndarray:
    """Some cells, edges or vertices in one of `halcyon.graph.ORDERS` of the whole mesh: edges and vertices as
    the cells touch them first."""
    if order == "natural":
        return np.sort(chosen)
    found = cells_in(order, mesh)
    if on != "cells":
        found = _first_touched(mesh, found, mesh.edges_on_cell if on == "edges" else mesh.vertices_on_cell)
    is_chosen = np.zeros(len(found), bool)
    is_chosen[chosen] = True
    return found[is_chosen[found]]


def _first_touched(mesh: Mesh, cells: np.ndarray, on_cell: np.ndarray) -> np.ndarray:
    """What cells have in their lists, as they touch it first."""
    counts = np.diff(mesh.cell_offsets)[cells]
    starts = np.asarray(mesh.cell_offsets)[cells] - (np.cumsum(counts) - counts)
    touched = np.asarray(on_cell)[np.repeat(starts, counts) + np.arange(counts.sum())]
    found, first = np.unique(touched, return_index=True)
    return found[np.argsort(first)]
