"""What the order of cells costs a stencil, and what it takes to order them.

A divergence, then a tangential velocity with a gradient (TRiSK), on doubles (item, level), levels innermost;
edges and vertices are sorted with the cells. Bars: the default order 1.5 times faster than that of recursive
bisection and 6 than a random one; 2.6 million cells ordered in 0.5 s. GRIST reports 1.04 to 1.42 for a
whole model (Liu et al., section 3.4).
"""

import rows

from halcyon.bench.order import BISECTION, DEFAULT, RANDOM, ordering_cost, stencil_cost, table

BARS = {BISECTION: 1.5, RANDOM: 6.0}
ORDERING_BAR_S = 0.5


def main():
    options = command_line()
    costs = stencil_cost(options.level, options.levels, repetitions=options.repetitions)
    print(f"G{options.level} x {options.levels} levels", table(costs), sep="\n", end="\n\n")
    seconds = ordering_cost(6 if options.quick else 9)
    rows.report([*stencil_rows(costs), *ordering_rows(seconds)], options.json)


def command_line():
    parser = rows.parser(__doc__.splitlines()[0])
    parser.add_argument("--level", type=int, help="of the mesh, by default 8")
    parser.add_argument("--levels", type=int, default=30, help="of the fields")
    parser.add_argument("--repetitions", type=int, default=5, help="the median counts")
    options = parser.parse_args()
    options.level = options.level or (5 if options.quick else 8)
    return options


def stencil_rows(costs):
    """Each order beside bisection and random order; the bars are for the default one."""
    return [
        rows.row(f"stencil, {name}", cost, costs[other], f"{other} order", "ns", bar=bar * (name == DEFAULT))
        for other, bar in BARS.items()
        for name, cost in costs.items()
        if name not in BARS
    ]


def ordering_rows(seconds):
    """What it takes to order 2.6 million cells."""
    return [
        rows.row(f"ordering by {name}", each, ORDERING_BAR_S, "the bar", "s", bar=1)
        for name, each in seconds.items()
    ]


if __name__ == "__main__":
    main()
