"""The case: every option that a case file may hold. `halcyon describe case` prints it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from halcyon.config.forcing import Boundary, Forcing, Nest
from halcyon.config.mesh import Mesh
from halcyon.config.option import FilePath, Group, Seconds, either, group, option, optional, options_of
from halcyon.config.registry import groups_of, type_of, union_of
from halcyon.config.run_case import Exchange, Io, Partition, Restart, RunCase, RunOutput, Span

_DEFAULT_SET = "wam3"


class _Set(Group):
    """The options of a set of source terms."""

    def values(self) -> dict[str, bool | float | str]:
        """The options of the set as the C++ side names them."""
        return self.model_dump(by_alias=True, exclude={"set", "preset"})


SETS = groups_of("physics sets", tag="set", base=_Set)
DEFAULT_PHYSICS = SETS[_DEFAULT_SET]()
_OF_PRESET = next(name for name, kind in SETS.items() if "preset" in options_of(kind))


Physics = union_of(
    {f"<{name}>": kind for name, kind in SETS.items()},
    lambda given: f"<{_OF_PRESET if 'preset' in given else given.get('set', _DEFAULT_SET)}>",
    default=f"<{_DEFAULT_SET}>",
)
PHYSICS_GROUPS = f"a group with set: {either([*SETS])}, or a preset"


class Equations(Group):
    """Terms of the transport equation, and how it is solved."""

    scheme: Literal["second_order", "upwind"] = option(
        "Transport through the edges of cells: by limited slopes, or of first order.", default="second_order"
    )
    swell_age: float = option(
        "Age of swell against garden sprinklers, of second_order (Booij and Holthuijsen 1987); 0: none.",
        default=345600.0,
        unit="s",
        ge=0,
        le=2e6,
    )
    least_depth: float = option(
        "Depth that a falling water level leaves in every cell.", default=0.1, unit="m", gt=0, le=10
    )
    ice_threshold: float = option(
        "Part of a cell under ice above which it is like land.", default=0.5, ge=0, le=1
    )
    refraction: bool = option("Waves turn where the depth varies.", default=True)
    great_circle_turning: bool = option("Waves travel along great circles.", default=True)


HALO_LAYERS = {"upwind": 1, "second_order": 2}  # as halo_layers in cpp/halcyon/wave/transport/options.hpp


class Time(Span):
    """The span of the run and its steps."""

    step: Seconds | Literal["auto"] = option(
        "Transport step; auto: the longest that the CFL limit allows and that divides source_step.",
        default="auto",
        unit="s",
    )
    bands: Annotated[int, Field(ge=1, le=100)] | Literal["auto"] = option(
        "Groups of frequencies with transport steps of their own; auto: those that cost least.",
        default="auto",
    )
    strongest_current: float = option(
        "Current that the transport step leaves room for.", default=0.0, unit="m s-1", ge=0, le=20
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
    """The run starts from the sea that the first wind raises over a fetch."""

    type: Literal["fetch_law"] = option(
        "JONSWAP spectra of the wind over a fetch (Hasselmann et al. 1973).",
        default="fetch_law",
        allowed="'fetch_law', 'calm' or 'restart'",
    )
    fetch: float = option("Fetch.", default=30e3, unit="m", gt=0, le=1e7)


class Calm(Group):
    """The run starts from a flat sea."""

    type: Literal["calm"] = option("No waves.", default="calm")


class FromRestart(Group):
    """The run starts from the sea of another run."""

    type: Literal["restart"] = option("The state of another run.", default="restart")
    file: FilePath = option(
        "A restart file of a run on the same mesh and bins, of the time at which this one starts.",
        allowed="the name of a file such as restart_20220901T0600.nc",
    )


Initial = union_of(
    {"<fetch_law>": FetchLaw, "<calm>": Calm, "<restart>": FromRestart}, type_of, default="<fetch_law>"
)


_VARIABLES = [
    *("significant_height", "mean_period", "peak_period", "mean_direction"),
    *("eastward_wind", "northward_wind"),
]


class Station(Group):
    """A point for which a time series is written."""

    name: str = option("Unique name.", min_length=1, max_length=60, allowed="a name of 1 to 60 letters")
    longitude: float = option("Longitude.", unit="degrees east", ge=-180, le=540)
    latitude: float = option("Latitude.", unit="degrees north", ge=-90, le=90)
    spectrum: bool = option("Its spectra are written, to spectra.nc.", default=False)


class Output(RunOutput):
    """What a run writes, and where."""

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
        "Points for spectra, as the boundaries of other runs.",
        default=[],
        allowed="a list of nests, each {name: ..., points: ...} or {name: ..., mesh: ...}",
    )
    spectra: bool = option("Spectra of all stations are written, to spectra.nc.", default=False)
    pictures: bool = option("Draws maps and station series at the end.", default=True)


class Case(RunCase):
    """A run of the wave model: the whole of a case file."""

    model: Literal["wave"] = option("The model.", allowed="'wave', 'atmosphere' or 'spectral'")
    title: str | None = optional("What files and pictures call the run.")
    mesh: Mesh = option("Cells and spectrum.", allowed="a group with 'spacing', 'level', 'points' or 'file'")
    equations: Equations = group(Equations, "Terms of the equations.")
    time: Time = option("Span and steps.")
    forcing: Forcing = option("What drives the model.")
    physics: Physics = option("Source terms.", default=DEFAULT_PHYSICS, allowed=PHYSICS_GROUPS)
    initial: Initial = option(
        "The sea at the start.",
        default=FetchLaw(),
        allowed="a group with type: fetch_law, type: calm or type: restart",
    )
    boundary: Boundary | None = optional(
        "Spectra at the open sides of the mesh; by default nothing enters there.",
        allowed="a group with 'files'",
    )
    exchange: Exchange = group(Exchange, "Halo exchange.")
    partition: Partition = group(Partition, "Sharing of cells among ranks.")
    io: Io = group(Io, "Parallel files.")
    output: Output = group(Output, "Results.")
    restart: Restart = group(Restart, "Restart files.")

    @property
    def halo_layers(self) -> int:
        """Of the exchange."""
        needed = HALO_LAYERS[self.equations.scheme]
        return needed if self.exchange.layers == "auto" else self.exchange.layers

    @property
    def restart_step_s(self) -> float:
        return self.time.source_step
