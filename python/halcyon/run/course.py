"""The course of a run of any model: from its state at the start, or where it was stopped, to its pictures."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from halcyon.config.run_case import RunCase
from halcyon.launch.errors import agreed
from halcyon.run import report
from halcyon.run.model_run import ModelRun
from halcyon.run.progress import say
from halcyon.run.run_file import update_run_file

if TYPE_CHECKING:
    from mpi4py import MPI

Draw = Callable[[Path], list[Path]]  # the pictures of the run in a folder; their paths


def complete(
    run: ModelRun, plan: str, began_s: float, resumed: Callable[[], None] | None, draw: Draw | None
) -> None:
    """Collective. Says what will run, runs it, and says and keeps what it took.

    @param began_s when the set-up began, by `time.perf_counter`
    @param resumed, draw as of `halcyon.run.models.execute`
    """
    say(run.comm, plan)
    if resumed is None:
        run.begin()
    else:
        run.resume(resumed)
    run.set_up_s = clock.perf_counter() - began_s - run.forcing_s
    run.all()
    with run.timed("pictures_s"):
        pictures = draw_pictures(run.case, run.comm, draw)
    outcome = run.outcome(clock.perf_counter() - began_s)
    conclude(run, replace(outcome, files=[*outcome.files, *pictures], **run.figures()))


def draw_pictures(case: RunCase, comm: MPI.Comm, draw: Draw | None) -> list[Path]:
    """Collective. Rank 0 draws the pictures of a run."""
    pictures = []
    with agreed(comm):
        if comm.rank == 0 and case.output.pictures and draw is not None:
            pictures = draw(case.folder)
    return pictures


def conclude(run: ModelRun, outcome: report.Outcome) -> None:
    """Collective. Prints and keeps what a run took."""
    with agreed(run.comm):
        if run.comm.rank == 0:
            print(report.outcome_text(outcome), flush=True)
            figures = report.figures(outcome, run.steps.step_s)
            update_run_file(run.case.folder, status="finished", figures=figures, identity=run.identity)
