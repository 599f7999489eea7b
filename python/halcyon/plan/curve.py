"""A scaling curve: time of a step, speed, efficiency, node-hours and energy against the number of ranks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halcyon.config.machine import Machine
from halcyon.config.points import points_of
from halcyon.config.simulation import Simulation
from halcyon.config.yaml_source import Source
from halcyon.plan.computation import Computation
from halcyon.simulate.many import simulate_all
from halcyon.simulate.mesh_volumes import boundary_cells

IMBALANCE = 1.03  # METIS' largest part over the mean
DAY_S = 86400.0
WAYS = {
    "in order": "point to point, received one after the other, no overlap (isend_recv)",
    "at once": "point to point, all messages at once, no overlap (isend_irecv)",
    "collective": "the same messages in one call of a neighbourhood collective (neighbor)",
    "overlapped": "as collective, while inner cells are computed (exchange.overlap)",
    "unwaited": "as in order, and the sends not waited for before the next exchange (FVWAM)",
}
STEPS = 10  # that are simulated where computation and messages hinder each other


@dataclass(frozen=True)
class Software:
    """What an MPI adds to the network: the seconds of a message point to point beyond one of a collective,
    and whether the way `unwaited` is planned, too."""

    overhead_s: float = 0.0
    unwaited: bool = False

    def ways(self) -> list[str]:
        """The ways that are planned."""
        return [way for way in WAYS if self.unwaited or way != "unwaited"]

    def changes(self, way: str, machine: Machine) -> dict[str, Any]:
        """How a way is simulated: changes of a case."""
        orders = {"in order": "in_order", "unwaited": "unwaited"}
        changes: dict[str, Any] = {"workload.order": orders.get(way, "at_once")}
        if self.overhead_s > 0 and way in ("in order", "at once", "unwaited"):
            changes["machine.receive_overhead"] = machine.receive_overhead + self.overhead_s
        return changes


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
        """Of a patch's cells, those that need no halo: all but as many of its own outermost layers."""
        cells = self.cells / ranks
        return 1 - boundary_cells(cells, self.layers) / cells


def curve(
    model: Model,
    cost: Computation,
    ranks: Sequence[int],
    case: Mapping[str, Any],
    software: Software = Software(),
    *,
    done: Callable[..., None] | None = None,
    workers: int | None = None,
) -> list[dict[str, Any]]:
    """A row for each number of ranks: the cells of a rank, and for each of `WAYS` times [s] of a step and
    what follows from them; which way is best.

    @param case the machine, network and engine, as options of `halcyon simulate`
    @raises ConfigError where the network has no room for the ranks, or the mesh no cells"""
    one = dict(case) | {"workload": _workload(model)}
    (first,) = points_of(Source("the plan", one | {"ranks": ranks[0]}), Path("plan.yaml"))
    studies = {
        (way, n): _study(model, cost, way, n, software.changes(way, first.case.machine))
        for n in ranks
        for way in software.ways()
    }
    series = list({str(study): study for study in studies.values()}.values())
    points = points_of(Source("the plan", one | {"series": series}), Path("plan.yaml"))
    found = simulate_all(points, workers=workers, done=done)
    times = {point.series: data["time"].item() for point, data in zip(points, found, strict=True)}
    rows = []
    for n in ranks:
        exchange_s = {way: times[studies[way, n]["name"]] for way in software.ways()}
        if software.unwaited:
            exchange_s["unwaited"] = exchange_s["unwaited"] / STEPS - sum(model.computation_s(cost, n))
        rows.append(_row(model, cost, n, exchange_s, first.case))
    for row in rows:
        for way, values in row["ways"].items():
            base = rows[0]["ways"][way]["step_s"] * rows[0]["ranks"]
            values["efficiency"] = base / (values["step_s"] * row["ranks"])
    return rows


def _study(model: Model, cost: Computation, way: str, ranks: int, changes: dict[str, Any]) -> dict[str, Any]:
    """The series in which a way is simulated; ways that are simulated alike have the same."""
    if way == "unwaited":
        seconds = sum(model.computation_s(cost, ranks))
        changes = changes | {"workload.steps": STEPS, "workload.computation": seconds}
    name = ", ".join([str(ranks), *(str(value) for value in changes.values())])
    return {"name": name, "ranks": ranks, **changes}


def _workload(model: Model) -> dict[str, Any]:
    return {
        "type": "mesh_halo",
        "mesh": model.mesh,
        "cells": model.cells,
        "bins": model.bins,
        "bytes_per_value": model.bytes_per_value,
        "layers": model.layers,
        "cut": model.cut,
    }


def _row(
    model: Model,
    cost: Computation,
    ranks: int,
    exchange_s: Mapping[str, float],
    case: Simulation,
) -> dict[str, Any]:
    transport_s, sources_s = model.computation_s(cost, ranks)
    nodes = math.ceil(ranks / case.machine.ranks_per_node)
    ways = {}
    for way, messages_s in exchange_s.items():
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
        "exchange_s": dict(exchange_s),
        "ways": ways,
        "best": min(ways, key=lambda way: ways[way]["step_s"]),
    }


def _consequences(step_s: float, simulated_s: float, nodes: int, watts: float | None) -> dict[str, float]:
    day_s = step_s * DAY_S / simulated_s
    found = {"days_a_day": DAY_S / day_s, "node_hours_a_day": nodes * day_s / 3600}
    return found if watts is None else found | {"kilowatt_hours_a_day": nodes * watts * day_s / 3.6e6}
