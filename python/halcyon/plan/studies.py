"""The simulations of a plan: a halo exchange by each strategy, on each number of ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from halcyon.base import ConfigError
from halcyon.config.machine import Machine
from halcyon.config.points import SweepPoint, expand_case
from halcyon.config.simulation import Simulation
from halcyon.config.yaml_source import Location, Source, error_location
from halcyon.plan.computation import ComputationCost
from halcyon.plan.model import Model
from halcyon.simulate.many import require_possible

STRATEGIES = {
    "in order": "point-to-point, receives complete one after the other, no overlap (isend_recv)",
    "at once": "point-to-point, all messages at once, no overlap (isend_irecv)",
    "collective": "the same messages in one neighbourhood collective (neighbor)",
    "waited": "exchanges as the step file describes them, no overlap",
    "overlapped": "as collective or waited, overlapped with computation, of inner cells (exchange.overlap)",
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
        left_out |= set() if model.OWN_ORDERS else {"waited"}
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
    ranks; the error of each number of ranks that cannot be; and a case with the machine, the network and the
    engine."""

    points: Sequence[SweepPoint]
    index: Mapping[tuple[str, int, str], int]  # (strategy, ranks, exchange): index in `points`
    refused: Mapping[int, str]
    case: Simulation


def planned_simulations(
    model: Model,
    ranks: Sequence[int],
    case: Mapping[str, Any],
    mpi_costs: MpiCosts,
    cost: ComputationCost | None,
) -> PlannedSimulations:
    """The simulations of a plan, checked as far as possible before simulating. Strategies with equal
    simulations share one. A single rank has no exchange. A number of ranks that the machine, the mesh or the
    model cannot have is `refused` alone.

    @param case the machine, network and engine, as options of `halcyon simulate`
    @param cost cost of the computation; if None, computation takes no time
    @raises ConfigError naming options of `halcyon plan`, for invalid options, and if all ranks are refused"""
    first_case = _point(dict(case) | {"workload": {"type": "allreduce"}, "ranks": 2}).case
    if first_case.topology is None and first_case.machine.topology is None:
        machine = first_case.machine.name or first_case.machine.base
        raise ConfigError(
            f"--topology is missing: the machine '{machine}' has no network. Give one, such as --topology "
            "fattree-L, or a machine file with a topology."
        )
    points: dict[str, SweepPoint] = {}  # by the text of their options
    index: dict[tuple[str, int, str], int] = {}
    refused: dict[int, ConfigError] = {}
    for n in ranks:
        model.require_values(n)
        try:
            keys = {}
            for strategy, name, key, point in _points_of(model, n, case, mpi_costs, first_case.machine, cost):
                if points.setdefault(key, point) is point:
                    require_possible([point])
                keys[strategy, n, name] = key
        except ConfigError as error:
            if error_location(error) != ("ranks",):
                raise
            refused[n] = error
        else:
            places = {key: i for i, key in enumerate(points)}
            index |= {place: places[key] for place, key in keys.items()}
    if len(refused) == len(ranks):
        raise refused[ranks[0]]
    used = sorted(set(index.values()))
    place_of = {old: new for new, old in enumerate(used)}
    all_points = list(points.values())
    return PlannedSimulations(
        [all_points[i] for i in used],
        {key: place_of[i] for key, i in index.items()},
        {n: str(error) for n, error in refused.items()},
        first_case,
    )


def _points_of(
    model: Model,
    ranks: int,
    case: Mapping[str, Any],
    mpi_costs: MpiCosts,
    machine: Machine,
    cost: ComputationCost | None,
) -> Iterator[tuple[str, str, str, SweepPoint]]:
    """Yields strategy, exchange, a text of the options, and the simulation, for a number of ranks."""
    for strategy in mpi_costs.strategies(model):
        for name, workload in model.exchanges(ranks, cost).items() if ranks > 1 else ():
            changes = mpi_costs.changes(strategy, machine, model)
            changes |= _computation_options(strategy, model, cost, ranks)
            if "order" not in workload or model.OWN_ORDERS:
                del changes["workload.order"]
            label = f"{strategy}, ranks {ranks}" + ("" if model.has_single_exchange else f", {name}")
            options = {"workload": workload, "ranks": ranks, "series": [{"name": label} | changes]}
            position = partial(model.option_position, name)
            yield strategy, name, str((workload, ranks, changes)), _point(dict(case) | options, position)


def _point(case: dict[str, Any], position: Callable[[Location], str | None] = lambda _: None) -> SweepPoint:
    (point,) = expand_case(_CommandLine("halcyon plan", case, given_position=position), Path("plan.yaml"))
    return point


def _computation_options(
    strategy: str, model: Model, cost: ComputationCost | None, ranks: int
) -> dict[str, Any]:
    """Options that simulate several steps, for strategies in which computation and messages interact."""
    if strategy != "unwaited":
        return {}
    seconds = 0.0 if cost is None else model.computation_s(cost, ranks) / model.EXCHANGES
    return {"workload.steps": STEPS, "workload.computation": seconds}


@dataclass
class _CommandLine(Source):
    """A case made from options of `halcyon plan`, which errors name in place of the case's options; or from
    those of a file, at `given_position`."""

    given_position: Callable[[Location], str | None] = lambda _: None

    OPTIONS: ClassVar = (  # location, or its first keys, in the case; option of `halcyon plan`
        *((("topology",), "--topology"), (("routing",), "--routing"), (("engine",), "--fidelity")),
        *((("workload", "cells"), "--cells"), (("workload", "computation"), "--unwaited")),
        *((("workload",), "--mesh"), (("machine",), "--machine")),
        *((("ranks",), "--ranks"), (("sweep",), "--ranks")),
    )

    def position(self, location: Location) -> str:
        names = (name for prefix, name in self.OPTIONS if location[: len(prefix)] == prefix)
        return self.given_position(location) or next(names, self.name)
