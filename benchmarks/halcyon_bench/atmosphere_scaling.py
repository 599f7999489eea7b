"""Computation and communication of the atmosphere, with and without computing while halos travel."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from halcyon.launch.measure import found_by_ranks, program_of
from halcyon.mesh import MeshSpec, make
from halcyon.plan.probes.atmosphere_cost import Air, core_of

if TYPE_CHECKING:
    from mpi4py import MPI

WAYS = {"overlapped": True, "waited": False}
PARTS = ("computation", "exchange", "step")
DECILE = 0.1
SAFE = 0.8  # of the longest stable step


@dataclass(frozen=True)
class Scaling:
    """What is timed: the air, cells of the globe, and how exchanges are made."""

    air: Air
    cells: int
    method: str = "isend_irecv"


def atmosphere_scaling(comm: MPI.Comm, case: Scaling, *, repetitions: int) -> dict[str, dict[str, float]]:
    """Collective. Wall time [s] of a step by way (exchange overlapped or waited for) and part: of
    interleaved repetitions the lower decile, since other work on the machine only adds; the mean over ranks,
    `step` that of the slowest.

    `exchange` holds packing, starting, waiting and unpacking, and by the waiting what ranks are apart."""
    from mpi4py import MPI

    mesh = make(MeshSpec(points=case.cells, tolerance=1e-3))
    cores = {
        way: core_of(comm, case.air, mesh, overlap=overlap, method=case.method)
        for way, overlap in WAYS.items()
    }
    step_s = SAFE * comm.allreduce(cores["waited"].longest_step(), op=MPI.MIN)
    taken: dict[str, list[list[float]]] = {way: [] for way in WAYS}
    for _ in range(repetitions + 1):
        for way, core in cores.items():
            comm.Barrier()
            before, began = _times(core), time.perf_counter()
            core.step(step_s)
            step = time.perf_counter() - began
            parts = [after - start for after, start in zip(_times(core), before, strict=True)]
            taken[way].append([*parts, comm.allreduce(step, op=MPI.MAX)])
    found = {}
    for way, rows in taken.items():
        mine = np.quantile(rows[1:], DECILE, axis=0)
        mean = comm.allreduce(mine) / comm.size
        found[way] = dict(zip(PARTS, mean.tolist(), strict=True))
    return found


def on_ranks(ranks: int, case: Scaling, *, repetitions: int) -> dict[str, dict[str, float]]:
    """`atmosphere_scaling` in a job of its own on so many ranks."""
    return found_by_ranks(ranks, program(case, repetitions), f"{ranks} ranks")


def program(case: Scaling, repetitions: int) -> list[str]:
    """The words after python of a rank of `atmosphere_scaling`; rank 0 prints what it found, as JSON."""
    return program_of(atmosphere_scaling, case, repetitions=repetitions)


def hidden(ways: Mapping[str, Mapping[str, float]]) -> float:
    """The share of the exchange by which computation, which gives MPI its turns, and exchange together are
    shorter where they overlap; negative where they are longer."""
    waited, overlapped = (
        ways[way]["computation"] + ways[way]["exchange"] for way in ("waited", "overlapped")
    )
    return (waited - overlapped) / ways["waited"]["exchange"]


def table(found: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """What was found by the name of each job, as text [ms]: and what share of a step is exchange."""
    heads = "".join(f"{part:>13}" for part in (*PARTS, "share", "hidden"))
    width = 2 + max(len(f"{job}, {way}") for job, ways in found.items() for way in ways)
    lines = [f"{'ms a step':<{width}}{heads}"]
    for job, ways in found.items():
        for way, parts in ways.items():
            times = "".join(f"{1e3 * parts[part]:>13.3f}" for part in PARTS)
            share = 100 * parts["exchange"] / (parts["exchange"] + parts["computation"])
            line = f"{f'{job}, {way}':<{width}}{times}{share:>11.1f} %"
            lines.append(line + (f"{100 * hidden(ways):>11.0f} %" if way == "overlapped" else ""))
    return "\n".join(lines)


def _times(core) -> tuple[float, float]:
    return core.times.compute_s, core.times.exchange_s
