"""`mesh:` the cells of the run, and the spectrum that each of them holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Tag, ValidationInfo

from halcyon.config.option import FilePath, Group, group, option, resolved

if TYPE_CHECKING:
    from halcyon.mesh.spec import MeshSpec


class Region(Group):
    """A box of longitudes and latitudes. It may cross the date line: west 170, east 200."""

    west: float = option("Western side.", unit="degrees east", ge=-180, le=360)
    east: float = option("Eastern side, east of the western one.", unit="degrees east", ge=-180, le=540)
    south: float = option("Southern side.", unit="degrees north", ge=-90, le=90)
    north: float = option("Northern side.", unit="degrees north", ge=-90, le=90)


class Spacing(Group):
    """The distance between cell centres: fine at the coast, coarse in the open ocean."""

    coast: float = option("At the coast.", unit="m", ge=1000, le=1e6)
    ocean: float = option("Far from any coast.", unit="m", ge=1000, le=1e6)
    transition: float = option(
        "Distance from the coast over which the spacing grows to that of the ocean.",
        default=300e3,
        unit="m",
        gt=0,
        le=1e7,
    )


def _named_or_file(name: str) -> Any:
    """A validator that keeps the name of a data set, and takes any other text for the name of a file."""

    def validate(value: Any, info: ValidationInfo) -> Any:
        return value if value == name else resolved(value, info)

    return BeforeValidator(validate)


class Coast(Group):
    """The land that is cut out."""

    source: Annotated[Path | Literal["gshhg"], _named_or_file("gshhg")] = option(
        "GSHHG of the package gmt-gshhg-low, or a GeoJSON file of land polygons.",
        default="gshhg",
        allowed="'gshhg' or the name of a GeoJSON file",
    )
    resolution: Literal["c", "l", "i"] = option("GSHHG resolution: crude, low or intermediate.", default="i")
    minimum_area: float = option("Smaller islands count as sea.", default=3e8, unit="m2", ge=0, le=1e13)


class Depth(Group):
    """The depth of the sea."""

    source: Annotated[Path | Literal["etopo5"], _named_or_file("etopo5")] = option(
        "ETOPO5 of the package ferret-datasets, or a netCDF file of heights or depths in metres; its"
        " attributes or names tell which.",
        default="etopo5",
        allowed="'etopo5' or the name of a netCDF file",
    )
    variable: str | None = option(
        "The file's variable of heights, where it holds several.", default=None, allowed="a variable's name"
    )
    minimum: float = option("Shallower cells get this depth.", default=5.0, unit="m", gt=0, le=1000)


class Spectrum(Group):
    """The bins of the wave spectrum."""

    frequencies: int = option("Number of frequencies.", default=35, ge=3, le=200)
    first_frequency: float = option("Lowest frequency.", default=0.0345, unit="Hz", gt=0, le=1)
    ratio: float = option("Of a frequency to the one before.", default=1.1, gt=1, le=2)
    directions: int = option(
        "Number of directions; the first lies half a step from north.", default=36, ge=8, le=360
    )


class RegionMesh(Group):
    """A mesh that is made for a region, and cached."""

    region: Region = option("The box that the mesh covers.")
    spacing: Spacing = option("Distance between cells.")
    coast: Coast = group(Coast, "The land.")
    depth: Depth = group(Depth, "The depth.")
    spectrum: Spectrum = group(Spectrum, "The bins in each cell.")

    def spec(self) -> MeshSpec:
        """What the mesh is made from."""
        from halcyon.mesh import spec

        return spec.MeshSpec(
            region=spec.Region(**self.region.model_dump()),
            spacing=spec.Spacing(**self.spacing.model_dump()),
            coast=spec.Coast(**_with_text(self.coast)),
            depth=spec.Depth(**_with_text(self.depth)),
        )


class FileMesh(Group):
    """A mesh that exists."""

    file: FilePath = option(
        "An MPAS mesh with the variable bottomDepth.", allowed="the name of a netCDF file"
    )
    spectrum: Spectrum = group(Spectrum, "The bins in each cell.")


def _with_text(group: Group) -> dict[str, Any]:
    values = group.model_dump()
    return values | {"source": str(values["source"])}


def _kind(value: Any) -> str:
    if isinstance(value, Group):
        return "<file>" if isinstance(value, FileMesh) else "<region>"
    return "<file>" if isinstance(value, dict) and "file" in value else "<region>"


Mesh = Annotated[
    Annotated[RegionMesh, Tag("<region>")] | Annotated[FileMesh, Tag("<file>")], Discriminator(_kind)
]
