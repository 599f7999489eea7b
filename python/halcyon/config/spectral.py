"""The case of the spectral model: every option that a case file with `model: spectral` may hold."""

from __future__ import annotations

from typing import ClassVar, Literal

from halcyon.choices import choices
from halcyon.config.atmosphere import PRESSURE, Output, Steps
from halcyon.config.atmosphere_levels import Levels
from halcyon.config.gaussian import Gaussian
from halcyon.config.initial import Initial
from halcyon.config.option import Group, group, option
from halcyon.config.registry import listed
from halcyon.config.run_case import Io, Restart, RunCase
from halcyon.config.spectral_exchange import TransformExchange

STARTS = {each.name: each.goes_with for each in choices("spectral equation sets")}
_ALL_STARTS = list(dict.fromkeys(name for starts in reversed(STARTS.values()) for name in starts))
_WINDS = ("eastward_wind", "northward_wind", "vorticity")
_STRIPE = 8  # rows that stay together, half of them on either side of the equator


class Hyperdiffusion(Group):
    """Damps the shortest waves; neither means nor solid rotation."""

    order: Literal[2, 4, 6, 8] = option("Of the derivative: 4 del^4.", default=4, allowed="2, 4, 6 or 8")
    time_scale: float = option("In which the shortest waves fall by e.", unit="s", gt=0, le=1e9)


class Equations(Group):
    """What is solved. `equations: barotropic` stands for `equations: {set: barotropic}`."""

    set: Literal[tuple(STARTS)] = option("The set of equations.", default="shallow_water")
    hyperdiffusion: Hyperdiffusion | None = option(
        "Of vorticity, divergence and temperature; by default there is none.",
        default=None,
        allowed="a group with 'time_scale', and 'order'",
    )
    radius: float = option("Of the planet.", default=6371220.0, unit="m", gt=1000, le=1e9)
    rotation: float = option("Of the planet.", default=7.292e-5, unit="rad s-1", ge=-1e-2, le=1e-2)
    gravity: float = option("Of the planet.", default=9.80616, unit="m s-2", gt=0, le=1000)

    @property
    def has_levels(self) -> bool:
        """Whether its fields have levels."""
        return self.set == "primitive"


class Time(Steps):
    """The span of the run and its steps."""

    scheme: Literal["runge_kutta", "semi_implicit", "auto"] = option(
        "Runge and Kutta's of fourth order, or leapfrog with implicit gravity waves; auto: semi_implicit for"
        " primitive, else runge_kutta.",
        default="auto",
    )
    filter: float = option(
        "Strength of the filter of Robert and Asselin, of semi_implicit.", default=0.1, ge=0, le=1
    )
    filter_share: float = option(
        "Part of it that the middle time takes (Williams 2009); 1: all.", default=0.53, ge=0.5, le=1
    )


class SpectralOutput(Output):
    """What a run writes, and where."""

    variables: list[str] | None = option(
        "Variables of the fields files; by default eastward_wind, northward_wind, vorticity and, of"
        " shallow_water, height, of primitive surface_pressure and temperature.",
        default=None,
        allowed="a list of names that `halcyon describe spectral` shows",
    )


class SpectralCase(RunCase):
    """A run of the spectral model: the whole of a case file."""

    goes_with: ClassVar = {
        "initial": {name: [each for each in STARTS if name in STARTS[each]] for name in _ALL_STARTS}
    }
    model: Literal["spectral"] = option("The model.")
    title: str | None = option("What files and pictures call the run.", default=None, allowed="a text")
    mesh: Gaussian = option("Truncation and grid.", allowed="a group with 'truncation'")
    equations: Equations = group(Equations, "The equations.")
    levels: Levels = group(Levels, "Of the air.")
    physics: Literal["none", "held_suarez"] = option(
        "What heats and slows the air: nothing, or as Held and Suarez (1994).", default="none"
    )
    time: Time = option("Span and steps.")
    initial: Initial = option(
        "The state at the start.",
        allowed=f"the name of a file, or a group with 'file' or with type: {listed(_ALL_STARTS)}",
    )
    exchange: TransformExchange = group(TransformExchange, "Shared transforms.")
    io: Io = group(Io, "Parallel files.")
    output: SpectralOutput = group(SpectralOutput, "Results.")
    restart: Restart = group(Restart, "Restart files.")

    @property
    def variables(self) -> list[str]:
        """Of the fields files. Files of model levels have the pressure at the ground, which places them."""
        own = {"shallow_water": ["height"], "primitive": [PRESSURE, "temperature"]}
        named = self.output.variables
        names = [*own.get(self.equations.set, []), *_WINDS] if named is None else named
        missing = self.equations.has_levels and self.output.vertical == "model" and PRESSURE not in names
        return [PRESSURE, *names] if missing else names

    @property
    def is_semi_implicit(self) -> bool:
        """Whether gravity waves are taken implicitly."""
        scheme = self.time.scheme
        return self.equations.has_levels if scheme == "auto" else scheme == "semi_implicit"

    @property
    def most_sets(self) -> tuple[int, int]:
        """V and W at most: W sets share stripes of rows and wavenumbers, V sets the points of a row, the
        longest of the stripes at the poles."""
        rows = self.mesh.n_latitudes
        pairs, stripes = (rows + 1) // 2, -(-rows // _STRIPE)
        longest = self.mesh.row_length(pairs - 1 - (stripes - 1) * _STRIPE // 2)
        return longest, min(stripes, self.mesh.truncation + 1)

    def sets(self, ranks: int) -> tuple[int, int] | None:
        """V and W for so many ranks: those of the case, or as few V sets as can be. None: there are none."""
        most_v, most_w = self.most_sets
        if self.exchange.sets != "auto":
            v, w = self.exchange.sets
            return (v, w) if v * w == ranks else None
        fitting = (v for v in range(-(-ranks // most_w), most_v + 1) if ranks % v == 0)
        v = next(fitting, None)
        return None if v is None else (v, ranks // v)

    @property
    def restart_step_s(self) -> float:
        if self.time.step != "auto":
            return self.time.step
        return 1.0 if self.output.interval % 1 == 0 else 0.1
