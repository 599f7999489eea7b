"""Options of case files with `model: atmosphere`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from halcyon.choices import choice, choices, names
from halcyon.config.initial import START_TYPES, Initial, starts_of
from halcyon.config.mesh import Globe
from halcyon.config.option import Group, Seconds, group, option, optional
from halcyon.config.physics import SCHEMES, ColumnPhysicsScheme
from halcyon.config.registry import combined_group, tagged_union
from halcyon.config.run_case import Exchange, Io, Partition, Restart, RunCase, RunOutput, Span

if TYPE_CHECKING:
    import numpy as np


class Sponge(Group):
    """Sponge layer that absorbs waves below the model top: relaxes the horizontal wind to the initial wind,
    and the vertical wind (nonhydrostatic) to 0, at a rate that increases upwards (Klemp and Lilly 1978)."""

    pressure: float = option("Pressure at the bottom of the sponge layer.", unit="Pa", gt=0, le=1e5)
    rate: float = option("Damping rate at the model top.", unit="s-1", gt=0, le=1)


AIR_HYPERDIFFUSION = 0.025  # [m s-1]: noise decays; half of MPAS-Atmosphere's config_visc4_2dsmag


class _Equations(Group):
    """Equations and numerics. `equations: hydrostatic` is short for `equations: {set: hydrostatic}`."""

    if TYPE_CHECKING:  # the options are those of the registry

        def __getattr__(self, name: str) -> Any: ...

    @property
    def has_levels(self) -> bool:
        """True if the equation set has vertical levels."""
        return "levels" in choice("equation sets", self.set).traits

    @property
    def automatic(self) -> dict[str, Any]:
        """The values of the options that can be auto."""
        is_air = self.has_levels and not self.keep_energy
        values = {
            "sharp_vorticity": is_air,
            "hyperdiffusion": AIR_HYPERDIFFUSION if is_air else 0.0,
            "frictional_heating": is_air,
        }
        given = {name: getattr(self, name) for name in values}
        return values | {name: value for name, value in given.items() if value != "auto"}


_COMMON_OPTIONS = {
    "set": (Literal[names("equation sets")], option("Equation set.", default="shallow_water")),
    "sponge": (
        Sponge | None,
        optional(
            "Sponge layer below the model top; by default none.", allowed="a group with 'pressure' and 'rate'"
        ),
    ),
}
if TYPE_CHECKING:
    Equations = _Equations
else:
    Equations = combined_group("Equations", choices("equation sets"), _Equations, _COMMON_OPTIONS)


class Levels(Group):
    """Vertical levels: generated, or given by the coefficients of their interfaces."""

    count: int = option("Number of levels.", default=26, ge=2, le=1000)
    top: float = option("Pressure at the top of the model.", default=219.4, unit="Pa", gt=0, le=5e4)
    spacing: Literal["stretched", "pressure", "height"] = option(
        "Spacing of the levels: uniform in pressure, uniform in log pressure (height), or in log pressure"
        " with thinner layers near the surface (stretched).",
        default="stretched",
    )
    coordinate: Literal["hybrid", "sigma"] = option(
        "Vertical coordinate: hybrid (pressure levels near the top, terrain-following near the surface) or"
        " sigma.",
        default="hybrid",
    )
    a: list[float] | None = optional(
        "Coefficients a of the interface pressures a + b ps, from the top to the surface; requires b.",
        unit="Pa",
        allowed="a list of numbers, the last 0",
    )
    b: list[float] | None = optional(
        "Coefficients b of the interface pressures a + b ps; requires a.",
        allowed="a list of numbers, the first 0 and the last 1",
    )

    @property
    def has_coefficients(self) -> bool:
        """True if the case gives the coefficients of the interfaces."""
        return self.a is not None or self.b is not None

    @property
    def n_levels(self) -> int:
        """Number of levels."""
        return self.count if self.b is None else len(self.b) - 1

    def interfaces(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the coefficients a [Pa] and b, float64 (level + 1) from the top to the surface, of a
        validated case."""
        import numpy as np

        from halcyon.atmosphere.levels import interfaces

        if self.has_coefficients:
            return np.array(self.a, float), np.array(self.b, float)
        return interfaces(self.count, self.top, spacing=self.spacing, kind=self.coordinate)


class OnPressure(Group):
    """Output on pressure levels, interpolated linearly in log pressure."""

    pressure: list[Annotated[float, Field(gt=0, le=2e5)]] = option(
        "Pressures of the output levels.",
        default=[85000.0, 50000.0, 25000.0],
        unit="Pa",
        allowed="a list of pressures",
    )


class OnHeight(Group):
    """Output on levels of geopotential height, interpolated linearly in height."""

    height: list[Annotated[float, Field(ge=-1e4, le=1e6)]] = option(
        "Geopotential heights of the output levels above sea level.", unit="m", allowed="a list of heights"
    )


if TYPE_CHECKING:
    Vertical = OnPressure | OnHeight | Literal["model"]
else:
    Vertical = tagged_union(
        {"<pressure>": OnPressure, "<height>": OnHeight, "<model>": Literal["model"]},
        lambda options: "<height>" if "height" in options and "pressure" not in options else "<pressure>",
    )


HALO_LAYERS = 2  # equal to kHaloLayers in cpp/halcyon/atmosphere/sweeps.hpp
_SINGLE_LEVEL_OUTPUT = {"shallow_water": ("height",)}  # additional default output of sets without levels
_DEFAULT_OUTPUT = ("eastward_wind", "northward_wind", "vorticity")
SURFACE_PRESSURE = "surface_pressure"


class SpanWithStep(Span):
    """Start, end and time step of a run."""

    step: Seconds | Literal["auto"] = option(
        "Time step; auto: the longest stable step in whole seconds that divides output.interval. In the"
        " grid-point model it is shortened at records if winds have grown.",
        default="auto",
        unit="s",
    )


class Time(SpanWithStep):
    """Start, end and time stepping of the run."""

    scheme: Literal["runge_kutta", "semi_implicit"] = option(
        "Time scheme: third-order Runge-Kutta (Wicker and Skamarock 2002), or semi_implicit (shallow_water"
        " only) with implicit gravity waves, so that only the wind limits the step.",
        default="runge_kutta",
    )
    tolerance: float = option(
        "Relative residual |b - A x| / |b| at which the solver of semi_implicit stops.",
        default=1e-8,
        ge=1e-12,
        le=1e-4,
    )


class Output(RunOutput):
    """Output of a run."""

    interval: Seconds = option("Time between records.", default=21600.0, unit="s")
    variables: list[str] | None = optional(
        "Variables of the fields files; by default eastward_wind, northward_wind, vorticity and height"
        " (shallow_water) or surface_pressure and temperature (sets with levels).",
        allowed="a list of names that `halcyon describe atmosphere` shows",
    )
    vertical: Vertical = option(
        "Vertical levels of the output: pressure levels, height levels, or 'model' for model levels.",
        default=OnPressure(),
        allowed="a group with 'pressure' or with 'height', or 'model'",
    )
    pictures: bool = option("Plots of maps and of the global integrals at the end of the run.", default=True)


class AirCase(RunCase):
    """A case of the atmosphere or the spectral model."""

    if TYPE_CHECKING:
        levels: Levels
        tracers: list[str]
        output: Output

    @property
    def has_dry_levels(self) -> bool:
        """True if the levels give the pressure of the dry air, without the weight of its water."""
        return False

    @property
    def variables(self) -> list[str]:
        """Variables of the fields files. Files on model levels always include the surface pressure, which
        defines the pressure of the levels, except on dry levels, where they also include the pressure."""
        has_levels = self.equations.has_levels
        if has_levels:
            specific = [SURFACE_PRESSURE, "temperature"]
        else:
            specific = [*_SINGLE_LEVEL_OUTPUT.get(self.equations.set, ())]
        names = [*specific, *_DEFAULT_OUTPUT] if self.output.variables is None else self.output.variables
        required = []
        if has_levels and self.output.vertical == "model":
            required = [SURFACE_PRESSURE, *(["pressure"] if self.has_dry_levels else [])]
        return [*(name for name in required if name not in names), *names]

    @property
    def restart_name_precision_s(self) -> float:
        if self.time.step != "auto":
            return self.time.step
        # The automatic step is not known here. It is usually in whole seconds if output.interval is.
        return 1.0 if self.output.interval % 1 == 0 else 0.1


class AtmosphereCase(AirCase):
    """A case file with `model: atmosphere`."""

    equation_sets_for: ClassVar = {"initial": starts_of()}

    model: Literal["atmosphere"] = option("Model.")
    title: str | None = optional("Title of the run in files and plots.")
    mesh: Globe = option("Mesh.", allowed="a group with 'level', 'points' or 'file'")
    equations: Equations = group(Equations, "Equations and numerics.")
    levels: Levels = group(Levels, "Vertical levels.")
    physics: list[ColumnPhysicsScheme] = SCHEMES
    tracers: list[str] = option(
        "Names of the advected tracers.",
        default=[],
        allowed="a list of names that `halcyon describe atmosphere` shows or, from a file, of its variables",
    )
    time: Time = option("Start, end and time stepping.")
    initial: Initial = option(
        "Initial state.", allowed=f"the name of a file, or a group with 'file' or with type: {START_TYPES}"
    )
    exchange: Exchange = group(Exchange, "Halo exchange.")
    partition: Partition = group(Partition, "Partitioning of the mesh among ranks.")
    io: Io = group(Io, "Parallel I/O.")
    output: Output = group(Output, "Output.")
    restart: Restart = group(Restart, "Restart files.")

    @property
    def is_semi_implicit(self) -> bool:
        """True if the time scheme treats gravity waves implicitly."""
        return self.time.scheme == "semi_implicit"

    @property
    def has_dry_levels(self) -> bool:
        return self.equations.moist

    @property
    def halo_layers(self) -> int:
        """Number of halo layers of the run."""
        return self.min_layers if self.exchange.layers == "auto" else self.exchange.layers

    @property
    def min_layers(self) -> int:
        """Number of halo layers that the equations need; monotone tracers need one more."""
        has_tracers = self.tracers or self.equations.moist
        return HALO_LAYERS + 1 if has_tracers and self.equations.monotone else HALO_LAYERS
