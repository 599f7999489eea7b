"""Computation and communication of the wave model by exchange method, after figures 11 and 12 of Pang et al.
(2025)."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from halcyon import graph, halo, wave
from halcyon.decomposition import LocalMesh
from halcyon.launch.measure import found_by_ranks, program_of
from halcyon.mesh import uniform
from halcyon.plan.probes.wave_cost import SPECTRUM

if TYPE_CHECKING:
    from mpi4py import MPI

METHODS = tuple(name for name in halo.METHODS if name != "auto")
OVERLAPPED = "isend_irecv, overlapped"  # the others wait before they compute
WAYS = (*METHODS, OVERLAPPED)
PARTS = ("transport", "sources", "exchange")
TRANSPORTS = 3  # steps of transport to one of the sources
SOURCE_STEP_S = 1200.0
LAYERS = 2  # of halos, as the second-order scheme of transport needs


def wave_scaling(
    comm: MPI.Comm, *, level: int, repetitions: int, ways: Sequence[str] = WAYS
) -> dict[str, dict[str, float]]:
    """Collective. Wall time [s] by way and part of three steps of transport and one of the sources, on the
    sphere G<level> with 35 x 36 bins: medians of interleaved repetitions, the mean over ranks.

    `exchange` holds packing, starting, waiting and unpacking, and by the waiting what ranks are apart."""
    models = {way: _model(comm, level, way) for way in ways}
    taken: dict[str, list[list[float]]] = {way: [] for way in ways}
    for _ in range(repetitions + 1):
        for way, model in models.items():
            comm.Barrier()
            before = _times(model)
            for _ in range(TRANSPORTS):
                model.transport(SOURCE_STEP_S / TRANSPORTS)
            model.sources(SOURCE_STEP_S)
            taken[way].append([after - start for after, start in zip(_times(model), before, strict=True)])
    found = {}
    for way, rows in taken.items():
        mine = [statistics.median(column) for column in zip(*rows[1:], strict=True)]
        mean = comm.allreduce(np.array(mine)) / comm.size
        found[way] = dict(zip(PARTS, mean.tolist(), strict=True))
    return found


def on_ranks(ranks: int, *, level: int, repetitions: int) -> dict[str, dict[str, float]]:
    """`wave_scaling` in a job of its own on so many ranks."""
    return found_by_ranks(ranks, program(level, repetitions), f"{ranks} ranks")


def program(level: int, repetitions: int) -> list[str]:
    """The words after python of a rank of `wave_scaling`; rank 0 prints what it found, as JSON."""
    return program_of(wave_scaling, level=level, repetitions=repetitions)


def table(found: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """What was found by the name of each job, as text [ms]."""
    heads = "".join(f"{part:>12}" for part in (*PARTS, "all"))
    width = 2 + max(len(f"{job}, {way}") for job, ways in found.items() for way in ways)
    lines = [f"{'ms a source step':<{width}}{heads}"]
    for job, ways in found.items():
        for way, parts in ways.items():
            times = [1e3 * parts[part] for part in PARTS]
            name = f"{job}, {way}"
            lines.append(f"{name:<{width}}" + "".join(f"{t:>12.2f}" for t in (*times, sum(times))))
    return "\n".join(lines)


def _times(model) -> list[float]:
    return [getattr(model.times, f"{part}_s") for part in PARTS]


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
