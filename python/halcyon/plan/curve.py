"""A scaling curve: time of a step, speed, efficiency, node-hours and energy against the number of ranks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from halcyon.config.simulation import Simulation
from halcyon.plan.computation import ComputationCost
from halcyon.plan.model import Model
from halcyon.plan.output import Output
from halcyon.plan.studies import STEPS, MpiCosts, planned_simulations
from halcyon.simulate.many import simulate_all

DAY_S = 86400.0


def scaling_curve(
    model: Model,
    cost: ComputationCost,
    ranks: Sequence[int],
    case: Mapping[str, Any],
    mpi_costs: MpiCosts,
    *,
    output: Output | None = None,
    on_result: Callable[..., None] | None = None,
    workers: int | None = None,
) -> list[dict[str, Any]]:
    """Returns one row per number of ranks: cells per rank; for each planned strategy, the time of a step [s]
    and the throughput; the fastest strategy; and why its efficiency is above 100 %, if so. A number of ranks
    that cannot be has a row with `refused`, the reason.

    @param case the machine, network and engine, as options of `halcyon simulate`
    @raises ConfigError for a network too small for the ranks, or a mesh whose number of cells is unknown"""
    planned = planned_simulations(model, ranks, case, mpi_costs, cost)
    results = simulate_all(planned.points, workers=workers, on_result=on_result)
    rows = []
    for n in (n for n in ranks if n not in planned.refused):
        counts = model.exchange_counts(cost, n)
        exchanges_s: dict[str, dict[str, float]] = {way: {} for way in mpi_costs.strategies(model)}
        for (strategy, n_ranks, name), i in planned.index.items():
            if n_ranks != n:
                continue
            seconds = results[i]["time"].item()
            if strategy == "unwaited":  # STEPS steps, with computation, were simulated
                seconds = seconds / STEPS - model.computation_s(cost, n) / model.EXCHANGES
            exchanges_s[strategy][name] = counts[name] * seconds
        rows.append(_row(model, cost, n, exchanges_s, planned.case, output or model.output(n)))
    reasons = {reason for data in results for reason in filter(None, data.attrs["approximate"].split("; "))}
    for row in rows:
        row["approximate"] = "; ".join(sorted(reasons))
        for strategy, values in row["ways"].items():  # efficiency: relative to the first number of ranks
            rank_seconds = rows[0]["ways"][strategy]["step_s"] * rows[0]["ranks"]
            values["efficiency"] = rank_seconds / (values["step_s"] * row["ranks"])
        row["above_100_percent"] = _why_above_100_percent(rows[0], row)
    refused = [{"ranks": n, "refused": reason} for n, reason in planned.refused.items()]
    return sorted([*rows, *refused], key=lambda row: row["ranks"])


def _why_above_100_percent(first: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """Why the efficiency of the best strategy is above 100 % by more than rounding, relative to the first
    row; empty if it is not. Rank-seconds of a step are those of its computation and of visible exchanges."""
    way = row["best"]
    if row["ways"][way]["efficiency"] <= 1.005:
        return ""
    pair = first, row
    computed = [r["ranks"] * r["computation_s"] for r in pair]
    visible = [r["ranks"] * (r["ways"][way]["step_s"] - r["computation_s"]) for r in pair]
    reasons = []
    if computed[1] < computed[0]:
        reasons.append(f"computation of a cell takes {100 * (1 - computed[1] / computed[0]):.0f} % less")
    if visible[1] < visible[0]:
        reasons.append(f"exchanges take {100 * (1 - visible[1] / visible[0]):.0f} % fewer rank-seconds")
    return f"{' and '.join(reasons)} than on {first['ranks']:,} ranks"


def ranks_of_fastest(rows: Sequence[Mapping[str, Any]]) -> int | None:
    """The number of ranks with the shortest step, beyond which a model does not scale; None if that is the
    largest number."""
    fastest = min(rows, key=lambda row: row["ways"][row["best"]]["step_s"])
    return None if fastest is rows[-1] else fastest["ranks"]


def computed_rows(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rows that are not refused."""
    return [row for row in rows if "refused" not in row]


def _row(
    model: Model,
    cost: ComputationCost,
    ranks: int,
    exchanges_s: Mapping[str, Mapping[str, float]],
    case: Simulation,
    output: Output | None,
) -> dict[str, Any]:
    computation_s = model.computation_s(cost, ranks)
    nodes = math.ceil(ranks / case.machine.ranks_per_node)
    strategies = {}
    exchange_s = {strategy: sum(seconds.values()) for strategy, seconds in exchanges_s.items()}
    for strategy, messages_s in exchange_s.items():
        is_overlapped = strategy == "overlapped"
        hidden_s = model.hidden_s(cost, ranks, exchanges_s[strategy]) if is_overlapped else 0.0
        step_s = computation_s + messages_s - hidden_s
        output_s = 0.0 if output is None else output.visible_s(case.machine, ranks, step_s, model.step_s)
        step_s += output_s
        strategies[strategy] = {
            "step_s": step_s,
            "output_s": output_s,
            "communication_part": (messages_s - hidden_s) / step_s,
            **_throughput(step_s, model.step_s, nodes, case.machine.power.node),
        }
    record = {} if output is None else {"record_s": output.record_s(case.machine, ranks)}
    return {
        "ranks": ranks,
        "nodes": nodes,
        **record,
        "cells_a_rank": model.cells / ranks,
        "computation_s": computation_s,
        **{f"{part}_s": seconds for part, seconds in model.parts_s(cost, ranks).items()},
        **model.details(cost, ranks),
        "exchange_s": exchange_s,
        "exchanges_s": exchanges_s,
        "ways": strategies,
        "best": min(strategies, key=lambda strategy: strategies[strategy]["step_s"]),
    }


def _throughput(step_s: float, simulated_s: float, nodes: int, watts: float | None) -> dict[str, float]:
    wall_s = step_s * DAY_S / simulated_s  # wall time per simulated day
    throughput = {"days_a_day": DAY_S / wall_s, "node_hours_a_day": nodes * wall_s / 3600}
    return (
        throughput if watts is None else throughput | {"kilowatt_hours_a_day": nodes * watts * wall_s / 3.6e6}
    )
