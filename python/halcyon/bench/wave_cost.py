"""What a step of the wave model costs, beside a copy of the same spectra."""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from halcyon.bench.job import found_by_ranks

if TYPE_CHECKING:
    from mpi4py import MPI

SPECTRUM = {"frequencies": 35, "first_frequency": 0.0345, "ratio": 1.1, "directions": 36}
STEP_S = 600.0
PARTS = ("transport", "sources", "copy")


DEPTHS = {"deep": (4000.0, 4000.0), "shallow": (20.0, 60.0), "uneven": (20.0, 4000.0)}  # [m]


def wave_cost(
    comm: MPI.Comm, *, level: int, repetitions: int, scheme: str = "second_order", depth: str = "uneven"
) -> dict[str, float]:
    """Collective. CPU time [ns] of a rank a cell and bin of a step of transport (exchange included), of the
    sources, and of a copy of the spectra: medians of interleaved repetitions, the mean over ranks; and the
    memory [bytes] of the model a cell and bin.

    The sphere is the mesh G<level>, with depths between those of the name; the seas have
    peaks of 5 to 14 s from all sides under a wind of 15 m/s, so that every term has work.
    """
    model = _model(comm, level, scheme, depth)
    copy = np.empty_like(model.action)
    work: dict[str, Callable[[], object]] = {
        "transport": lambda: model.transport(STEP_S),
        "sources": lambda: model.sources(STEP_S),
        "copy": lambda: np.copyto(copy, model.action),
    }
    taken: dict[str, list[float]] = {part: [] for part in PARTS}
    for _ in range(repetitions):
        for part in PARTS:
            comm.Barrier()
            before = time.process_time_ns()
            work[part]()
            taken[part].append(time.process_time_ns() - before)
    costs = {part: statistics.median(taken[part]) / copy.size for part in PARTS}
    found = {part: comm.allreduce(cost) / comm.size for part, cost in costs.items()}
    return found | {"memory": comm.allreduce(model.memory_bytes) / comm.allreduce(copy.size)}


def on_ranks(
    ranks: int, *, level: int, repetitions: int, scheme: str = "second_order", depth: str = "uneven"
) -> dict[str, float]:
    """`wave_cost` in a job of its own on so many ranks."""
    program = ["-m", "halcyon.bench.wave_cost", str(level), str(repetitions), scheme, depth]
    return found_by_ranks(ranks, program, f"{ranks} ranks")


def table(costs: dict[int, dict[str, float]]) -> str:
    """The costs by number of ranks, as text."""
    lines = ["ns a cell, bin and step (CPU)  " + "  ".join(f"{part:>10}" for part in PARTS)]
    for ranks, cost in costs.items():
        name = f"{ranks} rank{'s' if ranks > 1 else ''}"
        lines.append(f"{name:<31}" + "  ".join(f"{cost[part]:>10.2f}" for part in PARTS))
    return "\n".join(lines)


def _model(comm: MPI.Comm, level: int, scheme: str, depth: str):
    from halcyon import graph, wave
    from halcyon.comm import communicator
    from halcyon.decomposition import LocalMesh
    from halcyon.mesh import ordered, uniform

    mesh = ordered(uniform(level, tolerance=1e-4), "hilbert")
    shallow, deep = DEPTHS[depth]
    waves = 0.5 + 0.5 * np.sin(10 * mesh.cell_longitude) * np.cos(10 * mesh.cell_latitude)
    mesh.bottom_depth = shallow * (deep / shallow) ** waves
    owners = graph.partition(mesh.cell_offsets, mesh.cells_on_cell, comm.size)
    grid = wave.SpectralGrid(**SPECTRUM)
    model = wave.Model(communicator(comm), LocalMesh(mesh, owners, comm.rank, 2), grid, scheme=scheme)
    for cell, gid in enumerate(model.owned_cells):
        sea = np.random.default_rng(int(gid))
        model.action[cell] = wave.jonswap(
            grid,
            peak_frequency=sea.uniform(0.07, 0.2),
            alpha=0.012,
            gamma=sea.uniform(1, 4),
            direction=sea.uniform(0, 2 * np.pi),
        )
    model.set_wind(wave.ConstantWind(12.0, 9.0), 0.0)
    for _ in range(2):
        model.transport(STEP_S)
        model.sources(STEP_S)
    return model


def _main() -> None:
    from halcyon.comm import world

    comm = world()
    level, repetitions, scheme, depth = sys.argv[1:]
    costs = wave_cost(comm, level=int(level), repetitions=int(repetitions), scheme=scheme, depth=depth)
    if comm.rank == 0:
        print(json.dumps(costs))


if __name__ == "__main__":
    _main()
