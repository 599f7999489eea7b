"""Messages between ranks, timed: what a machine file is made from. All of them are schedules."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon._core.schedule import Schedule

WARM_UPS = 3
LEAST_RUNS, MOST_RUNS = 9, 200

Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Timing:
    """Wall times [s] of runs of a schedule, each by its slowest rank."""

    median: float
    lower: float
    upper: float
    runs: int

    @classmethod
    def of(cls, seconds: Sequence[float], parts: int = 1) -> Timing:
        """Of times that each hold so many equal parts: median and quartiles of a part."""
        values = [each / parts for each in seconds]
        lower, _, upper = statistics.quantiles(values, n=4)
        return cls(statistics.median(values), lower, upper, len(values))


def timed(comm: MPI.Comm, schedule: Schedule, *, budget_s: float, method: str = "isend_irecv") -> list[float]:
    """Collective. Wall times [s] of runs of a schedule by MPI, each by its slowest rank, as many as fit into
    a budget. Ranks that have no part in it sleep."""
    from mpi4py import MPI

    from halcyon._core.comm import Rehearsal
    from halcyon.comm import communicator

    rehearsal = Rehearsal(communicator(comm), schedule, method)
    warm_s = comm.allreduce(max(rehearsal.times_s(WARM_UPS)), op=MPI.MAX)
    runs = int(np.clip(budget_s / max(warm_s, 1e-9), LEAST_RUNS, MOST_RUNS))
    mine = np.array(rehearsal.times_s(runs))
    slowest = np.empty_like(mine)
    comm.Allreduce(mine, slowest, op=MPI.MAX)
    return slowest.tolist()


def ping_pong(comm: MPI.Comm, pairs: Pairs, size: int, *, trips: int, budget_s: float) -> Timing:
    """Collective. The way of a message of `size` bytes from one rank of each pair to the other, all pairs at
    once: half of a round trip, the mean of so many trips a run."""
    rounds = [
        (2 * trip + back, *(pair[::-1] if back else pair), size)
        for trip in range(trips)
        for pair in pairs
        for back in (0, 1)
    ]
    return Timing.of(_timed(comm, rounds, budget_s), 2 * trips)


def burst(
    comm: MPI.Comm, pairs: Iterable[tuple[int, int]], size: int, *, count: int, budget_s: float
) -> Timing:
    """Collective. `count` messages of `size` bytes from the first to the second rank of each pair, all under
    way at once. Give a pair both ways round for both directions."""
    messages = [(0, *pair, size) for pair in pairs for _ in range(count)]
    return Timing.of(_timed(comm, messages, budget_s))


def _timed(comm: MPI.Comm, messages: Sequence[tuple[int, int, int, int]], budget_s: float) -> list[float]:
    from halcyon._core.schedule import MessageList

    return timed(comm, MessageList(comm.size, messages), budget_s=budget_s)
