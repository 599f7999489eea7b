"""Options of the forcing (wind, ice, currents, water level), of the open boundary, and of nests."""

from __future__ import annotations

import re
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationInfo

from halcyon.config.mesh import Region
from halcyon.config.option import (
    FilePath,
    Group,
    Seconds,
    UtcTime,
    VariableName,
    option,
    optional,
    resolved_path,
    utc,
)
from halcyon.config.registry import tagged_union


def _absolute_names(value: Any, info: ValidationInfo) -> Any:
    """Converts a file name or a list of file names, relative to the case file, to a list of absolute
    names."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names:
        return value
    paths = [resolved_path(name, info) for name in names]
    return [*map(str, paths)] if all(isinstance(path, Path) for path in paths) else value


Files = Annotated[
    list[str],
    BeforeValidator(_absolute_names),
    "the name of a file, a pattern such as 'era5_*.nc', or a list of them",
]


def _selection(value: Any) -> Any:
    """Converts the dates and times of YAML to texts."""
    if not isinstance(value, dict):
        return value
    return {str(k): v.isoformat() if isinstance(v, date) else v for k, v in value.items()}


Selection = Annotated[
    dict[str, int | float | str], BeforeValidator(_selection), "names with values, such as {number: 0}"
]


class VectorVariables(Group):
    """Names of the variables with the components of a vector in the files."""

    eastward: VariableName = option("Name of the variable with the eastward component.")
    northward: VariableName = option("Name of the variable with the northward component.")


class Gridded(Group):
    """Gridded fields in CF netCDF files, GRIB files or Zarr stores."""

    files: Files = option("Files of netCDF or GRIB, or Zarr stores: one, or several for successive times.")
    select: Selection | None = optional(
        "Part of the files that is used: values of dimensions, coordinates or keys of GRIB messages, such as"
        " {number: 0} for a member; of GRIB also dataDate (yyyymmdd), dataTime (hhmm) and step [h].",
        allowed="names with values, such as {number: 0}",
    )
    units: str | None = optional(
        "Units of the values, if missing or wrong in the files.", allowed="a unit, such as 'm s-1'"
    )
    climatology: Literal["none", "monthly"] = option(
        "Climatology; monthly: monthly means over all years of the files, used for any year.", default="none"
    )
    longest_gap: Seconds | None = optional(
        "Longest allowed gap between records; by default 1.5 times the median interval.", unit="s"
    )


class GriddedVector(Gridded):
    """Fields of both components of a vector."""

    variables: VectorVariables | None = optional(
        "Names of the variables; by default detected by standard or common name (u10, ugrd10m, uo ...)."
    )
    components: Literal["auto", "grid", "east_north"] = option(
        "Directions of the components: along the grid's rows and columns, or eastward and northward; auto: as"
        " the files say.",
        default="auto",
    )


class GriddedOverSea(Gridded):
    """Fields that may lack values over land."""

    reach: float = option(
        "Largest distance over which missing values, as over land, are filled from valid values.",
        default=100e3,
        unit="m",
        ge=0,
        le=2e6,
    )


class Position(Group):
    """A position on the sphere."""

    longitude: float = option("Longitude.", unit="degrees east", ge=-180, le=540)
    latitude: float = option("Latitude.", unit="degrees north", ge=-90, le=90)


class Boundary(Group):
    """Spectra at points along the open boundary of the mesh."""

    files: Files = option(
        "Spectra at points: netCDF of output.nests, WAVEWATCH III, SWAN, ERA5 or wavespectra, text files of"
        " WAVEWATCH III and SWAN, or the five files of an NDBC buoy."
    )
    directions: Literal["auto", "from", "towards", "cartesian"] = option(
        "Direction convention of a netCDF file; auto: from its metadata; cartesian: towards, anticlockwise"
        " from east (SWAN's Cartesian convention).",
        default="auto",
    )
    variable: VariableName | None = optional("Name of the spectral density in a netCDF file, if ambiguous.")
    distance: float | None = optional(
        "Largest distance of an open boundary cell from the nearest point; by default from the distance"
        " between the points and the width of the cells.",
        unit="m",
        gt=0,
        le=1e7,
        allowed="metres above 0 and up to 10000000",
    )
    position: Position | None = optional(
        "Position of the point in files that do not have it, as those of NDBC.",
        allowed="a group with longitude and latitude",
    )
    longest_gap: Seconds | None = optional(
        "Longest allowed gap between spectra; by default 1.5 times the median interval.", unit="s"
    )


class Nest(Group):
    """Points whose spectra are written in every record, for the boundary of another run."""

    name: str = option(
        "Name of the nest; its file is nest_NAME.nc.",
        pattern=r"^[A-Za-z0-9_-]{1,40}$",
        allowed="1 to 40 letters, digits, _ or -",
    )
    points: FilePath | None = optional(
        "CSV file with the columns longitude and latitude.", allowed="the name of a CSV file"
    )
    mesh: FilePath | None = optional(
        "Mesh of the nest, instead of points: the points are its boundary cells within the sea of this run.",
        allowed="the name of an MPAS mesh",
    )
    region: Region | None = optional("Box of the nest, instead of points: the points are along its sides.")
    case: FilePath | None = optional(
        "Case of the nested run, instead of points: the points are along the sides of its mesh.region, or the"
        " boundary cells of its mesh.file.",
        allowed="the name of a case",
    )

    @property
    def source(self) -> Path | Region | None:
        """The file or the region that gives the points; None if there is none, or several."""
        given = [each for each in (self.points, self.mesh, self.region, self.case) if each is not None]
        return given[0] if len(given) == 1 else None


class GriddedWind(GriddedVector):
    """Winds at 10 m on a grid, for example of a weather model."""

    steady: bool = option("Whether winds that do not change between records are allowed.", default=False)


def _as_text(value: Any) -> Any:
    """Converts an integer to its digits: YAML reads some storm ids, such as 2211, as numbers."""
    return str(value) if type(value) is int else value


StormName = Annotated[str, BeforeValidator(_as_text)]


class ForecastErrors(Group):
    """Mean absolute errors of forecasts at lead times."""

    hours: list[Annotated[float, Field(ge=0, le=1000)]] = option(
        "Lead times, increasing from 0.", unit="h", min_length=2, max_length=100
    )
    along: list[Annotated[float, Field(ge=0, le=2e6)]] = option("Mean errors along the track.", unit="m")
    across: list[Annotated[float, Field(ge=0, le=2e6)]] = option("Mean errors across the track.", unit="m")
    wind: list[Annotated[float, Field(ge=0, le=50)]] = option(
        "Mean errors of the one-minute wind.", unit="m s-1"
    )


_BASINS = ("atlantic", "eastern_pacific", "central_pacific")
_Errors = tagged_union(
    {"<table>": ForecastErrors} | {f"<{name}>": Literal[name] for name in _BASINS}, lambda options: "<table>"
)


class Perturbation(Group):
    """Perturbation of a track by the statistics of forecast errors, for `halcyon ensemble`."""

    member: int = option(
        "Number of the member of the ensemble; 0: the track as it is.", default=0, ge=0, le=1_000_000
    )
    seed: int = option("Random seed of all members.", default=1, ge=0, le=2**31 - 1)
    errors: _Errors = option(
        "Mean errors by lead time: of NHC's official forecasts in a basin (Atlantic 2015-2019 by the wind at"
        " the start, Pacific 2018-2022), or of a table.",
        default="atlantic",
        allowed="'atlantic', 'eastern_pacific', 'central_pacific', or a group with 'hours'",
    )
    begin: UtcTime | None = optional(
        "Begin of the forecast, until which the track has no errors; by default the start of the run or, if"
        " later, the beginning of the forecast in the track file.",
        unit="UTC",
    )
    correlation: Literal["growing", "full"] = option(
        "Correlation of errors in time; growing: new independent errors are added to an error that persists;"
        " full: an error has the same quantile at all lead times.",
        default="growing",
    )


def _cycle(value: Any) -> Any:
    """Converts ten digits, as in decks of ATCF, to the time that they state."""
    digits = str(value)
    if type(value) not in (int, str) or not re.fullmatch(r"\d{10}", digits):
        return utc(value) if isinstance(value, str) else value
    return datetime.strptime(digits, "%Y%m%d%H")


Cycle = Annotated[datetime, BeforeValidator(_cycle)]
Agency = Literal["usa", "tokyo", "cma", "hko", "newdelhi", "reunion", "bom", "nadi", "wellington", "wmo"]


class Storm(Group):
    """The wind of a tropical cyclone along a track."""

    track: FilePath = option(
        "Track: CSV with Halcyon's columns, a- or b-deck of ATCF (NHC, JTWC), HURDAT2, IBTrACS (CSV, netCDF),"
        " best track or advisory of RSMC Tokyo; texts also compressed (.gz)."
    )
    storm: StormName | None = optional(
        "Id, name, or name and year of the storm, required if the file has several.",
        allowed="an id, a name, or a name and a year, such as WP122022, Hinnamnor or IRENE 2011",
    )
    technique: str | None = optional(
        "Technique of the forecast in an a-deck, such as OFCL or JTWC; by default the best track.",
        allowed="the name of a technique, such as OFCL",
    )
    cycle: Cycle | None = optional(
        "Time of the forecast, required if the file has several; an advisory of RSMC Tokyo needs it.",
        allowed="ten digits, such as 2011082506, or a time such as 2011-08-25T06:00",
    )
    best: FilePath | None = optional(
        "File with the best track before a forecast; by default the analyses (CARQ) of the a-deck."
    )
    agency: Agency = option("Agency whose values are read from IBTrACS.", default="usa")
    vortex: Literal["holland"] = option("Radial profile: Holland (1980).", default="holland")
    ambient_pressure: float = option(
        "Sea-level pressure around the storm.", default=1010.0, unit="hPa", ge=950, le=1050
    )
    averaging_factor: Annotated[float, Field(ge=0.5, le=1.5)] | Literal["auto"] = option(
        "Ratio of the ten-minute wind to the wind of the track; auto: 0.93 for one-minute winds at sea"
        " (JTWC, agency usa; Harper et al. 2010), else 1.",
        default="auto",
        allowed="a number from 0.5 to 1.5, or 'auto'",
    )
    surface_factor: float = option(
        "Ratio of the 10-m wind to the gradient wind (Franklin et al. 2003).", default=0.9, ge=0.5, le=1
    )
    inflow: Annotated[float, Field(ge=0, le=60)] | Literal["phadke"] = option(
        "Inflow angle towards the centre; phadke: from 10 at the centre to 25 outside (Phadke et al. 2003).",
        default=20.0,
        unit="degrees",
        allowed="degrees from 0 to 60, or 'phadke'",
    )
    asymmetry: Literal["phadke", "none"] = option(
        "Asymmetry of the wind by the motion of the storm (Phadke et al. 2003).", default="phadke"
    )
    radius: Annotated[float, Field(ge=1e3, le=1e6)] | Literal["fitted", "vickery_wadhera", "willoughby"] = (
        option(
            "Radius of maximum wind: fitted to the track's radii, from a regression (Vickery and Wadhera"
            " 2008; Willoughby et al. 2006), or fixed.",
            default="fitted",
            unit="m",
            allowed="metres from 1000 to 1000000, or 'fitted', 'vickery_wadhera' or 'willoughby'",
        )
    )
    air_density: float = option("Air density in Holland's B.", default=1.15, unit="kg m-3", ge=0.9, le=1.4)
    perturbation: Perturbation | None = optional(
        "Perturbation of the track; by default none.", allowed="a group with 'member'"
    )

    def vortex_options(self) -> dict[str, float | str]:
        """Returns the keyword arguments of `halcyon.wave.wind.Options`."""
        names = Storm.model_fields.keys() - {"track", "perturbation", *self.track_options()}
        return self.model_dump(include=names)

    def track_options(self) -> dict[str, Any]:
        """Returns the arguments of `halcyon.wave.track.read_track`."""
        names = ("storm", "agency", "technique", "cycle", "best")
        return {"path": self.track, **{name: getattr(self, name) for name in names}}


class BackgroundWind(GriddedWind):
    """Winds around the storms."""

    vortex: Literal["kept", "removed"] = option(
        "The storms' own vortices in these winds; removed: replaced by the wind of their environment"
        " (Kurihara et al. 1995).",
        default="kept",
    )


class Storms(Group):
    """The wind of storms within a background wind."""

    background: BackgroundWind | None = optional(
        "Background wind around the storms; by default none.", allowed="a group with 'files'"
    )
    inner_radius: float = option(
        "Distance from the centre within which the background has no weight; unused without outer_radius.",
        default=400e3,
        unit="m",
        ge=0,
        le=5e6,
    )
    outer_radius: Annotated[float, Field(gt=0, le=5e6)] | Literal["auto", "none"] = option(
        "Distance from the centre beyond which the storm has no weight; auto: 800 km with a background wind,"
        " else none.",
        default="auto",
        unit="m",
        allowed="metres above 0 and up to 5000000, 'auto' or 'none'",
    )

    @property
    def outer_m(self) -> float | None:
        """Outer radius [m], None if the storms have no outer limit."""
        if self.outer_radius == "auto":
            return None if self.background is None else 800e3
        return None if self.outer_radius == "none" else self.outer_radius

    @property
    def storms(self) -> dict[tuple[str | int, ...], Storm]:
        """The storms, by their location within the group."""
        raise NotImplementedError


class TrackWind(Storms, Storm):
    """The wind of a tropical cyclone along a track, alone or within a background wind."""

    @property
    def storms(self) -> dict[tuple[str | int, ...], Storm]:
        return {(): self}


class TracksWind(Storms):
    """The wind of several tropical cyclones, alone or within a background wind."""

    tracks: Annotated[list[Storm], Field(min_length=1, max_length=50)] = option(
        "Storms, each with the options of a wind with one track.", allowed="a list of groups with 'track'"
    )

    @property
    def storms(self) -> dict[tuple[str | int, ...], Storm]:
        return {("tracks", i): storm for i, storm in enumerate(self.tracks)}


class ConstantVector(Group):
    """Speed and direction of a uniform, constant wind."""

    speed: float = option("Wind speed at 10 m.", unit="m s-1", ge=0, le=100)
    direction: float = option(
        "Direction from which the wind blows, clockwise from north.", unit="degrees", ge=0, le=360
    )


class ConstantWind(Group):
    """A uniform, constant wind."""

    constant: ConstantVector = option("Speed and direction of the wind.")


_KINDS_OF_WIND = {"constant": "constant", "files": "gridded", "tracks": "tracks"}  # by an option
Wind = tagged_union(
    {
        "<track>": TrackWind,
        "<tracks>": TracksWind,
        "<gridded>": GriddedWind,
        "<constant>": ConstantWind,
        "<none>": Literal["none"],
    },
    lambda options: next(
        (f"<{kind}>" for option, kind in _KINDS_OF_WIND.items() if option in options), "<track>"
    ),
)


class SeaScalar(GriddedOverSea):
    """Scalar fields that may lack values over land."""

    variable: VariableName | None = optional(
        "Name of the variable; by default detected by standard or common name (siconc, zos ...)."
    )


class Ice(SeaScalar):
    """Sea-ice concentration on a grid."""


class WaterLevel(SeaScalar):
    """Water level above mean sea level on a grid."""


class Current(GriddedOverSea, GriddedVector):
    """Surface currents on a grid."""


class Forcing(Group):
    """Forcing of the wave model."""

    wind: Wind = option(
        "Wind at 10 m.",
        allowed="a group with 'track' (storm), 'tracks' (storms), 'files' (a grid) or 'constant', or 'none'",
    )
    ice: Ice | None = optional("Sea-ice concentration.", allowed="a group with 'files'")
    current: Current | None = optional("Surface currents.", allowed="a group with 'files'")
    water_level: WaterLevel | None = optional(
        "Water level above mean sea level.", allowed="a group with 'files'"
    )
    update: Seconds = option(
        "Interval between updates of ice, currents and water level; each update sets the values at the middle"
        " of the interval.",
        default=3600.0,
        unit="s",
    )
