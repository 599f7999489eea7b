"""Work that takes turns, and what it costs."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from halcyon._core.bench import Stencil, StructuredStencil
    from halcyon.mesh import Mesh

LEAST_S = 0.01  # of what is measured at a time
GUESSED_S = 1e-7, 5e-9  # of a step: a cell, and a cell and level


def by_turns(work: Mapping[str, Callable[[], object]], repetitions: int) -> dict[str, float]:
    """Medians of the CPU time [s] of each function; the first turn, in cold memory, does not count."""
    taken: dict[str, list[float]] = {name: [] for name in work}
    for turn in range(repetitions + 1):
        for name, function in work.items():
            before = time.process_time()
            function()
            if turn > 0:
                taken[name].append(time.process_time() - before)
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


def step_cost(
    stencils: Mapping[str, tuple[Stencil | StructuredStencil, bool]],
    mesh: Mesh,
    n_levels: int,
    repetitions: int,
) -> dict[str, float]:
    """CPU time [ns a computed cell and level] of a step of each of some stencils on the cells and edges of a
    mesh; beside each, whether its fields have levels innermost. Medians of so many turns."""
    generator = np.random.default_rng(1)
    shapes = {True: lambda n: (n, n_levels), False: lambda n: (n_levels, n)}
    fields = {
        inner: (generator.normal(size=shape(mesh.n_edges)), *map(np.zeros, map(shape, _sizes(mesh))))
        for inner, shape in shapes.items()
        if any(inner == each for _, each in stencils.values())
    }
    cell_levels = n_levels * next(iter(stencils.values()))[0].n_cells
    guess = GUESSED_S[0] * cell_levels / n_levels + GUESSED_S[1] * cell_levels
    times = max(1, round(LEAST_S / guess))
    work = {
        name: lambda stencil=stencil, inner=inner: stencil.step(
            *fields[inner], levels_innermost=inner, times=times
        )
        for name, (stencil, inner) in stencils.items()
    }
    return {name: 1e9 * s / (times * cell_levels) for name, s in by_turns(work, repetitions).items()}


def _sizes(mesh: Mesh) -> tuple[int, int]:
    """Of a divergence and of a tendency."""
    return mesh.n_cells, mesh.n_edges
