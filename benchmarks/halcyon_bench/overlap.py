"""Share of the communication of a section (part of a model) that overlaps with computation, by number of
groups of fields, exchange method and kind of MPI progress: figures 4 and 9 to 14 of the paper on YHGSM's
Fourier section (non-blocking communication in groups of fields)."""

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
NAP_US = 200.0  # sleep of a progress thread between two polls, the default of `halcyon.comm.Progress`


@dataclass(frozen=True)
class Plan:
    """The measured combinations: every number of groups with every method and kind of progress.

    Raises ConfigError for counts below 1, and naps outside 0..1e6 us."""

    groups: Sequence[int] = GROUPS  # numbers of groups of fields
    methods: Sequence[str] = METHODS
    progress: Sequence[str] = PROGRESS  # kinds: none, poll, thread
    cores: Sequence[str] = ("auto",)  # of progress threads, named as in `halcyon.comm.Progress`
    trials: int = TRIALS
    naps_us: Sequence[float] = (NAP_US,)  # sleep of progress threads between two polls; 0: busy polling

    def __post_init__(self):
        if self.trials < 1 or not self.groups or min(self.groups) < 1:
            groups = ", ".join(map(str, self.groups))
            raise ConfigError(f"{self.trials} trials with numbers of groups {groups}. Give 1 or more.")
        if not self.naps_us or not all(0 <= nap <= 1e6 for nap in self.naps_us):
            naps = ", ".join(f"{nap:g}" for nap in self.naps_us)
            raise ConfigError(f"Naps of {naps} us between polls of a progress thread. Give 0 to 1e6.")


@dataclass(frozen=True)
class Times:
    """Times of a run: means of the trials, and a standard deviation."""

    wall_s: float  # of the slowest rank
    calls_s: float  # in starts and waits of exchanges, mean over ranks
    work_s: float  # in computation, mean over ranks
    spread_s: float  # standard deviation of the trials of wall_s


def mean_times(
    comm: MPI.Comm, runs: Mapping[str, Run], trials: int, v_set: MPI.Comm | None = None
) -> dict[str, Times]:
    """Collective. Times of interleaved runs, each after a barrier of the V set of this rank (None: of all
    ranks), as in the paper; the first turn is not counted."""
    from mpi4py import MPI

    times = {name: np.zeros((trials, 3)) for name in runs}  # (trial, time): wall, calls, work
    for trial in range(-1, trials):
        for name, run in runs.items():
            before = _spent_s(run)
            (v_set or comm).Barrier()
            began = time.perf_counter()
            run.run()
            wall_s = time.perf_counter() - began
            if trial >= 0:
                times[name][trial] = wall_s, *(_spent_s(run) - before)
    found = {}
    for name, rank_times in times.items():
        walls_s = np.empty(trials)
        comm.Allreduce(np.ascontiguousarray(rank_times[:, 0]), walls_s, op=MPI.MAX)
        spent_s = (comm.allreduce(float(mean_s)) / comm.size for mean_s in rank_times[:, 1:].mean(axis=0))
        found[name] = Times(float(walls_s.mean()), *spent_s, float(walls_s.std()))
    return found


def _spent_s(run: Run) -> np.ndarray:
    """Accumulated times of this rank [s]: in starts and waits of exchanges, and in computation."""
    return np.array([run.calls_s(), run.work_s()])


def progresses(comm: MPI.Comm, plan: Plan) -> dict[str, Progress]:
    """Collective. Progress objects by name: none, poll, and `thread CORE` for each core, followed by the nap
    if the plan has several."""
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
    """Collective. The results that `overlap_tables` prints: the MPI library, and one row per method, kind of
    progress and number of groups; with `step` also a step of the spectral model, with `auto` also the
    settings that tuning chooses."""
    from halcyon.comm import library, mpi_own_progress, thread_level

    kinds, v_set = progresses(comm, plan), section.v_set(comm)
    rows = []
    for method, groups in product(plan.methods, plan.groups):
        runs: dict[str, Run] = {
            "collective": section.pipeline(comm, ExchangeSettings(1, 0, BLOCKING, section.algorithm), None),
            "communication": section.communication(comm, method),
            "blocking": section.pipeline(comm, ExchangeSettings(1, 0, method, section.algorithm), None),
            "computation": section.computation(comm, groups),
        }
        settings = ExchangeSettings(groups, 1, method, section.algorithm)
        runs |= {name: section.pipeline(comm, settings, progress) for name, progress in kinds.items()}
        times = mean_times(comm, runs, plan.trials, v_set)
        rows += [_row(section, method, groups, name, times) for name in kinds]
    steps = _steps(comm, section, plan, kinds, rows, v_set) if step else []
    chosen = _chosen(comm, section, plan, kinds, v_set) if auto else None
    v_set.Free()
    return {
        "mpi": library(),
        "thread_level": thread_level(),
        "mpi_own_progress": mpi_own_progress(),
        "name": section.name(comm.size),
        "ranks": comm.size,
        "progress": {name: progress.description for name, progress in kinds.items()},
        "rows": rows,
        "steps": steps,
        "auto": chosen,
    }


def _chosen(comm, section, plan, kinds, v_set) -> dict[str, Any]:
    """Collective. The settings that tuning (`halcyon.transform.tuning`) chooses among all methods, algorithms
    and numbers of groups in flight, and the plan's numbers of groups and kinds of progress; with their time
    `total_s`, the time of tuning `tuned_s` [s], and the number of settings `tried`."""
    prepared: dict[ExchangeSettings, Run] = {}

    def prepare(choice, progress):
        prepared.clear()
        prepared[choice] = section.pipeline(comm, choice, progress)

    def work():
        for run in prepared.values():
            run.run()

    began = time.perf_counter()
    candidates = {"groups": plan.groups, "algorithms": section.algorithms, "progress": kinds}
    sets, limits = section.sets_of(comm.size), GroupLimits(max(plan.groups))
    tried_settings = fastest(comm, sets, work, prepare, limits, **candidates, repetitions=plan.trials)
    tuned_s = comm.bcast(time.perf_counter() - began)
    ((choice, run),) = prepared.items()
    times = mean_times(comm, {"auto": run}, plan.trials, v_set)["auto"]
    return choice._asdict() | {"total_s": times.wall_s, "tuned_s": tuned_s, "tried": len(tried_settings)}


def _steps(comm, section, plan, kinds, rows, v_set) -> list[dict[str, Any]]:
    """Collective. Times of a step of the spectral model with the blocking collective, and with the best
    pipeline of each method."""
    best = [best_of(rows, method) for method in plan.methods]
    variants = [(1, BLOCKING, "none"), *((row["groups"], row["method"], row["progress"]) for row in best)]
    runs = model_step.steps(comm, section, variants, {"none": "none"} | kinds)
    found = mean_times(comm, runs, plan.trials, v_set)
    return [
        model_step.row(variant, mean.wall_s, mean.calls_s, mean.work_s) for variant, mean in found.items()
    ]


def _row(section: Section, method: str, groups: int, name: str, times: Mapping[str, Times]) -> dict[str, Any]:
    """One row of the table for the progress `name`. `hidden`: share of the communication hidden by overlap,
    by wall clock; None if not measurable. `chr`: communication-hiding ratio (equation 1 of the paper), 1 -
    (starting + completing) / blocking communication. `ceiling`: upper bound of both, from an ideal pipeline.
    `slowdown`: time of the computation in the pipeline over its time alone."""
    pipelined, block, collective, alone = (
        times[key] for key in (name, "blocking", "collective", "computation")
    )
    return {
        "method": method,
        "progress": name,
        "groups": groups,
        "total_s": pipelined.wall_s,
        "blocking_s": block.wall_s,
        "collective_s": collective.wall_s,
        "compute_s": alone.wall_s,
        "communication_s": times["communication"].wall_s,
        "calls_s": pipelined.calls_s,
        "blocking_calls_s": block.calls_s,
        "collective_calls_s": collective.calls_s,
        "spread_s": block.spread_s,
        "hidden": hidden_share(alone.wall_s, block.wall_s, pipelined.wall_s, block.spread_s),
        "chr": 1 - pipelined.calls_s / block.calls_s,
        "ceiling": max_hidden_share(groups, section.stages(block.calls_s, alone.wall_s)),
        "slowdown": pipelined.work_s / alone.work_s if alone.work_s > 0 else 1.0,
    }


def balanced(comm: MPI.Comm, section: SleepSection, ratio: float) -> SleepSection:
    """Collective. The section with a computation `ratio` times as long as its blocking communication."""
    alone = mean_times(comm, {"alone": section.communication(comm, BLOCKING)}, 3)["alone"]
    return replace(section, compute_s=comm.bcast(ratio * alone.wall_s))


def on_ranks(
    ranks: int, section: Section, plan: Plan, *, ratio: float = 0.0, step: bool = False, auto: bool = False
) -> dict[str, Any]:
    """Runs `balanced_and_measured` in a new job. Raises RunError if it fails, ConfigError if invalid."""
    label = f"overlap on {ranks} ranks"
    return measure.run_on_ranks(
        ranks, label, balanced_and_measured, section, plan, ratio, step=step, auto=auto
    )


def balanced_and_measured(
    comm: MPI.Comm, section: Section, plan: Plan, ratio: float, **options: bool
) -> dict[str, Any]:
    """Collective. The result of `measured`; if ratio > 0, for a section with the computation of
    `balanced`."""
    return measured(comm, balanced(comm, section, ratio) if ratio > 0 else section, plan, **options)


def fourier(
    ranks: int | None, sets: str | None, truncation: int, fields: int, way: str
) -> list[tuple[int, FourierSection]]:
    """For each V x W of `sets`, such as "1x2,2x1" (None: 1 x ranks): the number of ranks and the Fourier
    section."""
    rows = 2 * ((3 * truncation + 4) // 4)  # quadratic grid
    counts = [(1, ranks or RANKS)] if sets is None else sets_of(sets, ranks)
    return [(v * w, FourierSection(truncation, rows, fields, (v, w), way)) for v, w in counts]


def sets_of(text: str, ranks: int | None) -> list[tuple[int, int]]:
    """The pairs (V, W) of a text such as "1x2,2x1", without repetition. Raises ConfigError for invalid sets,
    and if V x W differs from `ranks`."""
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
