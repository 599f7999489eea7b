"""Computation and communication of the atmosphere, with and without overlap of halo exchanges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from halcyon.launch import measure
from halcyon.mesh import MeshSpec, make
from halcyon.plan.probes.atmosphere_cost import AtmosphereSetup, make_core
from halcyon_bench.timing import US, interleaved, rank_means, table_of_jobs, wall_us

if TYPE_CHECKING:
    from mpi4py import MPI

WAYS = {"overlapped": True, "waited": False}
PARTS = ("computation", "exchange", "step")
DECILE = 0.1
STEP_SHARE = 0.8  # of the longest stable step


@dataclass(frozen=True)
class Scaling:
    """The timed configuration: atmosphere setup, number of cells of the global mesh, exchange method."""

    air: AtmosphereSetup
    cells: int
    method: str = "isend_irecv"


def atmosphere_scaling(comm: MPI.Comm, case: Scaling, *, repetitions: int) -> dict[str, dict[str, float]]:
    """Collective. Wall time [s] of a step, with the exchange overlapped or waited for, by part: the lower
    decile of interleaved repetitions, since other load only adds time; the mean over ranks, for `step` the
    slowest rank.

    `exchange` is packing, starting, waiting and unpacking; waiting includes load imbalance between ranks."""
    from mpi4py import MPI

    mesh = make(MeshSpec(points=case.cells, tolerance=1e-3))
    how = {"method": case.method}
    cores = {way: make_core(comm, case.air, mesh, overlap=overlap, **how) for way, overlap in WAYS.items()}
    step_s = STEP_SHARE * comm.allreduce(cores["waited"].longest_step(), op=MPI.MIN)

    def step(core) -> list[float]:
        before = _times(core)
        took_s = wall_us(comm, partial(core.step, step_s)) / US
        return [*(_times(core) - before), comm.allreduce(took_s, op=MPI.MAX)]

    lower = partial(np.quantile, q=DECILE, axis=0)
    return rank_means(comm, PARTS, interleaved(cores, repetitions, step), lower)


def on_ranks(ranks: int, case: Scaling, *, repetitions: int) -> dict[str, dict[str, float]]:
    """`atmosphere_scaling` in a new job on `ranks` ranks."""
    return measure.run_on_ranks(ranks, f"{ranks} ranks", atmosphere_scaling, case, repetitions=repetitions)


def hidden(ways: Mapping[str, Mapping[str, float]]) -> float:
    """The share of the exchange time that overlap saves in computation and exchange together, where the
    computation includes calls for MPI progress; negative if overlap is slower."""
    waited, overlapped = (
        ways[way]["computation"] + ways[way]["exchange"] for way in ("waited", "overlapped")
    )
    return (waited - overlapped) / ways["waited"]["exchange"]


def table(found: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """Table of the times [ms] by job, and the share of the exchange in a step."""

    def cells(ways: Mapping[str, Mapping[str, float]], way: str) -> list[str]:
        parts = ways[way]
        share = 100 * parts["exchange"] / (parts["exchange"] + parts["computation"])
        both = [f"{share:.1f} %"] + ([f"{100 * hidden(ways):.0f} %"] if way == "overlapped" else [])
        return [*(f"{1e3 * parts[part]:.3f}" for part in PARTS), *both]

    return table_of_jobs("ms per step", (*PARTS, "share", "hidden"), found, cells)


def _times(core) -> np.ndarray:
    return np.array([core.times.compute_s, core.times.exchange_s])
