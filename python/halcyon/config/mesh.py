"""`mesh:` the cells of the run, how far apart they should be, and the spectrum that each of them holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, ValidationInfo

from halcyon.choices import names
from halcyon.config.option import (
    FilePath,
    Group,
    NetcdfPath,
    VariableName,
    group,
    option,
    optional,
    resolved_path,
)
from halcyon.config.registry import tagged_union
from halcyon.mesh import spacing_spec, spec


class Recorded(Group):
    """Options that are those of a record of `halcyon.mesh`, name by name."""

    record: ClassVar[type]

    def made(self, *left_out: str, **changed: Any) -> Any:
        """The record, of which some fields may be left out or be others."""
        return self.record(**{name: _made(value) for name, value in self if name not in left_out} | changed)


def _made(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_made, value))
    return value.made() if isinstance(value, Recorded) else str(value) if isinstance(value, Path) else value


class Region(Recorded):
    """A box of longitudes and latitudes. It may cross the date line: west 170, east 200."""

    record = spec.Region
    west: float = option("Western side.", unit="degrees east", ge=-180, le=360)
    east: float = option("Eastern side, east of the western one.", unit="degrees east", ge=-180, le=540)
    south: float = option("Southern side.", unit="degrees north", ge=-90, le=90)
    north: float = option("Northern side.", unit="degrees north", ge=-90, le=90)


class CircleSpacing(Recorded):
    """Finer cells around a place."""

    record = spacing_spec.Circle
    longitude: float = option("Of the centre.", unit="degrees east", ge=-180, le=360)
    latitude: float = option("Of the centre.", unit="degrees north", ge=-90, le=90)
    radius: float = option("Of the circle within which cells are finest.", unit="m", ge=0, le=2e7)
    spacing: float = option("Within the circle.", unit="m", ge=1000, le=5e6)
    transition: float = option("Over which it grows to the background's.", unit="m", gt=0, le=2e7)


class BoxSpacing(Region):
    """Finer cells in a box. It may cross the date line: west 170, east 200."""

    record = spacing_spec.Box
    spacing: float = option("Within the box.", unit="m", ge=1000, le=5e6)
    transition: float = option("Over which it grows to the background's.", unit="m", gt=0, le=2e7)


class DepthSpacing(Recorded):
    """Finer cells in shallow water, after the speed of long waves: as the root of the depth."""

    record = spacing_spec.ByDepth
    spacing: float = option("At least.", unit="m", ge=1000, le=5e6)
    depth: float = option("From which on the background holds.", default=4000.0, unit="m", gt=0, le=12000)


class FieldSpacing(Recorded):
    """Spacing from a netCDF file on longitudes and latitudes, in units of m or km."""

    record = spacing_spec.ByField
    file: NetcdfPath = option("The file.")
    variable: VariableName | None = optional("The file's variable of spacing, where it holds several.")

    def made(self) -> spacing_spec.ByField:
        return super().made("file", path=str(self.file))


_LIST = "a list of {}, each {{{}, spacing: ..., transition: ...}}"


class Spacing(Recorded):
    """The distance between cell centres: the least that any part asks for, at most the background."""

    record = spacing_spec.Spacing
    coast: float | None = optional("At the coast.", unit="m", ge=1000, le=1e6)
    ocean: float | None = optional(
        "Far from any coast: the background of a mesh of the sea.", unit="m", ge=1000, le=5e6
    )
    background: float | None = optional(
        "Where nothing else asks for less; the same as ocean.", unit="m", ge=1000, le=5e6
    )
    transition: float = option(
        "Distance from the coast over which the spacing grows to the background's.",
        default=300e3,
        unit="m",
        gt=0,
        le=1e7,
    )
    depth: DepthSpacing | None = optional("By depth.", allowed="a group with 'spacing'")
    field: FieldSpacing | None = optional("From a file.", allowed="a group with 'file'")
    circles: list[CircleSpacing] = option(
        "Finer around places.",
        default=[],
        allowed=_LIST.format("circles", "longitude: ..., latitude: ..., radius: ..."),
    )
    boxes: list[BoxSpacing] = option(
        "Finer in boxes.",
        default=[],
        allowed=_LIST.format("boxes", "west: ..., east: ..., south: ..., north: ..."),
    )

    @property
    def coarsest(self) -> float | None:
        """The background, however it is called."""
        return self.ocean if self.background is None else self.background

    def made(self) -> spacing_spec.Spacing:
        return super().made("ocean", background=self.coarsest)


class Zoom(Recorded):
    """Finer cells around a circle in a mesh of a given count, as GRIST's G8X4 (Ringler et al. 2011)."""

    record = spacing_spec.Zoom
    ratio: float = option("Of the coarse spacing to the fine one.", ge=1, le=100)
    longitude: float = option("Of the centre.", default=180.0, unit="degrees east", ge=-180, le=360)
    latitude: float = option("Of the centre.", default=35.0, unit="degrees north", ge=-90, le=90)
    radius: float = option("Of the circle, beta.", default=3336e3, unit="m", gt=0, le=2e7)
    transition: float = option("Of the hyperbolic tangent, alpha.", default=1001e3, unit="m", gt=0, le=2e7)


class Stretch(Recorded):
    """A uniform mesh of a given count, drawn together towards a place by a conformal map (Schmidt 1977)."""

    record = spacing_spec.Stretch
    ratio: float = option("Of the spacing at the antipode to that at the centre.", ge=1, le=100)
    longitude: float = option("Of the centre.", default=180.0, unit="degrees east", ge=-180, le=360)
    latitude: float = option("Of the centre.", default=35.0, unit="degrees north", ge=-90, le=90)


def _or_file(name: str) -> Any:
    """The name of a data set, or any other text, which is the name of a file."""

    def validate(value: Any, info: ValidationInfo) -> Any:
        return value if value == name else resolved_path(value, info)

    return Annotated[Path | Literal[name], BeforeValidator(validate)]


class Coast(Recorded):
    """The land that is cut out."""

    record = spec.Coast
    source: _or_file("gshhg") = option(
        "GSHHG of the package gmt-gshhg-low, or a GeoJSON file of land polygons.",
        default="gshhg",
        allowed="'gshhg' or the name of a GeoJSON file",
    )
    resolution: Literal["auto", "c", "l", "i"] = option(
        "GSHHG resolution: crude, low or intermediate; auto takes the one that the finest spacing needs.",
        default="auto",
    )
    minimum_area: float = option("Smaller islands count as sea.", default=3e8, unit="m2", ge=0, le=1e13)


class Depth(Recorded):
    """The depth of the sea."""

    record = spec.Depth
    source: _or_file("etopo5") = option(
        "ETOPO5 of the package ferret-datasets, or a netCDF file of heights or depths in metres; its"
        " attributes or names tell which.",
        default="etopo5",
        allowed="'etopo5' or the name of a netCDF file",
    )
    variable: VariableName | None = optional("The file's variable of heights, where it holds several.")
    minimum: float = option("Shallower cells get this depth.", default=5.0, unit="m", gt=0, le=1000)


class Spectrum(Group):
    """The bins of the wave spectrum."""

    frequencies: int = option("Number of frequencies.", default=35, ge=3, le=200)
    first_frequency: float = option("Lowest frequency.", default=0.0345, unit="Hz", gt=0, le=1)
    ratio: float = option("Of a frequency to the one before.", default=1.1, gt=1, le=2)
    directions: int = option(
        "Number of directions; the first lies half a step from north.", default=36, ge=8, le=360
    )


class MadeGlobe(Recorded):
    """A mesh of the globe that is made, and cached."""

    record = spec.MeshSpec
    level: int | None = optional("Of a uniform mesh of the globe, 10 * 4^level + 2 cells.", ge=0, le=10)
    points: int | None = optional("Cells of the globe, instead of a level.", ge=12, le=10 * 4**10 + 2)
    zoom: Zoom | None = optional("Finer around a circle.", allowed="a group with 'ratio'")
    stretch: Stretch | None = optional("The uniform mesh drawn together.", allowed="a group with 'ratio'")
    order: Literal[names("cell orders")] = option("Of the cells in memory and files.", default="hilbert")
    tolerance: float | None = optional(
        "Mean move of an iteration over the local spacing at which points are at rest.", gt=0, le=1
    )
    iterations: int | None = optional("Most iterations on a level.", ge=1)

    def spec(self) -> spec.MeshSpec:
        """What the mesh is made from."""
        return self.made(sea=False)


class MadeMesh(MadeGlobe):
    """A mesh that is made, and cached."""

    spacing: Spacing | None = optional(
        "Distance between cells; relative, where `points` are given.",
        allowed="a group with 'background' or 'ocean'",
    )
    region: Region | None = optional("The box that the mesh covers; by default the globe.")
    polygon: FilePath | None = optional(
        "Polygons that hold the centres of all cells.", allowed="the name of a GeoJSON file"
    )
    sea: bool = option("Land is cut out.", default=True)
    depths: list[float] | None = optional(
        "Least and most depth of the cells that are kept.",
        unit="m",
        allowed="a list of two numbers, such as [0, 200]",
    )
    coast: Coast = group(Coast, "The land.")
    depth: Depth | None = optional("The depth; a mesh of the sea has one in any case.")
    spectrum: Spectrum = group(Spectrum, "The bins in each cell.")

    def spec(self) -> spec.MeshSpec:
        """What the mesh is made from."""
        return self.made("spectrum", depth=_made(self.depth or (Depth() if self.sea else None)))


class ExistingMesh(Group):
    """A mesh that exists, in `file`."""


class FileMesh(ExistingMesh):
    """A mesh that exists."""

    file: NetcdfPath = option("An MPAS mesh with the variable bottomDepth.")
    spectrum: Spectrum = group(Spectrum, "The bins in each cell.")


class GlobeFile(ExistingMesh):
    """A mesh of the globe that exists."""

    file: NetcdfPath = option("An MPAS mesh of the whole globe.")


def _tag(given: dict[str, Any]) -> str:
    return "<file>" if "file" in given else "<made>"


Mesh = tagged_union({"<made>": MadeMesh, "<file>": FileMesh}, _tag)
Globe = tagged_union({"<made>": MadeGlobe, "<file>": GlobeFile}, _tag)
