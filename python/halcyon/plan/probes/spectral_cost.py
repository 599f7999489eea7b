"""Cost of a step of the spectral primitive equations."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import spectral
from halcyon.atmosphere.levels import interfaces
from halcyon.config.spectral import Gaussian
from halcyon.launch.measure import rank_program, result_of_job
from halcyon.run.start.on_grid import state_of_start

if TYPE_CHECKING:
    from mpi4py import MPI

PARTS = ("legendre", "fourier", "columns")
JET = 100.0  # wind of automatic steps [m s-1]
# Fields on all levels per step: to the grid vorticity, divergence, temperature and its gradient, wind; back
# semi-Lagrangian two wind components and temperature, Eulerian also the energy.
FIELDS = {"semi_implicit": 7 + 4, "semi_lagrangian": 7 + 3}


@dataclass(frozen=True)
class SpectralSetup:
    """The measured configuration: number of levels, time scheme (semi_implicit or semi_lagrangian), solver of
    semi_lagrangian (direct or gcr), and precision [bits]."""

    levels: int = 26
    scheme: str = "semi_lagrangian"
    solver: str = "direct"
    bits: int = 64

    @property
    def tolerance(self) -> float:
        """Tolerance of gcr: the default of time.tolerance, in 32 bits the smallest."""
        return 1e-8 if self.bits == 64 else 1e-6


def spectral_cost(
    comm: MPI.Comm, setup: SpectralSetup, *, truncation: int, repetitions: int
) -> dict[str, float]:
    """Collective. Measures the CPU time of a step [s] per level and unit of work (`transform_work`):
    `legendre`, `fourier`, and `columns`, the rest of the step, per level and grid point; with gcr also
    `iteration`, the vectors and sums of an iteration, per level and grid point. Its transforms count as those
    of the step (`solver_transforms`).

    Each rank computes a sphere of its own, on the octahedral grid, with the initial state of Jablonowski and
    Williamson (2006); all ranks compute simultaneously. CPU times of steps are medians; they are divided by
    the wall times of the parts, measured in the same steps. All values are means over ranks."""
    grid = Gaussian(truncation=truncation, grid="octahedral").gaussian_grid
    of_solver: dict[str, Any] = {"tolerance": setup.tolerance} if setup.solver == "gcr" else {}
    model = spectral.Model(
        "primitive",
        truncation,
        grid,
        scheme=setup.scheme,
        solver=setup.solver,
        precision=setup.bits,
        levels=interfaces(setup.levels),
        **of_solver,
    )
    model.set(**state_of_start(model, "baroclinic_wave"))
    step_s = 0.9 * model.longest_step(JET)
    model.step(step_s)
    cpu_s, wall_s, before = [], 0.0, model.transforms
    solver_before = _solver_counts(model)
    for _ in range(repetitions):
        comm.Barrier()
        cpu_begin, wall_begin = time.process_time(), time.perf_counter()
        model.step(step_s)
        cpu_s.append(time.process_time() - cpu_begin)
        wall_s += time.perf_counter() - wall_begin
    times = model.transforms - before
    shares = {"legendre": times.legendre_s / wall_s, "fourier": times.fourier_s / wall_s}
    solver_s, iterations = _solver_counts(model) - solver_before
    if setup.solver == "gcr":
        shares["iteration"] = solver_s / wall_s
    shares["columns"] = 1 - sum(shares.values())
    legendre, fourier = transform_work(truncation, grid.row_lengths)
    transforms = 1.0
    if setup.solver == "gcr":
        transforms += solver_transforms(iterations / repetitions) / FIELDS[setup.scheme]
    work = {"legendre": transforms * legendre, "fourier": transforms * fourier}
    work |= {"columns": sum(grid.row_lengths)}
    work |= {"iteration": work["columns"] * max(iterations, 1) / repetitions}
    costs = {
        part: share * statistics.median(cpu_s) / (float(work[part]) * setup.levels)
        for part, share in shares.items()
    }
    return {part: comm.allreduce(cost) / comm.size for part, cost in costs.items()}


def solver_transforms(iterations: float) -> float:
    """Number of transforms of wind components on all levels that a solution by gcr makes: four for the right
    side and the solution, and four per application of the operator, also to the first guess and to the
    solution."""
    return 4 + 4 * (iterations + 2)


def _solver_counts(model: spectral.Model) -> np.ndarray:
    """Wall time [s] of the solver without its transforms and exchanges, and its iterations, so far."""
    costs = model.solver_costs
    return np.array([costs.solve_s - costs.transform_s - costs.exchange_s, costs.n_iterations])


def transform_work(truncation: int, row_lengths: np.ndarray) -> tuple[float, float]:
    """Work of a transform of one field: of Legendre sums, coefficients times rows; of Fourier transforms,
    n log2(n) summed over rows of n points."""
    n_coefficients = (truncation + 1) * (truncation + 2) / 2
    return n_coefficients * len(row_lengths), float(np.sum(row_lengths * np.log2(row_lengths)))


def measure_on_ranks(
    ranks: int, setup: SpectralSetup, *, truncation: int, repetitions: int
) -> dict[str, float]:
    """Runs `spectral_cost` in a separate job on a number of ranks."""
    program = rank_program(spectral_cost, setup, truncation=truncation, repetitions=repetitions)
    return result_of_job(ranks, program, f"{ranks} ranks")
