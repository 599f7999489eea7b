"""The case of the atmosphere: every option that a case file with `model: atmosphere` may hold."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from halcyon.config.atmosphere_equations import Equations
from halcyon.config.atmosphere_levels import Levels, OnPressure, Vertical
from halcyon.config.globe import Globe
from halcyon.config.initial import TYPES, Initial, starts_of
from halcyon.config.option import Group, UtcTime, group, option
from halcyon.config.run_case import Exchange, Io, Partition, Restart, RunCase, RunOutput

HALO_LAYERS = 2  # as kHaloLayers in cpp/halcyon/atmosphere/sweeps.hpp
_WRITTEN = ("eastward_wind", "northward_wind", "vorticity")
PRESSURE = "surface_pressure"


class Steps(Group):
    """The span of a run and its steps."""

    start: UtcTime = option("First time.", unit="UTC")
    end: UtcTime = option("Last time.", unit="UTC")
    step: Annotated[float, Field(gt=0)] | Literal["auto"] = option(
        "Step; auto: the longest of whole seconds that is stable at the start and divides output.interval.",
        default="auto",
        unit="s",
        allowed="positive seconds or 'auto'",
    )


class Time(Steps):
    """The span of the run and its steps."""

    scheme: Literal["runge_kutta", "semi_implicit"] = option(
        "Wicker and Skamarock's of third order; semi_implicit, of shallow_water: with implicit gravity waves,"
        " so that winds alone limit the step.",
        default="runge_kutta",
    )
    tolerance: float = option(
        "Of semi_implicit: what may be left of the equation for the surface, as a part of its right side.",
        default=1e-8,
        ge=1e-12,
        le=1e-4,
    )


class Output(RunOutput):
    """What a run writes, and where."""

    interval: float = option(
        "Time between records.", default=21600.0, unit="s", gt=0, allowed="positive seconds"
    )
    variables: list[str] | None = option(
        "Variables of the fields files; by default eastward_wind, northward_wind, vorticity and, of shallow"
        " water, height, else surface_pressure and temperature.",
        default=None,
        allowed="a list of names that `halcyon describe atmosphere` shows",
    )
    vertical: Vertical = option(
        "The surfaces on which fields with levels are written; model: on their own.",
        default=OnPressure(),
        allowed="a group with 'pressure' or with 'height', or 'model'",
    )
    pictures: bool = option("Draws maps and the course of the integrals at the end.", default=True)


class AtmosphereCase(RunCase):
    """A run of the atmosphere: the whole of a case file."""

    goes_with: ClassVar = {"initial": starts_of()}

    model: Literal["atmosphere"] = option("The model.")
    title: str | None = option("What files and pictures call the run.", default=None, allowed="a text")
    mesh: Globe = option("Cells.", allowed="a group with 'level', 'points' or 'file'")
    equations: Equations = group(Equations, "The equations.")
    levels: Levels = group(Levels, "Of the air.")
    physics: Literal["none", "held_suarez"] = option(
        "What heats and slows the air: nothing, or as Held and Suarez (1994).", default="none"
    )
    tracers: list[str] = option(
        "What the air carries along.",
        default=[],
        allowed="a list of names that `halcyon describe atmosphere` shows or, from a file, of its variables",
    )
    time: Time = option("Span and steps.")
    initial: Initial = option(
        "The state at the start.", allowed=f"the name of a file, or a group with 'file' or with type: {TYPES}"
    )
    exchange: Exchange = group(Exchange, "Halo exchange.")
    partition: Partition = group(Partition, "Sharing of cells among ranks.")
    io: Io = group(Io, "Parallel files.")
    output: Output = group(Output, "Results.")
    restart: Restart = group(Restart, "Restart files.")

    @property
    def variables(self) -> list[str]:
        """Of the fields files. Files of model levels have the pressure at the ground, which places them."""
        if not self.equations.has_levels:
            return ["height", *_WRITTEN] if self.output.variables is None else self.output.variables
        named = self.output.variables
        names = [PRESSURE, "temperature", *_WRITTEN] if named is None else named
        missing = self.output.vertical == "model" and PRESSURE not in names
        return [PRESSURE, *names] if missing else names

    @property
    def is_semi_implicit(self) -> bool:
        """Whether gravity waves are taken implicitly."""
        return self.time.scheme == "semi_implicit"

    @property
    def halo_layers(self) -> int:
        """Of the exchange."""
        return self.least_layers if self.exchange.layers == "auto" else self.exchange.layers

    @property
    def least_layers(self) -> int:
        """What the equations need; a limited tracer one more."""
        return HALO_LAYERS + 1 if self.tracers and self.equations.monotone else HALO_LAYERS

    @property
    def restart_step_s(self) -> float:
        if self.time.step != "auto":
            return self.time.step
        return 1.0 if self.output.interval % 1 == 0 else 0.1
