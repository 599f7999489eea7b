"""`mesh:` the cells of the run, and the spectrum that each of them holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Tag, ValidationInfo

from halcyon.choices import names
from halcyon.config.option import FilePath, Group, group, option, resolved
from halcyon.config.spacing import Spacing, Stretch, Zoom

if TYPE_CHECKING:
    from halcyon.mesh.spec import MeshSpec


class Region(Group):
    """A box of longitudes and latitudes. It may cross the date line: west 170, east 200."""

    west: float = option("Western side.", unit="degrees east", ge=-180, le=360)
    east: float = option("Eastern side, east of the western one.", unit="degrees east", ge=-180, le=540)
    south: float = option("Southern side.", unit="degrees north", ge=-90, le=90)
    north: float = option("Northern side.", unit="degrees north", ge=-90, le=90)


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
    resolution: Literal["auto", "c", "l", "i"] = option(
        "GSHHG resolution: crude, low or intermediate; auto takes the one that the finest spacing needs.",
        default="auto",
    )
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


class MadeGlobe(Group):
    """A mesh of the globe that is made, and cached."""

    level: int | None = option(
        "Of a uniform mesh of the globe, 10 * 4^level + 2 cells.",
        default=None,
        ge=0,
        le=10,
        allowed="an integer from 0 to 10",
    )
    points: int | None = option(
        "Cells of the globe, instead of a level.",
        default=None,
        ge=12,
        le=10 * 4**10 + 2,
        allowed="an integer from 12 to 10485762",
    )
    zoom: Zoom | None = option("Finer around a circle.", default=None, allowed="a group with 'ratio'")
    stretch: Stretch | None = option(
        "The uniform mesh drawn together.", default=None, allowed="a group with 'ratio'"
    )
    order: Literal[names("cell orders")] = option("Of the cells in memory and files.", default="hilbert")
    tolerance: float | None = option(
        "Mean move of an iteration over the local spacing at which points are at rest.",
        default=None,
        gt=0,
        le=1,
        allowed="a number above 0 and at most 1",
    )
    iterations: int | None = option(
        "Most iterations on a level.", default=None, ge=1, allowed="an integer of at least 1"
    )

    def spec(self) -> MeshSpec:
        """What the mesh is made from."""
        from halcyon.mesh import spec

        return spec.MeshSpec(sea=False, **self._of_globe())

    def _of_globe(self) -> dict[str, Any]:
        from halcyon.mesh import spec

        return {
            "level": self.level,
            "points": self.points,
            "zoom": self.zoom and spec.Zoom(**self.zoom.model_dump()),
            "stretch": self.stretch and spec.Stretch(**self.stretch.model_dump()),
            "order": self.order,
            "tolerance": self.tolerance,
            "iterations": self.iterations,
        }


class MadeMesh(MadeGlobe):
    """A mesh that is made, and cached."""

    spacing: Spacing | None = option(
        "Distance between cells; relative, where `points` are given.",
        default=None,
        allowed="a group with 'background' or 'ocean'",
    )
    region: Region | None = option(
        "The box that the mesh covers; by default the globe.",
        default=None,
        allowed="a group of options (west, east, south, north)",
    )
    polygon: FilePath | None = option(
        "Polygons that hold the centres of all cells.", default=None, allowed="the name of a GeoJSON file"
    )
    sea: bool = option("Land is cut out.", default=True)
    depths: list[float] | None = option(
        "Least and most depth of the cells that are kept.",
        default=None,
        unit="m",
        allowed="a list of two numbers, such as [0, 200]",
    )
    coast: Coast = group(Coast, "The land.")
    depth: Depth | None = option(
        "The depth; a mesh of the sea has one in any case.",
        default=None,
        allowed="a group of options (source, variable, minimum)",
    )
    spectrum: Spectrum = group(Spectrum, "The bins in each cell.")

    def spec(self) -> MeshSpec:
        """What the mesh is made from."""
        from halcyon.mesh import spec

        depth = self.depth or (Depth() if self.sea else None)
        return spec.MeshSpec(
            spacing=self.spacing and self.spacing.wish(),
            region=self.region and spec.Region(**self.region.model_dump()),
            polygon=self.polygon and str(self.polygon),
            sea=self.sea,
            depths=self.depths and tuple(self.depths),
            coast=spec.Coast(**_with_text(self.coast)),
            depth=spec.Depth(**_with_text(depth)) if depth else None,
            **self._of_globe(),
        )


class ExistingMesh(Group):
    """A mesh that exists, in `file`."""


class FileMesh(ExistingMesh):
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
        return "<file>" if isinstance(value, FileMesh) else "<made>"
    return "<file>" if isinstance(value, dict) and "file" in value else "<made>"


Mesh = Annotated[
    Annotated[MadeMesh, Tag("<made>")] | Annotated[FileMesh, Tag("<file>")], Discriminator(_kind)
]


class GlobeFile(ExistingMesh):
    """A mesh of the globe that exists."""

    file: FilePath = option("An MPAS mesh of the whole globe.", allowed="the name of a netCDF file")


def _globe_kind(value: Any) -> str:
    if isinstance(value, Group):
        return "<file>" if isinstance(value, GlobeFile) else "<made>"
    return "<file>" if isinstance(value, dict) and "file" in value else "<made>"


Globe = Annotated[
    Annotated[MadeGlobe, Tag("<made>")] | Annotated[GlobeFile, Tag("<file>")], Discriminator(_globe_kind)
]
