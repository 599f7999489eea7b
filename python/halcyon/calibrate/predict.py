"""Compares schedules executed by MPI with their simulation on a machine of a machine file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import network
from halcyon.base import ConfigError, format_seconds
from halcyon.calibrate.fit import error_statistics, packet_chunk_options
from halcyon.calibrate.suite import Layout, Timing, rank_layout, require_ranks, time_schedules
from halcyon.config.machine import Machine
from halcyon.config.simulation import Simulation
from halcyon.simulate.build import schedule_of

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.schedule import Schedule

HALOS: dict[str, dict[str, Any]] = {  # name: options of the workload mesh_halo
    "halo of G4, 30 doubles": {"mesh": "G4", "bins": 30, "bytes_per_value": 8},
    "halo of G5, 30 doubles, 2 layers": {"mesh": "G5", "bins": 30, "bytes_per_value": 8, "layers": 2},
    "halo of G5, 36 x 35 floats": {"mesh": "G5", "bins": 1260, "bytes_per_value": 4},
    "halo of G5, 36 x 35 floats, in order": {"mesh": "G5", "order": "in_order"},
}
BLOCK_SIZES = (64, 2048, 32768)  # of all-to-alls [B]
ALGORITHMS = ("ring-1", "ring-2", "bruck", "burst")
ALLREDUCE_SIZES = (8, 4096, 65536)  # [B]
RADICES = (2, 4)  # of allreduces


def workloads() -> dict[str, Mapping[str, Any]]:
    """The options of the compared workloads, by name."""
    halos: dict[str, Mapping[str, Any]] = {
        name: {"type": "mesh_halo", **options} for name, options in HALOS.items()
    }
    alltoalls: dict[str, Mapping[str, Any]] = {
        f"all-to-all of {size} B, {algorithm}": {
            "type": "alltoall",
            "block_bytes": size,
            "algorithm": algorithm,
        }
        for size in BLOCK_SIZES
        for algorithm in ALGORITHMS
    }
    allreduces: dict[str, Mapping[str, Any]] = {
        f"allreduce of {size} B, radix {radix}": {"type": "allreduce", "data_bytes": size, "radix": radix}
        for size in ALLREDUCE_SIZES
        for radix in RADICES
    }
    return halos | alltoalls | allreduces


def compare(comm: MPI.Comm, machine: Machine, *, budget_s: float) -> dict[str, Any]:
    """Collective. Executes each of `workloads` by MPI and simulates it. Returns the times and the deviations
    of simulated from measured times on rank 0, elsewhere an empty dictionary.

    @raises ConfigError for one rank, and for more ranks per node than the machine has"""
    require_ranks(comm)
    layout = rank_layout(comm)
    schedules = {
        name: schedule_of(Simulation.model_validate({"workload": dict(options), "ranks": comm.size}))
        for name, options in workloads().items()
    }
    timings = [
        Timing.of(times) for times in time_schedules(comm, list(schedules.values()), budget_s=budget_s)
    ]
    if comm.rank != 0:
        return {}
    rows = [
        _row(name, timing, simulated_s(schedule, machine, layout))
        for (name, schedule), timing in zip(schedules.items(), timings, strict=True)
    ]
    groups = {
        kind: [row for row in rows if row["schedule"].startswith(kind)]
        for kind in ("halo", "all-to-all", "allreduce")
    }
    return {
        "ranks": comm.size,
        "nodes": layout.n_nodes,
        "schedules": rows,
        "error": {name: _errors(group) for name, group in {"all": rows, **groups}.items()},
    }


def simulated_s(schedule: Schedule, machine: Machine, layout: Layout) -> float:
    """The simulated time [s] of a schedule, with the placement of ranks on nodes that this job has."""
    topology = machine.topology.build() if machine.topology else network.HyperX([1], layout.n_nodes)
    if topology.n_nodes < layout.n_nodes:
        raise ConfigError(
            f"the ranks run on {layout.n_nodes} nodes, but the machine {machine.name} has "
            f"{topology.n_nodes}. Calibrate on at least as many nodes."
        )
    if machine.ranks_per_node < layout.ranks_per_node:
        raise ConfigError(
            f"{layout.ranks_per_node} ranks run on a node, but the machine {machine.name} has "
            f"ranks_per_node = {machine.ranks_per_node}. Raise its ranks_per_node."
        )
    placement = network.Placement(topology, np.array(layout.nodes, np.int32), machine.ranks_per_node)
    routing = network.make_routing(topology, machine.routing)
    speeds = machine.network_machine(topology)
    return network.simulate(
        schedule, topology, routing, speeds, placement, packet_chunk_options(speeds)
    ).time_s


def _row(name: str, timing: Timing, simulated: float) -> dict[str, Any]:
    return {
        "schedule": name,
        "measured": timing.lower,
        "median": timing.median,
        "upper_quartile": timing.upper,
        "runs": timing.runs,
        "simulated": simulated,
        "ratio": simulated / timing.lower,
    }


def _errors(rows: list[dict[str, Any]]) -> dict[str, float]:
    return error_statistics([row["measured"] for row in rows], [row["simulated"] for row in rows])


def table(comparison: Mapping[str, Any]) -> str:
    """The comparison as a table."""
    lines = [
        f"{comparison['ranks']} ranks on {comparison['nodes']} nodes",
        f"{'schedule':<40}{'lower quartile':>15}{'median':>10}{'simulated':>11}{'ratio':>8}",
    ]
    for row in comparison["schedules"]:
        lines.append(
            f"{row['schedule']:<40}{format_seconds(row['measured']):>15}{format_seconds(row['median']):>10}"
            f"{format_seconds(row['simulated']):>11}{row['ratio']:>8.2f}"
        )
    lines += [
        f"{name}: deviation {100 * error['median']:.0f} % (median), {100 * error['percentile_95']:.0f} % "
        "(95th percentile)"
        for name, error in comparison["error"].items()
    ]
    return "\n".join(lines)
