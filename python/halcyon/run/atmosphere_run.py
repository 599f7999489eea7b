"""The state of a run of the atmosphere on one rank, and its steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import atmosphere
from halcyon.base import RunError
from halcyon.config.atmosphere import AtmosphereCase
from halcyon.decomposition import LocalMesh
from halcyon.io.fields_file import OwnedMesh
from halcyon.run.atmosphere_steps import AtmosphereSteps
from halcyon.run.errors import agreed
from halcyon.run.held import Held
from halcyon.run.identity import identity
from halcyon.run.integral_series import IntegralSeries
from halcyon.run.model_run import ModelRun
from halcyon.run.record import Contents, Recorder
from halcyon.run.restart import Restarts
from halcyon.run.stop import Stop
from halcyon.run.vertical import Vertical

if TYPE_CHECKING:
    from mpi4py import MPI

CHECK_STEPS = 20  # within which all ranks learn of trouble on one of them
WATCHED = ("eastward_wind", "northward_wind")
FIXED = "topography"
_TOO_LONG = {"courant_number": "wind and waves", "vertical_courant_number": "currents up or down"}


def vertical_of(case: AtmosphereCase, core: atmosphere.Core) -> Vertical:
    """What brings products of the core to the files."""
    table = {variable.name: variable for variable in core.variables}
    rows = [table[name] for name in case.variables]
    return Vertical(rows, case.output.vertical, case.levels.interfaces())


def contents_of(
    case: AtmosphereCase, mesh: LocalMesh, core: atmosphere.Core, vertical: Vertical, comm: MPI.Comm
) -> Contents:
    """What the files of a run hold."""
    fixed = next(variable for variable in core.variables if variable.name == FIXED)
    return Contents(
        part=OwnedMesh.of(mesh, core.ground),
        fixed=fixed,
        variables=vertical.variables,
        vertical=vertical.axis if case.equations.has_levels else None,
        series=IntegralSeries(case, core, comm),
        spectra=[],
        title="Atmosphere",
    )


def state_of(mesh: LocalMesh, core: atmosphere.Core) -> Held:
    """What restart files hold."""
    n_cells, n_edges, _ = mesh.n_items
    used = {name for variable in core.variables if variable.restart for name in variable.dimensions}
    sizes = {"level": core.n_levels, "interface": core.n_levels + 1}
    columns = {name: size for name, size in sizes.items() if name in used}
    return Held(
        variables=[variable for variable in core.variables if variable.restart],
        sizes=[("cell", n_cells), ("edge", n_edges), *columns.items()],
        owned={"cell": core.owned_cells, "edge": core.owned_edges},
        array=core.prognostic,
    )


class CoreTrouble:
    """The first trouble of a core on any rank. `first`: the steps before those that it has taken."""

    def __init__(
        self, mesh: LocalMesh, core: atmosphere.Core, steps: AtmosphereSteps, comm: MPI.Comm
    ) -> None:
        self._mesh, self._core, self._steps, self._comm = mesh, core, steps, comm
        self.first = 0

    def stop(self) -> None:
        """Collective. Raises the first trouble of all ranks: of the earliest step, then the lowest cell."""
        from mpi4py import MPI

        found = self._core.trouble
        none = np.iinfo(np.int64).max, 0
        mine = none if found.cell < 0 else (found.step, int(self._mesh.part.cells.to_global[found.cell]))
        first = self._comm.allreduce(mine, op=MPI.MIN)
        with agreed(self._comm):
            if mine != none and mine == first:
                raise RunError(self._text(found))

    def _text(self, found: Any) -> str:
        mesh, number = self._mesh.mesh, self.first + found.step
        lon, lat = np.degrees((mesh.cell_longitude[found.cell], mesh.cell_latitude[found.cell]))
        place = f"cell {self._mesh.part.cells.to_global[found.cell]} ({lon:.2f} E {lat:.2f} N)"
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


class AtmosphereRun(ModelRun):
    """The state of a run of the atmosphere between its steps."""

    check_steps = CHECK_STEPS

    def __init__(
        self,
        case: AtmosphereCase,
        mesh: LocalMesh,
        steps: AtmosphereSteps,
        core: atmosphere.Core,
        comm: MPI.Comm,
        core_comm: Any,
        stop: Stop,
    ) -> None:
        self.vertical = vertical_of(case, core)
        contents = contents_of(case, mesh, core, self.vertical, comm)
        recorder = Recorder(case, contents, comm, core_comm)
        restarts = Restarts(case, state_of(mesh, core), recorder, comm, core_comm)
        named = identity(case, mesh, steps.step_s, comm)
        super().__init__(case, steps, recorder, restarts, named, comm, stop)
        self.core, self.trouble = core, CoreTrouble(mesh, core, steps, comm)

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
        from mpi4py import MPI

        speeds = np.hypot(*(values[name] for name in WATCHED))
        return self.comm.allreduce(float(speeds.max(initial=0)), op=MPI.MAX)

    def model_s(self) -> dict[str, float]:
        """The times of the core's parts [s]."""
        times = self.core.times
        return {"computation": times.compute_s, "exchange": times.exchange_s}
