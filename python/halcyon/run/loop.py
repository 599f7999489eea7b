"""The run loop of every model: from its start, or where it was stopped, to its last record and pictures."""

from __future__ import annotations

import sys
import time as clock
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from halcyon.base import StoppedError
from halcyon.config.run_case import RunCase
from halcyon.launch.errors import agreed
from halcyon.run import report
from halcyon.run.folder import resume_command, update_run_file
from halcyon.run.model import PartTimes, RunModel
from halcyon.run.output.records import Recorder
from halcyon.run.progress import Progress, say
from halcyon.run.reductions import greatest, least
from halcyon.run.state.restart import Restarts
from halcyon.run.stop import Stop

if TYPE_CHECKING:
    from mpi4py import MPI

Draw = Callable[[Path], list[Path]]  # the pictures of the run in a folder; their paths


def execute(
    case: RunCase,
    mesh: Path | None,
    comm: MPI.Comm,
    stop: Stop,
    resumed: Callable[[], None] | None = None,
    draw: Draw | None = None,
) -> None:
    """Collective. Runs a case of any model on all ranks, from its input to its pictures.

    @param mesh the file that the ranks read; None for the spectral model, which has none
    @param resumed given where the run goes on from a restart file: called on all ranks once its state is set
    @param draw draws the pictures of the run in a folder, and gives their paths; without it there are none
    """
    made = import_module(f"halcyon.run.models.{case.model}").Model
    began, times = clock.perf_counter(), PartTimes()
    with times.of("set-up"):
        model = made(case, mesh, comm, times)
        run = RunLoop(model, stop)
        say(comm, report.plan_text(case, model.plan_rows(), run.recorder.ranks.description))
        run.begin(resumed)
    run.take_steps()
    with times.of("pictures"):
        pictures = run.draw(draw)
    run.conclude(clock.perf_counter() - began, pictures)


class RunLoop:
    """A run between its steps. Collective in all it does."""

    def __init__(self, model: RunModel, stop: Stop) -> None:
        case, comm, core_comm = model.case, model.comm, model.core_comm
        self.model, self.case, self.comm, self._stop = model, case, comm, stop
        self.steps, self._times, self._first = model.steps, model.times, 0
        self.recorder = Recorder(case, model.contents, comm, core_comm)
        self._restarts = Restarts(case, model.restart_state, self.recorder, comm, core_comm)
        self._progress = Progress(case.time.start, case.time.end, rank=comm.rank, stream=sys.stdout)

    def begin(self, resumed: Callable[[], None] | None) -> None:
        """Sets the state at the start, or that of the newest restart file that will do; as `execute`."""
        if resumed is None:
            self.model.start(self._restarts)
            return
        state = self._restarts.resume(self.model.identity)
        self._first = state["number"]
        self.model.go_on(self._first, state)
        self._progress.go_on(self.steps.time(self._first))
        with agreed(self.comm):
            resumed()
        self.recorder.note_files()

    def take_steps(self) -> None:
        """From the start, or the restart, to the last record."""
        if self._first == 0:
            self._restarts.forget_older()
            self._record(0)
        for number in range(self._first + 1, self.steps.n_steps + 1):
            self.model.step(number)
            if self.steps.record_is_due(number):
                self._record(number)
            elif number % self.model.check_steps == 0:
                self._check()
            self._restart_or_stop(number)
        with self._times.of("output"):
            self.recorder.close()
            self._restarts.close()

    def draw(self, draw: Draw | None) -> list[Path]:
        """Rank 0 draws the pictures of a run."""
        pictures = []
        with agreed(self.comm):
            if self.comm.rank == 0 and draw is not None and self.case.output.pictures:
                pictures = draw(self.case.folder)
        return pictures

    def conclude(self, wall_s: float, pictures: list[Path]) -> None:
        """Prints and keeps what the run took."""
        outcome = self._outcome(wall_s, pictures)
        with agreed(self.comm):
            if self.comm.rank == 0:
                print(report.outcome_text(outcome), flush=True)
                figures = report.figures(outcome, self.steps.step_s)
                identity = self.model.identity
                update_run_file(self.case.folder, status="finished", figures=figures, identity=identity)

    def _record(self, number: int) -> None:
        """Writes a record after a step; stops where any rank failed since the last check."""
        time = self.steps.time(number)
        with self._times.of("output"):
            record = self.model.record(number, self._check)
            self._progress.report(time, record.watched)
            if record.warning:
                say(self.comm, f"warning: at {time:%Y-%m-%d %H:%M} {record.warning}")
            self.recorder.write(time, record.values)

    def _check(self) -> None:
        """Stops for the first failure of all ranks, of the earliest step, then the lowest place; or for a
        file that could not be written."""
        with self._times.of("other"):
            mine = self.model.failure()
            first = least(self.comm, mine.where)
            with agreed(self.comm):
                if mine.error is not None and mine.where == first:
                    raise mine.error
        with self._times.of("output"):
            self.recorder.check()
            self._restarts.check()

    def _restart_or_stop(self, number: int) -> None:
        """Writes a restart file where one is due or the run was asked to stop; then stops it."""
        if number == self.steps.n_steps:
            return
        asked = self._stop.asked(self.comm)
        if asked or self.steps.restart_is_due(number, self.case.restart.interval):
            self._check()
            with self._times.of("output"):
                state = {"number": number, **self.model.state()}
                self._restarts.write(self.steps.time(number), state, self.model.identity)
        if asked:
            self._restarts.close()
            self._check()
            raise StoppedError(
                f"the run was asked to stop, and did at {self.steps.time(number):%Y-%m-%d %H:%M:%S} UTC."
                f" Go on by: {resume_command(self.case.folder)}"
            )

    def _outcome(self, wall_s: float, pictures: list[Path]) -> report.Outcome:
        """What the run took: parts as means over ranks, those of the model after the set-up."""
        times, model_s = self._times, self.model.part_times()
        mine = {
            "set-up": times["set-up"],
            **model_s,
            "output": times["output"],
            "pictures": times["pictures"],
        }
        sums = self.comm.allreduce(np.array(list(mine.values())))
        background = self.recorder.background, self._restarts.background
        worked_s = greatest(self.comm, sum(each.worked_s for each in background))
        waited_s = greatest(self.comm, sum(each.waited_s for each in background))
        parts_s = dict(zip(mine, (sums / self.comm.size).tolist(), strict=True))
        return report.Outcome(
            wall_s=wall_s,
            parts_s=parts_s,
            communication_s=parts_s["exchange"],
            simulated_s=(self.case.time.end - self.steps.time(self._first)).total_seconds(),
            behind_s=worked_s if self.case.io.background else None,
            waited_s=waited_s,
            files=[*self.recorder.files, *pictures],
            **({"max_height": None} | self.model.figures()),
        )
