"""Cost of a step of the spectral primitive equations."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

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


@dataclass(frozen=True)
class SpectralSetup:
    """The measured configuration: number of levels, and time scheme (semi_implicit or semi_lagrangian)."""

    levels: int = 26
    scheme: str = "semi_lagrangian"


def spectral_cost(
    comm: MPI.Comm, setup: SpectralSetup, *, truncation: int, repetitions: int
) -> dict[str, float]:
    """Collective. Measures the CPU time of a step [s] per level and unit of work (`transform_work`):
    `legendre`, `fourier`, and `columns`, the rest of the step, per level and grid point.

    Each rank computes a sphere of its own, on the octahedral grid, with the initial state of Jablonowski and
    Williamson (2006); all ranks compute simultaneously. CPU times of steps are medians; they are divided by
    the wall times of the parts, measured in the same steps. All values are means over ranks."""
    grid = Gaussian(truncation=truncation, grid="octahedral").gaussian_grid
    model = spectral.Model(
        "primitive", truncation, grid, scheme=setup.scheme, levels=interfaces(setup.levels)
    )
    model.set(**state_of_start(model, "baroclinic_wave"))
    step_s = 0.9 * model.longest_step(JET)
    model.step(step_s)
    cpu_s, wall_s, before = [], 0.0, model.transforms
    for _ in range(repetitions):
        comm.Barrier()
        cpu_begin, wall_begin = time.process_time(), time.perf_counter()
        model.step(step_s)
        cpu_s.append(time.process_time() - cpu_begin)
        wall_s += time.perf_counter() - wall_begin
    times = model.transforms - before
    shares = {"legendre": times.legendre_s / wall_s, "fourier": times.fourier_s / wall_s}
    shares["columns"] = 1 - sum(shares.values())
    legendre, fourier = transform_work(truncation, grid.row_lengths)
    work = {"legendre": legendre, "fourier": fourier, "columns": sum(grid.row_lengths)}
    costs = {
        part: share * statistics.median(cpu_s) / (float(work[part]) * setup.levels)
        for part, share in shares.items()
    }
    return {part: comm.allreduce(cost) / comm.size for part, cost in costs.items()}


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
