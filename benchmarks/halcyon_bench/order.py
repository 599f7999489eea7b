"""What the order of cells costs a stencil, and what it takes to order them."""

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
from halcyon_bench.turns import by_turns, step_cost

if TYPE_CHECKING:
    from halcyon.mesh import Mesh

DEFAULT = "hilbert"
BISECTION, CONVERTER, RANDOM_CELLS, RANDOM = "bisection", "converter", "random_cells", "random"
MADE = (BISECTION, CONVERTER, RANDOM_CELLS, RANDOM)
NAMES = (*(name for name in graph.ORDERS if name != "natural"), *MADE)


def cells_in(name: str, mesh: Mesh) -> np.ndarray:
    """The cells int32 of a bisected mesh in the order of a name: order[new] = old.

    `converter` leaves cells as bisection makes them; its edges, and those of `random`, are in an order of
    their own: see `arranged`.
    Raises ConfigError for a name that is not among NAMES."""
    require_known([name])
    if name not in MADE:
        return index_path.cells_in(name, mesh)
    cells = np.arange(mesh.n_cells, dtype=np.int32)
    return np.random.default_rng(1).permutation(cells) if name in (RANDOM, RANDOM_CELLS) else cells


def require_known(names: Iterable[str]) -> None:
    """Raises ConfigError for a name that is not among NAMES."""
    for name in names:
        if name not in NAMES:
            raise ConfigError(f"There is no order '{name}'. Give {', '.join(NAMES)}.")


def arranged(name: str, mesh: Mesh, n_cells: int | None = None) -> tuple[Mesh, np.ndarray | None]:
    """A bisected mesh with its first `n_cells` cells (None: all) in the order of a name, other cells behind
    them, and edges as the cells touch them first. Beside it the order in which a stencil takes the edges on
    these cells: None where it takes them so.

    Those of `converter` are as a hash set hands them back, as in MPAS' mesh converter, which takes the cells
    as they come and sorts nothing; those of `random` are shuffled. Raises as `cells_in`."""
    n = mesh.n_cells if n_cells is None else n_cells
    first = np.arange(n, dtype=np.int32)
    cells = cells_in(name, mesh if n == mesh.n_cells else select(mesh, first))
    found = select(mesh, np.concatenate([cells, np.arange(n, mesh.n_cells, dtype=np.int32)]))
    return found, _edges_in(name, found, n)


def _edges_in(name: str, mesh: Mesh, n_cells: int) -> np.ndarray | None:
    if name == CONVERTER:
        return hashed_edges(mesh, n_cells)
    if name == RANDOM:
        n_edges = 1 + mesh.edges_on_cell[: mesh.cell_offsets[n_cells]].max()
        return np.random.default_rng(2).permutation(n_edges).astype(np.int32)
    return None


def _stencil(name: str, mesh: Mesh, n_cells: int | None) -> Stencil:
    found, edges = arranged(name, mesh, n_cells)
    return Stencil(found, n_cells, edges)


def stencil_cost(
    mesh: Mesh,
    n_levels: int,
    *,
    n_cells: int | None = None,
    names: Sequence[str] = NAMES,
    repetitions: int = 5,
) -> dict[str, float]:
    """CPU time [ns a cell and level] of a divergence and a tangential velocity with a gradient on the first
    `n_cells` cells of a bisected mesh (None: all), by their order: medians of so many repetitions, in which
    the orders take turns. Fields are double, (item, level).

    Raises ConfigError as `cells_in`."""
    require_known(names)
    stencils = {name: (_stencil(name, mesh, n_cells), True) for name in names}
    return step_cost(stencils, mesh, n_levels, repetitions)


def part_costs(
    name: str, numbers: Sequence[int], n_levels: int, *, names: Sequence[str] = NAMES, repetitions: int = 5
) -> dict[int, dict[str, float]]:
    """`stencil_cost` of a part of each of some numbers of parts of a mesh such as G8 or G8X4, and `cells`,
    how many it has. The cells of the part alone are put in order, as GRIST does.

    Raises ConfigError as `bisection.parts` and `cells_in`."""
    require_known(names)
    options = {"names": names, "repetitions": repetitions}
    return {
        n_parts: {"cells": n_cells} | stencil_cost(mesh, n_levels, n_cells=n_cells, **options)
        for n_parts, mesh, n_cells in parts(name, numbers)
    }


def ordering_cost(
    level: int, *, names: Iterable[str] = (*index_path.OF_LISTS, *index_path.OF_POINTS), repetitions: int = 3
) -> dict[str, float]:
    """CPU time [s] of finding each order of the cells of the mesh G<level>, which come as by bisection."""
    mesh = bisected_mesh(level)
    work = {name: lambda name=name: cells_in(name, mesh) for name in names}
    return by_turns(work, repetitions)


def table(costs: Mapping[str, float]) -> str:
    """The costs by order, as text, and how many times better they are than those that a mesh is made in."""
    others = [name for name in MADE if name in costs]
    head = "".join(f"{f'{name} is':>16}" for name in others)
    lines = [f"{'order':<15}{'ns a cell-level':>16}{head}"]
    for name, cost in costs.items():
        ratios = "".join(f"{costs[other] / cost:>10.2f} times" for other in others)
        lines.append(f"{name:<15}{cost:>16.2f}{ratios}")
    return "\n".join(lines)


def part_table(costs: Mapping[int, Mapping[str, float]]) -> str:
    """What `part_costs` gives, as text: a line a number of parts, a column an order."""
    names = [name for name in next(iter(costs.values())) if name != "cells"]
    lines = [f"{'parts':>6}{'cells':>9}" + "".join(f"{name:>15}" for name in names) + "  [ns a cell-level]"]
    for n_parts, found in costs.items():
        columns = "".join(f"{found[name]:>15.2f}" for name in names)
        lines.append(f"{n_parts:>6}{found['cells']:>9}{columns}")
    return "\n".join(lines)
