"""Findings on transpositions: figures 5, 7 and 8 of ZM."""

from __future__ import annotations

import numpy as np
import xarray as xr

from halcyon_validation.check import Outcome, by_name
from halcyon_validation.exascale.figures import FEW, MANY, differs, holds, results, times


def algorithms(*, whole: bool = False) -> Outcome:
    """Figure 5a: transpositions by algorithm on dragonfly-MM."""
    ranks = MANY if whole else FEW
    t = times("figure_5a", **{"sweep__ranks": f"[{ranks}]"})
    return Outcome(
        [
            differs(
                "5a",
                "burst takes less than ring-1 without back-pressure",
                "burst is worse",
                t["burst"] / t["ring-1"],
                0,
                1,
            ),
            holds("5a", "Bruck takes more than ring-1", t["Bruck"] / t["ring-1"], 1),
            holds("5a", "ring-1 and ring-4 are almost the same", t["ring-4"] / t["ring-1"], 0.8, 1.05),
        ]
    )


def topologies(*, whole: bool = False) -> Outcome:
    """Figures 5b and 5c: transpositions by topology."""
    ranks = MANY if whole else FEW
    fewer, more = (MANY, 2 * MANY) if whole else (FEW, 2 * FEW)
    t = times("figure_5b", sweep__ranks=f"[{ranks}]")
    shapes = times("figure_5c", sweep__ranks=f"[{ranks}]")
    tree = times("figure_5b", sweep__ranks=f"[{fewer}, {more}]")
    torus, fat_tree, hyperx = t["torus-M"], t["fattree-M, D-mod-k"], t["dragonfly-MM"]
    name = "fattree-M, D-mod-k"
    return Outcome(
        [
            holds("5b", "torus over fat tree: an order of magnitude", torus / fat_tree, 10),
            holds("5b", "torus over HyperX", torus / hyperx, 1),
            holds("5b", "HyperX over fat tree", hyperx / fat_tree, 1),
            differs(
                "5b",
                f"the fat tree's time falls from {fewer:,} to {more:,} ranks",
                "it rises beyond 10,000 ranks",
                tree[name, more] / tree[name, fewer],
                0,
                0.9,
            ),
            holds("5c", "dragonfly-SL over fat tree", shapes["dragonfly-SL"] / fat_tree, 1, 4),
            holds("5c", "dragonfly-LS over fat tree", shapes["dragonfly-LS"] / fat_tree, 1, 4),
            holds("5c", "dragonfly-MM over dragonfly-SL", hyperx / shapes["dragonfly-SL"], 2),
        ]
    )


def routings(*, whole: bool = False) -> Outcome:
    """Figure 5d: transpositions by routing on dragonfly-MM."""
    t = times("figure_5d", sweep__ranks=f"[{MANY if whole else FEW}]")
    worst = "it is the worst, worse than minimal"
    return Outcome(
        [
            holds("5d", "Valiant is the best: minimal over Valiant", t["minimal"] / t["Valiant"], 2),
            holds("5d", "UGAL over Valiant", t["UGAL"] / t["Valiant"], 1),
            differs("5d", "UGAL over minimal", worst, t["UGAL"] / t["minimal"], 0, 1),
            differs(
                "5d", "UGAL of SST/macro over minimal", worst, t["UGAL of SST/macro"] / t["minimal"], 0, 1
            ),
        ]
    )


def links(*, whole: bool = False) -> Outcome:
    """Figures 5e and 5f: transpositions by bandwidth and latency of links."""
    ranks = f"[{MANY if whole else FEW}]"
    t = times("figure_5e", sweep__ranks=ranks)
    valiant = times("figure_5e", sweep__ranks=ranks, routing="valiant")
    latency = times("figure_5f", sweep__ranks=ranks)
    alone = "5e, 8b"
    return Outcome(
        [
            holds(alone, "1 over 10 GB/s", t["simulated", 1e9] / t["simulated", 1e10], 4),
            differs(
                alone,
                "minimal routing: 10 over 100 GB/s",
                "10, 100 and 1000 GB/s take the same time",
                t["simulated", 1e10] / t["simulated", 1e11],
                2,
            ),
            holds(
                alone,
                "Valiant routing: 10 over 100 GB/s, nearly the same",
                valiant["simulated", 1e10] / valiant["simulated", 1e11],
                1,
                2.5,
            ),
            holds(alone, "100 over 1000 GB/s", t["simulated", 1e11] / t["simulated", 1e12], 1, 2),
            differs(
                alone,
                "alpha + beta N: 10 over 1000 GB/s are equal, since NICs limit",
                "it cannot explain that times stop falling",
                t["analytic", 1e10] / t["analytic", 1e12],
                0.99,
                1.01,
            ),
            holds(
                "5f, 8c",
                "100 over 10 ns",
                latency["simulated", 1e-7] / latency["simulated", 1e-8],
                0.98,
                1.02,
            ),
        ]
    )


def congestion(*, whole: bool = False) -> Outcome:
    """Figures 7 and 8a: the spread of congestion over pairs of ranks."""
    found = results("figure_7", **({} if whole else {"ranks": FEW}))
    spread = {key[0].removeprefix("dragonfly-"): spread_of(data) for key, data in found.items()}
    time = {key[0].removeprefix("dragonfly-"): data["time"].item() for key, data in found.items()}
    minimal, valiant, ugal = "MM, minimal", "MM, Valiant", "MM, UGAL of SST/macro"
    uniform = "the more uniform congestion is, the shorter the time"
    checks = [
        holds("7", f"{uniform}: Valiant over minimal, spread", spread[valiant] / spread[minimal], 0, 0.7),
        holds("7", f"{uniform}: Valiant over minimal, time", time[valiant] / time[minimal], 0, 0.5),
    ]
    if whole:  # on few ranks UGAL's detours congest as unevenly
        ratio = spread[ugal] / spread[minimal]
        checks.append(differs("7c", "UGAL over minimal, spread", "it is large and not uniform", ratio, 0, 1))
    return Outcome(checks)


def spread_of(data: xr.Dataset) -> float:
    """Standard deviation over mean of the mean delay, in excess of that on an idle network, of messages
    between blocks of ranks."""
    messages = data["pair_messages"].values
    mean_s = data["pair_delay"].values[messages > 0] / messages[messages > 0]
    return float(np.std(mean_s) / np.mean(mean_s))


def back_pressure() -> Outcome:
    """Transpositions with buffers of ZM's simulator, and without limits, on a smaller grid."""
    smaller = {"workload__grid": "[2400, 1200, 256]", "series": SERIES}
    t = times("back_pressure", **smaller)
    return Outcome(
        [
            holds(
                "5a",
                "burst takes more than ring-1 with back-pressure",
                t["burst", True] / t["ring-1", True],
                1,
            ),
            differs(
                "5a",
                "burst takes less than ring-1 without",
                "burst is worse",
                t["burst", False] / t["ring-1", False],
                0,
                1,
            ),
        ]
    )


SERIES = "[{name: burst, workload.algorithm: burst}, {name: ring-1, workload.algorithm: ring-1}]"
CASES = by_name(algorithms, topologies, routings, links, congestion)
FEW_ONLY = by_name(back_pressure)
