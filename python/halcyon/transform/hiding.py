"""How much of what transforms exchange hides behind their work, from trials."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from halcyon.schedule import ceiling, hidden
from halcyon.transform.tuning import Choice

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.schedule import Stages

__all__ = ["TRIALS", "Hiding", "Taken", "Times", "Trials", "hiding", "trials", "weighed"]

TRIALS = 5  # whose mean counts, as in the paper on YHGSM
LEAST_S = 1e-9  # of what is divided by


class Times(Protocol):
    """What transforms took of a rank [s], and what they sent: `halcyon.spectral.Model.transforms`."""

    fourier_s: float
    legendre_s: float
    exchange_s: float
    sent_bytes: int


class Taken(NamedTuple):
    """`Times` of a transform, or of a call of it. On a plane these are of rows and of columns."""

    fourier_s: float
    legendre_s: float
    exchange_s: float
    sent_bytes: int

    def since(self, before: Taken) -> Taken:
        """What came to it."""
        return Taken(*(now - then for now, then in zip(self, before, strict=True)))


@dataclass(frozen=True)
class Hiding:
    """Of transforms to the grid and back, wall times of the slowest rank [s]: `work_s` alone, `blocking_s` in
    one group without progress, `pipelined_s` as ranks exchange; `ceiling`: the share that a network which
    moves messages by itself would hide; `spread_s`: the standard deviation of the trials of `blocking_s`.
    Means over the ranks: `blocking_calls_s` and `calls_s` in starts and waits [s], in one group without
    progress and as ranks exchange."""

    work_s: float
    blocking_s: float
    pipelined_s: float
    ceiling: float
    spread_s: float = 0.0
    blocking_calls_s: float = 0.0
    calls_s: float = 0.0

    @property
    def hidden(self) -> float | None:
        """By wall clock, 1 - (T_pipe - T_comp) / (T_block - T_comp); None where too little is exposed to
        tell."""
        return hidden(self.work_s, self.blocking_s, self.pipelined_s, self.spread_s)

    @property
    def chr(self) -> float:
        """The communication-hiding ratio as the paper on YHGSM measures it: 1 - (initiation + completion
        time) / blocking communication time."""
        return 1 - self.calls_s / max(self.blocking_calls_s, LEAST_S)

    @property
    def efficiency(self) -> float:
        """The share of work in the time of the pipeline."""
        return self.work_s / self.pipelined_s

    def figures(self) -> dict[str, float | None]:
        """All of it, as run.json holds it."""
        shares = {"hidden": self.hidden, "chr": self.chr, "efficiency": self.efficiency}
        found = asdict(self) | shares
        return {name: None if value is None else round(value, 6) for name, value in found.items()}

    def __str__(self) -> str:
        """In a line, as at the end of a run."""
        work, blocking, pipelined = (1e3 * each for each in (self.work_s, self.blocking_s, self.pipelined_s))
        share = "too little to tell what is" if self.hidden is None else f"{100 * self.hidden:.0f} %"
        return (
            f"{work:.2f} ms of work, {blocking:.2f} in one group, {pipelined:.2f} as"
            f" exchanged: by wall clock {share} hidden of {100 * self.ceiling:.0f} % that could be,"
            f" efficiency {100 * self.efficiency:.0f} %"
        )


@dataclass(frozen=True)
class Trials:
    """Means of trials of transforms [s]: `wall_s` of the slowest rank, `work_s` of the one that works
    longest; `parts_s` of the ranks' mean, (to the grid, back) by (Fourier, Legendre, exchange). Of this rank
    and all trials `exchange_s` and `sent_bytes`. `spread_s`: the standard deviation of `wall_s`."""

    wall_s: float
    work_s: float
    parts_s: np.ndarray
    exchange_s: float
    sent_bytes: int
    spread_s: float = 0.0


# Does transforms to the grid and back, and tells what either way took.
Rehearsal = Callable[[], tuple[Times, Times]]


def weighed(
    comm: MPI.Comm,
    sets: tuple[int, int],
    how: Choice,
    communicate: Callable[[Choice], Any],
    rehearse: Rehearsal,
    sent: Sequence[float],
) -> Hiding:
    """Collective. What hides as ranks exchange by `how`, which they do afterwards.

    @param sent of coefficients, of panels and of points, what one field has of each: by these what the
        exchange takes is dealt to the transpositions"""
    v_set = comm.Split(comm.rank // sets[1], comm.rank)
    alone = Choice(1, 1, how.method, how.algorithm, "none")
    communicate(alone)
    blocking = trials(comm, v_set, rehearse)
    communicate(how)
    pipelined = blocking if how == alone else trials(comm, v_set, rehearse)
    v_set.Free()
    return hiding(how.groups, sent, blocking, pipelined)


def hiding(groups: int, sent: Sequence[float], blocking: Trials, pipelined: Trials) -> Hiding:
    """Of what was measured in one group without progress and as ranks exchange, in so many groups; `sent` as
    in `weighed`."""
    shares = np.array(sent) / sum(sent)
    ways = [_stages(shares, way, *parts) for way, parts in enumerate(blocking.parts_s)]
    exchange_s = blocking.parts_s[:, 2]
    hidden_s = sum(s * ceiling(groups, stages) for s, stages in zip(exchange_s, ways, strict=True))
    return Hiding(
        blocking.work_s,
        blocking.wall_s,
        pipelined.wall_s,
        max(0.0, float(hidden_s / max(exchange_s.sum(), LEAST_S))),
        blocking.spread_s,
        float(exchange_s.sum()),
        float(pipelined.parts_s[:, 2].sum()),
    )


def trials(comm: MPI.Comm, v_set: MPI.Comm, rehearse: Rehearsal) -> Trials:
    """Collective. From a barrier of the V set each; the first one, which makes the exchanges, does not
    count."""
    rehearse()
    taken: list[tuple[Times, Times]] = []
    walls_s = [seconds(v_set, lambda: taken.append(rehearse())) for _ in range(TRIALS)]
    exchange_s = [sum(way.exchange_s for way in ways) for ways in taken]
    works_s = np.subtract(walls_s, exchange_s)
    parts = [[[way.fourier_s, way.legendre_s, way.exchange_s] for way in ways] for ways in taken]
    by_trial = np.max(comm.allgather([walls_s, works_s.tolist()]), axis=0)
    slowest = by_trial.mean(axis=1)
    return Trials(
        wall_s=float(slowest[0]),
        work_s=float(slowest[1]),
        parts_s=comm.allreduce(np.mean(parts, axis=0)) / comm.size,
        exchange_s=sum(exchange_s),
        sent_bytes=sum(way.sent_bytes for ways in taken for way in ways),
        spread_s=float(by_trial[0].std()),
    )


def seconds(comm: MPI.Comm, work: Callable[[], Any]) -> float:
    """Collective. From a barrier on."""
    comm.Barrier()
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _stages(shares: np.ndarray, way: int, fourier_s: float, legendre_s: float, exchange_s: float) -> Stages:
    """Of the way to the grid (0) and back."""
    columns, panels, points = exchange_s * shares
    if way == 0:
        return [(columns, legendre_s), (panels, fourier_s), (points, 0.0)]
    return [(points, fourier_s), (panels, legendre_s), (columns, 0.0)]
