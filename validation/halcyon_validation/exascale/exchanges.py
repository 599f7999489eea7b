"""Findings on halos and allreduces: figures 9 and 10 of ZM, and a million ranks."""

from __future__ import annotations

import statistics

from halcyon_validation.check import Outcome, by_name
from halcyon_validation.exascale.figures import FEW, MANY, differs, holds, times

_RADICES = [2, 3, 5, 8, 10, 12, 16, 20, 24, 25, 28, 30, 32]


def halos(*, whole: bool = False) -> Outcome:
    """Figure 9: halos by width, topology and routing."""
    few, many = (FEW, MANY) if whole else (FEW, 4 * FEW)
    widths = times("figure_9a", sweep__ranks=f"[{few}, {many}]")
    topologies = times("figure_9b", sweep__ranks=f"[{many}]")
    jump = times("figure_9b", sweep__ranks="[1500, 2000]", series="[{name: torus, topology: torus-L}]")
    routings = times("figure_9c", sweep__ranks=f"[{few}]")
    tree, hyperx = topologies["fattree-L, D-mod-k"], topologies["dragonfly-ML"]
    halo_gain = widths["halo of 20", few] / widths["halo of 20", many]
    gain = widths["transposition", few] / widths["transposition", many]
    return Outcome(
        [
            holds("9a", "width 20 over 10", widths["halo of 20", few] / widths["halo of 10", few], 1.5, 2.5),
            holds("9a", "width 10 over 3", widths["halo of 10", few] / widths["halo of 3", few], 2, 4),
            holds("9a", "the halo falls more slowly than the transposition", gain / halo_gain, 1),
            differs(
                "9a",
                f"the halo takes less than the transposition on {many:,} ranks",
                "it eventually takes longer",
                widths["halo of 20", many] / widths["transposition", many],
                0,
                1,
            ),
            holds("9b", "torus over HyperX", topologies["torus-L"] / hyperx, 1),
            holds("9b", "HyperX over fat tree", hyperx / tree, 1),
            holds(
                "9b",
                "the torus jumps: 2,000 over 1,500 ranks",
                jump["torus", 2000] / jump["torus", 1500],
                1.5,
            ),
            holds(
                "9c",
                "Valiant is the best: minimal over Valiant",
                routings["minimal"] / routings["Valiant"],
                1.5,
            ),
            differs(
                "9c", "UGAL over minimal", "it is the worst", routings["UGAL"] / routings["minimal"], 0, 1
            ),
        ]
    )


def allreduces(*, whole: bool = False) -> Outcome:
    """Figure 10: allreduces of GCR by algorithm, topology, routing and radix."""
    few, many = (FEW, MANY) if whole else (100, FEW)
    t = times("figure_10a", sweep__ranks=f"[{few}, {many}]")
    topologies = times("figure_10b", sweep__ranks=f"[{FEW}]")
    ranks = [100, 300, 500, 1000, 2000, 5000] if whole else [100, 300, 1000]
    radices = times("figure_10c", sweep=f"{{ranks: {ranks}, workload.radix: {_RADICES}}}")
    best = [min(_RADICES, key=lambda radix, n=n: radices["", n, radix]) for n in ranks]
    routings = {
        name: times(
            "figure_10b",
            sweep__ranks=f"[{FEW}]",
            series="[{name: allreduce, topology: dragonfly-ML}]",
            routing=name,
        )["allreduce"]
        for name in ("minimal", "ugal")
    }
    doubling, sixteen = "recursive doubling", "recursive-16"
    torus = topologies["torus-L"]
    return Outcome(
        [
            holds(
                "10a",
                f"recursive doubling, {many:,} over {few:,} ranks",
                t[doubling, many] / t[doubling, few],
                1,
            ),
            holds("10a", "recursive-16 takes less than doubling", t[sixteen, many] / t[doubling, many], 0, 1),
            differs(
                "10b",
                "the torus is the worst: over the fat tree",
                "it is the best, the fat tree the worst",
                torus / topologies["fattree-L, D-mod-k"],
                1,
            ),
            differs("10b", "over the HyperX", "the torus is the best", torus / topologies["dragonfly-ML"], 1),
            holds("10", "routing: UGAL over minimal", routings["ugal"] / routings["minimal"], 0.98, 1.02),
            holds("10c", "best radix, the smallest", min(best), 5, 32),
            holds("10c", "best radix, the median", statistics.median(best), 8, 32),
        ]
    )


def million(*, whole: bool = True) -> Outcome:
    """Halos and allreduces on 10^5 and 10^6 ranks."""
    t = times("million", sweep__ranks="[1000, 100000, 1000000]")
    halo, sums = "halo of 20", "two allreduces, recursive-16"
    most, more = 10**6, 10**5
    return Outcome(
        [
            holds("9", "the halo falls from 10^5 to 10^6 ranks", t[halo, more] / t[halo, most], 1),
            holds("10", "allreduces do not", t[sums, more] / t[sums, most], 0.8, 1.02),
            holds(
                "5",
                "the halo gains less than ranks do, 10^3 to 10^6",
                t[halo, 1000] / t[halo, most],
                2,
                1000,
            ),
        ]
    )


CASES = by_name(halos, allreduces)
LONG = by_name(million)
