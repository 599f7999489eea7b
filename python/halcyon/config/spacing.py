"""`mesh.spacing:`, `mesh.zoom:` and `mesh.stretch:` how far apart cells should be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halcyon.config.option import FilePath, Group, option

if TYPE_CHECKING:
    from halcyon.mesh import spacing_spec


class CircleSpacing(Group):
    """Finer cells around a place."""

    longitude: float = option("Of the centre.", unit="degrees east", ge=-180, le=360)
    latitude: float = option("Of the centre.", unit="degrees north", ge=-90, le=90)
    radius: float = option("Of the circle within which cells are finest.", unit="m", ge=0, le=2e7)
    spacing: float = option("Within the circle.", unit="m", ge=1000, le=5e6)
    transition: float = option("Over which it grows to the background's.", unit="m", gt=0, le=2e7)


class BoxSpacing(Group):
    """Finer cells in a box. It may cross the date line: west 170, east 200."""

    west: float = option("Western side.", unit="degrees east", ge=-180, le=360)
    east: float = option("Eastern side, east of the western one.", unit="degrees east", ge=-180, le=540)
    south: float = option("Southern side.", unit="degrees north", ge=-90, le=90)
    north: float = option("Northern side.", unit="degrees north", ge=-90, le=90)
    spacing: float = option("Within the box.", unit="m", ge=1000, le=5e6)
    transition: float = option("Over which it grows to the background's.", unit="m", gt=0, le=2e7)


class DepthSpacing(Group):
    """Finer cells in shallow water, after the speed of long waves: as the root of the depth."""

    spacing: float = option("At least.", unit="m", ge=1000, le=5e6)
    depth: float = option("From which on the background holds.", default=4000.0, unit="m", gt=0, le=12000)


class FieldSpacing(Group):
    """Spacing from a netCDF file on longitudes and latitudes, in units of m or km."""

    file: FilePath = option("The file.", allowed="the name of a netCDF file")
    variable: str | None = option(
        "The file's variable of spacing, where it holds several.", default=None, allowed="a variable's name"
    )


class Spacing(Group):
    """The distance between cell centres: the least that any part asks for, at most the background."""

    coast: float | None = option(
        "At the coast.", default=None, unit="m", ge=1000, le=1e6, allowed="a number from 1000 to 1000000 [m]"
    )
    ocean: float | None = option(
        "Far from any coast: the background of a mesh of the sea.",
        default=None,
        unit="m",
        ge=1000,
        le=5e6,
        allowed="a number from 1000 to 5000000 [m]",
    )
    background: float | None = option(
        "Where nothing else asks for less; the same as ocean.",
        default=None,
        unit="m",
        ge=1000,
        le=5e6,
        allowed="a number from 1000 to 5000000 [m]",
    )
    transition: float = option(
        "Distance from the coast over which the spacing grows to the background's.",
        default=300e3,
        unit="m",
        gt=0,
        le=1e7,
    )
    depth: DepthSpacing | None = option("By depth.", default=None, allowed="a group with 'spacing'")
    field: FieldSpacing | None = option("From a file.", default=None, allowed="a group with 'file'")
    circles: list[CircleSpacing] = option(
        "Finer around places.",
        default=[],
        allowed="a list of circles, each {longitude: ..., latitude: ..., radius: ..., spacing: ..., "
        "transition: ...}",
    )
    boxes: list[BoxSpacing] = option(
        "Finer in boxes.",
        default=[],
        allowed="a list of boxes, each {west: ..., east: ..., south: ..., north: ..., spacing: ..., "
        "transition: ...}",
    )

    @property
    def coarsest(self) -> float | None:
        """The background, however it is called."""
        return self.ocean if self.background is None else self.background

    def wish(self) -> spacing_spec.Spacing:
        """What the mesh is made from."""
        from halcyon.mesh import spacing_spec

        field = self.field and spacing_spec.ByField(path=str(self.field.file), variable=self.field.variable)
        return spacing_spec.Spacing(
            background=self.coarsest,
            coast=self.coast,
            transition=self.transition,
            depth=self.depth and spacing_spec.ByDepth(**self.depth.model_dump()),
            field=field,
            circles=tuple(spacing_spec.Circle(**circle.model_dump()) for circle in self.circles),
            boxes=tuple(spacing_spec.Box(**box.model_dump()) for box in self.boxes),
        )


class Zoom(Group):
    """Finer cells around a circle in a mesh of a given count, as GRIST's G8X4 (Ringler et al. 2011)."""

    ratio: float = option("Of the coarse spacing to the fine one.", ge=1, le=100)
    longitude: float = option("Of the centre.", default=180.0, unit="degrees east", ge=-180, le=360)
    latitude: float = option("Of the centre.", default=35.0, unit="degrees north", ge=-90, le=90)
    radius: float = option("Of the circle, beta.", default=3336e3, unit="m", gt=0, le=2e7)
    transition: float = option("Of the hyperbolic tangent, alpha.", default=1001e3, unit="m", gt=0, le=2e7)


class Stretch(Group):
    """A uniform mesh of a given count, drawn together towards a place by a conformal map (Schmidt 1977)."""

    ratio: float = option("Of the spacing at the antipode to that at the centre.", ge=1, le=100)
    longitude: float = option("Of the centre.", default=180.0, unit="degrees east", ge=-180, le=360)
    latitude: float = option("Of the centre.", default=35.0, unit="degrees north", ge=-90, le=90)
