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
OVERLAPPED = "isend_irecv, overlapped"  # the others wait before computing
WAYS = (*METHODS, OVERLAPPED)
PARTS = ("transport", "sources", "exchange")
TRANSPORTS = 3  # transport steps per source step
SOURCE_STEP_S = 1200.0
LAYERS = 2  # halo layers of the second-order transport scheme


def wave_scaling(
    comm: MPI.Comm, *, level: int, repetitions: int, ways: Sequence[str] = WAYS
) -> dict[str, dict[str, float]]:
    """Collective. Wall time [s] by exchange method and part, of three transport steps and one source step, on
    the mesh G<level> with 35 x 36 bins: medians of interleaved repetitions, the mean over ranks.

    `exchange` is packing, starting, waiting and unpacking; waiting includes load imbalance between ranks."""
    models = {way: _model(comm, level, way) for way in ways}

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
    how = {"level": level, "repetitions": repetitions}
    return measure.run_on_ranks(ranks, f"{ranks} ranks", wave_scaling, **how)


def table(found: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """Table of the times [ms] by job."""

    def cells(ways: Mapping[str, Mapping[str, float]], way: str) -> list[str]:
        times = [1e3 * ways[way][part] for part in PARTS]
        return [f"{each:.2f}" for each in (*times, sum(times))]

    return table_of_jobs("ms per source step", (*PARTS, "all"), found, cells)


def _times(model) -> np.ndarray:
    return np.array([getattr(model.times, f"{part}_s") for part in PARTS])


def _model(comm: MPI.Comm, level: int, way: str):
    from halcyon.comm import communicator

    mesh = uniform(level, tolerance=1e-3)
    mesh.bottom_depth = np.full(mesh.n_cells, 4000.0)
    owners = graph.partition(mesh.cell_offsets, mesh.cells_on_cell, comm.size)
    grid = wave.SpectralGrid(**SPECTRUM)
    local = LocalMesh(mesh, owners, comm.rank, LAYERS)
    model = wave.Model(communicator(comm), local, grid, method=way.split(",")[0], overlap=way == OVERLAPPED)
    model.set_wind(wave.ConstantWind(12.0, 9.0), 0.0)
    model.set_fetch_law(2e5)
    return model
