"""Cost of a stencil by array layout, after the paper on GRIST's GND core (CMC 2020), section 3.2."""

from __future__ import annotations

from collections.abc import Mapping

from halcyon._core.bench import Stencil, StructuredStencil
from halcyon.mesh import select
from halcyon_bench.bisection import bisected_mesh
from halcyon_bench.order import DEFAULT, cells_in
from halcyon_bench.timing import step_cost

BASE_LAYOUT = "levels innermost, flat arrays"


def layout_cost(level: int, n_levels: int, *, repetitions: int = 5) -> dict[str, float]:
    """CPU time [ns per cell and level] of the stencil of `halcyon_bench.order` by array layout, on the mesh
    G<level> in the default order; medians of the repetitions.

    Fields are (item, level), or (level, item) with one pass over the mesh per level. The connectivity is
    stored in flat arrays, or in one structure per cell and per edge.

    Raises ConfigError unless 1 <= level <= 10."""
    bisected = bisected_mesh(level)
    mesh = select(bisected, cells_in(DEFAULT, bisected))
    kinds = {"flat arrays": Stencil(mesh), "structures": StructuredStencil(mesh)}
    layouts = {"levels innermost": True, "items innermost": False}
    stencils = {
        f"{layout}, {kind}": (stencil, levels_innermost)
        for layout, levels_innermost in layouts.items()
        for kind, stencil in kinds.items()
    }
    return step_cost(stencils, mesh, n_levels, repetitions)


def table(costs: Mapping[str, float]) -> str:
    """Table of the costs, and their ratios to the cost of BASE_LAYOUT."""
    lines = [f"{'layout':<32}{'ns/cell-level':>16}{'the first is':>18}"]
    for name, cost in costs.items():
        lines.append(f"{name:<32}{cost:>16.2f}{cost / costs[BASE_LAYOUT]:>11.2f} times")
    return "\n".join(lines)
