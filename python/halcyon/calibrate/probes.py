"""Schedules that are timed by MPI, and what their times are like."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from halcyon._core.comm import CommonClock, Rehearsal

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.schedule import Schedule

WARM_UPS = 3
LEAST_RUNS, MOST_RUNS = 5, 200  # in a pass
PASSES = 3


@dataclass(frozen=True)
class Timing:
    """Wall times [s] of so many runs, each by its slowest rank: median and quartiles. The lower quartile is
    what is fitted and compared, since whatever else a machine does only adds to a time."""

    median: float
    lower: float
    upper: float
    runs: int

    @classmethod
    def of(cls, seconds: Sequence[float], parts: int = 1) -> Timing:
        """Of one of so many equal parts of each run."""
        values = [each / parts for each in seconds]
        lower, _, upper = statistics.quantiles(values, n=4)
        return cls(statistics.median(values), lower, upper, len(values))


def timed(comm: MPI.Comm, schedules: Sequence[Schedule], *, budget_s: float) -> Iterator[list[float]]:
    """Collective. Of each schedule the wall times [s] of runs by MPI, each by its slowest rank: as many as
    fit into a budget, within bounds. All are run in several passes, so that what disturbs the machine for a
    moment does not meet all runs of one schedule."""
    from halcyon.comm import communicator

    clock = CommonClock(communicator(comm))
    rows: list[list[float]] = [[] for _ in schedules]
    for passing in range(PASSES):
        for schedule, row in zip(schedules, rows, strict=True):
            row += _timed(comm, clock, schedule, budget_s / PASSES)
            if passing == PASSES - 1:
                yield row


def _timed(comm: MPI.Comm, clock: CommonClock, schedule: Schedule, budget_s: float) -> list[float]:
    from mpi4py import MPI

    from halcyon.comm import communicator

    rehearsal = Rehearsal(communicator(comm), clock, schedule)
    begin = time.perf_counter()
    rehearsal.times_s(WARM_UPS)
    run_s = comm.allreduce((time.perf_counter() - begin) / WARM_UPS, op=MPI.MAX)
    runs = int(np.clip(budget_s / run_s, LEAST_RUNS, MOST_RUNS))
    mine = np.array(rehearsal.times_s(runs))
    slowest = np.empty_like(mine)
    comm.Allreduce(mine, slowest, op=MPI.MAX)
    return slowest.tolist()
