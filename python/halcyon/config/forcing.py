"""Options of the forcing (wind, ice, currents, water level), of the open boundary, and of nests."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationInfo

from halcyon.config.mesh import Region
from halcyon.config.option import (
    FilePath,
    Group,
    Seconds,
    VariableName,
    option,
    optional,
    resolved_path,
)
from halcyon.config.registry import tagged_union
from halcyon.config.storm import Storm


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
    select: Selection | None = optional(
        "Part of netCDF or GRIB files that is used, such as {number: 0} for a member, see the wind.",
        allowed="names with values, such as {number: 0}",
    )
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

    cell_mean: bool | Literal["auto"] = option(
        "Whether the wind of a storm in a cell is the mean over the cell, instead of that at its centre;"
        " auto: not if all storms have `vortex: holland` or `fvwam`.",
        default="auto",
        allowed="true, false or 'auto'",
    )

    @property
    def has_cell_means(self) -> bool:
        """Whether the winds of storms are means over cells."""
        if self.cell_mean == "auto":
            return any(storm.vortex not in ("holland", "fvwam") for storm in self.storms.values())
        return bool(self.cell_mean)

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


class CellWind(Group):
    """Winds at 10 m on the cells of the mesh, in a netCDF file without positions."""

    cells: FilePath = option(
        "File of netCDF with winds on a time and the cells of mesh.file (nCells), in the order of that file."
    )
    interval: Seconds | None = optional(
        "Time between records, the first at time.start; for files without times.", unit="s"
    )
    variables: VectorVariables | None = optional("Names of the variables; by default u10 and v10.")


class ConstantVector(Group):
    """Speed and direction of a uniform, constant wind."""

    speed: float = option("Wind speed at 10 m.", unit="m s-1", ge=0, le=100)
    direction: float = option(
        "Direction from which the wind blows, clockwise from north.", unit="degrees", ge=0, le=360
    )


class ConstantWind(Group):
    """A uniform, constant wind."""

    constant: ConstantVector = option("Speed and direction of the wind.")


# The kind of wind by an option that only it has.
_KINDS_OF_WIND = {
    "constant": "constant",
    "files": "gridded",
    "tracks": "tracks",
    "cells": "cells",
}
if TYPE_CHECKING:
    Wind = Any  # one of the groups of winds above, or "none"
else:
    Wind = tagged_union(
        {
            "<track>": TrackWind,
            "<tracks>": TracksWind,
            "<gridded>": GriddedWind,
            "<cells>": CellWind,
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
