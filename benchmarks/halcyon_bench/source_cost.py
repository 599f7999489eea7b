"""Cost of a step of each set of source terms in deep and shallow water, and the peak rate of the
processor."""

from __future__ import annotations

from functools import partial

import numpy as np

from halcyon import wave
from halcyon.plan.probes.wave_cost import SPECTRUM, STEP_S, random_wave_spectrum
from halcyon_bench.timing import cpu_s, interleaved, median_cpu_s

DEPTHS = {"deep": 4000.0, "shallow": 15.0}
# Arithmetic operations per bin of each set of source terms, counted in its source code: nonlinear transfer 60
# in `interact` and 50 in `gather`, step 25, sums 32; input 55 where it is not zero (a third of the bins,
# twice), saturation 40.
OPERATIONS = {"wam3": 175, "wam4": 205, "ard": 245, "fvwam": 245}


def source_cost(*, cells: int = 400, repetitions: int = 9) -> dict[tuple[str, str], float]:
    """CPU time [ns] per cell and spectral bin of one step without substeps, by set of source terms and key of
    DEPTHS: medians of interleaved repetitions.

    Sea states have peak periods of 5 to 14 s from all directions, under a wind of 15 m/s.
    """
    grid = wave.SpectralGrid(**SPECTRUM)
    random = np.random.default_rng(1)
    spectra = np.stack([random_wave_spectrum(grid, random) for _ in range(cells)])
    wind = np.full(cells, 12, np.float32), np.full(cells, 9, np.float32)
    steps = {}
    for name in wave.physics_sets():
        for water, depth in DEPTHS.items():
            depths = np.full(cells, depth, np.float32)
            physics = wave.make_physics(name, grid, longest_step=7200)
            stress = np.zeros(cells, np.float32)
            arguments = spectra.copy(), depths, wave.wavenumbers(grid, depths), *wind, STEP_S, stress
            steps[name, water] = partial(physics.step, *arguments)
    return {key: 1e9 * s / spectra.size for key, s in median_cpu_s(steps, repetitions).items()}


def peak_rate(*, size: int = 1024, repetitions: int = 5) -> float:
    """Arithmetic operations per ns of CPU time in a product of single-precision matrices of `size` rows and
    columns: an estimate of the peak of the vector units."""
    a = np.random.default_rng(1).random((size, size), np.float32)
    times = interleaved({"product": lambda: a @ a}, repetitions, cpu_s)["product"]
    return 2 * size**3 / (1e9 * min(times))
