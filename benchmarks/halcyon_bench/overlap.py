"""Share of the communication of a section that overlaps with computation, by groups of fields, exchange
method and progress: figures 4 and 9 to 14 of the paper on YHGSM's Fourier section (non-blocking communication
in groups of fields)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import ConfigError
from halcyon.launch import measure
from halcyon.schedule import hidden_share, max_hidden_share
from halcyon.transform.tuning import PROGRESS, ExchangeSettings, GroupLimits, fastest
from halcyon_bench import model_step
from halcyon_bench.overlap_tables import best_of
from halcyon_bench.sections import FourierSection, Run, Section, SleepSection

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.comm import Progress

BLOCKING = "alltoallv"
METHODS = ("isend_irecv", "ialltoallv")  # non-blocking: point-to-point messages, and a collective
GROUPS = tuple(range(1, 9))
RANKS = 4  # default
TRIALS = 5  # of which the mean is reported, as in the paper
NAP_US = 200.0  # sleep of a progress thread between polls, the default of `halcyon.comm.Progress`


@dataclass(frozen=True)
class Plan:
    """The measured combinations: every number of groups with every method and progress; threads on each of
    the cores, named as in `halcyon.comm.Progress`, with each of the naps (sleep between polls) [us]; 0: busy
    polling.

    Raises ConfigError for counts below 1, and naps below 0."""

    groups: Sequence[int] = GROUPS
    methods: Sequence[str] = METHODS
    progress: Sequence[str] = PROGRESS
    cores: Sequence[str] = ("auto",)
    trials: int = TRIALS
    naps_us: Sequence[float] = (NAP_US,)

    def __post_init__(self):
        if self.trials < 1 or not self.groups or min(self.groups) < 1:
            groups = ", ".join(map(str, self.groups))
            raise ConfigError(f"{self.trials} trials of groups {groups}. Give 1 or more of each.")
        if not self.naps_us or not all(0 <= nap <= 1e6 for nap in self.naps_us):
            naps = ", ".join(f"{nap:g}" for nap in self.naps_us)
            raise ConfigError(f"Naps of {naps} us of a progress thread. Give 0 to 1e6.")


@dataclass(frozen=True)
class Times:
    """Means of the trials: `wall_s` of the slowest rank; means over ranks of `calls_s` (starts and waits) and
    `work_s` (computation); `spread_s`: the standard deviation of `wall_s`."""

    wall_s: float
    calls_s: float
    work_s: float
    spread_s: float


def mean_times(
    comm: MPI.Comm, runs: Mapping[str, Run], trials: int, v_set: MPI.Comm | None = None
) -> dict[str, Times]:
    """Collective. Times of interleaved runs, each after a barrier of the V set (or of all ranks), as in the
    paper; the first turn is not counted."""
    from mpi4py import MPI

    taken = {name: np.zeros((trials, 3)) for name in runs}
    for trial in range(-1, trials):
        for name, run in runs.items():
            before = _spent_s(run)
            (v_set or comm).Barrier()
            begin = time.perf_counter()
            run.run()
            wall_s = time.perf_counter() - begin
            if trial >= 0:
                taken[name][trial] = wall_s, *(_spent_s(run) - before)
    found = {}
    for name, mine in taken.items():
        walls_s = np.empty(trials)
        comm.Allreduce(np.ascontiguousarray(mine[:, 0]), walls_s, op=MPI.MAX)
        spent_s = (comm.allreduce(float(each)) / comm.size for each in mine[:, 1:].mean(axis=0))
        found[name] = Times(float(walls_s.mean()), *spent_s, float(walls_s.std()))
    return found


def _spent_s(run: Run) -> np.ndarray:
    """Accumulated times of this rank: starts and waits, and computation."""
    return np.array([run.calls_s(), run.work_s()])


def progresses(comm: MPI.Comm, plan: Plan) -> dict[str, Progress]:
    """Collective. Progress by name: none, poll, and `thread CORE` for each core, with the nap appended if
    there are several."""
    from halcyon.comm import Progress

    found = {}
    for name in plan.progress:
        if name != "thread":
            found[name] = Progress(comm, name)
            continue
        for core in plan.cores:
            for nap_us in plan.naps_us:
                nap = f" {nap_us:g} us" if len(plan.naps_us) > 1 else ""
                found[f"thread {core}{nap}"] = Progress(comm, name, core=core, poll_interval_s=nap_us * 1e-6)
    return found


def measured(
    comm: MPI.Comm, section: Section, plan: Plan, *, step: bool = False, auto: bool = False
) -> dict[str, Any]:
    """Collective. The results that `overlap_tables` prints: the MPI, and one row per method, progress and
    number of groups; on request also a step of the spectral model, and the choice of `auto`."""
    from halcyon.comm import library, mpi_own_progress, thread_level

    by, v_set = progresses(comm, plan), section.v_set(comm)
    rows = []
    for method, groups in product(plan.methods, plan.groups):
        runs: dict[str, Run] = {
            "collective": section.pipeline(comm, ExchangeSettings(1, 0, BLOCKING, section.algorithm), None),
            "communication": section.communication(comm, method),
            "blocking": section.pipeline(comm, ExchangeSettings(1, 0, method, section.algorithm), None),
            "computation": section.computation(comm, groups),
        }
        how = ExchangeSettings(groups, 1, method, section.algorithm)
        runs |= {name: section.pipeline(comm, how, progress) for name, progress in by.items()}
        times = mean_times(comm, runs, plan.trials, v_set)
        rows += [_row(section, method, groups, name, times) for name in by]
    steps = _steps(comm, section, plan, by, rows, v_set) if step else []
    chosen = _chosen(comm, section, plan, by, v_set) if auto else None
    v_set.Free()
    return {
        "mpi": library(),
        "thread_level": thread_level(),
        "mpi_own_progress": mpi_own_progress(),
        "name": section.name(comm.size),
        "ranks": comm.size,
        "progress": {name: progress.description for name, progress in by.items()},
        "rows": rows,
        "steps": steps,
        "auto": chosen,
    }


def _chosen(comm, section, plan, by, v_set) -> dict[str, Any]:
    """Collective. The settings that tuning (`halcyon.transform.tuning`) chooses among all methods, algorithms
    and prefetched groups, with the plan's groups and progress; their time, the time of tuning and the number
    tried."""
    made: dict[ExchangeSettings, Run] = {}

    def take(choice, progress):
        made.clear()
        made[choice] = section.pipeline(comm, choice, progress)

    def work():
        for run in made.values():
            run.run()

    began = time.perf_counter()
    lists = {"groups": plan.groups, "algorithms": section.algorithms, "progress": by}
    sets, cut = section.sets_of(comm.size), GroupLimits(max(plan.groups))
    tried = fastest(comm, sets, work, take, cut, **lists, repetitions=plan.trials)
    tuned_s = comm.bcast(time.perf_counter() - began)
    ((choice, run),) = made.items()
    times = mean_times(comm, {"auto": run}, plan.trials, v_set)["auto"]
    return choice._asdict() | {"total_s": times.wall_s, "tuned_s": tuned_s, "tried": len(tried)}


def _steps(comm, section, plan, by, rows, v_set) -> list[dict[str, Any]]:
    """Collective. A step of the model with the blocking collective, and with the best pipeline of each
    method."""
    best = [best_of(rows, method) for method in plan.methods]
    ways = [(1, BLOCKING, "none"), *((row["groups"], row["method"], row["progress"]) for row in best)]
    runs = model_step.steps(comm, section, ways, {"none": "none"} | by)
    found = mean_times(comm, runs, plan.trials, v_set)
    return [model_step.row(way, one.wall_s, one.calls_s, one.work_s) for way, one in found.items()]


def _row(section: Section, method: str, groups: int, name: str, times: Mapping[str, Times]) -> dict[str, Any]:
    """One row of the table. `hidden` is by wall clock, None if not measurable; `chr` is the paper's
    CHR (equation 1), 1 - (starting + completing) / blocking communication; `slowdown` is the time of the work
    in the pipeline over the time of the work alone."""
    pipe, block, collective, alone = (times[key] for key in (name, "blocking", "collective", "computation"))
    return {
        "method": method,
        "progress": name,
        "groups": groups,
        "total_s": pipe.wall_s,
        "blocking_s": block.wall_s,
        "collective_s": collective.wall_s,
        "compute_s": alone.wall_s,
        "communication_s": times["communication"].wall_s,
        "calls_s": pipe.calls_s,
        "blocking_calls_s": block.calls_s,
        "collective_calls_s": collective.calls_s,
        "spread_s": block.spread_s,
        "hidden": hidden_share(alone.wall_s, block.wall_s, pipe.wall_s, block.spread_s),
        "chr": 1 - pipe.calls_s / block.calls_s,
        "ceiling": max_hidden_share(groups, section.stages(block.calls_s, alone.wall_s)),
        "slowdown": pipe.work_s / alone.work_s if alone.work_s > 0 else 1.0,
    }


def balanced(comm: MPI.Comm, section: SleepSection, ratio: float) -> SleepSection:
    """Collective. The section with a computation `ratio` times as long as its blocking communication."""
    alone = mean_times(comm, {"alone": section.communication(comm, BLOCKING)}, 3)["alone"]
    return replace(section, compute_s=comm.bcast(ratio * alone.wall_s))


def on_ranks(
    ranks: int, section: Section, plan: Plan, *, ratio: float = 0.0, step: bool = False, auto: bool = False
) -> dict[str, Any]:
    """`measured` in a new job, after `balanced` if a ratio is given. Raises RunError if the job fails,
    ConfigError for an invalid configuration."""
    label = f"overlap on {ranks} ranks"
    return measure.run_on_ranks(
        ranks, label, balanced_and_measured, section, plan, ratio, step=step, auto=auto
    )


def balanced_and_measured(
    comm: MPI.Comm, section: Section, plan: Plan, ratio: float, **more: bool
) -> dict[str, Any]:
    """Collective. `measured`, after `balanced` if a ratio is given."""
    return measured(comm, balanced(comm, section, ratio) if ratio > 0 else section, plan, **more)


def fourier(
    ranks: int | None, sets: str | None, truncation: int, fields: int, way: str
) -> list[tuple[int, FourierSection]]:
    """Numbers of ranks and Fourier sections of each of the sets, such as "1x2,2x1"; default: 1 x ranks."""
    rows = 2 * ((3 * truncation + 4) // 4)  # quadratic grid
    counts = [(1, ranks or RANKS)] if sets is None else sets_of(sets, ranks)
    return [(v * w, FourierSection(truncation, rows, fields, (v, w), way)) for v, w in counts]


def sets_of(text: str, ranks: int | None) -> list[tuple[int, int]]:
    """V and W of "1x2,2x1", without repetition. Raises ConfigError for invalid sets, and if V x W differs
    from `ranks`."""
    found = list(dict.fromkeys(_counts(word.strip(), text) for word in text.split(",")))
    for v, w in found:
        if ranks not in (None, v * w):
            raise ConfigError(f"--sets {v}x{w} has {v * w} ranks, but -n is {ranks}. Omit -n.")
    return found


def _counts(word: str, text: str) -> tuple[int, int]:
    v, _, w = word.partition("x")
    if not (v.isdecimal() and w.isdecimal()) or int(v) * int(w) < 2:
        raise ConfigError(
            f"--sets is '{text}', but '{word}' is not V x W with 2 ranks or more. Give 2x2, or several as"
            " 1x2,2x1."
        )
    return int(v), int(w)
