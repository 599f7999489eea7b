"""What runs of models with a core that takes steps have in common: the atmosphere and the spectral one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from halcyon.atmosphere import interpolate
from halcyon.base import RunError, memory
from halcyon.config.atmosphere import OnHeight, OnPressure
from halcyon.config.run_case import RunCase
from halcyon.io.fields_file import OwnedGrid, OwnedMesh
from halcyon.io.vertical_axis import LEVEL, VerticalAxis, height_axis, model_axis, pressure_axis
from halcyon.run.model import NO_FAILURE, PartTimes, Record, RunModel, StepFailure
from halcyon.run.output.records import Contents
from halcyon.run.reductions import greatest
from halcyon.run.series.series import IntegralSeries
from halcyon.run.steps import Steps

if TYPE_CHECKING:
    from mpi4py import MPI

CHECK_STEPS = 20  # within which all ranks learn of a failure on one of them
FIXED = "topography"
WATCHED = ("eastward_wind", "northward_wind")
PRESSURE, HEIGHT = "pressure", "geopotential_height"  # products that say where levels are
_TOO_LONG = {"courant_number": "wind and waves", "vertical_courant_number": "currents up or down"}
_UNSOLVED = "implicit_gravity_waves"  # as in cpp/halcyon/atmosphere/shallow_water/shallow_water.cpp
_EVERYWHERE = np.iinfo(np.int64).max  # after what has a place in the same step, which may be its cause


class CoreModel(RunModel):
    """A core with `step`, `variables`, `products`, `integrals`, `failure`."""

    check_steps = CHECK_STEPS

    def __init__(self, case: RunCase, mesh_file: Path | None, comm: MPI.Comm, times: PartTimes) -> None:
        super().__init__(case, mesh_file, comm, times)
        self.first = 0  # step before those that the core has taken

    def set_core(self, core: Any, steps: Steps, part: OwnedMesh | OwnedGrid, title: str) -> None:
        """Collective. part: what fields lie on; title: of their files."""
        table = {variable.name: variable for variable in core.variables}
        rows = [table[name] for name in self.case.variables]
        self.core, self.steps = core, steps
        self.vertical = Vertical(rows, self.case.output.vertical, self.case.levels.interfaces())
        self.contents = Contents(
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
    def place_of(self, trouble: Any) -> int:
        """The global id of the place where a core is in trouble, or -1."""

    @abstractmethod
    def place_words(self, trouble: Any) -> str:
        """The same in words."""

    def core_rows(self, on: tuple[str, str], equations: str, ranks: str) -> list[tuple[str, str]]:
        """Collective. What will run; on: the row of the mesh or grid, its name and text."""
        return [
            on,
            ("equations", equations),
            ("ranks", ranks),
            ("steps", f"{self.steps.n_steps:,} of {self.steps.step_s:g} s"),
            ("memory", memory(self.comm.allreduce(self.core.memory_bytes))),
        ]

    def go_on(self, number: int, state: Mapping[str, Any]) -> None:
        self.first = number

    def step(self, number: int) -> None:
        self.core.step(self.steps.step_s)

    def record(self, number: int, check: Callable[[], None]) -> Record:
        values = self.core.products([*dict.fromkeys([*self.vertical.products, *WATCHED])])
        check()
        speeds = np.hypot(*(values[name] for name in WATCHED))
        strongest = greatest(self.comm, float(speeds.max(initial=0)))
        return Record(self.vertical.values(values), f"wind up to {strongest:.1f} m/s")

    def failure(self) -> StepFailure:
        found = self.core.failure
        if found.variable == _UNSOLVED:
            number = self.first + found.step + 1
            text = _unsolved(number, self.steps.time(number), found.value)
            return StepFailure((found.step, _EVERYWHERE), RunError(text))
        place = self.place_of(found)
        return NO_FAILURE if place < 0 else StepFailure((found.step, place), RunError(self._text(found)))

    def _text(self, found: Any) -> str:
        number = self.first + found.step
        when = f"after step {number}, {self.steps.time(number):%Y-%m-%d %H:%M:%S} UTC"
        level = "interface" if found.variable.endswith("_at_interfaces") else "level"
        place = f"{self.place_words(found)}, {level} {found.level}"
        if number == 0:
            return (
                f"The start is nothing to go on from: {found.variable} is {found.value:g} at {place}."
                " Change the options of initial, or levels."
            )
        if found.variable in _TOO_LONG:
            return (
                f"The step of {self.steps.step_s:g} s became too long: {_TOO_LONG[found.variable]} at"
                f" {place}, make a Courant number of {found.value:.3f}, above 1, {when}. Shorten time.step."
            )
        return (
            f"The run blew up: {found.variable} is {found.value:g} at {place}, {when}."
            " Shorten time.step, or raise equations.hyperdiffusion."
        )


def _unsolved(number: int, time: datetime, residual: float) -> str:
    return (
        f"The implicit gravity waves of step {number}, to {time:%Y-%m-%d %H:%M:%S} UTC, were not solved for:"
        f" {residual:.1e} of the right side is left, more than time.tolerance. Shorten time.step, or raise"
        " time.tolerance."
    )


class Vertical:
    """Brings products of a core (owned cell, level) to the surfaces of `output.vertical`.

    variables: rows of the table that are written; axis: their vertical axis; products: names of what `values`
    needs. Interpolation is linear in ln p, or in height; where a surface is not between the highest and the
    lowest level of a cell, there is no value (NaN).
    """

    def __init__(
        self,
        variables: list[Any],
        wanted: OnPressure | OnHeight | Literal["model"],
        interfaces: tuple[np.ndarray, np.ndarray],
    ) -> None:
        """wanted: output.vertical of a case; interfaces: a [Pa] and b (level + 1) of its levels."""
        self.variables = variables
        self._place = {OnPressure: PRESSURE, OnHeight: HEIGHT}.get(type(wanted))
        self.axis: VerticalAxis = {
            PRESSURE: lambda: pressure_axis(wanted.pressure),
            HEIGHT: lambda: height_axis(wanted.height),
            None: lambda: model_axis(*interfaces),
        }[self._place]()
        self._with_levels = {row.name for row in variables if LEVEL in row.dimensions}

    @property
    def products(self) -> list[str]:
        """Those of the variables, and that which says where levels are."""
        names = [row.name for row in self.variables]
        return [*dict.fromkeys([*names, self._place])] if self._place and self._with_levels else names

    def values(self, products: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The variables on the axis (owned cell, axis), and (owned cell) of those without levels.

        @param products float64 (owned cell, level) or (owned cell), by name: at least `products`
        """
        return {row.name: self._on_axis(products, row.name) for row in self.variables}

    def _on_axis(self, products: Mapping[str, np.ndarray], name: str) -> np.ndarray:
        values = products[name]
        if name not in self._with_levels or self._place is None:
            return values
        levels, logarithmic = self.axis.coordinate.values, self._place == PRESSURE
        return interpolate(products[self._place], values, levels, logarithmic=logarithmic)
