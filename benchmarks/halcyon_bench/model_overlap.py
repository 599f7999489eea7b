"""Overlap of communication and computation in the steps of the semi-Lagrangian spectral model: parts of a
step by groups, method and progress, and the same messages with naps instead of the computation."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from halcyon import schedule
from halcyon.atmosphere.levels import interfaces
from halcyon.base import ConfigError
from halcyon.config.spectral import Gaussian
from halcyon.run.start.on_grid import state_of_start
from halcyon.spectral import Model

if TYPE_CHECKING:
    from mpi4py import MPI

START = "baroclinic_wave"
# Parts of a step [s]; `others`: terms of the columns, and reductions with their waits.
COMPUTATION = ("Fourier", "Legendre", "departures", "interpolation", "solver", "others")
PARTS = ("transpositions", "halos", *COMPUTATION)
MARK_BYTES = 3  # of the messages that separate the steps in a record; no others have this size
MARK = re.compile(rf"^send \d+ \d+ \d+ \d+ {MARK_BYTES} 1 ", re.MULTILINE)


class Variant(NamedTuple):
    """How ranks exchange data: number of groups of fields in transforms and of levels in halos, method, kind
    of progress, and number of groups in flight."""

    groups: int = 1
    method: str = "isend_irecv"
    progress: str = "none"
    ahead: int = 1


BLOCKING = Variant(1, "alltoallv", "none", 0)  # as in the paper


@dataclass(frozen=True)
class Case:
    """Steps of the baroclinic wave on V x W `sets` of ranks."""

    truncation: int
    levels: int
    sets: tuple[int, int] = (1, 1)
    step_s: float = 3600.0
    steps: int = 6  # as in the paper
    mesh: Mapping[str, Any] | None = None  # options of `mesh` except truncation; None: full, quadratic

    def model(self, comm: MPI.Comm | None = None, level_groups: int = 1) -> Model:
        """Collective. The model, without a state."""
        grid = Gaussian(truncation=self.truncation, **(self.mesh or {})).gaussian_grid
        options = {"levels": interfaces(self.levels), "level_groups": level_groups}
        options |= {"comm": comm, "sets": None if comm is None else self.sets}
        return Model("primitive", self.truncation, grid, scheme="semi_lagrangian", **options)


def timed_steps(
    case: Case, model: Model, comm: MPI.Comm | None = None, barrier: Callable[[], object] = lambda: None
) -> dict[str, float]:
    """Collective. Medians over the steps [s]: `step`, of the slowest rank, and the PARTS, means over ranks.
    Barriers separate the steps."""
    steps = np.empty((case.steps, 1 + len(PARTS)))
    for step in steps:
        barrier()
        before, began = _sums(model), time.perf_counter()
        model.step(case.step_s, check=False)
        step[0], step[1:-1] = time.perf_counter() - began, _sums(model) - before
        step[-1] = step[0] - step[1:-1].sum()
    barrier()
    ranks = np.array([steps] if comm is None else comm.allgather(steps))  # (rank, step, time)
    times = np.median(np.hstack([ranks.max(axis=0)[:, :1], ranks.mean(axis=0)[:, 1:]]), axis=0)
    return dict(zip(("step", *PARTS), times.tolist(), strict=True))


def _sums(model: Model) -> np.ndarray:
    """Accumulated times [s] (part) of this rank: the PARTS except `others`."""
    transforms, halo, solver = model.transforms, model.advection_costs, model.solver_costs
    exchanged_s = transforms.exchange_s + solver.exchange_s, halo.start_s + halo.wait_s
    computed_s = transforms.fourier_s, transforms.legendre_s, halo.plan_s, halo.interpolate_s
    return np.array([*exchanged_s, *computed_s, solver.solve_s - solver.exchange_s])


def one_rank_steps(case: Case) -> dict[str, float]:
    """As `timed_steps`, on one rank without MPI; with `to_grid`, the share of the transforms to the grid in
    the time of transforms."""
    model = case.model()
    model.set(**state_of_start(model, START))
    model.step(case.step_s, check=False)
    times = timed_steps(case, model)
    to_grid_s, back_s = (part.fourier_s + part.legendre_s for part in model.time_transforms())
    return times | {"to_grid": to_grid_s / (to_grid_s + back_s)}


def measured(comm: MPI.Comm, case: Case, variants: Sequence[Variant], work_s: float) -> list[dict[str, Any]]:
    """Collective. For each variant: `timed_steps`; and with naps `nap_step` and `nap_calls`, the times of a
    step and of its starts and waits [s]; or, for a method that MPI lacks between these ranks, an `error`.

    @param work_s computation of a step on one rank, by which the naps are scaled: ranks that share a core, or
        wait in reductions, record more"""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(comm.bcast(folder)) / "record.txt"
        for variant in variants:
            try:
                found = _recorded_steps(comm, case, variant, path)
                results.append({"variant": variant, **found, **_naps(comm, case, variant, path, work_s)})
            except ConfigError as error:
                results.append({"variant": variant, "error": str(error)})
    return results


def _recorded_steps(comm, case, variant, path):
    """Collective. `timed_steps`, recorded in the file `path`, with all-to-alls of MARK_BYTES as barriers."""
    from halcyon.comm import Execution, recording

    groups, method, progress, ahead = variant
    with recording(comm, path):
        model = case.model(comm, groups)
        model.set_exchange(groups=groups, ahead=ahead, method=method, progress=progress)
        model.set(**state_of_start(model, START))
        model.step(case.step_s, check=False)  # makes the exchanges
        mark = Execution(comm, schedule.alltoall(comm.size, MARK_BYTES, algorithm="burst"), "isend_irecv")
        return timed_steps(case, model, comm, mark.run)


def _naps(comm, case, variant, path, work_s):
    """Collective. Replays the steps of a record twice, with sleep as computation; times of the second."""
    from halcyon.comm import Execution, Progress

    if comm.rank == 0:
        path.write_text(steps_of(path.read_text(), case.steps * work_s))
    comm.Barrier()
    options = {"progress": Progress(comm, variant.progress)}
    execution, ends_s, calls_s = (
        Execution(comm, schedule.read_record(path), variant.method, **options),
        [],
        [],
    )
    for _ in range(2):
        execution.run()
        ends_s.append(time.perf_counter())
        calls_s.append(execution.statistics.transfer_s + execution.statistics.wait_s)
    times = comm.allgather(np.append(np.diff(ends_s), np.diff(calls_s)) / case.steps)
    return {"nap_step": float(np.max(times, axis=0)[0]), "nap_calls": float(np.mean(times, axis=0)[1])}


def steps_of(record: str, total_s: float) -> str:
    """The record from its first message of MARK_BYTES, with computing times whose sum is `total_s`."""
    head, *ranks = re.split(r"^(?=rank )", record, flags=re.MULTILINE)
    kept = []
    for rank in ranks:
        parts, *runs = re.split(r"^run ", rank, flags=re.MULTILINE)
        events = [(int(part), float(seconds)) for part, seconds in map(str.split, runs)]
        is_mark = [MARK.search(part) is not None for part in parts.split("part\n")[1:]]
        first = next(i for i, (part, _) in enumerate(events) if is_mark[part])
        kept.append((parts, [(events[first][0], 0.0), *events[first + 1 :]]))
    factor = total_s / sum(seconds for _, events in kept for _, seconds in events)
    return head + "".join(
        parts + "".join(f"run {part} {factor * seconds:.9f}\n" for part, seconds in events)
        for parts, events in kept
    )
