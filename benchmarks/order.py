"""Cost of a stencil by the order of cells, on meshes and patches of them, and cost of computing the orders.

The stencil is a divergence, then a tangential velocity with a gradient (TRiSK), on fields of doubles (item,
level); edges and vertices are ordered with the cells. Thresholds: the default order is 1.5 times faster than
recursive bisection, 3 times faster than the output of an unordered mesh converter (cells by bisection, edges
in the order of a hash set), and 6 times faster than a random order of cells and edges; 2.6 million cells are
ordered in 0.5 s.

A patch is one part of a METIS partition. GRIST reports 1.04 to 1.42 for a whole model on G10, 1.12 and 1.22
on G8 and G8X4 in 60 parts (Liu et al., section 3.4). The paper on GRIST's GND core (section 3.2) uses levels
innermost and flat arrays instead of structures, and gives no figures.
"""

from pathlib import Path

import rows
from halcyon_bench import layouts
from halcyon_bench.bisection import bisected_mesh
from halcyon_bench.order import (
    BENCHMARK_ORDERS,
    BISECTION,
    CONVERTER,
    DEFAULT,
    RANDOM,
    RANDOM_CELLS,
    ordering_cost,
    part_costs,
    part_table,
    stencil_cost,
    table,
)

BARS = {  # by the order with which the default is compared; 0: no threshold
    BISECTION: 1.5,
    CONVERTER: 3.0,
    RANDOM_CELLS: 0.0,
    RANDOM: 6.0,
}
ORDERING_BAR_S = 0.5
PATCH_ORDERS = (DEFAULT, "bfs", BISECTION, CONVERTER, RANDOM)


def main():
    options = command_line()
    costs = stencil_cost(bisected_mesh(options.level), options.levels, repetitions=options.repetitions)
    print(f"G{options.level} x {options.levels} levels", table(costs), sep="\n", end="\n\n", flush=True)
    by_layout = layouts.layout_cost(options.level, options.levels, repetitions=options.repetitions)
    print(layouts.table(by_layout), end="\n\n", flush=True)
    patches = {name: costs_of_patches(name, options) for name in options.meshes}
    if options.plot is not None:
        from halcyon_bench.pictures.patches import patches_plot

        patches_plot(options.plot, patches)
    seconds = ordering_cost(6 if options.quick else 9)
    found = [*stencil_rows(costs), *layout_rows(by_layout), *patch_rows(patches), *ordering_rows(seconds)]
    rows.report(found, options.json)


def command_line():
    parser = rows.parser(__doc__.splitlines()[0])
    parser.add_argument("--level", type=int, help="level of the mesh, default 8")
    parser.add_argument("--levels", type=int, default=30, help="number of levels of the fields")
    parser.add_argument(
        "--repetitions", type=int, default=5, help="repetitions, of which the median is taken"
    )
    parser.add_argument(
        "--meshes", nargs="*", metavar="MESH", help="meshes of the patches, default G8 G8X4 G10"
    )
    parser.add_argument(
        "--patches", type=int, nargs="+", metavar="N", help="numbers of parts, default 60 to 4200"
    )
    parser.add_argument("--plot", type=Path, metavar="PNG", help="figure of the costs on patches")
    options = parser.parse_args()
    options.level = options.level or (5 if options.quick else 8)
    if options.meshes is None:
        options.meshes = ["G5", "G5X4"] if options.quick else ["G8", "G8X4", "G10"]
    options.patches = options.patches or ([4, 60] if options.quick else [60, 240, 1050, 4200])
    return options


def costs_of_patches(name, options):
    costs = part_costs(
        name, options.patches, options.levels, names=PATCH_ORDERS, repetitions=options.repetitions
    )
    print(
        f"{name} x {options.levels} levels, one part by number of parts",
        part_table(costs),
        sep="\n",
        end="\n\n",
    )
    return costs


def stencil_rows(costs):
    """Each order compared with the benchmark orders; the default order has thresholds."""
    return [
        rows.row(f"stencil, {name}", cost, costs[other], f"{other} order", "ns", bar=bar * (name == DEFAULT))
        for other, bar in BARS.items()
        for name, cost in costs.items()
        if name not in BENCHMARK_ORDERS
    ]


def layout_rows(costs):
    """The base layout (levels innermost, flat arrays) compared with the others."""
    base = layouts.BASE_LAYOUT
    return [
        rows.row(f"layout: {base}", costs[base], cost, name, "ns", bar=0)
        for name, cost in costs.items()
        if name != base
    ]


def patch_rows(patches):
    """The default order compared with others on patches, and the smallest patch compared with the largest,
    which shows the gain per cell from smaller parts alone."""
    found = []
    for mesh, costs in patches.items():
        fewest, most = min(costs), max(costs)
        for n, cost in costs.items():
            for other in (BISECTION, CONVERTER):
                claim = f"{mesh} in {n} parts, {DEFAULT}"
                found.append(rows.row(claim, cost[DEFAULT], cost[other], f"{other} order", "ns", bar=0))
        for name in PATCH_ORDERS:
            claim = f"{mesh} in {most} parts, {name}"
            found.append(
                rows.row(claim, costs[most][name], costs[fewest][name], f"in {fewest} parts", "ns", bar=0)
            )
    return found


def ordering_rows(seconds):
    """Time of ordering 2.6 million cells."""
    return [
        rows.row(f"ordering by {name}", cpu_s, ORDERING_BAR_S, "the bar", "s", bar=1)
        for name, cpu_s in seconds.items()
    ]


if __name__ == "__main__":
    main()
