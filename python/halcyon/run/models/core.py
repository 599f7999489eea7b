"""Common code of runs of models with a dynamical core: the atmosphere and the spectral model."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from halcyon.atmosphere import interpolate
from halcyon.base import ConfigError, RunError, format_bytes
from halcyon.config.atmosphere import AirCase, OnHeight, OnPressure
from halcyon.config.physics import known_variables
from halcyon.config.run_case import RunCase
from halcyon.io.fields_file import OwnedGrid, OwnedMesh
from halcyon.io.vertical_axis import (
    LEVEL,
    VerticalAxis,
    height_axis,
    model_axis,
    numbered_axis,
    pressure_axis,
)
from halcyon.launch.errors import all_ranks_raise
from halcyon.physics import ColumnScheme, column_scheme
from halcyon.physics.fields import with_metadata
from halcyon.run.input.schemes import load_schemes, scheme_error
from halcyon.run.model import NO_FAILURE, PartTimes, Record, RunModel, StepFailure
from halcyon.run.output.records import OutputContents
from halcyon.run.reductions import maximum
from halcyon.run.series.series import IntegralSeries
from halcyon.run.steps import Steps

if TYPE_CHECKING:
    from mpi4py import MPI

CHECK_STEPS = 20  # steps between collective checks for failures
FIXED = "topography"  # name of the time-independent variable of the fields files
MONITORED = ("eastward_wind", "northward_wind")  # variables of the progress line
PRESSURE, HEIGHT = "pressure", "geopotential_height"  # vertical coordinates of interpolation
# A core's `failure.variable` is the variable with an invalid value; a key of _UNSTABLE, if a Courant number
# is above 1 (the entry names the motion); or _UNCONVERGED, if a solver did not converge (the name is set in
# cpp/halcyon/atmosphere/shallow_water/shallow_water.cpp and cpp/halcyon/spectral/model.hpp).
_UNSTABLE = {
    "courant_number": "the Courant number of wind and waves",
    "vertical_courant_number": "the Courant number of vertical wind",
    "deformation_number": ("the ratio of step x (|vorticity| + |divergence| + 2 Omega) to its limit of 2"),
}
_UNCONVERGED = "implicit_gravity_waves"
# Global id of a failure without a location; sorts after failures with a location in the same step, which may
# be the cause.
_NO_LOCATION = np.iinfo(np.int64).max


class CoreModel(RunModel):
    """A model with a core that has `step`, `variables`, `products`, `integrals`, `failure`."""

    check_steps = CHECK_STEPS
    case: AirCase

    def __init__(self, case: RunCase, mesh_file: Path | None, comm: MPI.Comm, times: PartTimes) -> None:
        super().__init__(case, mesh_file, comm, times)
        self.start_number = 0  # number of the last step before the core started: 0, or that of a restart file

    def set_core(self, core: Any, steps: Steps, part: OwnedMesh | OwnedGrid, title: str) -> None:
        """Collective. Sets the core, its steps and the contents of the output files. part: this rank's part
        of the mesh or grid; title: title of the fields files."""
        with all_ranks_raise(self.comm):
            rows = with_metadata(core.variables, [each.scheme for each in self.case.physics])
            table = known_variables(self.case, rows, FIXED)
        variables = [table[name] for name in self.case.variables]
        self.core, self.steps, self.variables = core, steps, table
        self._set_clock(0)
        surfaces, interfaces = self.case.output.vertical, self.case.levels.interfaces()
        dry_levels = self.case.has_dry_levels
        self.vertical = VerticalInterpolation(variables, surfaces, interfaces, dry_levels=dry_levels)
        self.contents = OutputContents(
            part=part,
            fixed=table[FIXED],
            variables=self.vertical.variables,
            vertical=self.vertical.axis if self.case.equations.has_levels else None,
            series=IntegralSeries(self.case, core, self.comm, self.origin()),
            spectra=[],
            title=title,
            origin=self.origin(),
        )

    @abstractmethod
    def location_id(self, failure: Any) -> int:
        """The global id of the cell or point of a core's failure, or -1."""

    @abstractmethod
    def location_description(self, failure: Any) -> str:
        """The location of a failure, for error texts."""

    def common_plan_rows(
        self, mesh: tuple[str, str], *, equations: str, ranks: str, exchange: str, n_done: int
    ) -> list[tuple[str, str]]:
        """Collective. Rows (name, text) of the plan; mesh: the row of the mesh or grid; n_done: number of
        completed steps."""
        return [
            mesh,
            ("equations", equations),
            ("ranks", ranks),
            ("exchange", exchange),
            ("steps", f"{self.steps.n_steps - n_done:,} of {self.steps.step_s:g} s"),
            ("memory", format_bytes(self.comm.allreduce(self.core.memory_bytes))),
        ]

    def resume(self, number: int, state: Mapping[str, Any]) -> None:
        self.start_number = number
        self._set_clock(number)

    def _set_clock(self, number: int) -> None:
        """Tells the column physics the number of completed steps, and the time of the start."""
        self.core.set_clock(number, self.case.time.start.replace(tzinfo=UTC).timestamp())

    def step(self, number: int) -> None:
        self.core.step(self.steps.step_s, check=False)  # the time loop checks for failures

    def record(self, number: int, check: Callable[[], None]) -> Record:
        values = self.core.products([*dict.fromkeys([*self.vertical.product_names, *MONITORED])])
        check()
        speeds = np.hypot(*(values[name] for name in MONITORED))
        strongest = maximum(self.comm, float(speeds.max(initial=0)))
        return Record(self.vertical.interpolated(values), f"wind up to {strongest:.1f} m/s")

    def values(self, number: int, name: str) -> tuple[np.ndarray, VerticalAxis | None]:
        row = self.variables[name]
        options = self.case.output.vertical, self.case.levels.interfaces()
        vertical = VerticalInterpolation([row], *options, dry_levels=self.case.has_dry_levels)
        axis = vertical.axis if LEVEL in row.dimensions and self.case.equations.has_levels else None
        return vertical.interpolated(self.core.products(vertical.product_names))[name], axis

    @property
    def memory_bytes(self) -> int:
        return self.core.memory_bytes

    def failure(self) -> StepFailure:
        failure = self.core.failure  # `failure.step`: number of steps that the core had completed
        if failure.variable == _UNCONVERGED:
            number = self.start_number + failure.step + 1
            text = _unconverged_text(number, self.steps.time(number), failure.value)
            return StepFailure(sort_key=(failure.step, _NO_LOCATION), error=RunError(text))
        location = self.location_id(failure)
        if location < 0:
            return NO_FAILURE
        if failure.scheme:  # after a failure of the state, which may be its cause
            return StepFailure(
                sort_key=(failure.step + 0.5, location), error=RunError(self._scheme_text(failure))
            )
        return StepFailure(sort_key=(failure.step, location), error=RunError(self._failure_text(failure)))

    def _scheme_text(self, failure: Any) -> str:
        """The error of a physics scheme."""
        number = self.start_number + failure.step + 1
        location = f"{self.location_description(failure)}, level {failure.level}"
        result = f"{failure.variable} = {failure.value:g}"
        return scheme_error(
            failure.scheme, failure.message, result, location, number, self.steps.time(number - 1)
        )

    def _failure_text(self, failure: Any) -> str:
        number = self.start_number + failure.step
        when = f"after step {number}, {self.steps.time(number):%Y-%m-%d %H:%M:%S} UTC"
        level = "interface" if failure.variable.endswith("_at_interfaces") else "level"
        location = f"{self.location_description(failure)}, {level} {failure.level}"
        if number == 0:
            return (
                f"The initial state is invalid: {failure.variable} is {failure.value:g} at {location}."
                " Change the options of initial, or levels."
            )
        if failure.variable in _UNSTABLE:
            is_automatic = self.case.model == "atmosphere" and self.case.time.step == "auto"
            remedy = (
                ", or output.interval, after which automatic steps are chosen again" if is_automatic else ""
            )
            return (
                f"The step of {self.steps.step_s:g} s is too long: {_UNSTABLE[failure.variable]} is"
                f" {failure.value:.3f}, above 1, at {location}, {when}."
                f" Shorten time.step{remedy}."
            )
        return (
            f"The run blew up: {failure.variable} is {failure.value:g} at {location}, {when}."
            " Shorten time.step, or raise equations.hyperdiffusion."
        )


def physics_of(case: AirCase) -> list[ColumnScheme]:
    """The schemes of the column physics. Raises ConfigError as `load_schemes`."""
    return load_schemes(case, column_scheme, case.physics, "physics")


def check_physics_steps(case: AirCase, step_s: float) -> None:
    """Raises ConfigError for a step of a scheme that is not a multiple of the time step."""
    for i, scheme in enumerate(case.physics):
        n_steps = (scheme.step or step_s) / step_s
        if abs(n_steps - round(n_steps)) > 1e-6 * n_steps or round(n_steps) == 0:
            raise ConfigError(
                f"{case.location('physics', i, 'step')}: the step of the physics scheme '{scheme.label}' is"
                f" {scheme.step:g} s, not a multiple of the time step of {step_s:g} s. Give a multiple, or"
                " time.step."
            )


def _unconverged_text(number: int, time: datetime, residual: float) -> str:
    return (
        f"The solver for the implicit gravity waves did not converge in step {number}, ending at"
        f" {time:%Y-%m-%d %H:%M:%S} UTC: the relative residual {residual:.1e} exceeds time.tolerance. Shorten"
        " time.step, or raise time.tolerance."
    )


class VerticalInterpolation:
    """Interpolates products of a core (owned cell, level) to the surfaces of `output.vertical`.

    variables: output variables, rows of the variable table; axis: vertical axis of the output. Interpolation
    is linear in ln p, or in height; values outside the range of a cell's levels are NaN.
    """

    def __init__(
        self,
        variables: list[Any],
        surfaces: OnPressure | OnHeight | Literal["model"],
        interfaces: tuple[np.ndarray, np.ndarray],
        *,
        dry_levels: bool = False,
    ) -> None:
        """surfaces: output.vertical of a case; interfaces: a [Pa] and b (level + 1) of the model's levels,
        which give their pressure, or, with dry_levels, that of the dry air only."""
        self.variables = variables
        self.axis: VerticalAxis
        self._coordinate: str | None = None
        if isinstance(surfaces, OnPressure):
            self._coordinate, self.axis = PRESSURE, pressure_axis(surfaces.pressure)
        elif isinstance(surfaces, OnHeight):
            self._coordinate, self.axis = HEIGHT, height_axis(surfaces.height)
        else:
            self.axis = numbered_axis(len(interfaces[0]) - 1) if dry_levels else model_axis(*interfaces)
        self._names_with_levels = {row.name for row in variables if LEVEL in row.dimensions}

    @property
    def product_names(self) -> list[str]:
        """Names of the core products that `interpolated` needs: the variables, and the vertical coordinate of
        the core's levels."""
        names = [row.name for row in self.variables]
        if self._coordinate and self._names_with_levels:
            return [*dict.fromkeys([*names, self._coordinate])]
        return names

    def interpolated(self, products: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The variables on the vertical axis of the output, (owned cell, axis); variables without levels as
        (owned cell).

        @param products the core products, float64 (owned cell, level) or (owned cell), by name
        """
        return {row.name: self._on_axis(products, row.name) for row in self.variables}

    def _on_axis(self, products: Mapping[str, np.ndarray], name: str) -> np.ndarray:
        values = products[name]
        if name not in self._names_with_levels or self._coordinate is None:
            return values
        surfaces, logarithmic = self.axis.coordinate.values, self._coordinate == PRESSURE
        return interpolate(products[self._coordinate], values, surfaces, logarithmic=logarithmic)
