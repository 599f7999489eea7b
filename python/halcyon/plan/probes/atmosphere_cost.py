"""Cost of a step of the atmosphere, compared with STREAM's triad."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import atmosphere, graph
from halcyon._core.bench import triad
from halcyon.atmosphere import EQUATION_SETS
from halcyon.atmosphere.levels import interfaces
from halcyon.decomposition import LocalMesh
from halcyon.launch.measure import rank_program, result_of_job
from halcyon.mesh import ordered, uniform

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.mesh import Mesh

SETS = tuple(EQUATION_SETS)
LEVELS = 26  # default number of levels
STEPS = 4  # steps per repetition
TRIAD_SIZE = 4  # numbers per array of the triad, relative to the cells and levels of a rank


@dataclass(frozen=True)
class AtmosphereSetup:
    """The benchmarked configuration: equation set, precision [bits], number of levels (1 for shallow water),
    number of monotone tracers (0 for shallow water), hyperdiffusion [m s-1], and whether steps are
    semi-implicit (shallow water)."""

    equations: str = "hydrostatic"
    bits: int = 64
    levels: int = LEVELS
    tracers: int = 0
    hyperdiffusion: float = 0.0
    semi_implicit: bool = False

    @property
    def description(self) -> str:
        tracers = f", {self.tracers} tracers" if self.tracers else ""
        return f"{self.equations}, {self.bits} bits{tracers}{', dissipation' if self.hyperdiffusion else ''}"


def atmosphere_cost(
    comm: MPI.Comm,
    air: AtmosphereSetup,
    *,
    mesh_level: int,
    repetitions: int,
    independent_ranks: bool = False,
) -> dict[str, float]:
    """Collective. Measures, per cell and level of a rank: `step`, the CPU time of a step with its exchanges
    [us]; `triad`, the CPU time of STREAM's triad [ns]; `memory` [bytes]. Also returns `waited`, the share of
    wall time in exchanges, `step_s`, the time step [s], and `iterations` of the solver per semi-implicit
    step. CPU times are medians of repetitions, in which step and triad alternate. All values are means over
    ranks.

    The mesh is G<mesh_level> in Hilbert order, with the initial state of Jablonowski and Williamson (2006),
    or the jet of Galewsky et al. (2004) for shallow water. `independent_ranks`: each rank computes on a
    sphere of its own, without exchange; all ranks compute simultaneously, and share the resources of their
    nodes."""
    from mpi4py import MPI

    mesh = ordered(uniform(mesh_level, tolerance=1e-4), "hilbert")
    rank_comm = MPI.COMM_SELF if independent_ranks else comm
    core = make_core(rank_comm, air, mesh, semi_implicit=air.semi_implicit)
    n_values = core.n_owned * core.n_levels
    real: Any = np.float32 if air.bits == 32 else np.float64
    a, b, c = (np.ones(TRIAD_SIZE * n_values, real) for _ in range(3))
    step_s = 0.8 * comm.allreduce(core.longest_step(), op=MPI.MIN)
    core.step(step_s)
    step_ns, triad_ns = [], []  # (repetition)
    exchange_begin_s, wall_s, iterations_begin = core.times.exchange_s, 0.0, core.n_iterations
    for _ in range(repetitions):
        comm.Barrier()
        cpu_begin, wall_begin = time.process_time_ns(), time.perf_counter()
        for _ in range(STEPS):
            core.step(step_s)
        step_ns.append((time.process_time_ns() - cpu_begin) / STEPS)
        wall_s += time.perf_counter() - wall_begin
        cpu_begin = time.process_time_ns()
        triad(a, b, c, 3.0)
        triad_ns.append((time.process_time_ns() - cpu_begin) / TRIAD_SIZE)
    costs = {
        "step": statistics.median(step_ns) / n_values / 1000,
        "waited": (core.times.exchange_s - exchange_begin_s) / wall_s,
        "triad": statistics.median(triad_ns) / n_values,
        "step_s": step_s,
        "memory": core.memory_bytes / n_values,
        "iterations": (core.n_iterations - iterations_begin) / (repetitions * STEPS),
    }
    return {name: comm.allreduce(value) / comm.size for name, value in costs.items()}


def measure_on_ranks(
    ranks: int,
    air: AtmosphereSetup | None = None,
    *,
    mesh_level: int,
    repetitions: int,
    independent_ranks: bool = False,
) -> dict[str, float]:
    """Runs `atmosphere_cost` in a separate job on a number of ranks."""
    program = rank_program(
        atmosphere_cost,
        air or AtmosphereSetup(),
        mesh_level=mesh_level,
        repetitions=repetitions,
        independent_ranks=independent_ranks,
    )
    return result_of_job(ranks, program, f"{ranks} ranks")


def share_of_triad(air: AtmosphereSetup, cost: dict[str, float]) -> float:
    """Returns the memory bandwidth of a step, from `EquationSet.bytes` per cell and level at 64 bits, divided
    by the bandwidth of the triad. The traffic of tracers and dissipation is not counted."""
    step_bytes = EQUATION_SETS[air.equations].bytes * air.bits / 64
    triad_bytes_per_ns = 3 * air.bits / 8 / cost["triad"]
    return step_bytes / (cost["step"] * 1000) / triad_bytes_per_ns


def table(costs: dict[tuple[AtmosphereSetup, int], dict[str, float]]) -> str:
    """A table of the costs, by configuration and number of ranks."""
    heads = ("us per step", "of triad", "waited", "CPU s/day", "bytes")
    lines = [f"{'per cell and level':<42}" + "".join(f"{head:>13}" for head in heads)]
    for (air, ranks), cost in costs.items():
        name = f"{air.description}, {ranks} rank{'s' if ranks > 1 else ''}"
        day_s = cost["step"] * 1e-6 * 86400 / cost["step_s"]  # CPU time per simulated day
        share = f"{100 * share_of_triad(air, cost):.0f} %"
        lines.append(
            f"{name:<42}{cost['step']:>13.3f}{share:>13}{100 * cost['waited']:>11.1f} %{day_s:>13.2e}"
            f"{cost['memory']:>13.0f}"
        )
    return "\n".join(lines)


def make_core(
    comm: MPI.Comm,
    air: AtmosphereSetup,
    mesh: Mesh,
    *,
    overlap: bool = True,
    method: str = "isend_irecv",
    semi_implicit: bool = False,
) -> atmosphere.Core:
    """Collective. Returns a dynamical core in its initial state, on a global mesh partitioned by METIS;
    semi_implicit applies to shallow water."""
    from halcyon.comm import communicator

    owners = graph.partition(mesh.cell_offsets, mesh.cells_on_cell, comm.size)
    options = None
    if EQUATION_SETS[air.equations].has_levels:
        a, b = interfaces(air.levels)
        options = atmosphere.AirOptions(a=a.tolist(), b=b.tolist(), tracers=["passive_tracer"] * air.tracers)
    core = atmosphere.make_core(
        communicator(comm),
        LocalMesh(mesh, owners, comm.rank, 3 if air.tracers else 2),
        atmosphere.Planet(),
        atmosphere.Scheme(hyperdiffusion=air.hyperdiffusion),
        equations=air.equations,
        single=air.bits == 32,
        method=method,
        overlap=overlap,
        semi_implicit=semi_implicit,
        air=options,
    )
    core.set("barotropic_jet" if options is None else "baroclinic_wave", {})
    return core
