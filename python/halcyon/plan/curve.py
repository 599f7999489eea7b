"""A scaling curve: time of a step, speed, efficiency, node-hours and energy against the number of ranks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halcyon.config.points import Point, points_of
from halcyon.config.simulation import Simulation
from halcyon.config.yaml_source import Location, Source
from halcyon.plan.computation import Computation
from halcyon.simulate.many import require_possible, simulate_all
from halcyon.simulate.mesh_volumes import halo_cells
from halcyon.simulate.results import approximations

IMBALANCE = 1.03  # METIS' largest part over the mean
DAY_S = 86400.0
WAYS = {
    "in order": "messages received one after the other, no overlap (isend_recv)",
    "at once": "all messages at once, no overlap (isend_irecv, neighbor)",
    "overlapped": "all messages at once, while inner cells are computed (exchange.overlap)",
}
ORDERS = {"in order": "in_order", "at once": "at_once", "overlapped": "at_once"}


@dataclass(frozen=True)
class Model:
    """What is planned: cells, bins, bytes of a bin, halo layers, and steps [s] of transport and sources. One
    exchange goes with each step of transport. `speed`: of a core there over one here."""

    mesh: str
    cells: int
    bins: int = 1260
    bytes_per_value: int = 4
    layers: int = 2
    step_s: float = 60.0
    source_step_s: float = 1200.0
    cut: str = "estimate"
    speed: float = 1.0

    def computation_s(self, cost: Computation, ranks: int) -> tuple[float, float]:
        """Of the largest patch: a step of transport, and of the sources as they fall upon it."""
        cells = max(IMBALANCE * self.cells / ranks, math.ceil(self.cells / ranks))
        values = cells * self.bins / self.speed
        sources = values * cost.sources_s(cells) * self.step_s / self.source_step_s
        return values * cost.transport_s(cells), sources

    def inner_part(self, ranks: int) -> float:
        """Of a patch's cells, those that need no halo: all but as many layers of its own."""
        cells = self.cells / ranks
        return max(1 - halo_cells(cells, self.layers) / cells, 0.0)


def curve(
    model: Model,
    cost: Computation,
    ranks: Sequence[int],
    case: Mapping[str, Any],
    *,
    done: Callable[..., None] | None = None,
    workers: int | None = None,
) -> list[dict[str, Any]]:
    """A row for each number of ranks: the cells of a rank, and for each of `WAYS` times [s] of a step and
    what follows from them; which way is best.

    @param case the machine, network and engine, as options of `halcyon simulate`
    @raises ConfigError where the network has no room for the ranks, or the mesh no cells"""
    points = planned(model, ranks, case)
    found = simulate_all(points, workers=workers, done=done)
    times = {
        (point.series, point.swept["ranks"]): data["time"].item()
        for point, data in zip(points, found, strict=True)
    }
    machine = points[0].case
    rows = [_row(model, cost, n, times, machine) for n in ranks]
    for row in rows:
        row["approximate"] = "; ".join(approximations(machine))
        for way, values in row["ways"].items():
            base = rows[0]["ways"][way]["step_s"] * rows[0]["ranks"]
            values["efficiency"] = base / (values["step_s"] * row["ranks"])
    return rows


def planned(model: Model, ranks: Sequence[int], case: Mapping[str, Any]) -> list[Point]:
    """The simulations of a plan. Raises ConfigError, which names options of `halcyon plan`, where they cannot
    be."""
    source = _CommandLine("halcyon plan", dict(case) | _study(model, ranks))
    points = points_of(source, Path("plan.yaml"))
    require_possible(points)
    return points


class _CommandLine(Source):
    """Options of a case that were given as those of `halcyon plan`."""

    OPTIONS = (
        *((("topology",), "--topology"), (("routing",), "--routing"), (("engine",), "--fidelity")),
        *((("workload", "cells"), "--cells"), (("workload",), "--mesh"), (("machine",), "--machine")),
        *((("ranks",), "--ranks"), (("sweep",), "--ranks")),
    )

    def place(self, location: Location) -> str:
        found = (name for start, name in self.OPTIONS if location[: len(start)] == start)
        return next(found, self.name)


def _study(model: Model, ranks: Sequence[int]) -> dict[str, Any]:
    workload = {
        "type": "mesh_halo",
        "mesh": model.mesh,
        "cells": model.cells,
        "bins": model.bins,
        "bytes_per_value": model.bytes_per_value,
        "layers": model.layers,
        "cut": model.cut,
    }
    orders = [{"name": order, "workload.order": order} for order in dict.fromkeys(ORDERS.values())]
    return {"workload": workload, "series": orders, "sweep": {"ranks": list(ranks)}}


def _row(
    model: Model,
    cost: Computation,
    ranks: int,
    exchange_s: Mapping[tuple[str, int], float],
    case: Simulation,
) -> dict[str, Any]:
    transport_s, sources_s = model.computation_s(cost, ranks)
    nodes = math.ceil(ranks / case.machine.ranks_per_node)
    ways = {}
    for way, order in ORDERS.items():
        messages_s = exchange_s[order, ranks]
        hidden_s = min(messages_s, transport_s * model.inner_part(ranks)) if way == "overlapped" else 0.0
        step_s = transport_s + sources_s + messages_s - hidden_s
        ways[way] = {
            "step_s": step_s,
            "communication_part": (messages_s - hidden_s) / step_s,
            **_consequences(step_s, model.step_s, nodes, case.machine.power.node),
        }
    return {
        "ranks": ranks,
        "nodes": nodes,
        "cells_a_rank": model.cells / ranks,
        "transport_s": transport_s,
        "sources_s": sources_s,
        "exchange_s": {order: exchange_s[order, ranks] for order in dict.fromkeys(ORDERS.values())},
        "ways": ways,
        "best": min(ways, key=lambda way: ways[way]["step_s"]),
    }


def _consequences(step_s: float, simulated_s: float, nodes: int, watts: float | None) -> dict[str, float]:
    day_s = step_s * DAY_S / simulated_s
    found = {"days_a_day": DAY_S / day_s, "node_hours_a_day": nodes * day_s / 3600}
    return found if watts is None else found | {"kilowatt_hours_a_day": nodes * watts * day_s / 3.6e6}
