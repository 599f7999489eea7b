"""Options of case files with `model: wave`; `halcyon describe case` prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from halcyon.config.ensemble import Ensemble
from halcyon.config.forcing import Boundary, Forcing, Nest
from halcyon.config.mesh import Mesh
from halcyon.config.option import FilePath, Group, Seconds, group, joined_by_or, option, optional, options_of
from halcyon.config.physics import SOURCE_TERMS, PhysicsScheme
from halcyon.config.presets import PRESETS, preset_text
from halcyon.config.registry import groups_of, tagged_union, type_tag
from halcyon.config.run_case import Exchange, Io, Partition, Restart, RunCase, RunOutput, Span

_DEFAULT_SET_NAME = "wam3"


class _PhysicsSet(Group):
    """Options of a set of source terms."""

    if TYPE_CHECKING:  # the options are those of the registry

        def __getattr__(self, name: str) -> Any: ...

    schemes: list[PhysicsScheme] = SOURCE_TERMS

    def values(self) -> dict[str, bool | float | str]:
        """Returns the values of the options by the option names of the C++ API."""
        return self.model_dump(by_alias=True, exclude={"set", "preset", "schemes"})


PHYSICS_SETS = groups_of("physics sets", tag="set", base=_PhysicsSet)
DEFAULT_PHYSICS = PHYSICS_SETS[_DEFAULT_SET_NAME]()
# The physics set with the option `preset`, which may be given without `set`.
_PRESET_SET_NAME = next(name for name, group in PHYSICS_SETS.items() if "preset" in options_of(group))


if TYPE_CHECKING:
    Physics = _PhysicsSet
else:
    Physics = tagged_union(
        {f"<{name}>": group for name, group in PHYSICS_SETS.items()},
        lambda options: (
            f"<{_PRESET_SET_NAME if 'preset' in options else options.get('set', _DEFAULT_SET_NAME)}>"
        ),
        default=f"<{_DEFAULT_SET_NAME}>",
    )
_ALLOWED_PHYSICS = f"a group with set: {joined_by_or([*PHYSICS_SETS])}, or with a preset"


class Equations(Group):
    """Terms of the transport equation, and its numerical scheme."""

    scheme: Literal["second_order", "upwind"] = option(
        "Spatial transport scheme: second order with limited slopes, or first-order upwind.",
        default="second_order",
    )
    swell_age: float = option(
        "Swell age in the diffusion against the garden-sprinkler effect (Booij and Holthuijsen 1987) of"
        " scheme second_order; 0: no diffusion.",
        default=345600.0,
        unit="s",
        ge=0,
        le=2e6,
    )
    least_depth: float = option(
        "Smallest depth of a cell when the water level falls.", default=0.1, unit="m", gt=0, le=10
    )
    ice_threshold: float = option(
        "Sea-ice fraction above which a cell is treated as land.", default=0.5, ge=0, le=1
    )
    refraction: bool = option("Refraction by varying depth and currents.", default=True)
    great_circle_turning: bool = option("Turning of the wave direction along great circles.", default=True)
    sides: Literal["absorbing", "local"] = option(
        "Cells that lack a neighbour: absorbing waves at the missing side; local: kept out of transport, so"
        " that their waves grow by the local wind only (FVWAM).",
        default="absorbing",
    )


# Number of halo layers that each scheme needs; equal to halo_layers in
# cpp/halcyon/wave/transport/options.hpp.
HALO_LAYERS = {"upwind": 1, "second_order": 2}


class Time(Span):
    """Time span and time steps of the run."""

    step: Seconds | Literal["auto"] = option(
        "Transport step; auto: source_step, with as many substeps in each frequency band as its CFL limit"
        " needs.",
        default="auto",
        unit="s",
    )
    bands: Annotated[int, Field(ge=1, le=100)] | Literal["auto"] = option(
        "Number of frequency bands with their own transport substeps; auto: the number with the lowest cost.",
        default="auto",
    )
    strongest_current: float = option(
        "Largest current speed for which the transport step must be stable.",
        default=0.0,
        unit="m s-1",
        ge=0,
        le=20,
    )
    source_step: float = option(
        "Step of the source terms.",
        default=1200.0,
        unit="s",
        gt=0,
        le=86400,
        allowed="positive seconds up to 86400",
    )


class FetchLaw(Group):
    """Start from the fetch-limited sea of the first wind."""

    type: Literal["fetch_law"] = option(
        "JONSWAP spectra of the fetch-limited sea (Hasselmann et al. 1973).",
        default="fetch_law",
        allowed="'fetch_law', 'calm' or 'restart'",
    )
    fetch: float = option("Fetch of the initial sea.", default=30e3, unit="m", gt=0, le=1e7)
    cap_light_winds: bool = option(
        "Whether the peak frequency is at most 0.2 Hz in light winds too, whose fully developed sea has a "
        "higher one.",
        default=False,
    )


class Calm(Group):
    """Start without waves."""

    type: Literal["calm"] = option("Calm sea without waves.", default="calm")


class FromRestart(Group):
    """Start from the state of another run."""

    type: Literal["restart"] = option("State of another run.", default="restart")
    file: FilePath = option(
        "Restart file of a run on the same mesh and spectral grid, at the start time of this run.",
        allowed="the name of a file such as restart_20220901T0600.nc",
    )


if TYPE_CHECKING:
    Initial = FetchLaw | Calm | FromRestart
else:
    Initial = tagged_union(
        {"<fetch_law>": FetchLaw, "<calm>": Calm, "<restart>": FromRestart}, type_tag, default="<fetch_law>"
    )


_VARIABLES = [
    *("significant_height", "mean_period", "peak_period", "mean_direction"),
    *("eastward_wind", "northward_wind"),
]


class Station(Group):
    """A station: a point with a time series."""

    name: str = option("Unique name.", min_length=1, max_length=60, allowed="a name of 1 to 60 characters")
    longitude: float = option("Longitude.", unit="degrees east", ge=-180, le=540)
    latitude: float = option("Latitude.", unit="degrees north", ge=-90, le=90)
    spectrum: bool = option("Output of the spectra of the station to spectra.nc.", default=False)


class Output(RunOutput):
    """Output of a run."""

    interval: Seconds = option("Time between records.", default=3600.0, unit="s")
    variables: list[str] = option(
        "Variables of the fields files.",
        default=_VARIABLES,
        allowed="a list of names that `halcyon describe wave` shows",
    )
    stations: list[Station] = option(
        "Points for time series.",
        default=[],
        allowed="a list of stations, each {name: ..., longitude: ..., latitude: ...}",
    )
    nests: list[Nest] = option(
        "Nests: points whose spectra are written for the boundaries of other runs.",
        default=[],
        allowed="a list of nests, each {name: ..., case: ...}, or with points, mesh or region",
    )
    spectra: bool = option("Output of the spectra of all stations to spectra.nc.", default=False)
    pictures: bool = option("Maps and station series, drawn at the end of the run.", default=True)


if TYPE_CHECKING:
    _Preset = str
else:
    _Preset = Literal[*PRESETS]


class Case(RunCase):
    """A case file with `model: wave`."""

    model: Literal["wave"] = option("The model.", allowed="'wave', 'atmosphere' or 'spectral'")
    title: str | None = optional("Title of the run in files and pictures.")
    preset: _Preset | None = optional(
        "Model whose options are the defaults of the case. fvwam (Pang et al. 2025):"
        f" {preset_text('fvwam')}; the last four only of winds with a track.",
        allowed=" or ".join(f"'{name}'" for name in PRESETS),
    )
    mesh: Mesh = option(
        "Mesh and spectral grid.", allowed="a group with 'spacing', 'level', 'points' or 'file'"
    )
    equations: Equations = group(Equations, "Terms and numerical scheme of the transport equation.")
    time: Time = option("Time span and time steps.")
    forcing: Forcing = option("Forcing by wind, ice, currents and water level.")
    physics: Physics = option("Source terms.", default=DEFAULT_PHYSICS, allowed=_ALLOWED_PHYSICS)
    initial: Initial = option(
        "Initial state.",
        default=FetchLaw(),
        allowed="a group with type: fetch_law, type: calm or type: restart",
    )
    boundary: Boundary | None = optional(
        "Spectra at the open boundary of the mesh; by default no waves enter there.",
        allowed="a group with 'files'",
    )
    exchange: Exchange = group(Exchange, "Halo exchange.")
    partition: Partition = group(Partition, "Distribution of cells among ranks.")
    io: Io = group(Io, "Parallel I/O.")
    output: Output = group(Output, "Output files.")
    restart: Restart = group(Restart, "Restart files.")
    ensemble: Ensemble = group(Ensemble, "Ensemble of runs of this case.")

    @property
    def halo_layers(self) -> int:
        """Number of halo layers of the exchange."""
        needed = HALO_LAYERS[self.equations.scheme]
        return needed if self.exchange.layers == "auto" else self.exchange.layers

    @property
    def restart_name_precision_s(self) -> float:
        return self.time.source_step
