"""A run of a model with a core that takes steps: of the atmosphere, and the spectral one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from halcyon.base import RunError
from halcyon.config.run_case import RunCase
from halcyon.io.fields_file import OwnedMesh
from halcyon.io.grid_file import OwnedGrid
from halcyon.launch.errors import agreed
from halcyon.run import report
from halcyon.run.atmosphere_steps import AtmosphereSteps
from halcyon.run.extremes import greatest, least
from halcyon.run.held import Held
from halcyon.run.integral_series import IntegralSeries
from halcyon.run.model_run import ModelRun
from halcyon.run.record import Contents, Recorder
from halcyon.run.restart import Restarts
from halcyon.run.stop import Stop
from halcyon.run.vertical import Vertical

if TYPE_CHECKING:
    from mpi4py import MPI

CHECK_STEPS = 20  # within which all ranks learn of trouble on one of them
FIXED = "topography"
WATCHED = ("eastward_wind", "northward_wind")
_TOO_LONG = {"courant_number": "wind and waves", "vertical_courant_number": "currents up or down"}
_UNSOLVED = "implicit_gravity_waves"  # as in cpp/halcyon/atmosphere/shallow_water/shallow_water.cpp
_NONE = np.iinfo(np.int64).max, 0
_EVERYWHERE = np.iinfo(np.int64).max  # after what has a place in the same step, which may be its cause


class Places(Protocol):
    """Where trouble of a core is: the global id of its place, -1 where all is well, and that in words."""

    def id(self, trouble: Any) -> int: ...
    def words(self, trouble: Any) -> str: ...


class CoreTrouble:
    """The first trouble of a core on any rank. `first`: the steps before those that it has taken."""

    def __init__(self, core: Any, places: Places, steps: AtmosphereSteps, comm: MPI.Comm) -> None:
        self._core, self._places, self._steps, self._comm = core, places, steps, comm
        self.first = 0

    def stop(self) -> None:
        """Collective. Raises the first trouble of all ranks: of the earliest step, then the lowest place."""
        found = self._core.trouble
        place = _EVERYWHERE if found.variable == _UNSOLVED else self._places.id(found)
        mine = _NONE if place < 0 else (found.step, place)
        first = least(self._comm, mine)
        with agreed(self._comm):
            if mine != _NONE and mine == first:
                raise RunError(self._text(found))

    def _text(self, found: Any) -> str:
        number = self.first + found.step
        if found.variable == _UNSOLVED:
            return _unsolved(number + 1, self._steps.time(number + 1), found.value)
        place = self._places.words(found)
        when = f"after step {number}, {self._steps.time(number):%Y-%m-%d %H:%M:%S} UTC"
        level = f"{'interface' if found.variable.endswith('_at_interfaces') else 'level'} {found.level}"
        if number == 0:
            return (
                f"The start is nothing to go on from: {found.variable} is {found.value:g} at {place},"
                f" {level}. Change the options of initial, or levels."
            )
        if found.variable in _TOO_LONG:
            what = f"{_TOO_LONG[found.variable]} at {place}, {level},"
            return (
                f"The step of {self._steps.step_s:g} s became too long: {what} make a Courant number of"
                f" {found.value:.3f}, above 1, {when}. Shorten time.step."
            )
        return (
            f"The run blew up: {found.variable} is {found.value:g} at {place}, {level}, {when}."
            " Shorten time.step, or raise equations.hyperdiffusion."
        )


def _unsolved(number: int, time: datetime, residual: float) -> str:
    return (
        f"The implicit gravity waves of step {number}, to {time:%Y-%m-%d %H:%M:%S} UTC, were not solved for:"
        f" {residual:.1e} of the right side is left, more than time.tolerance. Shorten time.step, or raise"
        " time.tolerance."
    )


class CoreRun(ModelRun):
    """The state of such a run between its steps.

    @param core with `step`, `variables`, `products`, `integrals`, `trouble`
    @param title of the fields files  @param part what they lie on  @param held what restart files hold
    @param named the run's identity
    """

    check_steps = CHECK_STEPS

    def __init__(
        self,
        case: RunCase,
        core: Any,
        steps: AtmosphereSteps,
        *,
        title: str,
        part: OwnedMesh | OwnedGrid,
        held: Held,
        named: Mapping[str, Any],
        places: Places,
        comm: MPI.Comm,
        core_comm: Any,
        stop: Stop,
    ) -> None:
        table = {variable.name: variable for variable in core.variables}
        rows = [table[name] for name in case.variables]
        self.core, self.vertical = core, Vertical(rows, case.output.vertical, case.levels.interfaces())
        contents = Contents(
            part=part,
            fixed=table[FIXED],
            variables=self.vertical.variables,
            vertical=self.vertical.axis if case.equations.has_levels else None,
            series=IntegralSeries(case, core, comm),
            spectra=[],
            title=title,
        )
        recorder = Recorder(case, contents, comm, core_comm)
        restarts = Restarts(case, held, recorder, comm, core_comm)
        super().__init__(case, steps, recorder, restarts, named, comm, stop)
        self.trouble = CoreTrouble(core, places, steps, comm)

    def begin(self) -> None:
        """A core has had its state since it was made."""

    def state(self) -> dict[str, Any]:
        return {}

    def take(self, state: Mapping[str, Any]) -> None:
        self.trouble.first = self.first

    def step(self, number: int) -> None:
        self.core.step(self.steps.step_s)

    def record(self, number: int) -> None:
        """Collective. Stops where any rank met trouble until now; else writes a record."""
        with self.timed("output_s"):
            values = self.core.products([*dict.fromkeys([*self.vertical.products, *WATCHED])])
        self.check()
        with self.timed("output_s"):
            time = self.steps.time(number)
            self.progress.report(time, f"wind up to {self._strongest(values):.1f} m/s")
            self.recorder.write(time, self.vertical.values(values))

    def _strongest(self, values: dict[str, np.ndarray]) -> float:
        speeds = np.hypot(*(values[name] for name in WATCHED))
        return greatest(self.comm, float(speeds.max(initial=0)))


def plan_text(run: CoreRun, on: tuple[str, str], equations: str, ranks: str) -> str:
    """Collective. What will run, before it does; on: the row of the mesh or grid, its name and text."""
    case, steps = run.case, run.steps
    behind = "behind" if case.io.background else "between"
    rows = [
        ("case", str(case.path)),
        ("time", f"{case.time.start:%Y-%m-%d %H:%M} to {case.time.end:%Y-%m-%d %H:%M} UTC"),
        on,
        ("equations", equations),
        ("ranks", ranks),
        ("steps", f"{steps.n_steps:,} of {steps.step_s:g} s"),
        ("memory", report.memory(run.comm.allreduce(run.core.memory_bytes))),
        ("files", f"{run.recorder.ranks.description}, {behind} the steps"),
        ("restart", report.restart_text(case.restart.interval)),
        ("output", str(case.folder)),
    ]
    return report.rows_text(rows)
