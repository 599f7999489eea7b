"""Computation and communication of the atmosphere, with and without computing while halos travel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from halcyon.launch import measure
from halcyon.mesh import MeshSpec, make
from halcyon.plan.probes.atmosphere_cost import AtmosphereSetup, make_core
from halcyon_bench.turns import US, in_turns, parts_of, table_of_jobs, wall_us

if TYPE_CHECKING:
    from mpi4py import MPI

WAYS = {"overlapped": True, "waited": False}
PARTS = ("computation", "exchange", "step")
DECILE = 0.1
SAFE = 0.8  # of the longest stable step


@dataclass(frozen=True)
class Scaling:
    """What is timed: the air, cells of the globe, and how exchanges are made."""

    air: AtmosphereSetup
    cells: int
    method: str = "isend_irecv"


def atmosphere_scaling(comm: MPI.Comm, case: Scaling, *, repetitions: int) -> dict[str, dict[str, float]]:
    """Collective. Wall time [s] of a step by way (exchange overlapped or waited for) and part: of
    interleaved repetitions the lower decile, since other work on the machine only adds; the mean over ranks,
    `step` that of the slowest.

    `exchange` holds packing, starting, waiting and unpacking, and by the waiting what ranks are apart."""
    from mpi4py import MPI

    mesh = make(MeshSpec(points=case.cells, tolerance=1e-3))
    how = {"method": case.method}
    cores = {way: make_core(comm, case.air, mesh, overlap=overlap, **how) for way, overlap in WAYS.items()}
    step_s = SAFE * comm.allreduce(cores["waited"].longest_step(), op=MPI.MIN)

    def step(core) -> list[float]:
        before = _times(core)
        took_s = wall_us(comm, partial(core.step, step_s)) / US
        return [*(_times(core) - before), comm.allreduce(took_s, op=MPI.MAX)]

    lower = partial(np.quantile, q=DECILE, axis=0)
    return parts_of(comm, PARTS, in_turns(cores, repetitions, step), lower)


def on_ranks(ranks: int, case: Scaling, *, repetitions: int) -> dict[str, dict[str, float]]:
    """`atmosphere_scaling` in a job of its own on so many ranks."""
    return measure.on_ranks(ranks, f"{ranks} ranks", atmosphere_scaling, case, repetitions=repetitions)


def hidden(ways: Mapping[str, Mapping[str, float]]) -> float:
    """The share of the exchange by which computation, which gives MPI its turns, and exchange together are
    shorter where they overlap; negative where they are longer."""
    waited, overlapped = (
        ways[way]["computation"] + ways[way]["exchange"] for way in ("waited", "overlapped")
    )
    return (waited - overlapped) / ways["waited"]["exchange"]


def table(found: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """What was found by the name of each job, as text [ms]: and what share of a step is exchange."""

    def cells(ways: Mapping[str, Mapping[str, float]], way: str) -> list[str]:
        parts = ways[way]
        share = 100 * parts["exchange"] / (parts["exchange"] + parts["computation"])
        both = [f"{share:.1f} %"] + ([f"{100 * hidden(ways):.0f} %"] if way == "overlapped" else [])
        return [*(f"{1e3 * parts[part]:.3f}" for part in PARTS), *both]

    return table_of_jobs("ms a step", (*PARTS, "share", "hidden"), found, cells)


def _times(core) -> np.ndarray:
    return np.array([core.times.compute_s, core.times.exchange_s])
