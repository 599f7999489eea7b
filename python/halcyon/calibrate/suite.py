"""What `halcyon calibrate` measures: where ranks stand on the machine, probes, and schedules timed by MPI."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from halcyon._core.comm import CommonClock, Rehearsal
from halcyon._core.schedule import message_list
from halcyon.base import ConfigError

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.schedule import Schedule

Message = tuple[int, int, int, int]  # round, source, target, bytes

SIZES = (8, 1024, 8192, 2**15, 2**17, 2**20)
TRIPS, LONG_TRIPS = 8, 2  # there and back, of messages up to SHORT and above
SHORT = 8192
BURSTS = (1, 4, 16)
SMALL, LARGE = 8, 2**18
CROWD = 4  # nodes at most
WARM_UPS = 3
LEAST_RUNS, MOST_RUNS = 5, 200  # in a pass
PASSES = 3


@dataclass(frozen=True)
class Layout:
    """The node (rank) of each rank, numbered from zero in the order of their first ranks."""

    nodes: tuple[int, ...]

    @property
    def n_nodes(self) -> int:
        return max(self.nodes) + 1

    @property
    def ranks_per_node(self) -> int:
        """Of the node that has most."""
        return int(np.bincount(self.nodes).max())

    def pairs(self, *, within: bool) -> list[tuple[int, int]]:
        """As many pairs of ranks as there are, each rank in one at most, on one node or on two."""
        free = list(range(len(self.nodes)))
        found = []
        while free:
            first = free.pop(0)
            others = [rank for rank in free if (self.nodes[rank] == self.nodes[first]) == within]
            if others:
                second = others[0] if within else others[len(others) // 2]
                free.remove(second)
                found.append((first, second))
        return found


@dataclass(frozen=True)
class Probe:
    """Messages that are timed; the time is that of one of so many equal parts of them."""

    name: str
    messages: Sequence[Message]
    parts: int = 1


def layout(comm: MPI.Comm) -> Layout:
    """Collective. Which ranks share memory, and so a node."""
    from mpi4py import MPI

    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    first = comm.allgather(node.bcast(comm.rank))
    node.Free()
    order = list(dict.fromkeys(first))
    return Layout(tuple(order.index(each) for each in first))


def require_ranks(comm: MPI.Comm) -> None:
    """Raises ConfigError where there is nobody to send to."""
    if comm.size < 2:
        raise ConfigError(
            "calibrate needs at least 2 ranks, one to send and one to receive, but there is 1. Give -n 2, or "
            "start more under mpirun or srun; a network is measured from 2 nodes on."
        )


def probes(where: Layout) -> Iterator[Probe]:
    """Ping-pong, bursts of small messages and of large ones, between one pair of ranks and between as many as
    there are: within a node and between nodes; and all ranks with all."""
    for within, place in ((True, "in a node"), (False, "between nodes")):
        pairs = where.pairs(within=within)
        for chosen, who in ((pairs[:1], "a pair"), (pairs, "all pairs")):
            if chosen and (who == "a pair" or len(pairs) > 1):
                yield from _between(chosen, f"{place}, {who}")
    yield from _among_all(len(where.nodes))
    if where.n_nodes >= 3:
        yield _crowd([where.nodes.index(node) for node in range(min(where.n_nodes, CROWD))])


def _between(pairs: Sequence[tuple[int, int]], where: str) -> Iterator[Probe]:
    both = [*pairs, *(pair[::-1] for pair in pairs)]
    for size in SIZES:
        n_trips = TRIPS if size <= SHORT else LONG_TRIPS
        trips = [
            (2 * trip + back, *(pair[::-1] if back else pair), size)
            for trip in range(n_trips)
            for pair in pairs
            for back in (0, 1)
        ]
        yield Probe(f"{where}: a message of {size} B", trips, 2 * n_trips)
    for size in (SMALL, LARGE):
        for count in BURSTS if size == SMALL else BURSTS[:2]:
            for ends, ways in ((pairs, "one way"), (both, "both ways")):
                burst = [(0, *pair, size) for pair in ends for _ in range(count)]
                yield Probe(f"{where}: {count} of {size} B {ways}", burst)


def _among_all(n: int) -> Iterator[Probe]:
    for size in (SMALL, 8192, 2**16):
        messages = [
            (apart - 1, source, (source + apart) % n, size) for source in range(n) for apart in range(1, n)
        ]
        yield Probe(f"all: {size} B from each to each, in turn", messages)
        at_once = [(0, *rest) for _, *rest in messages]
        yield Probe(f"all: {size} B from each to each, at once", at_once)


def _crowd(ranks: Sequence[int]) -> Probe:
    """All send to the same one first, then to the same second: so it matters whether a NIC sends one message
    after the other, all to one crowded receiver, or lets them take turns."""
    messages = [(0, source, target, LARGE) for source in ranks for target in ranks if target != source]
    return Probe(f"between {len(ranks)} nodes: {LARGE} B from each to each, lowest first", messages)


def measured(comm: MPI.Comm, probes: Sequence[Probe], *, budget_s: float) -> Iterator[Timing]:
    """Collective. What each probe takes on this machine."""
    schedules = [message_list(comm.size, probe.messages) for probe in probes]
    for probe, times in zip(probes, timed(comm, schedules, budget_s=budget_s), strict=True):
        yield Timing.of(times, probe.parts)


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
