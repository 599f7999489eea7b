"""Measurements of `halcyon calibrate`: layout of the ranks, probes, and timing of schedules."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from halcyon._core.comm import SynchronizedClock, TimedExecution
from halcyon._core.schedule import message_list
from halcyon.base import ConfigError

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.schedule import Schedule

Message = tuple[int, int, int, int]  # round, source, target, bytes

SIZES = (8, 1024, 8192, 2**15, 2**17, 2**20)  # messages of ping-pongs [B]
TRIPS, LONG_TRIPS = 8, 2  # round trips of messages up to SHORT, and of longer messages
SHORT = 8192  # [B]
BURSTS = (1, 4, 16)  # numbers of messages sent at once; the largest only for SMALL messages
SMALL, LARGE = 8, 2**18  # messages of bursts [B]
INCAST_NODES = 4  # maximum number of nodes in the incast probe
WARM_UPS = (3, 1, 1)  # runs of each pass that are not timed
MIN_RUNS, MAX_RUNS = 5, 200  # timed runs per pass
PASSES = len(WARM_UPS)


@dataclass(frozen=True)
class Layout:
    """The node of each rank. Nodes are numbered from zero in the order of their first ranks."""

    nodes: tuple[int, ...]

    @property
    def n_nodes(self) -> int:
        return max(self.nodes) + 1

    @property
    def ranks_per_node(self) -> int:
        """Number of ranks on the fullest node."""
        return int(np.bincount(self.nodes).max())

    def pairs(self, *, within: bool) -> list[tuple[int, int]]:
        """Disjoint pairs of ranks, within nodes or between nodes: for each rank in ascending order, a partner
        that has none yet, if there is one."""
        remaining = list(range(len(self.nodes)))
        pairs = []
        while remaining:
            rank = remaining.pop(0)
            candidates = [other for other in remaining if (self.nodes[other] == self.nodes[rank]) == within]
            if candidates:
                partner = candidates[0] if within else candidates[len(candidates) // 2]
                remaining.remove(partner)
                pairs.append((rank, partner))
        return pairs


@dataclass(frozen=True)
class Probe:
    """A set of messages that is timed. The measured time is divided by the number of equal parts, such as the
    one-way messages of a ping-pong."""

    name: str
    messages: Sequence[Message]
    parts: int = 1


def rank_layout(comm: MPI.Comm) -> Layout:
    """Collective. The layout of the ranks: ranks that share memory are on the same node."""
    from mpi4py import MPI

    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    first_ranks = comm.allgather(node.bcast(comm.rank))  # (rank) first rank on the same node
    node.Free()
    order = list(dict.fromkeys(first_ranks))
    return Layout(tuple(order.index(first_rank) for first_rank in first_ranks))


def require_ranks(comm: MPI.Comm) -> None:
    """Raises ConfigError for a single rank."""
    if comm.size < 2:
        raise ConfigError(
            "calibrate needs at least 2 ranks, one to send and one to receive, but there is 1. Give -n "
            "2, or start more ranks under mpirun or srun; measuring a network requires 2 or more nodes."
        )


def probes(layout: Layout) -> Iterator[Probe]:
    """Ping-pongs, bursts of small and of large messages, between one pair of ranks and between all pairs,
    within a node and between nodes; and all-to-alls of all ranks."""
    for within, place in ((True, "in a node"), (False, "between nodes")):
        pairs = layout.pairs(within=within)
        if pairs:
            yield from _pair_probes(pairs[:1], f"{place}, a pair")
        if len(pairs) > 1:
            yield from _pair_probes(pairs, f"{place}, all pairs")
    yield from _all_to_all_probes(len(layout.nodes))
    if layout.n_nodes >= 3:
        yield _incast([layout.nodes.index(node) for node in range(min(layout.n_nodes, INCAST_NODES))])


def _pair_probes(pairs: Sequence[tuple[int, int]], where: str) -> Iterator[Probe]:
    both_directions = [*pairs, *(pair[::-1] for pair in pairs)]
    for size in SIZES:
        n_trips = TRIPS if size <= SHORT else LONG_TRIPS
        trips = [
            (2 * trip + is_return, *(pair[::-1] if is_return else pair), size)
            for trip in range(n_trips)
            for pair in pairs
            for is_return in (0, 1)
        ]
        yield Probe(f"{where}: a message of {size} B", trips, 2 * n_trips)
    for size in (SMALL, LARGE):
        for count in BURSTS if size == SMALL else BURSTS[:-1]:
            for ordered_pairs, direction in ((pairs, "one way"), (both_directions, "both ways")):
                burst = [(0, *pair, size) for pair in ordered_pairs for _ in range(count)]
                yield Probe(f"{where}: {count} of {size} B {direction}", burst)


def _all_to_all_probes(n_ranks: int) -> Iterator[Probe]:
    for size in (SMALL, 8192, 2**16):
        messages = [
            (offset - 1, source, (source + offset) % n_ranks, size)
            for source in range(n_ranks)
            for offset in range(1, n_ranks)
        ]
        yield Probe(f"all: {size} B from each to each, in turn", messages)
        in_one_round = [(0, source, target, n_bytes) for _, source, target, n_bytes in messages]
        yield Probe(f"all: {size} B from each to each, at once", in_one_round)


def _incast(ranks: Sequence[int]) -> Probe:
    """Incast: in one round, all ranks send first to the first rank, then to the second rank, and so on, so
    that the time depends on whether a NIC sends messages one after the other or interleaves them."""
    messages = [(0, source, target, LARGE) for source in ranks for target in ranks if target != source]
    return Probe(f"between {len(ranks)} nodes: {LARGE} B from each to each, lowest first", messages)


def measure_probes(
    comm: MPI.Comm, probes: Sequence[Probe], *, budget_s: float, report: Callable[[str], None]
) -> Iterator[Timing]:
    """Collective. Measures each probe on this machine, and yields its timing. report: called on rank 0 with a
    line of progress after each pass over the probes."""
    schedules = [message_list(comm.size, probe.messages) for probe in probes]
    times = time_schedules(comm, schedules, budget_s=budget_s, report=report)
    for probe, of_probe in zip(probes, times, strict=True):
        yield Timing.of(of_probe, probe.parts)


@dataclass(frozen=True)
class Timing:
    """Median and quartiles of the wall times [s] of a number of runs, where the time of a run is that of its
    slowest rank. Simulations are fitted to, and compared with, the lower quartile, since disturbances only
    increase times."""

    median: float
    lower: float
    upper: float
    runs: int

    @classmethod
    def of(cls, seconds: Sequence[float], parts: int = 1) -> Timing:
        """The timing of one of `parts` equal parts of a run, from the times of runs."""
        values = [run_s / parts for run_s in seconds]
        lower, _, upper = statistics.quantiles(values, n=4)
        return cls(statistics.median(values), lower, upper, len(values))


def time_schedules(
    comm: MPI.Comm,
    schedules: Sequence[Schedule],
    *,
    budget_s: float,
    report: Callable[[str], None] = lambda _: None,
) -> Iterator[list[float]]:
    """Collective. Runs each schedule by MPI, as many times as fit into the budget, within bounds. Yields, for
    each schedule, the wall times [s] of its runs on the slowest rank. Each schedule is run in several passes
    over all schedules, so that a temporary disturbance does not affect all its runs. report: called on rank 0
    with a line of progress after each pass but the last."""
    from halcyon.comm import communicator

    clock = SynchronizedClock(communicator(comm))
    all_times: list[list[float]] = [[] for _ in schedules]
    begin = time.perf_counter()
    for i_pass, n_warm_ups in enumerate(WARM_UPS):
        for schedule, times in zip(schedules, all_times, strict=True):
            times += _time_schedule(comm, clock, schedule, n_warm_ups, budget_s / PASSES)
            if i_pass == PASSES - 1:
                yield times
        if comm.rank == 0 and i_pass < PASSES - 1:
            pass_s = (time.perf_counter() - begin) / (i_pass + 1)
            left_s = pass_s * (PASSES - 1 - i_pass)
            report(f"pass {i_pass + 1} of {PASSES} over {len(schedules)} measurements: {left_s:.0f} s left")


def _time_schedule(
    comm: MPI.Comm, clock: SynchronizedClock, schedule: Schedule, n_warm_ups: int, budget_s: float
) -> list[float]:
    from mpi4py import MPI

    from halcyon.comm import communicator

    execution = TimedExecution(communicator(comm), clock, schedule)
    begin = time.perf_counter()
    execution.times_s(n_warm_ups)
    run_s = comm.allreduce((time.perf_counter() - begin) / n_warm_ups, op=MPI.MAX)
    runs = int(np.clip(budget_s / run_s, MIN_RUNS, MAX_RUNS))
    rank_s = np.array(execution.times_s(runs))
    slowest_s = np.empty_like(rank_s)
    comm.Allreduce(rank_s, slowest_s, op=MPI.MAX)
    return slowest_s.tolist()
