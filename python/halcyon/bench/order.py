"""What the order of cells costs a stencil, and what it takes to order them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from halcyon import graph
from halcyon.base import ConfigError

if TYPE_CHECKING:
    from halcyon._core.bench import Stencil
    from halcyon.mesh import Mesh

DEFAULT = "hilbert"
BISECTION, RANDOM = "bisection", "random"
NAMES = (*(name for name in graph.ORDERS if name != "natural"), BISECTION, RANDOM)

_OF_LISTS = {
    "bfs": graph.bfs_order,
    "rcm": graph.rcm_order,
    "grist_hilbert": graph.grist_hilbert_order,
}
_OF_POINTS = {
    "hilbert": graph.hilbert_order,
    "morton": graph.morton_order,
    "grist_morton": graph.grist_morton_order,
}


def bisected_mesh(level: int) -> Mesh:
    """A mesh G<level> whose cells come as recursive bisection of the icosahedron makes them: after those of
    the coarser mesh the middles of its edges, as these come there. It is not converged: which cells are
    neighbours counts.

    Raises ConfigError unless 1 <= level <= 10."""
    from scipy.spatial import cKDTree

    from halcyon._core.mesh import bisected, delaunay, ordered_points
    from halcyon.mesh import scvt, voronoi_mesh

    if not 1 <= level <= 10:
        raise ConfigError(f"The level is {level}, but must be from 1 to 10.")
    triangulation = scvt.uniform(0)
    for _ in range(level):
        mesh = voronoi_mesh(triangulation)
        points = np.asarray(mesh.cell_points)
        middles = points[np.asarray(mesh.cells_on_edge)].sum(axis=1)
        wanted = np.concatenate([points, middles / np.linalg.norm(middles, axis=1)[:, None]])
        finer = delaunay(bisected(triangulation))
        cells = cKDTree(finer.points).query(wanted)[1].astype(np.int32)
        triangulation = ordered_points(finer, cells)
    return voronoi_mesh(triangulation)


def cells_in(name: str, mesh: Mesh) -> np.ndarray:
    """The cells int32 of a bisected mesh in the order of a name: order[new] = old.

    Raises ConfigError for a name that is not among NAMES."""
    _require_known([name])
    if name in _OF_LISTS:
        return _OF_LISTS[name](mesh.cell_offsets, mesh.cells_on_cell)
    if name in _OF_POINTS:
        return _OF_POINTS[name](mesh.cell_points)
    cells = np.arange(mesh.n_cells, dtype=np.int32)
    return cells if name == BISECTION else np.random.default_rng(1).permutation(cells)


def _require_known(names: Iterable[str]) -> None:
    for name in names:
        if name not in NAMES:
            raise ConfigError(f"There is no order '{name}'. Give {', '.join(NAMES)}.")


def stencil_cost(
    level: int, n_levels: int, *, names: Sequence[str] = NAMES, repetitions: int = 5
) -> dict[str, float]:
    """CPU time [ns a cell and level] of a divergence and a tangential velocity with a gradient on the mesh
    G<level>, by the order of its cells, with which edges and vertices are sorted: medians of so many
    repetitions, in which the orders take turns. Fields are double, (item, level).

    Raises ConfigError as `bisected_mesh` and `cells_in`."""
    from halcyon._core.bench import Stencil
    from halcyon.mesh import select

    _require_known(names)
    mesh = bisected_mesh(level)
    stencils = {name: Stencil(select(mesh, cells_in(name, mesh))) for name in names}
    n_cells, n_edges = mesh.n_cells, mesh.n_edges
    del mesh
    u = np.random.default_rng(1).normal(size=(n_edges, n_levels))
    divergence, tendency = np.zeros((n_cells, n_levels)), np.zeros_like(u)

    def step(stencil: Stencil) -> None:
        stencil.divergence(u, divergence)
        stencil.tendency(u, divergence, tendency)

    work = {name: lambda stencil=stencil: step(stencil) for name, stencil in stencils.items()}
    return {name: 1e9 * s / (n_cells * n_levels) for name, s in _by_turns(work, repetitions).items()}


def ordering_cost(
    level: int, *, names: Iterable[str] = (*_OF_LISTS, *_OF_POINTS), repetitions: int = 3
) -> dict[str, float]:
    """CPU time [s] of finding each order of the cells of the mesh G<level>, which come as by bisection."""
    mesh = bisected_mesh(level)
    work = {name: lambda name=name: cells_in(name, mesh) for name in names}
    return _by_turns(work, repetitions)


def _by_turns(work: Mapping[str, Callable[[], object]], repetitions: int) -> dict[str, float]:
    """Medians of the CPU time [s] of each function; the first turn, in cold memory, does not count."""
    taken: dict[str, list[float]] = {name: [] for name in work}
    for turn in range(repetitions + 1):
        for name, function in work.items():
            before = time.process_time()
            function()
            if turn > 0:
                taken[name].append(time.process_time() - before)
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


def table(costs: Mapping[str, float]) -> str:
    """The costs by order, as text, and how many times that of bisection and random order they are better."""
    others = [name for name in (BISECTION, RANDOM) if name in costs]
    head = "".join(f"{f'{name} is':>16}" for name in others)
    lines = [f"{'order':<15}{'ns a cell-level':>16}{head}"]
    for name, cost in costs.items():
        ratios = "".join(f"{costs[other] / cost:>10.2f} times" for other in others)
        lines.append(f"{name:<15}{cost:>16.2f}{ratios}")
    return "\n".join(lines)
