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

VARIANTS = {"overlapped": True, "waited": False}
PARTS = ("computation", "exchange", "step")
DECILE = 0.1  # quantile of the repetitions
STEP_SHARE = 0.8  # of the longest stable step


@dataclass(frozen=True)
class Scaling:
    """The timed configuration."""

    setup: AtmosphereSetup
    cells: int  # of the global mesh
    method: str = "isend_irecv"  # exchange method


def atmosphere_scaling(comm: MPI.Comm, case: Scaling, *, repetitions: int) -> dict[str, dict[str, float]]:
    """Collective. Wall time [s] of a step and its parts (PARTS), with halo exchanges `overlapped` with
    computation, or `waited` for before it.

    Times are lower deciles of interleaved repetitions, since other load only adds time; means over ranks, for
    `step` of the slowest rank. `exchange` includes packing, unpacking, and load imbalance between ranks."""
    from mpi4py import MPI

    mesh = make(MeshSpec(points=case.cells, tolerance=1e-3))

    cores = {
        variant: make_core(comm, case.setup, mesh, overlap=overlap, method=case.method)
        for variant, overlap in VARIANTS.items()
    }
    step_s = STEP_SHARE * comm.allreduce(cores["waited"].longest_step(), op=MPI.MIN)

    def step(core) -> list[float]:
        before = _times(core)
        step_wall_s = wall_us(comm, partial(core.step, step_s)) / US
        return [*(_times(core) - before), comm.allreduce(step_wall_s, op=MPI.MAX)]

    lower = partial(np.quantile, q=DECILE, axis=0)
    return rank_means(comm, PARTS, interleaved(cores, repetitions, step), lower)


def on_ranks(ranks: int, case: Scaling, *, repetitions: int) -> dict[str, dict[str, float]]:
    """`atmosphere_scaling` in a new job on `ranks` ranks."""
    return measure.run_on_ranks(ranks, f"{ranks} ranks", atmosphere_scaling, case, repetitions=repetitions)


def hidden(variants: Mapping[str, Mapping[str, float]]) -> float:
    """The decrease of computation plus exchange due to overlap, divided by the exchange time without overlap;
    negative if overlap is slower. The computation includes calls for MPI progress."""
    waited, overlapped = (
        variants[name]["computation"] + variants[name]["exchange"] for name in ("waited", "overlapped")
    )
    return (waited - overlapped) / variants["waited"]["exchange"]


def table(jobs: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """Table of the times [ms] by job and variant, of the share of the exchange, and of its hidden share."""

    def cells(variants: Mapping[str, Mapping[str, float]], variant: str) -> list[str]:
        parts = variants[variant]
        share = 100 * parts["exchange"] / (parts["exchange"] + parts["computation"])
        shares = [f"{share:.1f} %"] + ([f"{100 * hidden(variants):.0f} %"] if variant == "overlapped" else [])
        return [*(f"{1e3 * parts[part]:.3f}" for part in PARTS), *shares]

    return table_of_jobs("ms per step", (*PARTS, "share", "hidden"), jobs, cells)


def _times(core) -> np.ndarray:
    """Accumulated times of computation and exchange of this rank [s]."""
    return np.array([core.times.compute_s, core.times.exchange_s])
