"""What the halo of a mesh brings to each rank: counted where the mesh can be cut here, else estimated."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from halcyon import graph
from halcyon.base import ConfigError
from halcyon.config.mesh_file import mesh_of
from halcyon.config.workload import MeshHalo
from halcyon.config.yaml_source import errors_at
from halcyon.decomposition import Volumes, halo_volumes
from halcyon.mesh.named import is_named_mesh, level_and_ratio, named_mesh
from halcyon.mesh.spec import HIGHEST_LEVEL

N_NEIGHBOURS = 6  # of a patch among hexagons
ROUGHNESS = 1.1  # of METIS' outlines over a hexagon's; docs/simulate.md has what it was found from


def volumes_of(work: MeshHalo, ranks: int) -> Volumes:
    """Who receives how much from whom in one exchange.

    Raises ConfigError for more ranks than cells, InputError for a mesh that cannot be read."""
    require_possible_halo(work, ranks)
    cell_bytes, edge_bytes = (n * work.bytes_per_value for n in (work.bins, work.edge_bins))
    if work.cut == "estimate":
        return estimated(_cells(work), ranks, work.layers, cell_bytes, edge_bytes)
    with errors_at("workload", "mesh"):
        mesh = named_mesh(work.mesh) if is_named_mesh(work.mesh) else mesh_of(work.mesh)
    _require_ranks(ranks, mesh.n_cells)
    owners = graph.partition(mesh.cell_offsets, mesh.cells_on_cell, ranks)
    items = {"cell_bytes": cell_bytes, "edge_bytes": edge_bytes}
    return halo_volumes(mesh, owners, ranks, layers=work.layers, **items)


def require_possible_halo(work: MeshHalo, ranks: int) -> None:
    """Raises what `volumes_of` would, as far as it can be told without making or reading the mesh."""
    if work.cut == "estimate":
        _require_ranks(ranks, _cells(work), least=N_NEIGHBOURS + 1)
        return
    if work.cells is not None:
        with errors_at("workload", "cells"):
            raise ConfigError(
                "workload.cells is for an estimate. Leave it out, or set workload.cut: estimate."
            )
    with errors_at("workload", "mesh"):
        if is_named_mesh(work.mesh):
            level_cells(work.mesh)
        else:
            _require_file(work.mesh)
    if is_named_mesh(work.mesh):
        _require_ranks(ranks, level_cells(work.mesh))


def _cells(work: MeshHalo) -> int:
    with errors_at("workload", "mesh"):
        return cells_of(work.mesh, work.cells)


def _require_ranks(ranks: int, cells: int, least: int = 1) -> None:
    with errors_at("ranks"):
        if ranks > cells:
            raise ConfigError(f"ranks = {ranks}, but the mesh has {cells} cells. Give fewer ranks.")
        if ranks < least:
            raise ConfigError(
                f"ranks = {ranks}: halos are estimated for {least} ranks or more. For fewer, cut the mesh "
                f"(workload.cut: metis)."
            )


def cells_of(name: str, given: int | None = None) -> int:
    """Cells of an estimate: those of a mesh of the globe, which is not made, unless others are given. Raises
    ConfigError for another mesh without them, and where there is no such mesh."""
    if is_named_mesh(name):
        whole = level_cells(name)
        return given or whole
    if given is None:
        raise ConfigError(
            f"the mesh is {name}: an estimate is for a mesh of the globe, such as G10, or takes cells."
        )
    _require_file(name)
    return given


def _require_file(name: str) -> None:
    if not Path(name).is_file():
        raise ConfigError(
            f"{name} is neither a mesh file nor the name of a mesh. Give one such as G7 or G8X4."
        )


def level_cells(name: str) -> int:
    """Cells of the mesh of such a name. Raises ConfigError for a level that cannot be made."""
    level, _ = level_and_ratio(name)
    if level > HIGHEST_LEVEL:
        raise ConfigError(f"there is no mesh {name}. Give one of G0 to G{HIGHEST_LEVEL}.")
    return 10 * 4**level + 2


def halo_cells(cells: float, layers: int) -> float:
    """Cells of so many layers around a patch of so many cells.

    A hexagon of side r + 1 among hexagonal cells has 3 r (r + 1) + 1 of them and 6 (r + k) in its layer k;
    METIS' patches have outlines that are longer by `ROUGHNESS`."""
    return ROUGHNESS * sum(6 * (_side(cells) + layer) for layer in range(1, layers + 1))


def halo_edges(cells: float, layers: int) -> float:
    """Edges that others own on a patch of so many cells and on so many layers around it.

    A patch of n cells that is a hexagon of side r + 1 has 3 n + 6 r + 3 edges; a rank owns 3 a cell."""
    outline = ROUGHNESS * (6 * (_side(cells) + layers) + 3)
    return 3 * halo_cells(cells, layers) + outline


def boundary_cells(cells: float, layers: int) -> float:
    """Of a patch's own cells, those in its outermost layers: by the same law 6 (r + 1 - k) in layer k."""
    own = ROUGHNESS * sum(6 * max(_side(cells) + 1 - layer, 0) for layer in range(1, layers + 1))
    return min(own, cells)


def _side(cells: float) -> float:
    return (math.sqrt(12 * cells - 3) - 3) / 6


def estimated(cells: int, ranks: int, layers: int, cell_bytes: int, edge_bytes: int = 0) -> Volumes:
    """The volumes of equal patches that lie as hexagons do on a torus whose rows make one line: each has six
    neighbours, which send it a sixth of its halo each; numbered along Morton's curve, so that neighbours have
    near numbers, as METIS' bisection has them.

    Raises ConfigError for more ranks than cells, and fewer than 7, which have no six neighbours."""
    _require_ranks(ranks, cells, least=N_NEIGHBOURS + 1)
    columns = round(math.sqrt(ranks))
    place = np.arange(ranks)
    number = np.empty(ranks, np.int64)
    number[np.argsort(_morton(place % columns, place // columns), kind="stable")] = place
    peers = np.empty((ranks, N_NEIGHBOURS), np.int64)
    for i, away in enumerate((1, -1, columns, -columns, columns - 1, 1 - columns)):
        peers[number, i] = number[(place + away) % ranks]
    peers.sort(axis=1)
    of_cells = halo_cells(cells / ranks, layers) * cell_bytes
    of_edges = halo_edges(cells / ranks, layers) * edge_bytes
    message = round((of_cells + of_edges) / N_NEIGHBOURS)
    ones = np.ones(peers.size, np.int64)
    offsets = np.arange(ranks + 1, dtype=np.int64) * N_NEIGHBOURS
    return Volumes(offsets, peers.reshape(-1), ones, ones * message)


def _morton(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The bits of both coordinates in turn: the place along Morton's curve."""
    key = np.zeros(len(x), np.int64)
    for bit in range(31):
        key |= ((x >> bit) & 1) << (2 * bit) | ((y >> bit) & 1) << (2 * bit + 1)
    return key
