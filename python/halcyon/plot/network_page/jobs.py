"""Where the ranks of each job are, and what the NICs of nodes and their rails carry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import network
from halcyon.config.workload import Jobs
from halcyon.simulate.workloads import ranks_of_jobs

if TYPE_CHECKING:
    import xarray as xr

    from halcyon.config.simulation import Simulation
    from halcyon.plot.network_page.layout import Layout

MOST_RANGES = 12  # of nodes that are listed per job


def jobs_of(case: Simulation, data: xr.Dataset, topology: network.Topology, layout: Layout) -> dict[str, Any]:
    """`jobs`: name, ranks, nodes and end of each job; `held` (disc): its ranks by job, as [job, ranks]. A
    rank counts at each switch to which a NIC of its node is attached."""
    works, counts = [case.workload], [int(data.attrs["ranks"])]
    if isinstance(case.workload, Jobs):
        works = [job.workload for job in case.workload.jobs]
        counts = ranks_of_jobs(case.workload, case)
    job_of_rank = np.repeat(np.arange(len(counts)), counts)
    node, finish = data["node"].values, data["finish"].values
    jobs = []
    for job, work in enumerate(works):
        nodes = np.unique(node[job_of_rank == job])
        jobs.append(
            {
                "name": f"{work.type} {getattr(work, 'pattern', '')}".strip().replace("_", " "),
                "ranks": counts[job],
                "nodes": len(nodes),
                "which": _ranges(nodes),
                "end": float(finish[job_of_rank == job].max()),
            }
        )
    held = np.zeros((len(layout.x), len(counts)), np.int64)
    for nic in range(topology.attached_nics):
        disc = layout.disc[topology.switch_of((node + nic * topology.n_nodes).astype(np.int32))]
        np.add.at(held, (disc[disc >= 0], job_of_rank[disc >= 0]), 1)
    return {
        "jobs": jobs,
        "held": [[[int(job), int(row[job])] for job in np.flatnonzero(row)] for row in held],
    }


def nics_of(
    data: xr.Dataset, topology: network.Topology, machine: network.Machine, busy: np.ndarray
) -> list[dict[str, Any]]:
    """What NIC k of all nodes sent and, of rails, the mean and the largest busy fraction of its links.

    @param busy (link) share of the run in which each link of the network is busy"""
    rows, first = [], 0
    parts = topology.parts if isinstance(topology, network.AttachedNics) else []
    for nic in range(machine.nics_per_node if machine.nics_per_node > 1 else 0):
        row: dict[str, Any] = {"bytes": int(data["nic_bytes"].values[nic])}
        if len(parts) > 1:
            of_rail = busy[first : first + parts[nic].n_links]
            first += parts[nic].n_links
            row |= {"busy": float(of_rail.mean()), "peak": float(of_rail.max())} if of_rail.size else {}
        rows.append(row)
    return rows


def _ranges(numbers: np.ndarray) -> str:
    """Ascending numbers as text, such as `0-3, 8`."""
    cuts = np.flatnonzero(np.diff(numbers) > 1) + 1
    parts = np.split(numbers, cuts)
    texts = [f"{part[0]}" if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts]
    return ", ".join(texts[:MOST_RANGES]) + (" ..." if len(texts) > MOST_RANGES else "")
