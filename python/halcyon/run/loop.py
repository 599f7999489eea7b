"""The time loop of all models: from the initial state or a restart file to the last record and the plots."""

from __future__ import annotations

import sys
import time as clock
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from halcyon.base import RunError, StoppedError, printable
from halcyon.config.run_case import RunCase
from halcyon.launch.errors import AgreedError, all_ranks_raise
from halcyon.run import earlier, report
from halcyon.run.folder import resume_command, update_run_file
from halcyon.run.model import PartTimes, RunModel
from halcyon.run.output.records import Recorder
from halcyon.run.progress import ProgressReporter, WallTimeEstimate, print_on_root
from halcyon.run.reductions import maximum, raise_first
from halcyon.run.state.restart import Restarts
from halcyon.run.state.restart_state import BEFORE_RECORD
from halcyon.run.stop import StopRequest

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.run.steps import Steps

DrawPictures = Callable[[Path], list[Path]]  # draws the pictures of the run in a folder; returns their paths


def execute(
    case: RunCase,
    mesh: Path | None,
    comm: MPI.Comm,
    stop: StopRequest,
    on_begin: Callable[[], None],
    draw: DrawPictures | None = None,
    *,
    resume: bool = False,
) -> None:
    """Collective. Runs a case of any model on all ranks, from its input to its pictures.

    @param mesh mesh file; None for the spectral model
    @param on_begin called on all ranks once the first record is written, or the state of a resumed run is set
    @param draw draws the pictures of the run in a folder; None: no pictures
    @param resume whether the run resumes from its newest usable restart file
    """
    model_class = import_module(f"halcyon.run.models.{case.model}").Model
    started_at, times = clock.perf_counter(), PartTimes()
    with times.measure("set-up"):
        model = model_class(case, mesh, comm, times)
        run = RunLoop(model, stop, started_at)
        if resume:
            run.resume(on_begin)
            run.print_plan()
        else:
            run.print_plan()
            run.start(on_begin)
    run.take_steps()
    with times.measure("pictures"):
        pictures = run.draw(draw)
    run.finish(clock.perf_counter() - started_at, pictures)


class RunLoop:
    """The time loop of a run. All methods are collective."""

    def __init__(self, model: RunModel, stop: StopRequest, started_at: float) -> None:
        case, comm, core_comm = model.case, model.comm, model.core_comm
        self.model, self.case, self.comm, self._stop = model, case, comm, stop
        self._times = model.times
        self._start_number = 0  # number of the last step before the start: 0, or that of the restart file
        self._start_time = case.time.start  # the end of that step
        self._estimate = WallTimeEstimate(started_at)
        self.recorder = Recorder(case, model.contents, comm, core_comm)
        self._restarts = Restarts(case, model.restart_state, self.recorder, comm, core_comm)
        self._progress = ProgressReporter(case.time.start, case.time.end, rank=comm.rank, stream=sys.stdout)
        self._keeps_end = case.restart.interval != "none"  # whether the last state gets a restart file

    @property
    def steps(self) -> Steps:
        """The steps of the model, which it may shorten at records."""
        return self.model.steps

    def print_plan(self) -> None:
        """Prints the plan of the remaining steps."""
        rows = self.model.plan_rows(self._start_number)
        files = self.recorder.ranks.description
        print_on_root(
            self.comm, report.plan_text(self.case, rows, files, self.steps.time(self._start_number))
        )

    def start(self, on_begin: Callable[[], None]) -> None:
        """Sets the initial state and writes its record, which replaces the files of an earlier run, and a
        restart file. For on_begin see `execute`."""
        self.model.start(self._restarts)
        with self._stop.suspended(self.comm):
            self._replace_earlier(on_begin)
        self._restart_or_stop(0, is_due=self.steps.restart_is_due(0, self.case.restart.interval))

    def _replace_earlier(self, on_begin: Callable[[], None]) -> None:
        """Writes the first record, which replaces the files of an earlier run."""
        folder = self.case.folder
        self._on_root(lambda: earlier.set_aside(folder))
        try:
            self._record(0)
            with self._times.measure("output"):
                self.recorder.flush()
        except Exception as error:
            if isinstance(error, (AgreedError, RunError)):  # on all ranks
                with suppress(AgreedError, RunError):
                    self.recorder.flush()  # so that no thread creates a file after this
            if self.comm.rank == 0:
                earlier.put_back(folder)
            raise
        with all_ranks_raise(self.comm):
            on_begin()
        self._on_root(lambda: earlier.forget(folder))

    def resume(self, on_begin: Callable[[], None]) -> None:
        """Sets the state of the newest usable restart file. For on_begin see `execute`."""
        state = self._restarts.resume(self.model.identity)
        self._start_number = state["number"]
        self.model.resume(self._start_number, state)
        self._start_time = self.steps.time(self._start_number)
        self._progress.resume_from(self._start_time)
        with all_ranks_raise(self.comm):
            on_begin()
        self.recorder.update_file_list()
        if state.get(BEFORE_RECORD, False) and self.steps.record_is_due(self._start_number):
            self._start_number = self._record(self._start_number)

    def take_steps(self) -> None:
        """Computes the remaining steps, and writes their records and restart files."""
        number = self._start_number
        while number < self.steps.n_steps:
            restart_is_due = self.steps.restart_is_due(number + 1, self.case.restart.interval)
            number = self._take_step(number + 1)
            steps_left, records_left = self.steps.n_steps - number, self.steps.records_after(number)
            if (text := self._estimate.text(steps_left, records_left)) is not None:
                print_on_root(self.comm, text)
            self._restart_or_stop(number, is_due=restart_is_due)
        self._stop.suspend(self.comm)  # a stop that is requested now is the end of the run
        with self._times.measure("output"):
            self.recorder.close()
            self._restarts.close()

    def _take_step(self, number: int) -> int:
        """Computes step `number`, and writes its record and the restart file of the end. Returns the number
        of the step, as `_record`."""
        began_at = clock.perf_counter()
        with self._estimate.step():
            self.model.step(number)
        self._stop.add_step(self.comm, clock.perf_counter() - began_at)
        if number == self.steps.n_steps and self._keeps_end:
            self._write_restart(number, before_record=True)
        if self.steps.record_is_due(number):
            return self._record(number)
        if number % self.model.check_steps == 0:
            self._raise_failures()
        return number

    def draw(self, draw: DrawPictures | None) -> list[Path]:
        """Draws the pictures of the run on rank 0."""
        pictures = []
        with all_ranks_raise(self.comm):
            if self.comm.rank == 0 and draw is not None and self.case.output.pictures:
                pictures = draw(self.case.folder)
        return pictures

    def finish(self, wall_s: float, pictures: list[Path]) -> None:
        """Prints the summary of the run and writes it to run.json."""
        summary = self._summary(wall_s, pictures)
        with all_ranks_raise(self.comm):
            if self.comm.rank == 0:
                print(printable(report.summary_text(summary)), flush=True)
                earlier.delete_segments_from(self.case.folder, self.case.time.end)
                figures = report.figures(summary, self.steps.step_s)
                identity = self.model.identity
                update_run_file(self.case.folder, status="finished", figures=figures, identity=identity)

    def _record(self, number: int) -> int:
        """Writes the record after step `number`; raises if any rank failed since the last check. Returns the
        number of this step, which is another one if the model has changed the length of its steps."""
        time, suspended = self.steps.time(number), self._stop.suspended(self.comm)
        with self._times.measure("output"), suspended, self._estimate.record():
            record = self.model.record(number, self._raise_failures)
            self._progress.report(time, record.summary)
            if record.warning:
                print_on_root(self.comm, f"warning: at {time:%Y-%m-%d %H:%M} {record.warning}")
            self.recorder.write(time, record.values)
        if 0 < number < self.steps.n_steps:
            number = self.model.adapt_steps(number)
        return number

    def _raise_failures(self) -> None:
        """Raises the first failure of all ranks (earliest step, then lowest global id of the cell), or the
        error of a file that could not be written."""
        with self._times.measure("other"):
            raise_first(self.comm, self.model.failure())
        with self._times.measure("output"):
            self.recorder.check()
            self._restarts.check()

    def _restart_or_stop(self, number: int, *, is_due: bool) -> None:
        """Writes a restart file if one is due or a stop was requested; raises StoppedError if the run must
        stop."""
        if number == self.steps.n_steps:
            return
        is_requested = self._stop.received(self.comm)
        time = self.steps.time(number)
        if is_requested:
            self._progress.report_stop()
            cause = f"stopped by a signal at {time:%Y-%m-%d %H:%M:%S} UTC"
            self._on_root(lambda: update_run_file(self.case.folder, status="interrupted", cause=cause))
        if is_requested or is_due:
            self._write_restart(number)
        elif self._restarts.background.paths:
            self._restarts.check()  # so that run.json names a restart file as soon as it is complete
        if is_requested:
            self._restarts.close()
            self._raise_failures()
            raise StoppedError(f"the run was {cause}. Resume with: {resume_command(self.case.folder)}")

    def _write_restart(self, number: int, *, before_record: bool = False) -> None:
        """Writes the state after step `number`.

        @param before_record whether the record of this step is missing: it is the last step, and a run that
            continues to a later `time.end` may have this record in another file, or not at all
        """
        self._raise_failures()
        with self._times.measure("output"), self._stop.suspended(self.comm):
            state = {"number": number, BEFORE_RECORD: before_record, **self.model.state()}
            self._restarts.write(self.steps.time(number), state, self.model.identity)

    def _on_root(self, work: Callable[[], object]) -> None:
        """Calls `work` on rank 0; all ranks raise its error."""
        with all_ranks_raise(self.comm):
            if self.comm.rank == 0:
                work()

    def _summary(self, wall_s: float, pictures: list[Path]) -> report.RunSummary:
        """The summary of the run. Times of parts are means over ranks, and the model's parts exclude the
        set-up; times of background I/O are maxima over ranks."""
        times, model_s = self._times, self.model.part_times()
        times_s = {
            "set-up": times["set-up"],
            **model_s,
            "output": times["output"],
            "pictures": times["pictures"],
        }
        sums = self.comm.allreduce(np.array(list(times_s.values())))
        background = self.recorder.background, self._restarts.background
        worked_s = maximum(self.comm, sum(files.worked_s for files in background))
        waited_s = maximum(self.comm, sum(files.waited_s for files in background))
        part_times_s = dict(zip(times_s, (sums / self.comm.size).tolist(), strict=True))
        return report.RunSummary(
            wall_s=wall_s,
            part_times_s=part_times_s,
            communication_s=part_times_s["exchange"] + part_times_s.get("halos", 0.0),
            simulated_s=(self.case.time.end - self._start_time).total_seconds(),
            background_s=worked_s if self.case.io.background else None,
            write_wait_s=waited_s,
            files=[*self.recorder.files, *pictures],
            **({"max_height": None} | self.model.summary_fields()),
        )
