"""How much of what transforms exchange hides behind their work, from trials."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.schedule import ceiling, hidden
from halcyon.transform.tuning import Choice

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon._core.transform import Times
    from halcyon.schedule import Stages

__all__ = ["TRIALS", "Hiding", "Rehearsal", "Trials", "cuts", "hiding", "trials", "weighed"]

TRIALS = 5  # whose mean counts, as in the paper on YHGSM
LEAST_S = 1e-9  # of what is divided by


@dataclass(frozen=True)
class Hiding:
    """Of transforms to the grid and back, wall times of the slowest rank [s]: `work_s` alone, `blocking_s`
    where ranks block, `pipelined_s` as they exchange; `ceiling`: the share that a network which moves
    messages by itself would hide; `spread_s`: the standard deviation of the trials of `blocking_s`. Means
    over the ranks: `blocking_calls_s` and `calls_s` in starts and waits [s], where they block and as they
    exchange.

    Ranks that block have all fields of a component in one group, which they wait for as soon as it has set
    out, whatever comes after it."""

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
            f"{work:.2f} ms of work, {blocking:.2f} blocking, {pipelined:.2f} as"
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
Rehearsal = Callable[[], "tuple[Times, Times]"]


# Of the calls of each way, to the grid and back: groups that travel, of all components, and fields of these.
Cuts = tuple[Sequence[tuple[int, int]], Sequence[tuple[int, int]]]


def weighed(
    comm: MPI.Comm,
    sets: tuple[int, int],
    how: Choice,
    communicate: Callable[[Choice], Any],
    rehearse: Rehearsal,
    core: Any,
) -> Hiding:
    """Collective. What hides as ranks exchange by `how`, which they do afterwards.

    @param core whose `calls` a rehearsal makes; by its `sent` what an exchange takes is dealt to the
        transpositions"""
    blocks = Choice(1, 0, how.method, how.algorithm, "none")
    v_set = comm.Split(comm.rank // sets[1], comm.rank)
    communicate(blocks)
    blocking = trials(comm, v_set, rehearse)
    cut = cuts(how, core.calls)
    communicate(how)
    one_group = all(groups == 1 for way in cut for groups, _ in way)
    is_same = how == blocks or (how.ahead > 0 and how.progress == "none" and one_group)
    pipelined = blocking if is_same else trials(comm, v_set, rehearse)
    v_set.Free()
    return hiding(cut, core.sent, blocking, pipelined)


def cuts(how: Choice, calls: Sequence[tuple[str, int, int, int]]) -> Cuts:
    """How they are cut; as in one group where none is ahead.

    @param calls way, components, fields, and the groups of each component that these can travel in"""
    ways: dict[str, list[tuple[int, int]]] = {"synthesis": [], "analysis": []}
    for way, components, fields, most in calls:
        groups = components * min(how.groups, most) if how.ahead > 0 else 1
        ways[way].append((groups, components * fields))
    return ways["synthesis"], ways["analysis"]


def hiding(cut: Cuts, sent: Sequence[float], blocking: Trials, pipelined: Trials) -> Hiding:
    """Of what was measured where ranks block and as they exchange. Of each way all calls have parts as their
    fields are.

    @param sent of coefficients, of panels and at points, what one field has of each"""
    shares = np.array(sent) / sum(sent)
    exchange_s = blocking.parts_s[:, 2]
    hidden_s = 0.0
    for way, calls in enumerate(cut):
        stages = _stages(shares, way, *blocking.parts_s[way])
        of_calls = [fields * ceiling(groups, stages) for groups, fields in calls]
        hidden_s += exchange_s[way] * sum(of_calls) / sum(fields for _, fields in calls)
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
