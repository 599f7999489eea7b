"""The simulations of a plan: a halo exchange by each strategy, on each number of ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halcyon.base import ConfigError
from halcyon.config.machine import Machine
from halcyon.config.points import SweepPoint, expand_case
from halcyon.config.simulation import Simulation
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

    def strategies(self, model: Model) -> list[str]:
        """The planned strategies of a model."""
        left_out = {*model.WITHOUT, *([] if self.unwaited else ["unwaited"])}
        return [strategy for strategy in STRATEGIES if strategy not in left_out]

    def changes(self, strategy: str, machine: Machine, model: Model) -> dict[str, Any]:
        """The options that change in a case to simulate a strategy, with their values."""
        orders = {"in order": "in_order", "unwaited": "unwaited"}
        changes: dict[str, Any] = {"workload.order": orders.get(strategy, "at_once")}
        in_collectives = {"collective", "overlapped"} if "collective" not in model.WITHOUT else set()
        if self.overhead_s > 0 and strategy not in in_collectives:
            changes["machine.receive_overhead"] = machine.receive_overhead + self.overhead_s
        return changes


@dataclass(frozen=True)
class PlannedSimulations:
    """The distinct simulations of a plan; the simulation of each exchange by each strategy on each number of
    ranks; and a case with the machine, the network and the engine."""

    points: Sequence[SweepPoint]
    index: Mapping[tuple[str, int, str], int]  # (strategy, ranks, exchange): index in `points`
    case: Simulation


def planned_simulations(
    model: Model,
    ranks: Sequence[int],
    case: Mapping[str, Any],
    mpi_costs: MpiCosts,
    cost: ComputationCost | None,
) -> PlannedSimulations:
    """The simulations of a plan. Strategies with equal simulations share one. A single rank has no exchange.

    @param case the machine, network and engine, as options of `halcyon simulate`
    @param cost cost of the computation; if None, computation takes no time
    @raises ConfigError naming options of `halcyon plan`, for invalid options"""
    first = next(iter(model.exchanges(ranks[-1], cost).values()), {"type": "allreduce"})
    first_case = _point(dict(case) | {"workload": first, "ranks": ranks[-1]}).case
    if first_case.topology is None and first_case.machine.topology is None:
        machine = first_case.machine.name or first_case.machine.base
        raise ConfigError(
            f"--topology is missing: the machine '{machine}' has no network. Give one, such as --topology "
            "fattree-L, or a machine file with a topology."
        )
    points: list[SweepPoint] = []
    index: dict[tuple[str, int, str], int] = {}
    index_of: dict[str, int] = {}  # text of the options of a simulation: index in `points`
    for n in ranks:
        for strategy in mpi_costs.strategies(model):
            for name, workload in model.exchanges(n, cost).items() if n > 1 else ():
                changes = mpi_costs.changes(strategy, first_case.machine, model)
                changes |= _computation_options(strategy, model, cost, n)
                if "order" not in workload:
                    del changes["workload.order"]
                text = str((workload, n, changes))
                if text not in index_of:
                    index_of[text] = len(points)
                    label = f"{strategy}, ranks {n}" + ("" if model.has_single_exchange else f", {name}")
                    series = [{"name": label} | changes]
                    points.append(_point(dict(case) | {"workload": workload, "ranks": n, "series": series}))
                index[strategy, n, name] = index_of[text]
    return PlannedSimulations(points, index, first_case)


def _point(case: dict[str, Any]) -> SweepPoint:
    (point,) = expand_case(_CommandLine("halcyon plan", case), Path("plan.yaml"))
    return point


def _computation_options(
    strategy: str, model: Model, cost: ComputationCost | None, ranks: int
) -> dict[str, Any]:
    """Options that simulate several steps, for strategies in which computation and messages interact."""
    if strategy != "unwaited":
        return {}
    seconds = 0.0 if cost is None else model.computation_s(cost, ranks) / model.EXCHANGES
    return {"workload.steps": STEPS, "workload.computation": seconds}


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
