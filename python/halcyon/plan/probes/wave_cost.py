"""Cost of a step of the wave model, compared with a copy and STREAM's triad of as many numbers."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import graph, wave
from halcyon._core.bench import triad
from halcyon.decomposition import LocalMesh
from halcyon.launch.measure import rank_program, result_of_job
from halcyon.mesh import ordered, uniform

if TYPE_CHECKING:
    from mpi4py import MPI


SPECTRUM: dict[str, Any] = {"frequencies": 35, "first_frequency": 0.0345, "ratio": 1.1, "directions": 36}
STEP_S = 600.0
PARTS = ("transport", "sources", "copy", "triad")
DEPTHS = {"deep": (4000.0, 4000.0), "shallow": (20.0, 60.0), "uneven": (20.0, 4000.0)}  # least, greatest [m]


@dataclass(frozen=True)
class WaveSetup:
    """The benchmarked configuration: transport scheme, source terms, and one of `DEPTHS`."""

    scheme: str = "second_order"
    physics: str = "ard"
    depth: str = "uneven"


def wave_cost(
    comm: MPI.Comm, sea: WaveSetup, *, mesh_level: int, repetitions: int, independent_ranks: bool = False
) -> dict[str, float]:
    """Collective. Measures, per cell and spectral bin of a rank, the CPU time [ns] of `transport` (a step
    with its exchange), of `sources` (the source terms), and of `copy` and `triad` of as many numbers; and
    the `memory` of the model [bytes]. CPU times are medians of repetitions, in which these alternate. All
    values are means over ranks.

    The mesh is G<mesh_level>, with depths in the range of `sea.depth`; wave spectra have peak periods of 5 to
    14 s from all directions under a wind of 15 m/s, so that every source term is active. `independent_ranks`:
    each rank computes on a sphere of its own, without exchange; all ranks compute simultaneously, and share
    the resources of their nodes."""
    from mpi4py import MPI

    model = _make_model(MPI.COMM_SELF if independent_ranks else comm, mesh_level, sea)
    copy = np.empty_like(model.action)
    a, b, c = (np.ones(copy.size, np.float32) for _ in range(3))
    run_part: dict[str, Callable[[], object]] = {
        "transport": lambda: model.transport(STEP_S),
        "sources": lambda: model.sources(STEP_S),
        "copy": lambda: np.copyto(copy, model.action),
        "triad": lambda: triad(a, b, c, 3.0),
    }
    cpu_ns: dict[str, list[float]] = {part: [] for part in PARTS}
    for _ in range(repetitions):
        for part in PARTS:
            comm.Barrier()
            begin_ns = time.process_time_ns()
            run_part[part]()
            cpu_ns[part].append(time.process_time_ns() - begin_ns)
    costs = {part: statistics.median(cpu_ns[part]) / copy.size for part in PARTS}
    costs = {part: comm.allreduce(cost) / comm.size for part, cost in costs.items()}
    return costs | {"memory": comm.allreduce(model.memory_bytes) / comm.allreduce(copy.size)}


def measure_on_ranks(
    ranks: int,
    sea: WaveSetup | None = None,
    *,
    mesh_level: int,
    repetitions: int,
    independent_ranks: bool = False,
) -> dict[str, float]:
    """Runs `wave_cost` in a separate job on a number of ranks."""
    program = rank_program(
        wave_cost,
        sea or WaveSetup(),
        mesh_level=mesh_level,
        repetitions=repetitions,
        independent_ranks=independent_ranks,
    )
    return result_of_job(ranks, program, f"{ranks} ranks")


def table(costs: dict[int, dict[str, float]]) -> str:
    """A table of the costs, by number of ranks."""
    lines = ["ns per cell, bin, step (CPU)   " + "  ".join(f"{part:>10}" for part in PARTS)]
    for ranks, cost in costs.items():
        name = f"{ranks} rank{'s' if ranks > 1 else ''}"
        lines.append(f"{name:<31}" + "  ".join(f"{cost[part]:>10.2f}" for part in PARTS))
    return "\n".join(lines)


def _make_model(comm: MPI.Comm, mesh_level: int, sea: WaveSetup) -> wave.Model:
    """Returns a model with random wave spectra that have adapted to the wind for two steps."""
    from halcyon.comm import communicator

    mesh = ordered(uniform(mesh_level, tolerance=1e-4), "hilbert")
    shallow, deep = DEPTHS[sea.depth]
    weight = 0.5 + 0.5 * np.sin(10 * mesh.cell_longitude) * np.cos(10 * mesh.cell_latitude)
    mesh.bottom_depth = shallow * (deep / shallow) ** weight
    owners = graph.partition(mesh.cell_offsets, mesh.cells_on_cell, comm.size)
    grid = wave.SpectralGrid(**SPECTRUM)
    local = LocalMesh(mesh, owners, comm.rank, 2)
    model = wave.Model(communicator(comm), local, grid, scheme=sea.scheme, physics=sea.physics)
    for cell, global_index in enumerate(model.owned_cells):
        model.action[cell] = random_wave_spectrum(grid, np.random.default_rng(int(global_index)))
    model.set_wind(wave.ConstantWind(12.0, 9.0), 0.0)
    for _ in range(2):
        model.transport(STEP_S)
        model.sources(STEP_S)
    return model


def random_wave_spectrum(grid: wave.SpectralGrid, random: np.random.Generator) -> np.ndarray:
    """Action density of a sea state with a peak period of 5 to 14 s, from a random direction."""
    return wave.jonswap(
        grid,
        peak_frequency=random.uniform(0.07, 0.2),
        alpha=0.012,
        gamma=random.uniform(1, 4),
        direction=random.uniform(0, 2 * np.pi),
    )
