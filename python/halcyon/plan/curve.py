"""A scaling curve: time of a step, speed, efficiency, node-hours and energy against the number of ranks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from halcyon.config.simulation import Simulation
from halcyon.plan.computation import Computation
from halcyon.plan.model import Model
from halcyon.plan.studies import STEPS, Software, studies
from halcyon.simulate.many import simulate_all
from halcyon.simulate.results import approximations

DAY_S = 86400.0


def curve(
    model: Model,
    cost: Computation,
    ranks: Sequence[int],
    case: Mapping[str, Any],
    software: Software,
    *,
    done: Callable[..., None] | None = None,
    workers: int | None = None,
) -> list[dict[str, Any]]:
    """A row for each number of ranks: the cells of a rank, and for each of `WAYS` times [s] of a step and
    what follows from them; which way is best.

    @param case the machine, network and engine, as options of `halcyon simulate`
    @raises ConfigError where the network has no room for the ranks, or the mesh no cells"""
    planned = studies(model, ranks, case, software, cost)
    found = simulate_all(planned.points, workers=workers, done=done)
    case_of_all = planned.points[0].case  # but for what the ways change
    rows = []
    for n in ranks:
        once_s = {way: found[planned.of[way, n]]["time"].item() for way in software.ways()}
        if software.unwaited:
            computed_s = model.computation_s(cost, n) / model.EXCHANGES
            once_s["unwaited"] = once_s["unwaited"] / STEPS - computed_s
        exchange_s = {way: model.EXCHANGES * seconds for way, seconds in once_s.items()}
        rows.append(_row(model, cost, n, exchange_s, case_of_all))
    for row in rows:
        row["approximate"] = "; ".join(approximations(case_of_all))
        for way, values in row["ways"].items():
            base = rows[0]["ways"][way]["step_s"] * rows[0]["ranks"]
            values["efficiency"] = base / (values["step_s"] * row["ranks"])
    return rows


def _row(
    model: Model,
    cost: Computation,
    ranks: int,
    exchange_s: Mapping[str, float],
    case: Simulation,
) -> dict[str, Any]:
    computation_s, early_s = model.computation_s(cost, ranks), model.early_s(cost, ranks)
    nodes = math.ceil(ranks / case.machine.ranks_per_node)
    ways = {}
    for way, messages_s in exchange_s.items():
        hidden_s = min(messages_s, early_s) if way == "overlapped" else 0.0
        step_s = computation_s + messages_s - hidden_s
        ways[way] = {
            "step_s": step_s,
            "communication_part": (messages_s - hidden_s) / step_s,
            **_consequences(step_s, model.step_s, nodes, case.machine.power.node),
        }
    return {
        "ranks": ranks,
        "nodes": nodes,
        "cells_a_rank": model.cells / ranks,
        "computation_s": computation_s,
        **{f"{part}_s": seconds for part, seconds in model.parts_s(cost, ranks).items()},
        "exchange_s": dict(exchange_s),
        "ways": ways,
        "best": min(ways, key=lambda way: ways[way]["step_s"]),
    }


def _consequences(step_s: float, simulated_s: float, nodes: int, watts: float | None) -> dict[str, float]:
    day_s = step_s * DAY_S / simulated_s
    found = {"days_a_day": DAY_S / day_s, "node_hours_a_day": nodes * day_s / 3600}
    return found if watts is None else found | {"kilowatt_hours_a_day": nodes * watts * day_s / 3.6e6}
