"""The simulations of a plan: a halo exchange by each strategy, on each number of ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halcyon.base import ConfigError
from halcyon.config.machine import Machine
from halcyon.config.points import SweepPoint, expand_case
from halcyon.config.yaml_source import Location, Source
from halcyon.plan.computation import ComputationCost
from halcyon.plan.model import Model

STRATEGIES = {
    "in order": "point-to-point, receives complete one after the other, no overlap (isend_recv)",
    "at once": "point-to-point, all messages at once, no overlap (isend_irecv)",
    "collective": "the same messages in one neighbourhood collective (neighbor)",
    "overlapped": "as collective, overlapped with the computation of inner cells (exchange.overlap)",
    "unwaited": "as in order, but sends complete only before the next exchange (FVWAM)",
}
STEPS = 10  # number of simulated steps of strategies in which computation and messages interact


@dataclass(frozen=True)
class MpiCosts:
    """Costs of the MPI library: the additional overhead [s] of a point-to-point message compared with a
    message of a collective, and whether the strategy `unwaited` is planned in addition."""

    overhead_s: float = 0.0
    unwaited: bool = False

    def strategies(self) -> list[str]:
        """The planned strategies."""
        return [strategy for strategy in STRATEGIES if self.unwaited or strategy != "unwaited"]

    def changes(self, strategy: str, machine: Machine) -> dict[str, Any]:
        """The options that change in a case to simulate a strategy, with their values."""
        orders = {"in order": "in_order", "unwaited": "unwaited"}
        changes: dict[str, Any] = {"workload.order": orders.get(strategy, "at_once")}
        if self.overhead_s > 0 and strategy in ("in order", "at once", "unwaited"):
            changes["machine.receive_overhead"] = machine.receive_overhead + self.overhead_s
        return changes


@dataclass(frozen=True)
class PlannedSimulations:
    """The distinct simulations of a plan, and the simulation of each strategy and number of ranks."""

    points: Sequence[SweepPoint]
    index: Mapping[tuple[str, int], int]  # (strategy, ranks): index in `points`


def planned_simulations(
    model: Model,
    ranks: Sequence[int],
    case: Mapping[str, Any],
    mpi_costs: MpiCosts,
    cost: ComputationCost | None,
) -> PlannedSimulations:
    """The simulations of a plan. Strategies with equal simulations share one.

    @param case the machine, network and engine, as options of `halcyon simulate`
    @param cost cost of the computation; if None, computation takes no time
    @raises ConfigError naming options of `halcyon plan`, for invalid options"""
    base = dict(case) | {"workload": _workload(model)}
    (first_point,) = _points(base | {"ranks": ranks[0]})
    if first_point.case.topology is None and first_point.case.machine.topology is None:
        machine = first_point.case.machine.name or first_point.case.machine.base
        raise ConfigError(
            f"--topology is missing: the machine '{machine}' has no network. Give one, such as --topology "
            "fattree-L, or a machine file with a topology."
        )
    changes_by_run = {  # by (strategy, ranks)
        (strategy, n): {"ranks": n}
        | mpi_costs.changes(strategy, first_point.case.machine)
        | _computation_options(strategy, model, cost, n)
        for n in ranks
        for strategy in mpi_costs.strategies()
    }
    series: dict[str, dict[str, Any]] = {}  # text of the changes: series of the case
    for (strategy, n), changes in changes_by_run.items():
        series.setdefault(str(changes), {"name": f"{strategy}, ranks {n}"} | changes)
    index_of = {changes: i for i, changes in enumerate(series)}
    points = _points(base | {"series": list(series.values())})
    return PlannedSimulations(
        points, {run: index_of[str(changes)] for run, changes in changes_by_run.items()}
    )


def _points(case: dict[str, Any]) -> list[SweepPoint]:
    return expand_case(_CommandLine("halcyon plan", case), Path("plan.yaml"))


def _computation_options(
    strategy: str, model: Model, cost: ComputationCost | None, ranks: int
) -> dict[str, Any]:
    """Options that simulate several steps, for strategies in which computation and messages interact."""
    if strategy != "unwaited":
        return {}
    seconds = 0.0 if cost is None else model.computation_s(cost, ranks) / model.EXCHANGES
    return {"workload.steps": STEPS, "workload.computation": seconds}


def _workload(model: Model) -> dict[str, Any]:
    cells = {"cells": model.cells} if model.cut == "estimate" else {}
    halo = {"mesh": model.mesh, "layers": model.layers, "cut": model.cut}
    return {"type": "mesh_halo"} | halo | cells | model.exchanged()


class _CommandLine(Source):
    """A case made from options of `halcyon plan`, which errors name in place of the case's options."""

    OPTIONS = (  # location, or its first keys, in the case; option of `halcyon plan`
        *((("topology",), "--topology"), (("routing",), "--routing"), (("engine",), "--fidelity")),
        *((("workload", "cells"), "--cells"), (("workload", "computation"), "--unwaited")),
        *((("workload",), "--mesh"), (("machine",), "--machine")),
        *((("ranks",), "--ranks"), (("sweep",), "--ranks")),
    )

    def position(self, location: Location) -> str:
        names = (name for prefix, name in self.OPTIONS if location[: len(prefix)] == prefix)
        return next(names, self.name)
