"""Computation and communication of the wave model by exchange method, after figures 11 and 12 of Pang et al.
(2025)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from halcyon import graph, halo, wave
from halcyon.decomposition import LocalMesh
from halcyon.launch import measure
from halcyon.mesh import uniform
from halcyon.plan.probes.wave_cost import SPECTRUM
from halcyon_bench.timing import interleaved, rank_means, table_of_jobs

if TYPE_CHECKING:
    from mpi4py import MPI

METHODS = tuple(name for name in halo.METHODS if name != "auto")
OVERLAPPED = "isend_irecv, overlapped"  # other variants wait for the exchange before they compute
VARIANTS = (*METHODS, OVERLAPPED)
PARTS = ("transport", "sources", "exchange")
TRANSPORTS = 3  # transport steps per source step
SOURCE_STEP_S = 1200.0
LAYERS = 2  # halo layers of the second-order transport scheme


def wave_scaling(
    comm: MPI.Comm, *, level: int, repetitions: int, variants: Sequence[str] = VARIANTS
) -> dict[str, dict[str, float]]:
    """Collective. Wall time [s] of three transport steps and one source step, by variant and part (PARTS), on
    the mesh G<level> with spectra of 35 x 36 bins: medians of interleaved repetitions, mean over ranks.

    `exchange` is packing, starting, waiting and unpacking; waiting includes load imbalance between ranks."""
    models = {variant: _model(comm, level, variant) for variant in variants}

    def step(model) -> np.ndarray:
        comm.Barrier()
        before = _times(model)
        for _ in range(TRANSPORTS):
            model.transport(SOURCE_STEP_S / TRANSPORTS)
        model.sources(SOURCE_STEP_S)
        return _times(model) - before

    return rank_means(comm, PARTS, interleaved(models, repetitions, step), partial(np.median, axis=0))


def on_ranks(ranks: int, *, level: int, repetitions: int) -> dict[str, dict[str, float]]:
    """`wave_scaling` in a new job on `ranks` ranks."""
    options = {"level": level, "repetitions": repetitions}
    return measure.run_on_ranks(ranks, f"{ranks} ranks", wave_scaling, **options)


def table(jobs: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """Table of the times [ms] by job and variant."""

    def cells(variants: Mapping[str, Mapping[str, float]], variant: str) -> list[str]:
        times = [1e3 * variants[variant][part] for part in PARTS]
        return [f"{time_ms:.2f}" for time_ms in (*times, sum(times))]

    return table_of_jobs("ms per source step", (*PARTS, "all"), jobs, cells)


def _times(model) -> np.ndarray:
    """Accumulated time of each of the PARTS on this rank [s]."""
    return np.array([getattr(model.times, f"{part}_s") for part in PARTS])


def _model(comm: MPI.Comm, level: int, variant: str):
    from halcyon.comm import communicator

    mesh = uniform(level, tolerance=1e-3)
    mesh.bottom_depth = np.full(mesh.n_cells, 4000.0)
    owners = graph.partition(mesh.cell_offsets, mesh.cells_on_cell, comm.size)
    grid = wave.SpectralGrid(**SPECTRUM)
    local = LocalMesh(mesh, owners, comm.rank, LAYERS)
    method = variant.split(",")[0]
    model = wave.Model(communicator(comm), local, grid, method=method, overlap=variant == OVERLAPPED)
    model.set_wind(wave.ConstantWind(12.0, 9.0), 0.0)
    model.set_fetch_law(2e5)
    return model
