"""The state of a run of the wave model on one rank, and its steps."""

from __future__ import annotations

import sys
import time as clock
from collections.abc import Callable
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import wave
from halcyon.base import StoppedError
from halcyon.config.case import Case, FetchLaw, FromRestart
from halcyon.run import report
from halcyon.run.assemble import Parts, least_of_ranks
from halcyon.run.errors import agreed
from halcyon.run.identity import identity
from halcyon.run.progress import Progress, say
from halcyon.run.record import Recorder
from halcyon.run.restart import Restarts
from halcyon.run.run_file import resume_command
from halcyon.run.steps import Steps, check_currents
from halcyon.run.stop import Stop
from halcyon.run.trouble import Trouble
from halcyon.run.values import values_of

if TYPE_CHECKING:
    from mpi4py import MPI

# Simulated time [s] within which all ranks learn of a blow-up on one of them, also where records are rare. A
# check is one small reduction: next to an hour of steps it costs nothing.
CHECK_EVERY_S = 3600.0
WATCHED = ("significant_height", "peak_bin")
LARGEST = "largest_significant_height"  # gathered where output.variables names it
FIRST_BIN_HEIGHT = 1.0  # [m] below which a peak in the first bin is not worth a warning


class WaveRun:
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
        if parts.boundary is not None:
            parts.boundary.hold(model)
        self.identity = identity(case, parts.mesh, steps.step_s, comm)
        self.progress = Progress(case.time.start, case.time.end, rank=comm.rank, stream=sys.stdout)
        self.trouble = Trouble(parts.mesh, steps, comm)
        self.max_height = 0.0
        self.set_up_s, self.forcing_s, self.output_s, self.pictures_s = 0.0, 0.0, 0.0, 0.0
        self.warned_of_first_bin = False

    def set_initial_sea(self) -> None:
        """Sets the first wind and the sea that it finds, or that of another run; then ice takes its part."""
        self._set_wind(0)
        if isinstance(self.case.initial, FromRestart):
            self.restarts.start_from(self.case.initial.file, self.identity)
        elif isinstance(self.case.initial, FetchLaw):
            self.model.set_fetch_law(self.case.initial.fetch)
        else:
            self.model.set_calm()
        self._set_medium(0)
        self._set_boundary(0)
        self._note_heights()

    def resume(self, resumed: Callable[[], None]) -> None:
        """Sets the state of the newest restart file that will do, then calls `resumed`."""
        state = self.restarts.resume(self.identity)
        self.first, self.max_height = state["number"], state["max_height"]
        self.warned_of_first_bin = state["warned_of_first_bin"]
        self.progress.go_on(self.steps.time(self.first))
        with agreed(self.comm):
            resumed()
        self.recorder.note_files()

    def all(self) -> None:
        """From the initial sea, or the restart, to the last record."""
        if self.first == 0:
            self.restarts.forget_older()
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
                f" Go on by: {resume_command(self.case.folder)}"
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
        self._set_medium(number - 1)
        for i in range(self.steps.transports):
            self._set_boundary(number - 1 + (i + 0.5) / self.steps.transports)
            self.model.transport(self.steps.step_s)
        self._set_wind(number - 0.5)
        cell, height = self.model.sources(self.steps.source_step_s)
        if cell >= 0:
            self.trouble.blow_up(cell, height, number)
        self._note_heights()

    def _note_heights(self) -> None:
        if LARGEST in self.case.output.variables:
            self.model.note_heights()

    def _set_wind(self, number: float) -> None:
        with self.timed("forcing_s"):
            cell = self.parts.forcing.set_wind(self.model, number * self.steps.source_step_s)
        if cell >= 0:
            self.trouble.no_wind(cell, number)

    def _set_medium(self, number: float) -> None:
        """Collective. Sets ice, currents and water level where they change after a source step. Stops where
        the currents are too strong for the steps of transport."""
        with self.timed("forcing_s"):
            changed = self.parts.forcing.set_medium(self.model, number * self.steps.source_step_s)
        if changed:
            limits_s = least_of_ranks(self.comm, np.asarray(self.model.cfl_limits))
            with agreed(self.comm):
                check_currents(self.case, self.steps, limits_s)

    def _set_boundary(self, number: float) -> None:
        """Collective. Sets the spectra at the open sides of the time of a source step, or between two."""
        if self.parts.boundary is not None:
            with self.timed("forcing_s"):
                self.parts.boundary.set(self.model, number * self.steps.source_step_s)

    def _record(self, number: int) -> None:
        """Collective. Stops where any rank met trouble since the last check; else writes a record."""
        self._check()
        with self.timed("output_s"):
            values = values_of(self.model, [*self.recorder.names, *WATCHED])
            time = self.steps.time(number)
            self._watch(time, values)
            self.recorder.write(time, values)

    def _check(self) -> None:
        """Collective. Stops for the first trouble of all ranks, or a file that could not be written."""
        self.trouble.stop()
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
            say(
                self.comm,
                f"warning: at {time:%Y-%m-%d %H:%M} a spectrum peaks in its first bin ({first:.4g} Hz):"
                " longer waves are missing. Lower mesh.spectrum.first_frequency.",
            )

    def outcome(self, wall_s: float) -> report.Outcome:
        """Collective. What the run took: parts as means over ranks."""
        times = self.model.times
        mine = {
            "set-up": self.set_up_s,
            "transport": times.transport_s,
            "sources": times.sources_s,
            "exchange": times.exchange_s,
            "forcing": self.forcing_s,
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
