"""Communication volumes of a mesh's halo: counted after partitioning the mesh, or estimated. A patch is the
cells of one rank."""

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
from halcyon.schedule.patches import N_NEIGHBOURS, patch_neighbours

ROUGHNESS = 1.1  # ratio of the perimeter of METIS' patches to that of a hexagon; see docs/simulate.md


def volumes_of(work: MeshHalo, ranks: int) -> Volumes:
    """The volumes of one halo exchange.

    Raises ConfigError for more ranks than cells, InputError for a mesh that cannot be read."""
    require_possible_halo(work, ranks)
    cell_bytes, edge_bytes = (n * work.bytes_per_value for n in (work.bins, work.edge_bins))
    if work.cut == "estimate":
        return estimate_volumes(_n_cells(work), ranks, work.layers, cell_bytes, edge_bytes)
    with errors_at("workload", "mesh"):
        mesh = named_mesh(work.mesh) if is_named_mesh(work.mesh) else mesh_of(work.mesh)
    _require_ranks(ranks, mesh.n_cells)
    owners = graph.partition(mesh.cell_offsets, mesh.cells_on_cell, ranks)
    sizes = {"cell_bytes": cell_bytes, "edge_bytes": edge_bytes}
    return halo_volumes(mesh, owners, ranks, layers=work.layers, **sizes)


def require_possible_halo(work: MeshHalo, ranks: int) -> None:
    """Raises those errors of `volumes_of` that can be detected without generating or reading the mesh."""
    if work.cut == "estimate":
        _require_ranks(ranks, _n_cells(work), minimum=N_NEIGHBOURS + 1)
        return
    if work.cells is not None:
        with errors_at("workload", "cells"):
            raise ConfigError(
                "workload.cells requires an estimate. Leave it out, or set workload.cut: estimate."
            )
    with errors_at("workload", "mesh"):
        if is_named_mesh(work.mesh):
            level_cells(work.mesh)  # checks the level
        else:
            _require_file(work.mesh)
    if is_named_mesh(work.mesh):
        _require_ranks(ranks, level_cells(work.mesh))


def _n_cells(work: MeshHalo) -> int:
    with errors_at("workload", "mesh"):
        return cells_of(work.mesh, work.cells)


def _require_ranks(ranks: int, cells: int, minimum: int = 1) -> None:
    with errors_at("ranks"):
        if ranks > cells:
            raise ConfigError(f"ranks = {ranks}, but the mesh has {cells} cells. Give fewer ranks.")
        if ranks < minimum:
            raise ConfigError(
                f"ranks = {ranks}: halos can be estimated for {minimum} ranks or more. For fewer, "
                "partition the mesh (workload.cut: metis)."
            )


def cells_of(name: str, given: int | None = None) -> int:
    """Number of cells for an estimate: the given number or, for a named global mesh, by default that of the
    mesh, which is not generated. Raises ConfigError for an unknown mesh, and for a mesh file without a given
    number."""
    if is_named_mesh(name):
        n_cells = level_cells(name)  # also checks the level
        return given or n_cells
    if given is None:
        raise ConfigError(
            f"the mesh is {name}, but an estimate requires a global mesh, such as G10, or the number of "
            "cells."
        )
    _require_file(name)
    return given


def _require_file(name: str) -> None:
    if not Path(name).is_file():
        raise ConfigError(
            f"{name} is neither a mesh file nor the name of a mesh. Give a mesh such as G7 or G8X4."
        )


def level_cells(name: str) -> int:
    """Number of cells of a named mesh. Raises ConfigError for an unsupported level."""
    level, _ = level_and_ratio(name)
    if level is None or level > HIGHEST_LEVEL:
        raise ConfigError(f"there is no mesh {name}. Give one of G0 to G{HIGHEST_LEVEL}.")
    return 10 * 4**level + 2


def halo_cells(cells: float, layers: int) -> float:
    """Number of halo cells in a number of layers around a patch.

    A hexagonal patch of hexagonal cells, r + 1 along each side, has 3 r (r + 1) + 1 cells, and 6 (r + k)
    cells in its halo layer k; METIS' patches have perimeters that are longer by the factor `ROUGHNESS`."""
    return ROUGHNESS * sum(6 * (_side(cells) + layer) for layer in range(1, layers + 1))


def halo_edges(cells: float, layers: int) -> float:
    """Number of edges on the cells of a patch and of its halo layers that other ranks own.

    A hexagonal patch of n cells, r + 1 along each side, has 3 n + 6 r + 3 edges; a rank owns 3 per cell."""
    outline = ROUGHNESS * (6 * (_side(cells) + layers) + 3)
    return 3 * halo_cells(cells, layers) + outline


def boundary_cells(cells: float, layers: int) -> float:
    """Number of cells in the outermost layers of a patch: 6 (r + 1 - k) in layer k (r as in `halo_cells`)."""
    boundary = ROUGHNESS * sum(6 * max(_side(cells) + 1 - layer, 0) for layer in range(1, layers + 1))
    return min(boundary, cells)


def _side(cells: float) -> float:
    """The number r of `halo_cells`, from the number of cells of a patch."""
    return (math.sqrt(12 * cells - 3) - 3) / 6


def estimate_volumes(cells: int, ranks: int, layers: int, cell_bytes: int, edge_bytes: int = 0) -> Volumes:
    """Estimates volumes for equal hexagonal patches (`patch_neighbours`). Each patch receives a sixth of its
    halo from each of six neighbours.

    Raises ConfigError for more ranks than cells, and for fewer than 7 ranks."""
    _require_ranks(ranks, cells, minimum=N_NEIGHBOURS + 1)
    peers = patch_neighbours(ranks)
    cell_halo_bytes = halo_cells(cells / ranks, layers) * cell_bytes
    edge_halo_bytes = halo_edges(cells / ranks, layers) * edge_bytes
    message_bytes = round((cell_halo_bytes + edge_halo_bytes) / N_NEIGHBOURS)
    ones = np.ones(peers.size, np.int64)
    offsets = np.arange(ranks + 1, dtype=np.int64) * N_NEIGHBOURS
    return Volumes(offsets, peers.reshape(-1), ones, ones * message_bytes)
