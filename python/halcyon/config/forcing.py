"""`forcing:` what drives the waves, and what they meet on their way: wind, ice, currents, water level."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationInfo

from halcyon.config.option import FilePath, Group, Seconds, VariableName, option, optional, resolved
from halcyon.config.registry import union_of


def _listed(value: Any, info: ValidationInfo) -> Any:
    """A name or a list of names, relative to the case file, as a list of absolute ones."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names:
        return value
    found = [resolved(name, info) for name in names]
    return [*map(str, found)] if all(isinstance(path, Path) for path in found) else value


Files = Annotated[
    list[str],
    BeforeValidator(_listed),
    "the name of a file, a pattern such as 'era5_*.nc', or a list of them",
]


class VectorVariables(Group):
    """Names of the components of a vector in the files."""

    eastward: VariableName = option("The eastward component.")
    northward: VariableName = option("The northward component.")


class Gridded(Group):
    """Fields on longitudes and latitudes in CF netCDF files."""

    files: Files = option("NetCDF files: one, or several that follow each other in time.")
    units: str | None = optional(
        "Of the values, where the files do not say, or wrongly.", allowed="a unit, such as 'm s-1'"
    )
    climatology: Literal["none", "monthly"] = option(
        "monthly: means of the months over all years of the files serve any year.", default="none"
    )
    longest_gap: Seconds | None = optional(
        "Between records; by default half as long again as usual in the files.", unit="s"
    )


class GriddedVector(Gridded):
    """Fields of both components of a vector."""

    variables: VectorVariables | None = optional(
        "Their names; by default found by standard name, or a known name (u10, ugrd10m, uo ...)."
    )


class OverSea(Gridded):
    """Fields that may lack values over land."""

    reach: float = option(
        "Values are taken from so far where there is none, as over land.",
        default=100e3,
        unit="m",
        ge=0,
        le=2e6,
    )


class Boundary(Group):
    """Spectra at points along the open sides of the mesh."""

    files: Files = option(
        "Spectra at points: netCDF of WAVEWATCH III, SWAN, wavespectra or output.nests, or SWAN's text."
    )
    directions: Literal["auto", "from", "towards", "cartesian"] = option(
        "What the directions of a netCDF file are; auto: as it says; cartesian: towards, anticlockwise from"
        " east (SWAN's own).",
        default="auto",
    )
    variable: VariableName | None = optional("The densities in a netCDF file, where that is not plain.")
    distance: float | None = optional(
        "Boundary cells farther from all points stay closed; needed where the mesh has no region.",
        unit="m",
        gt=0,
        le=1e7,
        allowed="metres above 0 and up to 10000000",
    )
    longest_gap: Seconds | None = optional(
        "Between spectra; by default half as long again as usual in the files.", unit="s"
    )


class Nest(Group):
    """Points at which spectra are written in every record, as the boundary of another run."""

    name: str = option(
        "Of the nest; its file is nest_NAME.nc.",
        pattern=r"^[A-Za-z0-9_-]{1,40}$",
        allowed="1 to 40 letters, digits, _ or -",
    )
    points: FilePath | None = optional(
        "CSV with the columns longitude and latitude.", allowed="the name of a CSV file"
    )
    mesh: FilePath | None = optional(
        "Or the nest's mesh: its boundary cells within this run's sea are the points.",
        allowed="the name of an MPAS mesh",
    )


class GriddedWind(GriddedVector):
    """Winds at 10 m on longitudes and latitudes, such as those of a weather model."""


def _as_text(value: Any) -> Any:
    """A whole number as its digits: YAML reads the ids of some agencies as numbers."""
    return str(value) if type(value) is int else value


StormName = Annotated[str, BeforeValidator(_as_text)]


class TrackWind(Group):
    """The wind of a tropical cyclone along a best track."""

    track: FilePath = option(
        "Best track: CSV with our columns, JTWC's b-deck, IBTrACS' CSV, RSMC Tokyo's text."
    )
    storm: StormName | None = optional(
        "Which storm, by its id or name, of a file that holds several.",
        allowed="an id or a name, such as WP122022 or Hinnamnor",
    )
    agency: Literal["usa", "tokyo"] = option("Whose values are taken from IBTrACS.", default="usa")
    vortex: Literal["holland"] = option("Radial profile: Holland (1980).", default="holland")
    ambient_pressure: float = option(
        "Sea-level pressure around the storm.", default=1010.0, unit="hPa", ge=950, le=1050
    )
    averaging_factor: Annotated[float, Field(ge=0.5, le=1.5)] | Literal["auto"] = option(
        "Ten-minute wind over the track's wind; auto: 0.93 for one-minute winds at sea (JTWC, agency usa;"
        " Harper et al. 2010), else 1.",
        default="auto",
        allowed="a number from 0.5 to 1.5, or 'auto'",
    )
    surface_factor: float = option(
        "Wind at 10 m over the gradient wind (Franklin et al. 2003).", default=0.9, ge=0.5, le=1
    )
    inflow: Annotated[float, Field(ge=0, le=60)] | Literal["phadke"] = option(
        "Angle by which the wind turns to the centre; phadke: 10 inside to 25 outside (Phadke et al. 2003).",
        default=20.0,
        unit="degrees",
        allowed="degrees from 0 to 60, or 'phadke'",
    )
    asymmetry: Literal["phadke", "none"] = option(
        "What the motion of the storm adds to its wind (Phadke et al. 2003).", default="phadke"
    )
    radius: Annotated[float, Field(ge=1e3, le=1e6)] | Literal["fitted", "vickery_wadhera", "willoughby"] = (
        option(
            "Of maximum wind: fitted to the track's radii, by a regression (Vickery and Wadhera 2008;"
            " Willoughby et al. 2006), or fixed.",
            default="fitted",
            unit="m",
            allowed="metres from 1000 to 1000000, or 'fitted', 'vickery_wadhera' or 'willoughby'",
        )
    )
    air_density: float = option("Density of the air.", default=1.15, unit="kg m-3", ge=0.9, le=1.4)
    background: GriddedWind | None = optional(
        "The wind around the storm; by default there is none.", allowed="a group with 'files'"
    )
    inner_radius: float = option(
        "Within this distance of its centre the wind is the storm's alone (where outer_radius is at work).",
        default=400e3,
        unit="m",
        ge=0,
        le=5e6,
    )
    outer_radius: Annotated[float, Field(gt=0, le=5e6)] | Literal["auto", "none"] = option(
        "From this distance on there is nothing of the storm; auto: 800 km over a background, else none.",
        default="auto",
        unit="m",
        allowed="metres above 0 and up to 5000000, 'auto' or 'none'",
    )

    def vortex_options(self) -> dict[str, float | str]:
        """The keyword options of `halcyon.wave.wind.Options`."""
        others = {"track", "vortex", "storm", "agency", "background", "inner_radius", "outer_radius"}
        return self.model_dump(exclude=others)

    def track_options(self) -> dict[str, Any]:
        """The arguments of `halcyon.wave.track.read_track`."""
        return {"path": self.track, "storm": self.storm, "agency": self.agency}

    @property
    def outer_m(self) -> float | None:
        """Where the storm ends [m], None where it does not."""
        if self.outer_radius == "auto":
            return None if self.background is None else 800e3
        return None if self.outer_radius == "none" else self.outer_radius


class ConstantVector(Group):
    """The same wind everywhere and always."""

    speed: float = option("Speed at 10 m.", unit="m s-1", ge=0, le=100)
    direction: float = option("The wind blows from here, clockwise from north.", unit="degrees", ge=0, le=360)


class ConstantWind(Group):
    """A uniform wind."""

    constant: ConstantVector = option("The wind.")


Wind = union_of(
    {"<track>": TrackWind, "<gridded>": GriddedWind, "<constant>": ConstantWind, "<none>": Literal["none"]},
    lambda given: "<constant>" if "constant" in given else "<gridded>" if "files" in given else "<track>",
)


class SeaScalar(OverSea):
    """A quantity of the sea that is a number."""

    variable: VariableName | None = optional(
        "Its name; by default found by standard name, or a known name (siconc, zos ...)."
    )


class Ice(SeaScalar):
    """Sea ice on longitudes and latitudes."""


class Level(SeaScalar):
    """The water level above the mean on longitudes and latitudes."""


class Current(OverSea, GriddedVector):
    """Surface currents on longitudes and latitudes."""


class Forcing(Group):
    """What drives the model."""

    wind: Wind = option(
        "The wind at 10 m.",
        allowed="a group with 'track' (a best track), with 'files' (netCDF), with 'constant', or 'none'",
    )
    ice: Ice | None = optional("Sea ice.", allowed="a group with 'files'")
    current: Current | None = optional("Surface currents.", allowed="a group with 'files'")
    water_level: Level | None = optional("Water level above the mean.", allowed="a group with 'files'")
    update: Seconds = option(
        "Time between updates of ice, currents and water level, which have the values of the middle of it.",
        default=3600.0,
        unit="s",
    )
