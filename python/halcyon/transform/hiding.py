"""Measures how much of the exchange of transforms is hidden behind computation."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.schedule import hidden_share, max_hidden_share
from halcyon.transform.tuning import ExchangeSettings

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon._core.transform import Times
    from halcyon.schedule import Stages

__all__ = [
    "TRIALS",
    "Hiding",
    "RoundTrip",
    "Trials",
    "groups_per_call",
    "hiding_from_trials",
    "measure_hiding",
    "run_trials",
]

TRIALS = 5  # trials that are averaged
MIN_DIVISOR_S = 1e-9  # instead of an exchange time of 0 as divisor


@dataclass(frozen=True)
class Hiding:
    """How much of the exchange time of round trips (synthesis and analysis) is hidden behind computation.

    Wall times of the slowest rank [s]: `work_s` of the computation alone, `blocking_s` with blocking
    exchanges, `pipelined_s` with the current settings. `ceiling`: the share of the exchange that would be
    hidden if messages progressed without calls into MPI; `spread_s`: the standard deviation of the trials of
    `blocking_s`. Means over ranks of the time in starts and waits of exchanges [s]: `blocking_calls_s` with
    blocking exchanges, `calls_s` with the current settings.

    A blocking exchange has all fields of a component in one group, and waits immediately after its start."""

    work_s: float
    blocking_s: float
    pipelined_s: float
    ceiling: float
    spread_s: float = 0.0
    blocking_calls_s: float = 0.0
    calls_s: float = 0.0

    @property
    def hidden(self) -> float | None:
        """Hidden share by wall clock, 1 - (T_pipe - T_comp) / (T_block - T_comp); None if the blocking
        exchange is too short to measure."""
        return hidden_share(self.work_s, self.blocking_s, self.pipelined_s, self.spread_s)

    @property
    def chr(self) -> float:
        """The communication-hiding ratio of the paper on the YHGSM model: 1 - `calls_s` /
        `blocking_calls_s`."""
        return 1 - self.calls_s / max(self.blocking_calls_s, MIN_DIVISOR_S)

    @property
    def efficiency(self) -> float:
        """Ratio of computing time to pipelined time."""
        return self.work_s / self.pipelined_s

    def figures(self) -> dict[str, float | None]:
        """Returns all members and ratios by name, as in run.json."""
        ratios = {"hidden": self.hidden, "chr": self.chr, "efficiency": self.efficiency}
        values = asdict(self) | ratios
        return {name: None if value is None else round(value, 6) for name, value in values.items()}

    def __str__(self) -> str:
        """One-line summary, printed at the end of a run."""
        work_ms, blocking_ms, pipelined_ms = (
            1e3 * seconds for seconds in (self.work_s, self.blocking_s, self.pipelined_s)
        )
        share = "hidden share not measurable" if self.hidden is None else f"{100 * self.hidden:.0f} % hidden"
        return (
            f"{work_ms:.2f} ms of work, {blocking_ms:.2f} blocking, {pipelined_ms:.2f} pipelined: by wall"
            f" clock {share} (at most {100 * self.ceiling:.0f} % possible),"
            f" efficiency {100 * self.efficiency:.0f} %"
        )


@dataclass(frozen=True)
class Trials:
    """Results of trials of round trips. Means over trials [s]: `wall_s` of the slowest rank; `work_s`, the
    computation of the rank with most computation; `parts_s`, averaged over ranks, an array (synthesis or
    analysis; Fourier stage, Legendre stage or exchange). Sums over the trials on this rank: `exchange_s` [s]
    and `sent_bytes`. `spread_s`: the standard deviation of `wall_s`."""

    wall_s: float
    work_s: float
    parts_s: np.ndarray
    exchange_s: float
    sent_bytes: int
    spread_s: float = 0.0


# Runs a synthesis and an analysis, and returns the times of each.
RoundTrip = Callable[[], "tuple[Times, Times]"]


# (number of groups, number of fields), over all components, of each call: syntheses, then analyses.
CallGroups = tuple[Sequence[tuple[int, int]], Sequence[tuple[int, int]]]


def measure_hiding(
    comm: MPI.Comm,
    sets: tuple[int, int],
    settings: ExchangeSettings,
    set_exchange: Callable[[ExchangeSettings], Any],
    round_trip: RoundTrip,
    core: Any,
) -> Hiding:
    """Collective. Measures communication hiding with `settings`, which remain in effect.

    @param core the C++ object: `calls` are the kinds of calls of a round trip; `sent` is the amount of data
        of each transposition, by which the exchange time is divided among the transpositions"""
    baseline = ExchangeSettings(1, 0, settings.method, settings.algorithm, "none")
    v_set = comm.Split(comm.rank // sets[1], comm.rank)
    set_exchange(baseline)
    blocking = run_trials(comm, v_set, round_trip)
    call_groups = groups_per_call(settings, core.calls)
    set_exchange(settings)
    has_one_group = all(groups == 1 for calls in call_groups for groups, _ in calls)
    cannot_hide = settings == baseline or (
        settings.ahead > 0 and settings.progress == "none" and has_one_group
    )
    pipelined = blocking if cannot_hide else run_trials(comm, v_set, round_trip)
    v_set.Free()
    return hiding_from_trials(call_groups, core.sent, blocking, pipelined)


def groups_per_call(settings: ExchangeSettings, calls: Sequence[tuple[str, int, int, int]]) -> CallGroups:
    """Returns the numbers of groups and fields of the calls in each direction; one group per call if no group
    is in flight ahead.

    @param calls tuples (direction, components, fields, maximum number of groups per component)"""
    by_direction: dict[str, list[tuple[int, int]]] = {"synthesis": [], "analysis": []}
    for direction, components, fields, max_groups in calls:
        groups = components * min(settings.groups, max_groups) if settings.ahead > 0 else 1
        by_direction[direction].append((groups, components * fields))
    return by_direction["synthesis"], by_direction["analysis"]


def hiding_from_trials(
    call_groups: CallGroups, sent: Sequence[float], blocking: Trials, pipelined: Trials
) -> Hiding:
    """Returns the communication hiding from trials with blocking and with pipelined exchanges. The times
    of a direction are divided among the calls in proportion to the numbers of fields.

    @param sent doubles per field that are sent as coefficients, Fourier coefficients and grid-point values"""
    shares = np.array(sent) / sum(sent)  # of each transposition in the exchange time
    exchange_s = blocking.parts_s[:, 2]
    hidden_s = 0.0
    for direction, calls in enumerate(call_groups):
        stages = _stages(shares, direction, *blocking.parts_s[direction])
        weighted_shares = [fields * max_hidden_share(groups, stages) for groups, fields in calls]
        hidden_s += exchange_s[direction] * sum(weighted_shares) / sum(fields for _, fields in calls)
    return Hiding(
        work_s=blocking.work_s,
        blocking_s=blocking.wall_s,
        pipelined_s=pipelined.wall_s,
        ceiling=max(0.0, float(hidden_s / max(exchange_s.sum(), MIN_DIVISOR_S))),
        spread_s=blocking.spread_s,
        blocking_calls_s=float(exchange_s.sum()),
        calls_s=float(pipelined.parts_s[:, 2].sum()),
    )


def run_trials(comm: MPI.Comm, v_set: MPI.Comm, round_trip: RoundTrip) -> Trials:
    """Collective. Runs trials, each after a barrier of the V set; a first round trip, which builds the
    exchanges, is not counted."""
    round_trip()
    times: list[tuple[Times, Times]] = []
    walls_s = [timed_from_barrier(v_set, lambda: times.append(round_trip())) for _ in range(TRIALS)]
    exchange_s = [synthesis.exchange_s + analysis.exchange_s for synthesis, analysis in times]
    works_s = np.subtract(walls_s, exchange_s)
    parts = [
        [[call.fourier_s, call.legendre_s, call.exchange_s] for call in round_trip_calls]
        for round_trip_calls in times
    ]
    slowest_s = np.max(comm.allgather([walls_s, works_s.tolist()]), axis=0)  # (wall or work, trial)
    mean_wall_s, mean_work_s = slowest_s.mean(axis=1)
    return Trials(
        wall_s=float(mean_wall_s),
        work_s=float(mean_work_s),
        parts_s=comm.allreduce(np.mean(parts, axis=0)) / comm.size,
        exchange_s=sum(exchange_s),
        sent_bytes=sum(synthesis.sent_bytes + analysis.sent_bytes for synthesis, analysis in times),
        spread_s=float(slowest_s[0].std()),
    )


def timed_from_barrier(comm: MPI.Comm, work: Callable[[], Any]) -> float:
    """Collective. Returns the wall time of `work` [s], measured from a barrier."""
    comm.Barrier()
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _stages(
    shares: np.ndarray, direction: int, fourier_s: float, legendre_s: float, exchange_s: float
) -> Stages:
    """Returns (exchange time, computing time) [s] of the stages of a synthesis (0) or analysis (1)."""
    spectra, panels, points = exchange_s * shares
    if direction == 0:
        return [(spectra, legendre_s), (panels, fourier_s), (points, 0.0)]
    return [(points, fourier_s), (panels, legendre_s), (spectra, 0.0)]
