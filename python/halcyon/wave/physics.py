"""Physics sets by name, and what a source step costs."""

import time

import numpy as np

from halcyon._core import wave as _wave
from halcyon._core.wave import Physics, SpectralGrid, jonswap, wavenumbers


def make_physics(name: str, grid: SpectralGrid, **options: bool | float | str) -> Physics:
    """The physics set `name` ("wam3") with its options; physics_options(name) lists them.

    Raises ConfigError for unknown names and options, and for values out of range.
    """
    values = {key: float(value) if type(value) is int else value for key, value in options.items()}
    return _wave.make_physics(name, grid, values)


def source_cost(name: str = "wam3", *, cells: int = 200, repetitions: int = 10) -> float:
    """CPU time of a source step [ns per cell and bin], the least of `repetitions`.

    The spectra are JONSWAP seas of several peaks and directions with 35 frequencies and 36 directions, over
    depths from 20 to 4000 m, under winds of 3 to 30 m/s.
    """
    grid = SpectralGrid(frequencies=35, first_frequency=0.0345, ratio=1.1, directions=36)
    random = np.random.default_rng(1)
    start = np.stack([_random_sea(grid, random) for _ in range(cells)])
    depth = random.choice([20, 50, 200, 4000], cells).astype(np.float32)
    wind = random.uniform(3, 30, cells).astype(np.float32), random.uniform(-10, 10, cells).astype(np.float32)
    physics, wavenumber = make_physics(name, grid), wavenumbers(grid, depth)
    least = np.inf
    for _ in range(repetitions):
        action = start.copy()
        before = time.process_time_ns()
        physics.step(action, depth, wavenumber, *wind, 600)
        least = min(least, time.process_time_ns() - before)
    return least / start.size


def _random_sea(grid: SpectralGrid, random: np.random.Generator) -> np.ndarray:
    return jonswap(
        grid,
        peak_frequency=random.uniform(0.07, 0.2),
        alpha=0.012,
        gamma=random.uniform(1, 4),
        direction=random.uniform(0, 2 * np.pi),
    )
