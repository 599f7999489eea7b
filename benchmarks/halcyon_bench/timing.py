"""Timing of interleaved work, in this process or on the ranks of a job."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from halcyon.base import RunError

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon._core.bench import Stencil, StructuredStencil
    from halcyon.mesh import Mesh

MIN_TIMED_S = 0.01  # minimum duration of one measurement
ESTIMATED_STEP_S = 1e-7, 5e-9  # of a step of the stencil: per cell, and per cell and level
US = 1e6
KIB = 1024

Name = TypeVar("Name")
Work = Callable[[], object]


def interleaved(
    works: Mapping[Name, Any], repetitions: int, measured: Callable[[Any], Any]
) -> dict[Name, list[Any]]:
    """Measurements of each entry of `works`, interleaved; the first turn, with cold caches, is not
    counted."""
    taken: dict[Name, list[Any]] = {name: [] for name in works}
    for turn in range(repetitions + 1):
        for name, work in works.items():
            found = measured(work)
            if turn > 0:
                taken[name].append(found)
    return taken


def cpu_s(work: Work) -> float:
    """CPU time of a call in this process [s]."""
    before = time.process_time()
    work()
    return time.process_time() - before


def median_cpu_s(works: Mapping[Name, Work], repetitions: int) -> dict[Name, float]:
    """Median CPU time [s] of each function, interleaved."""
    return {name: statistics.median(each) for name, each in interleaved(works, repetitions, cpu_s).items()}


def wall_us(comm: MPI.Comm, work: Work) -> float:
    """Collective. Wall time of a call on this rank [us], after a barrier."""
    comm.Barrier()
    begin = time.perf_counter()
    work()
    return (time.perf_counter() - begin) * US


def interleaved_wall_us(comm: MPI.Comm, ways: Mapping[str, Work], repetitions: int) -> dict[str, np.ndarray]:
    """Collective. Wall times of each function on this rank [us], interleaved, by turn."""
    taken = interleaved(ways, repetitions, lambda way: wall_us(comm, way))
    return {name: np.array(each) for name, each in taken.items()}


def rank_statistics(comm: MPI.Comm, mine_us: np.ndarray) -> dict[str, float]:
    """Collective. `best`: minimum over turns of the slowest rank; `max` and `mean`: medians over turns of the
    slowest rank and of the mean over ranks."""
    from mpi4py import MPI

    most, mean = np.empty_like(mine_us), np.empty_like(mine_us)
    comm.Allreduce(mine_us, most, op=MPI.MAX)
    comm.Allreduce(mine_us, mean, op=MPI.SUM)
    return {
        "best": float(most.min()),
        "max": float(np.median(most)),
        "mean": float(np.median(mean / comm.size)),
    }


def rank_means(
    comm: MPI.Comm,
    names: Sequence[str],
    taken: Mapping[str, Sequence[Sequence[float]]],
    over_turns: Callable[[np.ndarray], np.ndarray],
) -> dict[str, dict[str, float]]:
    """Collective. Means over ranks of the parts of each variant by name; `over_turns` reduces (turn,
    part)."""
    means = {way: comm.allreduce(over_turns(np.array(turns))) / comm.size for way, turns in taken.items()}
    return {way: dict(zip(names, mean.tolist(), strict=True)) for way, mean in means.items()}


def table_of_jobs(
    heading: str, columns: Sequence[str], found: Mapping[str, Any], cells: Callable[[Any, str], Sequence[str]]
) -> str:
    """Table with one line per job and variant; `cells` returns the columns of a variant."""
    width = 2 + max(len(f"{job}, {way}") for job, ways in found.items() for way in ways)
    lines = [f"{heading:<{width}}" + "".join(f"{column:>13}" for column in columns)]
    for job, ways in found.items():
        for way in ways:
            lines.append(f"{f'{job}, {way}':<{width}}" + "".join(f"{cell:>13}" for cell in cells(ways, way)))
    return "\n".join(lines)


class Clock:
    """Wall time of named parts of a program [s]; with a communicator, of the slowest rank."""

    def __init__(self, comm: MPI.Comm | None = None) -> None:
        self._comm = comm
        self.seconds: dict[str, float] = {}

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Collective, if there is a communicator."""
        if self._comm is not None:
            self._comm.Barrier()
        began = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - began
        if self._comm is not None:
            from mpi4py import MPI

            self.seconds[name] = self._comm.allreduce(self.seconds[name], op=MPI.MAX)


def memory(name: str) -> int:
    """Memory of this process [bytes]: VmRSS now, VmHWM at its peak."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * KIB
    raise RunError(f"/proc/self/status has no {name}: memory can be measured on Linux only.")


def step_cost(
    stencils: Mapping[str, tuple[Stencil | StructuredStencil, bool]],
    mesh: Mesh,
    n_levels: int,
    repetitions: int,
) -> dict[str, float]:
    """CPU time [ns per computed cell and level] of a step of each stencil on a mesh; the flag is whether its
    fields have levels innermost. Medians of interleaved repetitions."""
    generator = np.random.default_rng(1)
    shapes = {True: lambda n: (n, n_levels), False: lambda n: (n_levels, n)}
    fields = {
        inner: (generator.normal(size=shape(mesh.n_edges)), *map(np.zeros, map(shape, _sizes(mesh))))
        for inner, shape in shapes.items()
        if any(inner == each for _, each in stencils.values())
    }
    cell_levels = n_levels * next(iter(stencils.values()))[0].n_cells
    estimate_s = ESTIMATED_STEP_S[0] * cell_levels / n_levels + ESTIMATED_STEP_S[1] * cell_levels
    times = max(1, round(MIN_TIMED_S / estimate_s))
    work = {
        name: lambda stencil=stencil, inner=inner: stencil.step(
            *fields[inner], levels_innermost=inner, times=times
        )
        for name, (stencil, inner) in stencils.items()
    }
    return {name: 1e9 * s / (times * cell_levels) for name, s in median_cpu_s(work, repetitions).items()}


def _sizes(mesh: Mesh) -> tuple[int, int]:
    """Number of items of a divergence and of a tendency."""
    return mesh.n_cells, mesh.n_edges
