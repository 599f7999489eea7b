"""Times that ranks took, as those of a job."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mpi4py import MPI

US = 1e6


def times_us(
    comm: MPI.Comm, ways: Mapping[str, Callable[[], object]], repetitions: int
) -> dict[str, np.ndarray]:
    """Collective. What each way took this rank [us], turn by turn, from a barrier on. The ways take turns;
    the first one, in cold memory, does not count."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(repetitions + 1):
        for name, way in ways.items():
            comm.Barrier()
            begin = time.perf_counter()
            way()
            if turn > 0:
                taken[name].append((time.perf_counter() - begin) * US)
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
