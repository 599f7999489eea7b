"""What is simulated for a plan: an exchange of halos by each way, on each number of ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halcyon.config.machine import Machine
from halcyon.config.points import Point, points_of
from halcyon.config.yaml_source import Location, Source
from halcyon.plan.computation import Computation
from halcyon.plan.model import Model

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
class Studies:
    """Simulations, each once, and which of `points` is that of a way and a number of ranks."""

    points: Sequence[Point]
    of: Mapping[tuple[str, int], int]


def studies(
    model: Model,
    ranks: Sequence[int],
    case: Mapping[str, Any],
    software: Software,
    cost: Computation | None,
) -> Studies:
    """The simulations of a plan. Ways that are simulated alike share one.

    @param case the machine, network and engine, as options of `halcyon simulate`
    @param cost of computation; where it is not known yet, ranks compute in no time
    @raises ConfigError, which names options of `halcyon plan`, for options that cannot be"""
    one = dict(case) | {"workload": _workload(model)}
    (first,) = _points(one | {"ranks": ranks[0]})
    wanted = {
        (way, n): {"ranks": n} | software.changes(way, first.case.machine) | _computing(way, model, cost, n)
        for n in ranks
        for way in software.ways()
    }
    series: dict[str, dict[str, Any]] = {}
    for (way, n), changes in wanted.items():
        series.setdefault(str(changes), {"name": f"{way}, ranks {n}"} | changes)
    number = {changes: i for i, changes in enumerate(series)}
    points = _points(one | {"series": list(series.values())})
    return Studies(points, {each: number[str(changes)] for each, changes in wanted.items()})


def _points(case: dict[str, Any]) -> list[Point]:
    return points_of(_CommandLine("halcyon plan", case), Path("plan.yaml"))


def _computing(way: str, model: Model, cost: Computation | None, ranks: int) -> dict[str, Any]:
    """Where computation and messages hinder each other, several steps of both are simulated."""
    if way != "unwaited":
        return {}
    seconds = 0.0 if cost is None else model.computation_s(cost, ranks) / model.EXCHANGES
    return {"workload.steps": STEPS, "workload.computation": seconds}


def _workload(model: Model) -> dict[str, Any]:
    counted = {"cells": model.cells} if model.cut == "estimate" else {}
    where = {"mesh": model.mesh, "layers": model.layers, "cut": model.cut}
    return {"type": "mesh_halo"} | where | counted | model.exchanged()


class _CommandLine(Source):
    """Options of a case that were given as those of `halcyon plan`."""

    OPTIONS = (
        *((("topology",), "--topology"), (("routing",), "--routing"), (("engine",), "--fidelity")),
        *((("workload", "cells"), "--cells"), (("workload", "computation"), "--unwaited")),
        *((("workload",), "--mesh"), (("machine",), "--machine")),
        *((("ranks",), "--ranks"), (("sweep",), "--ranks")),
    )

    def place(self, location: Location) -> str:
        found = (name for start, name in self.OPTIONS if location[: len(start)] == start)
        return next(found, self.name)
