"""The group `mesh`: the mesh of a run, its spacing, and the wave spectrum of each cell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

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


class SpecGroup(Group):
    """Options that map one to one to `spec_class`, a dataclass of `halcyon.mesh`."""

    spec_class: ClassVar[type]

    def to_spec(self, *omitted: str, **changed: Any) -> Any:
        """Returns the options as an object of `spec_class`, without the options in `omitted`; `changed`
        replaces values."""
        return self.spec_class(
            **{name: _spec_value(value) for name, value in self if name not in omitted} | changed
        )


def _spec_value(value: Any) -> Any:
    """The value of an option as in a dataclass of `halcyon.mesh`."""
    if isinstance(value, list):
        return tuple(map(_spec_value, value))
    return (
        value.to_spec() if isinstance(value, SpecGroup) else str(value) if isinstance(value, Path) else value
    )


class Region(SpecGroup):
    """A box of longitudes and latitudes. It may cross the date line: west 170, east 200."""

    spec_class: ClassVar[type] = spec.Region
    west: float = option("Western side.", unit="degrees east", ge=-180, le=360)
    east: float = option("Eastern side; must exceed west.", unit="degrees east", ge=-180, le=540)
    south: float = option("Southern side.", unit="degrees north", ge=-90, le=90)
    north: float = option("Northern side.", unit="degrees north", ge=-90, le=90)


class CircleSpacing(SpecGroup):
    """Finer cells around a point."""

    spec_class = spacing_spec.Circle
    longitude: float = option("Longitude of the centre.", unit="degrees east", ge=-180, le=360)
    latitude: float = option("Latitude of the centre.", unit="degrees north", ge=-90, le=90)
    radius: float = option("Radius of the circle with the finest cells.", unit="m", ge=0, le=2e7)
    spacing: float = option("Spacing within the circle.", unit="m", ge=1000, le=5e6)
    transition: float = option(
        "Distance over which the spacing grows to the background spacing.", unit="m", gt=0, le=2e7
    )


class BoxSpacing(Region):
    """Finer cells in a box. It may cross the date line: west 170, east 200."""

    spec_class = spacing_spec.Box
    spacing: float = option("Spacing within the box.", unit="m", ge=1000, le=5e6)
    transition: float = option(
        "Distance over which the spacing grows to the background spacing.", unit="m", gt=0, le=2e7
    )


class DepthSpacing(SpecGroup):
    """Finer cells in shallow water: spacing proportional to the square root of depth, the speed of long
    waves."""

    spec_class = spacing_spec.ByDepth
    spacing: float = option("Smallest spacing.", unit="m", ge=1000, le=5e6)
    depth: float = option(
        "Depth beyond which the background spacing applies.", default=4000.0, unit="m", gt=0, le=12000
    )


class FieldSpacing(SpecGroup):
    """Spacing from a netCDF file on a longitude-latitude grid, in m or km."""

    spec_class = spacing_spec.ByField
    file: NetcdfPath = option("File with the spacing.")
    variable: VariableName | None = optional("Name of the spacing variable, if the file has several.")

    def to_spec(self, *omitted: str, **changed: Any) -> Any:
        return super().to_spec("file", *omitted, path=str(self.file), **changed)


_ALLOWED_LIST = "a list of {}, each {{{}, spacing: ..., transition: ...}}"


class Spacing(SpecGroup):
    """Distance between cell centres: the minimum over coast, depth, field, circles, boxes and background."""

    spec_class = spacing_spec.Spacing
    coast: float | None = optional("Spacing at the coast.", unit="m", ge=1000, le=1e6)
    ocean: float | None = optional(
        "Spacing far from any coast: the background of an ocean mesh.", unit="m", ge=1000, le=5e6
    )
    background: float | None = optional(
        "Spacing without refinement; a synonym of ocean.", unit="m", ge=1000, le=5e6
    )
    transition: float = option(
        "Distance from the coast over which the spacing grows to the background spacing.",
        default=300e3,
        unit="m",
        gt=0,
        le=1e7,
    )
    depth: DepthSpacing | None = optional("Spacing by depth.", allowed="a group with 'spacing'")
    field: FieldSpacing | None = optional("Spacing from a file.", allowed="a group with 'file'")
    circles: list[CircleSpacing] = option(
        "Refinement around points.",
        default=[],
        allowed=_ALLOWED_LIST.format("circles", "longitude: ..., latitude: ..., radius: ..."),
    )
    boxes: list[BoxSpacing] = option(
        "Refinement in boxes.",
        default=[],
        allowed=_ALLOWED_LIST.format("boxes", "west: ..., east: ..., south: ..., north: ..."),
    )

    @property
    def background_spacing(self) -> float | None:
        """The background spacing, given as `background` or `ocean`."""
        return self.ocean if self.background is None else self.background

    def to_spec(self, *omitted: str, **changed: Any) -> Any:
        return super().to_spec("ocean", *omitted, background=self.background_spacing, **changed)


class Zoom(SpecGroup):
    """Refinement within a circle, for a mesh of a given number of cells, as in GRIST's mesh G8X4 (Ringler et
    al. 2011)."""

    spec_class = spacing_spec.Zoom
    ratio: float = option("Ratio of the coarse to the fine spacing.", ge=1, le=100)
    longitude: float = option("Longitude of the centre.", default=180.0, unit="degrees east", ge=-180, le=360)
    latitude: float = option("Latitude of the centre.", default=35.0, unit="degrees north", ge=-90, le=90)
    radius: float = option("Radius of the refined circle (beta).", default=3336e3, unit="m", gt=0, le=2e7)
    transition: float | None = optional(
        "Width of the transition (alpha), a hyperbolic tangent; by default six coarse spacings,"
        " at least 1001 km, at most the radius.",
        unit="m",
        gt=0,
        le=2e7,
    )


class Stretch(SpecGroup):
    """A uniform mesh of a given number of cells, stretched by a conformal map with a pole of refinement
    (Schmidt 1977)."""

    spec_class = spacing_spec.Stretch
    ratio: float = option("Ratio of the spacing at the antipode to the spacing at the centre.", ge=1, le=100)
    longitude: float = option("Longitude of the centre.", default=180.0, unit="degrees east", ge=-180, le=360)
    latitude: float = option("Latitude of the centre.", default=35.0, unit="degrees north", ge=-90, le=90)


def _name_or_file(name: str) -> Any:
    """The type of an option that is either `name`, the name of a data set, or the path of a file."""

    def validate(value: Any, info: ValidationInfo) -> Any:
        return value if value == name else resolved_path(value, info)

    return Annotated[Path | Literal[name], BeforeValidator(validate)]


if TYPE_CHECKING:
    _Gshhg = Path | str
    _Etopo5 = Path | str
    _CellOrder = str
else:
    _Gshhg, _Etopo5 = _name_or_file("gshhg"), _name_or_file("etopo5")
    _CellOrder = Literal[names("cell orders")]


class Coast(SpecGroup):
    """Land, which is removed from the mesh."""

    spec_class = spec.Coast
    source: _Gshhg = option(
        "Coastlines: GSHHG of the package gmt-gshhg-low, or a GeoJSON file of land polygons.",
        default="gshhg",
        allowed="'gshhg' or the name of a GeoJSON file",
    )
    resolution: Literal["auto", "c", "l", "i"] = option(
        "GSHHG resolution: c (crude), l (low), i (intermediate); auto: suitable for the finest spacing.",
        default="auto",
    )
    minimum_area: float = option(
        "Area of the smallest island; smaller islands become sea.", default=3e8, unit="m2", ge=0, le=1e13
    )


class Depth(SpecGroup):
    """Bathymetry."""

    spec_class = spec.Depth
    source: _Etopo5 = option(
        "Bathymetry: ETOPO5 of the package ferret-datasets, or a netCDF file of heights or depths in metres,"
        " distinguished by attributes and names.",
        default="etopo5",
        allowed="'etopo5' or the name of a netCDF file",
    )
    variable: VariableName | None = optional("Name of the height or depth variable, if there are several.")
    minimum: float = option(
        "Smallest depth; shallower cells get this depth.", default=5.0, unit="m", gt=0, le=1000
    )


class Spectrum(Group):
    """The frequencies and directions of the wave spectrum."""

    frequencies: int = option("Number of frequencies.", default=35, ge=3, le=200)
    first_frequency: float = option("Lowest frequency.", default=0.0345, unit="Hz", gt=0, le=1)
    ratio: float = option("Ratio of a frequency to the next lower one.", default=1.1, gt=1, le=2)
    directions: int = option(
        "Number of directions; the first is half an interval from north.", default=36, ge=8, le=360
    )


class GeneratedGlobe(SpecGroup):
    """A global mesh that is generated, and cached."""

    spec_class = spec.MeshSpec
    level: int | None = optional(
        "Refinement level of a uniform global mesh with 10 * 4^level + 2 cells.", ge=0, le=10
    )
    points: int | None = optional(
        "Number of cells of a global mesh, instead of a level.", ge=12, le=10 * 4**10 + 2
    )
    zoom: Zoom | None = optional("Refinement within a circle.", allowed="a group with 'ratio'")
    stretch: Stretch | None = optional("Stretching of the uniform mesh.", allowed="a group with 'ratio'")
    order: _CellOrder = option("Order of cells in memory and files.", default="hilbert")
    tolerance: float | None = optional(
        "Convergence tolerance of mesh generation: mean displacement of cells per iteration, divided by the"
        " local spacing.",
        gt=0,
        le=1,
    )
    iterations: int | None = optional("Largest number of iterations per level.", ge=1)

    def spec(self) -> spec.MeshSpec:
        """The specification of the mesh."""
        return self.to_spec(sea=False)


class GeneratedMesh(GeneratedGlobe):
    """A mesh that is generated, and cached."""

    spacing: Spacing | None = optional(
        "Spacing of cells; relative if `points` is given.",
        allowed="a group with 'background' or 'ocean'",
    )
    region: Region | None = optional("Box that the mesh covers; by default the globe.")
    polygon: FilePath | None = optional(
        "Polygons that contain the centres of all cells.", allowed="the name of a GeoJSON file"
    )
    sea: bool = option("Ocean mesh: land is removed.", default=True)
    depths: list[float] | None = optional(
        "Smallest and largest depth of the cells that are kept.",
        unit="m",
        allowed="a list of two numbers, such as [0, 200]",
    )
    coast: Coast = group(Coast, "Coastlines.")
    depth: Depth | None = optional("Bathymetry; an ocean mesh always has one.")
    spectrum: Spectrum = group(Spectrum, "Frequencies and directions of the wave spectrum.")

    def spec(self) -> spec.MeshSpec:
        """The specification of the mesh."""
        return self.to_spec("spectrum", depth=_spec_value(self.depth or (Depth() if self.sea else None)))


class ExistingMesh(Group):
    """An existing mesh, in the file that the option `file` names."""

    if TYPE_CHECKING:
        file: Path


class FileMesh(ExistingMesh):
    """An existing mesh."""

    file: NetcdfPath = option("MPAS mesh file with the variable bottomDepth.")
    spectrum: Spectrum = group(Spectrum, "Frequencies and directions of the wave spectrum.")


class FileGlobe(ExistingMesh):
    """An existing global mesh."""

    file: NetcdfPath = option("MPAS mesh file of the whole globe.")


def _tag(options: dict[str, Any]) -> str:
    return "<file>" if "file" in options else "<generated>"


if TYPE_CHECKING:
    Mesh = GeneratedMesh | FileMesh
else:
    Mesh = tagged_union({"<generated>": GeneratedMesh, "<file>": FileMesh}, _tag)
if TYPE_CHECKING:
    Globe = GeneratedGlobe | FileGlobe
else:
    Globe = tagged_union({"<generated>": GeneratedGlobe, "<file>": FileGlobe}, _tag)
