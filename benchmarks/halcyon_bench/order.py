"""Cost of a stencil by the order of cells, and cost of ordering them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from halcyon import graph
from halcyon._core.bench import Stencil, hashed_edges
from halcyon.base import ConfigError
from halcyon.mesh import select
from halcyon.plot import index_path
from halcyon_bench.bisection import bisected_mesh, parts
from halcyon_bench.timing import median_cpu_s, step_cost

if TYPE_CHECKING:
    from halcyon.mesh import Mesh

DEFAULT = "hilbert"
# Recursive bisection; output of an unordered mesh converter; random cells; random cells and edges.
BISECTION, CONVERTER, RANDOM_CELLS, RANDOM = "bisection", "converter", "random_cells", "random"
BENCHMARK_ORDERS = (BISECTION, CONVERTER, RANDOM_CELLS, RANDOM)

NAMES = (*(name for name in graph.ORDERS if name != "natural"), *BENCHMARK_ORDERS)


def cells_in(name: str, mesh: Mesh) -> np.ndarray:
    """The cells of a bisected mesh in the named order, int32: cells[new] = old.

    `converter` keeps the cells in the order of bisection; `reordered` changes the order of edges for
    `converter` and `random`.
    Raises ConfigError for a name that is not among NAMES."""
    require_known([name])
    if name not in BENCHMARK_ORDERS:
        return index_path.cells_in(name, mesh)
    cells = np.arange(mesh.n_cells, dtype=np.int32)
    return np.random.default_rng(1).permutation(cells) if name in (RANDOM, RANDOM_CELLS) else cells


def require_known(names: Iterable[str]) -> None:
    """Raises ConfigError for a name that is not among NAMES."""
    for name in names:
        if name not in NAMES:
            raise ConfigError(f"There is no order '{name}'. Give {', '.join(NAMES)}.")


def reordered(name: str, mesh: Mesh, n_cells: int | None = None) -> tuple[Mesh, np.ndarray | None]:
    """Reorders a bisected mesh: its first `n_cells` cells (None: all) come in the named order, then the other
    cells, and edges in the order in which the cells first touch them. Returns the mesh, and the order in
    which a stencil visits the edges of the first `n_cells` cells (None: by number).

    `converter` visits edges in the order of a hash set, like MPAS' mesh converter, which does not sort cells
    or edges; `random` in random order. Raises ConfigError for a name that is not among NAMES."""
    n = mesh.n_cells if n_cells is None else n_cells
    first = np.arange(n, dtype=np.int32)
    cells = cells_in(name, mesh if n == mesh.n_cells else select(mesh, first))
    reordered_mesh = select(mesh, np.concatenate([cells, np.arange(n, mesh.n_cells, dtype=np.int32)]))
    return reordered_mesh, _edges_in(name, reordered_mesh, n)


def _edges_in(name: str, mesh: Mesh, n_cells: int) -> np.ndarray | None:
    """Edges of the first `n_cells` cells in the order of `converter` or `random`; None for other names."""
    if name == CONVERTER:
        return hashed_edges(mesh, n_cells)
    if name == RANDOM:
        n_edges = 1 + mesh.edges_on_cell[: mesh.cell_offsets[n_cells]].max()
        return np.random.default_rng(2).permutation(n_edges).astype(np.int32)
    return None


def _stencil(name: str, mesh: Mesh, n_cells: int | None) -> Stencil:
    reordered_mesh, edges = reordered(name, mesh, n_cells)
    return Stencil(reordered_mesh, n_cells, edges)


def stencil_cost(
    mesh: Mesh,
    n_levels: int,
    *,
    n_cells: int | None = None,
    names: Sequence[str] = NAMES,
    repetitions: int = 5,
) -> dict[str, float]:
    """CPU time [ns per cell and level] of a stencil (a divergence, and a tangential velocity with a gradient)
    on the first `n_cells` cells of a bisected mesh (None: all), by name of the order of cells: medians of
    interleaved repetitions. Fields are double, (item, level).

    Raises ConfigError for a name that is not among NAMES."""
    require_known(names)
    stencils = {name: (_stencil(name, mesh, n_cells), True) for name in names}
    return step_cost(stencils, mesh, n_levels, repetitions)


def part_costs(
    name: str, numbers: Sequence[int], n_levels: int, *, names: Sequence[str] = NAMES, repetitions: int = 5
) -> dict[int, dict[str, float]]:
    """For each number of parts: `stencil_cost` of one part of a mesh such as G8 or G8X4, and `cells`, the
    number of cells of the part. Only the cells of the part are ordered, as in GRIST.

    Raises ConfigError for an unknown mesh or order, and an invalid number of parts."""
    require_known(names)
    options = {"names": names, "repetitions": repetitions}
    return {
        n_parts: {"cells": n_cells} | stencil_cost(mesh, n_levels, n_cells=n_cells, **options)
        for n_parts, mesh, n_cells in parts(name, numbers)
    }


def ordering_cost(
    level: int, *, names: Iterable[str] = (*index_path.OF_LISTS, *index_path.OF_POINTS), repetitions: int = 3
) -> dict[str, float]:
    """CPU time [s] of computing each order of the cells of the bisected mesh G<level>."""
    mesh = bisected_mesh(level)
    work = {name: lambda name=name: cells_in(name, mesh) for name in names}
    return median_cpu_s(work, repetitions)


def table(costs: Mapping[str, float]) -> str:
    """Table of the cost of each order, and the ratio of the cost of each benchmark order to it."""
    others = [name for name in BENCHMARK_ORDERS if name in costs]
    head = "".join(f"{f'{name} is':>16}" for name in others)
    lines = [f"{'order':<15}{'ns/cell-level':>16}{head}"]
    for name, cost in costs.items():
        ratios = "".join(f"{costs[other] / cost:>10.2f} times" for other in others)
        lines.append(f"{name:<15}{cost:>16.2f}{ratios}")
    return "\n".join(lines)


def part_table(costs: Mapping[int, Mapping[str, float]]) -> str:
    """Table of `part_costs`: one line per number of parts, one column per order."""
    names = [name for name in next(iter(costs.values())) if name != "cells"]
    lines = [f"{'parts':>6}{'cells':>9}" + "".join(f"{name:>15}" for name in names) + "  [ns/cell-level]"]
    for n_parts, reordered_mesh in costs.items():
        columns = "".join(f"{reordered_mesh[name]:>15.2f}" for name in names)
        lines.append(f"{n_parts:>6}{reordered_mesh['cells']:>9}{columns}")
    return "\n".join(lines)
