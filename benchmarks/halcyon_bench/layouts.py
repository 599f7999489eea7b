"""Cost of a stencil by array layout, after the paper on GRIST's GND core (CMC 2020), section 3.2."""

from __future__ import annotations

from collections.abc import Mapping

from halcyon._core.bench import Stencil, StructuredStencil
from halcyon.mesh import select
from halcyon_bench.bisection import bisected_mesh
from halcyon_bench.order import DEFAULT, cells_in
from halcyon_bench.timing import step_cost

FIRST = "levels innermost, flat arrays"


def layout_cost(level: int, n_levels: int, *, repetitions: int = 5) -> dict[str, float]:
    """CPU time [ns per cell and level] of the stencil of `halcyon_bench.order` on the mesh G<level> in the
    default order, by layout: fields (item, level), or (level, item) with one pass over the mesh per level;
    connectivity in flat arrays, or in one structure per cell and edge. Medians of the repetitions.

    Raises ConfigError unless 1 <= level <= 10."""
    made = bisected_mesh(level)
    mesh = select(made, cells_in(DEFAULT, made))
    kinds = {"flat arrays": Stencil(mesh), "structures": StructuredStencil(mesh)}
    layouts = {"levels innermost": True, "items innermost": False}
    stencils = {
        f"{layout}, {kind}": (stencil, inner)
        for layout, inner in layouts.items()
        for kind, stencil in kinds.items()
    }
    return step_cost(stencils, mesh, n_levels, repetitions)


def table(costs: Mapping[str, float]) -> str:
    """Table of the costs, and their ratios to the first layout."""
    lines = [f"{'layout':<32}{'ns/cell-level':>16}{'the first is':>18}"]
    for name, cost in costs.items():
        lines.append(f"{name:<32}{cost:>16.2f}{cost / costs[FIRST]:>11.2f} times")
    return "\n".join(lines)
