"""What a step of the wave model costs, beside a copy and STREAM's triad of the same spectra."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from halcyon import graph, wave
from halcyon._core.bench import triad
from halcyon.decomposition import LocalMesh
from halcyon.launch.measure import found_by_ranks, program_of
from halcyon.mesh import ordered, uniform

if TYPE_CHECKING:
    from mpi4py import MPI


SPECTRUM = {"frequencies": 35, "first_frequency": 0.0345, "ratio": 1.1, "directions": 36}
STEP_S = 600.0
PARTS = ("transport", "sources", "copy", "triad")
DEPTHS = {"deep": (4000.0, 4000.0), "shallow": (20.0, 60.0), "uneven": (20.0, 4000.0)}  # [m]


@dataclass(frozen=True)
class Sea:
    """What is timed: a scheme of transport, a set of source terms and a name of `DEPTHS`."""

    scheme: str = "second_order"
    physics: str = "ard"
    depth: str = "uneven"


def wave_cost(
    comm: MPI.Comm, sea: Sea, *, level: int, repetitions: int, apart: bool = False
) -> dict[str, float]:
    """Collective. CPU time [ns] of a rank a cell and bin of a step of transport (exchange included), of the
    sources, and of a copy and a triad of as many numbers: medians of interleaved repetitions, the mean over
    ranks; and the memory [bytes] of the model a cell and bin.

    The sphere is the mesh G<level>, with depths between those of the name; the seas have
    peaks of 5 to 14 s from all sides under a wind of 15 m/s, so that every term has work. `apart`: each rank
    has that sphere for itself, and exchanges with nobody; all compute at the same time, and share what their
    nodes share.
    """
    from mpi4py import MPI

    model = _model(MPI.COMM_SELF if apart else comm, level, sea)
    copy = np.empty_like(model.action)
    a, b, c = (np.ones(copy.size, np.float32) for _ in range(3))
    work: dict[str, Callable[[], object]] = {
        "transport": lambda: model.transport(STEP_S),
        "sources": lambda: model.sources(STEP_S),
        "copy": lambda: np.copyto(copy, model.action),
        "triad": lambda: triad(a, b, c, 3.0),
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
    ranks: int, sea: Sea | None = None, *, level: int, repetitions: int, apart: bool = False
) -> dict[str, float]:
    """`wave_cost` in a job of its own on so many ranks."""
    program = program_of(wave_cost, sea or Sea(), level=level, repetitions=repetitions, apart=apart)
    return found_by_ranks(ranks, program, f"{ranks} ranks")


def table(costs: dict[int, dict[str, float]]) -> str:
    """The costs by number of ranks, as text."""
    lines = ["ns a cell, bin and step (CPU)  " + "  ".join(f"{part:>10}" for part in PARTS)]
    for ranks, cost in costs.items():
        name = f"{ranks} rank{'s' if ranks > 1 else ''}"
        lines.append(f"{name:<31}" + "  ".join(f"{cost[part]:>10.2f}" for part in PARTS))
    return "\n".join(lines)


def _model(comm: MPI.Comm, level: int, sea: Sea):
    from halcyon.comm import communicator

    mesh = ordered(uniform(level, tolerance=1e-4), "hilbert")
    shallow, deep = DEPTHS[sea.depth]
    waves = 0.5 + 0.5 * np.sin(10 * mesh.cell_longitude) * np.cos(10 * mesh.cell_latitude)
    mesh.bottom_depth = shallow * (deep / shallow) ** waves
    owners = graph.partition(mesh.cell_offsets, mesh.cells_on_cell, comm.size)
    grid = wave.SpectralGrid(**SPECTRUM)
    local = LocalMesh(mesh, owners, comm.rank, 2)
    model = wave.Model(communicator(comm), local, grid, scheme=sea.scheme, physics=sea.physics)
    for cell, gid in enumerate(model.owned_cells):
        model.action[cell] = a_sea(grid, np.random.default_rng(int(gid)))
    model.set_wind(wave.ConstantWind(12.0, 9.0), 0.0)
    for _ in range(2):
        model.transport(STEP_S)
        model.sources(STEP_S)
    return model


def a_sea(grid: wave.SpectralGrid, random: np.random.Generator) -> np.ndarray:
    """Action of a sea with a peak of 5 to 14 s from any side."""
    return wave.jonswap(
        grid,
        peak_frequency=random.uniform(0.07, 0.2),
        alpha=0.012,
        gamma=random.uniform(1, 4),
        direction=random.uniform(0, 2 * np.pi),
    )
