"""The case of the atmosphere: every option that a case file with `model: atmosphere` may hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from halcyon.choices import choice, choices, names
from halcyon.config.initial import TYPES, Initial, starts_of
from halcyon.config.mesh import Globe
from halcyon.config.option import Group, Seconds, group, option, optional
from halcyon.config.registry import combined_group, tagged_union
from halcyon.config.run_case import Exchange, Io, Partition, Restart, RunCase, RunOutput, Span

if TYPE_CHECKING:
    import numpy as np


class Sponge(Group):
    """Takes up waves below the top: the wind goes back to that of the start, the vertical wind of
    nonhydrostatic to rest, faster the higher it is (Klemp and Lilly 1978)."""

    pressure: float = option("It acts where there is less.", unit="Pa", gt=0, le=1e5)
    rate: float = option("At the top.", unit="s-1", gt=0, le=1)


class _Equations(Group):
    """What is solved, and how. `equations: hydrostatic` stands for `equations: {set: hydrostatic}`."""

    @property
    def has_levels(self) -> bool:
        """Whether its fields have levels."""
        return "levels" in choice("equation sets", self.set).goes_with


_OWN = {
    "set": (Literal[names("equation sets")], option("The set of equations.", default="shallow_water")),
    "sponge": (
        Sponge | None,
        optional("Below the top; by default there is none.", allowed="a group with 'pressure' and 'rate'"),
    ),
}
Equations = combined_group("Equations", choices("equation sets"), _Equations, _OWN)


class Levels(Group):
    """Where the levels of the air are: made by a rule, or given by the coefficients of their interfaces."""

    count: int = option("How many.", default=26, ge=2, le=1000)
    top: float = option("Pressure at the top of the model.", default=219.4, unit="Pa", gt=0, le=5e4)
    spacing: Literal["stretched", "pressure", "height"] = option(
        "Even in pressure, or in its logarithm (height); stretched: there, but thin near the ground.",
        default="stretched",
    )
    coordinate: Literal["hybrid", "sigma"] = option(
        "Surfaces of pressure aloft, or everywhere the same parts of the pressure at the ground (sigma).",
        default="hybrid",
    )
    a: list[float] | None = optional(
        "Pressure at interfaces is a + b ps: its a from the top to the ground; goes with b.",
        unit="Pa",
        allowed="a list of numbers, the last 0",
    )
    b: list[float] | None = optional(
        "The same, its b.", allowed="a list of numbers, the first 0 and the last 1"
    )

    @property
    def are_listed(self) -> bool:
        """Whether the interfaces are given one by one."""
        return self.a is not None or self.b is not None

    def interfaces(self) -> tuple[np.ndarray, np.ndarray]:
        """The coefficients a [Pa] and b, float64 (level + 1) from the top to the ground, of a case that was
        checked."""
        import numpy as np

        from halcyon.atmosphere.levels import interfaces

        if self.are_listed:
            return np.array(self.a, float), np.array(self.b, float)
        return interfaces(self.count, self.top, spacing=self.spacing, kind=self.coordinate)


class OnPressure(Group):
    """Fields are interpolated to surfaces of pressure, linearly in its logarithm."""

    pressure: list[Annotated[float, Field(gt=0, le=2e5)]] = option(
        "Of the surfaces.", default=[85000.0, 50000.0, 25000.0], unit="Pa", allowed="a list of pressures"
    )


class OnHeight(Group):
    """Fields are interpolated to surfaces of geopotential height, linearly."""

    height: list[Annotated[float, Field(ge=-1e4, le=1e6)]] = option(
        "Of the surfaces above the sphere.", unit="m", allowed="a list of heights"
    )


Vertical = tagged_union(
    {"<pressure>": OnPressure, "<height>": OnHeight, "<model>": Literal["model"]},
    lambda given: "<height>" if "height" in given and "pressure" not in given else "<pressure>",
)


Physics = Literal["none", "held_suarez"]
PHYSICS = option("What heats and slows the air: nothing, or as Held and Suarez (1994).", default="none")
HALO_LAYERS = 2  # as kHaloLayers in cpp/halcyon/atmosphere/sweeps.hpp
_ON_ONE = {"shallow_water": ("height",)}  # what is written of fields without levels
_WRITTEN = ("eastward_wind", "northward_wind", "vorticity")
PRESSURE = "surface_pressure"


class Steps(Span):
    """The span of a run and its steps."""

    step: Seconds | Literal["auto"] = option(
        "Step; auto: the longest of whole seconds that is stable at the start and divides output.interval.",
        default="auto",
        unit="s",
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

    interval: Seconds = option("Time between records.", default=21600.0, unit="s")
    variables: list[str] | None = optional(
        "Variables of the fields files; by default eastward_wind, northward_wind, vorticity and, of shallow"
        " water, height, else surface_pressure and temperature.",
        allowed="a list of names that `halcyon describe atmosphere` shows",
    )
    vertical: Vertical = option(
        "The surfaces on which fields with levels are written; model: on their own.",
        default=OnPressure(),
        allowed="a group with 'pressure' or with 'height', or 'model'",
    )
    pictures: bool = option("Draws maps and the course of the integrals at the end.", default=True)


class AirCase(RunCase):
    """A run whose fields may have levels."""

    @property
    def variables(self) -> list[str]:
        """Of the fields files. Files of model levels have the pressure at the ground, which places them."""
        has_levels = self.equations.has_levels
        own = [PRESSURE, "temperature"] if has_levels else [*_ON_ONE.get(self.equations.set, ())]
        names = [*own, *_WRITTEN] if self.output.variables is None else self.output.variables
        missing = has_levels and self.output.vertical == "model" and PRESSURE not in names
        return [PRESSURE, *names] if missing else names

    @property
    def restart_step_s(self) -> float:
        if self.time.step != "auto":
            return self.time.step
        return 1.0 if self.output.interval % 1 == 0 else 0.1


class AtmosphereCase(AirCase):
    """A run of the atmosphere: the whole of a case file."""

    goes_with: ClassVar = {"initial": starts_of()}

    model: Literal["atmosphere"] = option("The model.")
    title: str | None = optional("What files and pictures call the run.")
    mesh: Globe = option("Cells.", allowed="a group with 'level', 'points' or 'file'")
    equations: Equations = group(Equations, "The equations.")
    levels: Levels = group(Levels, "Of the air.")
    physics: Physics = PHYSICS
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
