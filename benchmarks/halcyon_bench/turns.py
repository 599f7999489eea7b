"""Work that takes turns, and what it costs: on this process, or on the ranks of a job."""

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

LEAST_S = 0.01  # of what is measured at a time
GUESSED_S = 1e-7, 5e-9  # of a step: a cell, and a cell and level
US = 1e6
KIB = 1024

Name = TypeVar("Name")
Work = Callable[[], object]


def in_turns(
    works: Mapping[Name, Any], repetitions: int, measured: Callable[[Any], Any]
) -> dict[Name, list[Any]]:
    """What a function measures of each work, turn by turn; the first turn, in cold memory, does not count."""
    taken: dict[Name, list[Any]] = {name: [] for name in works}
    for turn in range(repetitions + 1):
        for name, work in works.items():
            found = measured(work)
            if turn > 0:
                taken[name].append(found)
    return taken


def cpu_s(work: Work) -> float:
    """CPU time of a work on this process [s]."""
    before = time.process_time()
    work()
    return time.process_time() - before


def by_turns(works: Mapping[Name, Work], repetitions: int) -> dict[Name, float]:
    """Medians of the CPU time [s] of each work."""
    return {name: statistics.median(each) for name, each in in_turns(works, repetitions, cpu_s).items()}


def wall_us(comm: MPI.Comm, work: Work) -> float:
    """Collective. What a work takes this rank [us], from a barrier on."""
    comm.Barrier()
    begin = time.perf_counter()
    work()
    return (time.perf_counter() - begin) * US


def times_us(comm: MPI.Comm, ways: Mapping[str, Work], repetitions: int) -> dict[str, np.ndarray]:
    """Collective. What each way took this rank [us], turn by turn."""
    taken = in_turns(ways, repetitions, lambda way: wall_us(comm, way))
    return {name: np.array(each) for name, each in taken.items()}


def over_ranks(comm: MPI.Comm, mine_us: np.ndarray) -> dict[str, float]:
    """Collective. `best` of all turns by the slowest rank; medians over turns of the slowest rank (`max`)
    and of the mean of ranks (`mean`)."""
    from mpi4py import MPI

    most, mean = np.empty_like(mine_us), np.empty_like(mine_us)
    comm.Allreduce(mine_us, most, op=MPI.MAX)
    comm.Allreduce(mine_us, mean, op=MPI.SUM)
    return {
        "best": float(most.min()),
        "max": float(np.median(most)),
        "mean": float(np.median(mean / comm.size)),
    }


def parts_of(
    comm: MPI.Comm,
    names: Sequence[str],
    taken: Mapping[str, Sequence[Sequence[float]]],
    over_turns: Callable[[np.ndarray], np.ndarray],
) -> dict[str, dict[str, float]]:
    """Collective. The parts of each way by name, over its turns (turn, part), in the mean over ranks."""
    means = {way: comm.allreduce(over_turns(np.array(turns))) / comm.size for way, turns in taken.items()}
    return {way: dict(zip(names, mean.tolist(), strict=True)) for way, mean in means.items()}


def table_of_jobs(
    what: str, columns: Sequence[str], found: Mapping[str, Any], cells: Callable[[Any, str], Sequence[str]]
) -> str:
    """A line a job and way, as text: `cells` gives those of a way of a job's ways."""
    width = 2 + max(len(f"{job}, {way}") for job, ways in found.items() for way in ways)
    lines = [f"{what:<{width}}" + "".join(f"{column:>13}" for column in columns)]
    for job, ways in found.items():
        for way in ways:
            lines.append(f"{f'{job}, {way}':<{width}}" + "".join(f"{cell:>13}" for cell in cells(ways, way)))
    return "\n".join(lines)


class Clock:
    """Wall time of parts of a work [s] by their names; of ranks that of the slowest."""

    def __init__(self, comm: MPI.Comm | None = None) -> None:
        self._comm = comm
        self.seconds: dict[str, float] = {}

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Collective, where there are ranks."""
        if self._comm is not None:
            self._comm.Barrier()
        began = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - began
        if self._comm is not None:
            from mpi4py import MPI

            self.seconds[name] = self._comm.allreduce(self.seconds[name], op=MPI.MAX)


def memory(name: str) -> int:
    """Memory of this process [bytes]: VmRSS now, VmHWM at most, not of the program before it."""
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
