"""Schedules that run by MPI here, and the same ones simulated on a machine of a machine file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import network
from halcyon.base import ConfigError, seconds
from halcyon.calibrate.fit import errors, in_packets
from halcyon.calibrate.suite import Layout, Timing, layout, require_ranks, timed
from halcyon.config.machine import Machine
from halcyon.config.simulation import Simulation
from halcyon.simulate.build import schedule_of

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.schedule import Schedule

HALOS = {
    "halo of G4, 30 doubles": {"mesh": "G4", "bins": 30, "bytes_per_value": 8},
    "halo of G5, 30 doubles, 2 layers": {"mesh": "G5", "bins": 30, "bytes_per_value": 8, "layers": 2},
    "halo of G5, 36 x 35 floats": {"mesh": "G5", "bins": 1260, "bytes_per_value": 4},
    "halo of G5, 36 x 35 floats, in order": {"mesh": "G5", "order": "in_order"},
}
BLOCKS = (64, 2048, 32768)  # of all-to-alls [bytes]
ALGORITHMS = ("ring-1", "ring-2", "bruck", "burst")
REDUCED = (8, 4096, 65536)  # by allreduces [bytes]
RADICES = (2, 4)


def workloads() -> dict[str, Mapping[str, Any]]:
    """What is compared, by name: options of a workload."""
    halos = {name: {"type": "mesh_halo", **options} for name, options in HALOS.items()}
    alltoalls = {
        f"all-to-all of {size} B, {how}": {"type": "alltoall", "block_bytes": size, "algorithm": how}
        for size in BLOCKS
        for how in ALGORITHMS
    }
    allreduces = {
        f"allreduce of {size} B, radix {radix}": {"type": "allreduce", "data_bytes": size, "radix": radix}
        for size in REDUCED
        for radix in RADICES
    }
    return halos | alltoalls | allreduces


def compared(comm: MPI.Comm, machine: Machine, *, budget_s: float) -> dict[str, Any]:
    """Collective. What each of `workloads` takes by MPI and simulated, and how far they are apart; on rank 0,
    elsewhere nothing.

    @raises ConfigError for one rank, and more ranks on a node than the machine has places"""
    require_ranks(comm)
    where = layout(comm)
    schedules = {
        name: schedule_of(Simulation.model_validate({"workload": dict(options), "ranks": comm.size}))
        for name, options in workloads().items()
    }
    timings = [Timing.of(times) for times in timed(comm, list(schedules.values()), budget_s=budget_s)]
    if comm.rank != 0:
        return {}
    rows = [
        _row(name, timing, simulated_s(schedule, machine, where))
        for (name, schedule), timing in zip(schedules.items(), timings, strict=True)
    ]
    groups = {
        kind: [row for row in rows if row["schedule"].startswith(kind)]
        for kind in ("halo", "all-to-all", "allreduce")
    }
    return {
        "ranks": comm.size,
        "nodes": where.n_nodes,
        "schedules": rows,
        "error": {name: _errors(group) for name, group in {"all": rows, **groups}.items()},
    }


def simulated_s(schedule: Schedule, machine: Machine, where: Layout) -> float:
    """The time [s] of a schedule whose ranks stand on a machine as they do here."""
    topology = machine.topology.made() if machine.topology else network.HyperX([1], where.n_nodes)
    if topology.n_nodes < where.n_nodes:
        raise ConfigError(
            f"the ranks run on {where.n_nodes} nodes, but the machine {machine.name} has {topology.n_nodes}: "
            f"calibrate on as many."
        )
    if machine.ranks_per_node < where.ranks_per_node:
        raise ConfigError(
            f"{where.ranks_per_node} ranks run on a node, but the machine {machine.name} has places for "
            f"{machine.ranks_per_node}: set its ranks_per_node."
        )
    placement = network.Placement(topology, np.array(where.nodes, np.int32), machine.ranks_per_node)
    routing = network.make_routing(topology, machine.routing)
    speeds = machine.speeds(topology)
    return network.simulate(schedule, topology, routing, speeds, placement, in_packets(speeds)).time_s


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
    return errors([row["measured"] for row in rows], [row["simulated"] for row in rows])


def table(found: Mapping[str, Any]) -> str:
    """What was compared, as text."""
    lines = [
        f"{found['ranks']} ranks on {found['nodes']} nodes",
        f"{'schedule':<40}{'lower quartile':>15}{'median':>10}{'simulated':>11}{'ratio':>8}",
    ]
    for row in found["schedules"]:
        lines.append(
            f"{row['schedule']:<40}{seconds(row['measured']):>15}{seconds(row['median']):>10}"
            f"{seconds(row['simulated']):>11}{row['ratio']:>8.2f}"
        )
    lines += [
        f"{name}: {100 * error['median']:.0f} % off at the median, "
        f"{100 * error['percentile_95']:.0f} % at the 95th percentile"
        for name, error in found["error"].items()
    ]
    return "\n".join(lines)
