"""The state of a run of the wave model on one rank, and its steps."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import wave
from halcyon.config.case import Case, FetchLaw, FromRestart
from halcyon.launch.errors import agreed
from halcyon.run.assemble import Parts
from halcyon.run.extremes import greatest, least_of_each
from halcyon.run.identity import identity
from halcyon.run.model_run import ModelRun
from halcyon.run.progress import say
from halcyon.run.record import Recorder
from halcyon.run.restart import Restarts
from halcyon.run.steps import Steps, check_currents
from halcyon.run.stop import Stop
from halcyon.run.trouble import Trouble
from halcyon.run.values import values_of
from halcyon.run.wave_contents import wave_contents, wave_state

if TYPE_CHECKING:
    from mpi4py import MPI

# Simulated time [s] within which all ranks learn of a blow-up on one of them, also where records are rare. A
# check is one small reduction: next to an hour of steps it costs nothing.
CHECK_EVERY_S = 3600.0
WATCHED = ("significant_height", "peak_bin")
LARGEST = "largest_significant_height"  # gathered where output.variables names it
FIRST_BIN_HEIGHT = 1.0  # [m] below which a peak in the first bin is not worth a warning


class WaveRun(ModelRun):
    """The state of a run of the wave model; a step is one of the sources."""

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
        recorder = Recorder(case, wave_contents(case, parts, model, comm, core_comm), comm, core_comm)
        restarts = Restarts(case, wave_state(case, model, comm), recorder, comm, core_comm)
        if parts.boundary is not None:
            parts.boundary.hold(model)
        named = identity(case, parts.mesh, steps.step_s, comm)
        super().__init__(case, steps, recorder, restarts, named, comm, stop)
        self.parts, self.model = parts, model
        self.check_steps = max(1, int(CHECK_EVERY_S // steps.source_step_s))
        self.trouble = Trouble(parts.mesh, steps, comm)
        self.max_height = 0.0
        self.warned_of_first_bin = False

    def begin(self) -> None:
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

    def state(self) -> dict[str, Any]:
        return {"max_height": self.max_height, "warned_of_first_bin": self.warned_of_first_bin}

    def take(self, state: Mapping[str, Any]) -> None:
        self.max_height, self.warned_of_first_bin = state["max_height"], state["warned_of_first_bin"]

    def step(self, number: int) -> None:
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
            limits_s = least_of_each(self.comm, np.asarray(self.model.cfl_limits))
            with agreed(self.comm):
                check_currents(self.case, self.steps, limits_s)

    def _set_boundary(self, number: float) -> None:
        """Collective. Sets the spectra at the open sides of the time of a source step, or between two."""
        if self.parts.boundary is not None:
            with self.timed("forcing_s"):
                self.parts.boundary.set(self.model, number * self.steps.source_step_s)

    def record(self, number: int) -> None:
        """Collective. Stops where any rank met trouble since the last check; else writes a record."""
        if number > 0:
            self._set_wind(number)
        self.check()
        with self.timed("output_s"):
            values = values_of(self.model, [*self.recorder.names, *WATCHED])
            time = self.steps.time(number)
            self._watch(time, values)
            self.recorder.write(time, values)

    def _watch(self, time: datetime, values: dict[str, np.ndarray]) -> None:
        heights = values["significant_height"]
        first_bin = bool(np.any((values["peak_bin"] == 0) & (heights > FIRST_BIN_HEIGHT)))
        highest = greatest(self.comm, float(np.max(heights, initial=0)))
        any_first_bin = greatest(self.comm, first_bin)
        self.max_height = max(self.max_height, highest)
        self.progress.report(time, f"max Hs {highest:.1f} m")
        if any_first_bin and not self.warned_of_first_bin:
            self.warned_of_first_bin = True
            first = self.parts.grid.frequency[0]
            say(
                self.comm,
                f"warning: at {time:%Y-%m-%d %H:%M} a spectrum peaks in its first bin ({first:.4g} Hz):"
                " longer waves are missing. Lower mesh.spectrum.first_frequency.",
            )

    def figures(self) -> dict[str, Any]:
        return {"max_height": self.max_height}

    def model_s(self) -> dict[str, float]:
        times = self.model.times
        return {
            "transport": times.transport_s,
            "sources": times.sources_s,
            "exchange": times.exchange_s,
            "forcing": self.forcing_s,
        }
