"""The run loop of the wave model on one rank."""

from __future__ import annotations

import math
import sys
import time as clock
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import wave
from halcyon.base import InputError, RunError, StoppedError
from halcyon.config.case import Case, FetchLaw
from halcyon.run import report
from halcyon.run.assemble import Parts, model_of, parts_of
from halcyon.run.errors import agreed
from halcyon.run.identity import identity
from halcyon.run.progress import Progress
from halcyon.run.record import Recorder
from halcyon.run.restart import Restarts
from halcyon.run.steps import Steps, steps_of
from halcyon.run.stop import Stop

if TYPE_CHECKING:
    from mpi4py import MPI

# Simulated time [s] within which all ranks learn of a blow-up on one of them, also where records are rare. A
# check is one small reduction: next to an hour of steps it costs nothing.
CHECK_EVERY_S = 3600.0
FIRST_BIN_HEIGHT = 1.0  # [m] below which a peak in the first bin is not worth a warning


def execute(case: Case, comm: MPI.Comm, stop: Stop, resumed: Callable[[], None] | None = None) -> None:
    """Collective. Runs a wave case on all ranks, from its input to its pictures.

    @param resumed given where the run goes on from a restart file: called on rank 0 once it is where that was
    """
    from halcyon.comm import communicator

    began = clock.perf_counter()
    with agreed(comm):
        parts = parts_of(case)
        great_circle = case.equations.great_circle_turning
        steps = steps_of(case, wave.cfl_limit(parts.mesh, parts.grid, great_circle=great_circle))
    core_comm = communicator(comm)
    model = model_of(case, parts, comm, core_comm)
    run = _Run(case, parts, steps, model, comm, core_comm, stop)
    _say(comm, report.plan_text(_plan(run)))
    if resumed is None:
        run.set_initial_sea()
    else:
        run.resume(resumed)
    run.set_up_s = clock.perf_counter() - began - run.wind_s
    run.all()
    with run.timed("pictures_s"):
        pictures = _draw(case, comm)
    outcome = run.outcome(clock.perf_counter() - began)
    with agreed(comm):
        if comm.rank == 0:
            outcome = replace(outcome, files=[*outcome.files, *pictures])
            print(report.outcome_text(outcome), flush=True)
            figures = report.figures(outcome, steps.step_s)
            report.update_run_file(case.folder, status="finished", figures=figures)


@dataclass(frozen=True)
class _Trouble:
    """What stops a run, and where it came up: source step (halves: the wind between) and cell (global id)."""

    number: float
    cell: int
    error: Exception


class _Run:
    """The state of a run between its steps."""

    def __init__(
        self,
        case: Case,
        parts: Parts,
        steps: Steps,
        model: wave.Model,
        comm: MPI.Comm,
        core_comm: Any,
        stop: Stop,
    ) -> None:
        self.case, self.parts, self.steps, self.model, self.comm = case, parts, steps, model, comm
        self.stop, self.first = stop, 0
        self.recorder = Recorder(case, parts, model, comm, core_comm)
        self.restarts = Restarts(case, model, self.recorder, comm, core_comm)
        with agreed(comm):
            self.identity = identity(case, parts.mesh, steps.step_s) if comm.rank == 0 else {}
        self.identity = comm.bcast(self.identity, root=0)
        self.progress = Progress(case.time.start, case.time.end, rank=comm.rank, stream=sys.stdout)
        self.trouble: _Trouble | None = None
        self.max_height = 0.0
        self.set_up_s, self.wind_s, self.output_s, self.pictures_s = 0.0, 0.0, 0.0, 0.0
        self.warned_of_first_bin = False

    def set_initial_sea(self) -> None:
        """Sets the first wind and the sea that it finds."""
        self._set_wind(0)
        if isinstance(self.case.initial, FetchLaw):
            self.model.set_fetch_law(self.case.initial.fetch)
        else:
            self.model.set_calm()

    def resume(self, resumed: Callable[[], None]) -> None:
        """Sets the state of the newest restart file that will do, then calls `resumed` on rank 0."""
        state = self.restarts.resume(self.identity)
        self.first, self.max_height = state["number"], state["max_height"]
        self.warned_of_first_bin = state["warned_of_first_bin"]
        self.progress.go_on(self.steps.time(self.first))
        with agreed(self.comm):
            if self.comm.rank == 0:
                resumed()
        self.recorder.note_files()

    def all(self) -> None:
        """From the initial sea, or the restart, to the last record."""
        if self.first == 0:
            self._record(0)
        check_steps = max(1, int(CHECK_EVERY_S // self.steps.source_step_s))
        for number, record_due in self.steps.source_steps(self.first):
            self._source_step(number)
            if record_due:
                self._set_wind(number)
                self._record(number)
            elif number % check_steps == 0:
                self._check()
            self._restart_or_stop(number)
        with self.timed("output_s"):
            self.recorder.close()
            self.restarts.close()

    def _restart_or_stop(self, number: int) -> None:
        """Collective. Writes a restart file where one is due or the run was asked to stop; then stops it."""
        if number == self.steps.n_source_steps:
            return
        asked = self.stop.asked(self.comm)
        if asked or self.steps.restart_is_due(number, self.case.restart.interval):
            self._check()
            with self.timed("output_s"):
                self.restarts.write(self.steps.time(number), self._state(number), self.identity)
        if asked:
            self.restarts.close()
            self._check()
            raise StoppedError(
                f"the run was asked to stop, and did at {self.steps.time(number):%Y-%m-%d %H:%M:%S} UTC."
                f" Go on by: {report.resume_command(self.case.folder)}"
            )

    def _state(self, number: int) -> dict[str, Any]:
        """What the loop holds after a source step."""
        return {
            "number": number,
            "max_height": self.max_height,
            "warned_of_first_bin": self.warned_of_first_bin,
        }

    def _source_step(self, number: int) -> None:
        """Transport, then the source terms with the wind of the middle of the step."""
        for _ in range(self.steps.transports):
            self.model.transport(self.steps.step_s)
        self._set_wind(number - 0.5)
        cell, height = self.model.sources(self.steps.source_step_s)
        if cell >= 0 and self.trouble is None:
            self.trouble = _Trouble(number, self._global(cell), self._blow_up(cell, height, number))

    def _set_wind(self, number: float) -> None:
        with self.timed("wind_s"):
            cell = self.model.set_wind(self.parts.wind, number * self.steps.source_step_s)
        if cell >= 0 and self.trouble is None:
            error = InputError(
                f"The wind is not a finite number at {self._place(cell)},"
                f" {self.steps.time(number):%Y-%m-%d %H:%M} UTC. Mend forcing.wind."
            )
            self.trouble = _Trouble(number, self._global(cell), error)

    def _record(self, number: int) -> None:
        """Collective. Stops where any rank met trouble since the last check; else writes a record."""
        self._check()
        with self.timed("output_s"):
            values = self.model.products()
            values["eastward_wind"] = self.model.eastward_wind
            values["northward_wind"] = self.model.northward_wind
            time = self.steps.time(number)
            self._watch(time, values)
            self.recorder.write(time, values)

    def _check(self) -> None:
        """Collective. Raises the first trouble of all ranks: of the earliest step, then the lowest cell; then
        what went wrong with files that are written behind the computation."""
        from mpi4py import MPI

        mine = (math.inf, 0) if self.trouble is None else (self.trouble.number, self.trouble.cell)
        first = self.comm.allreduce(mine, op=MPI.MIN)
        with agreed(self.comm):
            if self.trouble is not None and mine == first:
                raise self.trouble.error
        with self.timed("output_s"):
            self.recorder.check()
            self.restarts.check()

    def _watch(self, time: datetime, values: dict[str, np.ndarray]) -> None:
        from mpi4py import MPI

        heights = values["significant_height"]
        first_bin = bool(np.any((values["peak_bin"] == 0) & (heights > FIRST_BIN_HEIGHT)))
        highest = self.comm.allreduce(float(np.max(heights, initial=0)), op=MPI.MAX)
        any_first_bin = self.comm.allreduce(first_bin, op=MPI.LOR)
        self.max_height = max(self.max_height, highest)
        self.progress.report(time, highest)
        if any_first_bin and not self.warned_of_first_bin:
            self.warned_of_first_bin = True
            first = self.parts.grid.frequency[0]
            _say(
                self.comm,
                f"warning: at {time:%Y-%m-%d %H:%M} a spectrum peaks in its first bin ({first:.4g} Hz):"
                " longer waves are missing. Lower mesh.spectrum.first_frequency.",
            )

    def _blow_up(self, cell: int, height: float, number: int) -> RunError:
        said = "is not a finite number, or negative" if np.isnan(height) else f"reaches Hs = {height:.1f} m"
        return RunError(
            f"The run blew up: action at {self._place(cell)} {said} in source step {number},"
            f" {self.steps.time(number):%Y-%m-%d %H:%M} UTC."
            " Shorten time.source_step, or look at wind and depth there."
        )

    def _place(self, cell: int) -> str:
        """`cell 1234 (128.31 E 34.50 N)`"""
        index = self._global(cell)
        lon, lat = np.degrees((self.parts.mesh.cell_longitude[index], self.parts.mesh.cell_latitude[index]))
        return f"cell {index} ({lon:.2f} E {lat:.2f} N)"

    def _global(self, cell: int) -> int:
        return int(self.model.owned_cells[cell])

    def outcome(self, wall_s: float) -> report.Outcome:
        """Collective. What the run took: parts as means over ranks."""
        times = self.model.times
        mine = {
            "set-up": self.set_up_s,
            "transport": times.transport_s,
            "sources": times.sources_s,
            "exchange": times.exchange_s,
            "wind": self.wind_s,
            "output": self.output_s,
            "pictures": self.pictures_s,
        }
        sums = self.comm.allreduce(np.array(list(mine.values())))
        behind = self.recorder.behind, self.restarts.behind
        worked_s = self._longest(sum(each.worked_s for each in behind))
        waited_s = self._longest(sum(each.waited_s for each in behind))
        parts_s = dict(zip(mine, (sums / self.comm.size).tolist(), strict=True))
        return report.Outcome(
            wall_s=wall_s,
            parts_s=parts_s,
            communication_s=parts_s["exchange"],
            simulated_s=(self.case.time.end - self.steps.time(self.first)).total_seconds(),
            behind_s=worked_s if self.case.io.background else None,
            waited_s=waited_s,
            max_height=self.max_height,
            files=self.recorder.files,
        )

    def _longest(self, mine_s: float) -> float:
        from mpi4py import MPI

        return self.comm.allreduce(mine_s, op=MPI.MAX)

    @contextmanager
    def timed(self, part: str):
        """Adds the time that its body takes to the attribute `part` [s]."""
        begin = clock.perf_counter()
        yield
        setattr(self, part, getattr(self, part) + clock.perf_counter() - begin)


def _plan(run: _Run) -> report.Plan:
    """Collective."""
    case, steps, comm = run.case, run.steps, run.comm
    return report.Plan(
        case=str(case.path),
        cells=run.parts.mesh.n_cells,
        frequencies=case.mesh.spectrum.frequencies,
        directions=case.mesh.spectrum.directions,
        ranks=comm.size,
        start=case.time.start,
        end=case.time.end,
        step_s=steps.step_s,
        source_step_s=steps.source_step_s,
        memory_bytes=comm.allreduce(run.model.memory_bytes),
        exchange=case.exchange.method,
        files=run.recorder.ranks.description,
        background=case.io.background,
        restart_s=case.restart.interval,
        folder=case.folder,
    )


def _draw(case: Case, comm: MPI.Comm) -> list:
    """Collective. Rank 0 draws the pictures."""
    pictures = []
    with agreed(comm):
        if comm.rank == 0 and case.output.pictures:
            from halcyon.plot import draw_run

            pictures = draw_run(case.folder)
    return pictures


def _say(comm: MPI.Comm, text: str) -> None:
    if comm.rank == 0:
        print(text, flush=True)
