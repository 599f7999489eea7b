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
ESTIMATED_STEP_S = 1e-7, 5e-9  # time of a step of the stencil: per cell, and per cell and level
US = 1e6  # microseconds per second
KIB = 1024

Name = TypeVar("Name")
Work = Callable[[], object]


def interleaved(
    works: Mapping[Name, Any], repetitions: int, measured: Callable[[Any], Any]
) -> dict[Name, list[Any]]:
    """The results of `measured(work)` for all works in turns; the first turn, with cold caches, is
    dropped."""
    results: dict[Name, list[Any]] = {name: [] for name in works}
    for turn in range(repetitions + 1):
        for name, work in works.items():
            result = measured(work)
            if turn > 0:
                results[name].append(result)
    return results


def cpu_s(work: Work) -> float:
    """CPU time of a call in this process [s]."""
    before = time.process_time()
    work()
    return time.process_time() - before


def median_cpu_s(works: Mapping[Name, Work], repetitions: int) -> dict[Name, float]:
    """Median CPU time [s] of each function; the functions are called in turns."""
    return {name: statistics.median(times) for name, times in interleaved(works, repetitions, cpu_s).items()}


def wall_us(comm: MPI.Comm, work: Work) -> float:
    """Collective. Wall time of a call on this rank [us], after a barrier."""
    comm.Barrier()
    begin = time.perf_counter()
    work()
    return (time.perf_counter() - begin) * US


def interleaved_wall_us(comm: MPI.Comm, works: Mapping[str, Work], repetitions: int) -> dict[str, np.ndarray]:
    """Collective. Wall times [us] (turn) of each function on this rank; the functions are called in turns."""
    times = interleaved(works, repetitions, lambda work: wall_us(comm, work))
    return {name: np.array(turns) for name, turns in times.items()}


def rank_statistics(comm: MPI.Comm, rank_us: np.ndarray) -> dict[str, float]:
    """Collective. `best` is the minimum over turns of the time of the slowest rank; `max` and `mean` are
    medians over turns of the time of the slowest rank, and of the mean over ranks [us]."""
    from mpi4py import MPI

    slowest_us, mean = np.empty_like(rank_us), np.empty_like(rank_us)
    comm.Allreduce(rank_us, slowest_us, op=MPI.MAX)
    comm.Allreduce(rank_us, mean, op=MPI.SUM)
    return {
        "best": float(slowest_us.min()),
        "max": float(np.median(slowest_us)),
        "mean": float(np.median(mean / comm.size)),
    }


def rank_means(
    comm: MPI.Comm,
    names: Sequence[str],
    times: Mapping[str, Sequence[Sequence[float]]],
    over_turns: Callable[[np.ndarray], np.ndarray],
) -> dict[str, dict[str, float]]:
    """Collective. For each variant, the mean over ranks of the time of each named part. `times` has (turn,
    part) by variant; `over_turns` reduces it to (part)."""
    means = {name: comm.allreduce(over_turns(np.array(turns))) / comm.size for name, turns in times.items()}
    return {name: dict(zip(names, mean.tolist(), strict=True)) for name, mean in means.items()}


def table_of_jobs(
    heading: str, columns: Sequence[str], jobs: Mapping[str, Any], cells: Callable[[Any, str], Sequence[str]]
) -> str:
    """Table with one line per job and variant; `cells(results of the job, variant)` returns its columns."""
    width = 2 + max(len(f"{job}, {variant}") for job, variants in jobs.items() for variant in variants)
    lines = [f"{heading:<{width}}" + "".join(f"{column:>13}" for column in columns)]
    for job, variants in jobs.items():
        for variant in variants:
            texts = "".join(f"{text:>13}" for text in cells(variants, variant))
            lines.append(f"{f'{job}, {variant}':<{width}}" + texts)
    return "\n".join(lines)


class Clock:
    """Wall time of named parts of a program [s]; with a communicator, of the slowest rank."""

    def __init__(self, comm: MPI.Comm | None = None) -> None:
        self._comm = comm
        self.seconds: dict[str, float] = {}

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Times the `with` block as `seconds[name]`. Collective, if there is a communicator."""
        if self._comm is not None:
            self._comm.Barrier()
        began = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - began
        if self._comm is not None:
            from mpi4py import MPI

            self.seconds[name] = self._comm.allreduce(self.seconds[name], op=MPI.MAX)


def memory(name: str) -> int:
    """Memory of this process [bytes]; name: VmRSS (now) or VmHWM (peak)."""
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
    """CPU time [ns per computed cell and level] of a step of each stencil on a mesh: medians of interleaved
    repetitions. The flag of a stencil is whether levels are the innermost index of its fields."""
    generator = np.random.default_rng(1)
    shapes = {True: lambda n: (n, n_levels), False: lambda n: (n_levels, n)}
    fields = {
        inner: (generator.normal(size=shape(mesh.n_edges)), *map(np.zeros, map(shape, _sizes(mesh))))
        for inner, shape in shapes.items()
        if any(inner == stencil_inner for _, stencil_inner in stencils.values())
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
    """Numbers of items of the two results of a stencil: a divergence (cells) and a tendency (edges)."""
    return mesh.n_cells, mesh.n_edges
