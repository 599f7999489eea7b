"""What a step of each set of source terms costs, over deep and shallow water, and its share of peak rate."""

from __future__ import annotations

import statistics
import time

import numpy as np

from halcyon import wave
from halcyon.plan.probes.wave_cost import SPECTRUM, STEP_S, a_sea

DEPTHS = {"deep": 4000.0, "shallow": 15.0}
# Arithmetic operations a bin, counted in the source: the transfer takes 60 in `interact` and 50 in `gather`,
# the step 25, sums 32; input 55 where it is not zero (a third of the bins, twice), saturation 40.
OPERATIONS = {"wam3": 175, "wam4": 205, "ard": 245, "fvwam": 245}


def source_cost(*, cells: int = 400, repetitions: int = 9) -> dict[tuple[str, str], float]:
    """CPU time [ns] of a cell and bin of one step that is not taken in parts, by set and depth: medians of
    interleaved repetitions.

    Seas have peaks of 5 to 14 s from all sides under a wind of 15 m/s.
    """
    grid = wave.SpectralGrid(**SPECTRUM)
    random = np.random.default_rng(1)
    seas = np.stack([a_sea(grid, random) for _ in range(cells)])
    wind = np.full(cells, 12, np.float32), np.full(cells, 9, np.float32)
    taken: dict[tuple[str, str], list[float]] = {}
    runs = {}
    for name in wave.physics_sets():
        for place, depth in DEPTHS.items():
            depths = np.full(cells, depth, np.float32)
            arguments = seas.copy(), depths, wave.wavenumbers(grid, depths), *wind, STEP_S
            runs[name, place] = wave.make_physics(name, grid, longest_step=7200), arguments
    for _ in range(repetitions + 1):
        for key, (physics, arguments) in runs.items():
            before = time.process_time_ns()
            physics.step(*arguments)
            taken.setdefault(key, []).append(time.process_time_ns() - before)
    return {key: statistics.median(times[1:]) / seas.size for key, times in taken.items()}


def peak_rate(*, size: int = 1024, repetitions: int = 5) -> float:
    """Operations a ns of CPU time of a product of single-precision matrices: what the vector units reach."""
    a = np.random.default_rng(1).random((size, size), np.float32)
    times = []
    for _ in range(repetitions):
        before = time.process_time_ns()
        a @ a
        times.append(time.process_time_ns() - before)
    return 2 * size**3 / min(times)
