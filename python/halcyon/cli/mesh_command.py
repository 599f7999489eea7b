"""`halcyon mesh`: the options that make a mesh, and `halcyon mesh info`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

MAKE = "make"


class MakeByDefault(TyperGroup):
    """A group whose first word may also be an argument or an option of its command `make`."""

    def parse_args(self, ctx, args):
        """Puts `make` before anything that is not a command."""
        return super().parse_args(ctx, args if args and args[0] in self.commands else [MAKE, *args])


mesh = typer.Typer(cls=MakeByDefault, help="Make a mesh, or say what one is like.")


def _of(name: str, metavar: str, text: str, **more: Any) -> Any:
    return typer.Option(name, metavar=metavar, help=text, show_default=False, **more)


What = Annotated[
    str | None,
    typer.Argument(
        metavar="WHAT",
        show_default=False,
        help="G0..G10, a uniform mesh of 10 * 4^level + 2 cells; G8X4 or alike, as many cells whose spacing "
        "varies by a ratio of 4 around a circle; or a case file, or a file with only `mesh:` (YAML).",
    ),
]
Points = Annotated[int | None, _of("--points", "N", "Cells of the globe, 12 or more; spacings are relative.")]
Background = Annotated[float | None, _of("--spacing", "KM", "Spacing where nothing else asks for less.")]
Circles = Annotated[
    list[str] | None,
    _of("--circle", "LON,LAT,RADIUS_KM,SPACING_KM,TRANSITION_KM", "Finer in a circle; may be repeated."),
]
Boxes = Annotated[
    list[str] | None,
    _of("--box", "W,E,S,N,SPACING_KM,TRANSITION_KM", "Finer in a box; may be repeated."),
]
AtCoast = Annotated[
    str | None, _of("--coast", "SPACING_KM,TRANSITION_KM", "Finer at the coast, coarser with distance.")
]
ByDepth = Annotated[
    str | None,
    _of("--depth", "SPACING_KM[,DEPTH_M]", "Finer in shallow water, as sqrt(depth) up to DEPTH_M (4000)."),
]
Field = Annotated[str | None, _of("--field", "FILE[:VAR]", "Spacing from a netCDF file, in m or km.")]
Stretch = Annotated[
    float | None,
    _of("--stretch", "RATIO", "Draw a uniform mesh together: RATIO times coarser at the antipode."),
]
Centre = Annotated[str | None, _of("--center", "LON,LAT", "Of a G8X4 or --stretch; by default 180,35.")]
Radius = Annotated[float | None, _of("--radius", "KM", "Of the circle of a G8X4; by default 3336, pi/6.")]
Transition = Annotated[
    float | None, _of("--transition", "KM", "Width of a G8X4's transition; by default 1001, pi/20.")
]
Region = Annotated[str | None, _of("--region", "W,E,S,N", "Keep cells in a box [degrees].")]
Polygon = Annotated[Path | None, _of("--polygon", "FILE", "Keep cells in the polygons of a GeoJSON file.")]
Sea = Annotated[bool, typer.Option("--sea", help="Cut out land, and write depths.")]
Depths = Annotated[str | None, _of("--depths", "MIN,MAX", "Keep cells with depths between [m].")]
Coastline = Annotated[
    str | None,
    _of(
        "--coastline",
        "SOURCE[,KM2]",
        "auto, c, l or i of GSHHG, or a GeoJSON file; least area of islands (300).",
    ),
]
Bathymetry = Annotated[
    str | None, _of("--bathymetry", "FILE[:VAR]", "Depths of a netCDF file, or etopo5, the default.")
]
Order = Annotated[
    str | None,
    _of(
        "--order",
        "ORDER",
        "Of the cells: hilbert (default), morton, bfs, rcm, grist_hilbert, grist_morton or natural.",
    ),
]
Tolerance = Annotated[
    float | None,
    _of("--tolerance", "X", "Points are at rest when they move by less than X of their spacing."),
]
Iterations = Annotated[int | None, _of("--iterations", "N", "Most iterations on a level.")]
Threads = Annotated[int | None, _of("--threads", "N", "By default as many as there are cores.")]
Output = Annotated[str | None, _of("--output", "FILE", "The mesh file; by default of WHAT's name, as g7.nc.")]
Format = Annotated[str, _of("--format", "FORMAT", "cdf5 (default) or netcdf4.")]
GraphInfo = Annotated[bool, typer.Option("--graph-info", help="Write FILE's graph.info for METIS too.")]
Overrides = Annotated[
    list[str] | None, _of("--set", "KEY=VALUE", "Replaces an option of the case; may be repeated.")
]


@mesh.command(MAKE)
def make(
    what: What = None,
    points: Points = None,
    background: Background = None,
    circles: Circles = None,
    boxes: Boxes = None,
    coast: AtCoast = None,
    depth: ByDepth = None,
    field: Field = None,
    stretch: Stretch = None,
    center: Centre = None,
    radius: Radius = None,
    transition: Transition = None,
    region: Region = None,
    polygon: Polygon = None,
    sea: Sea = False,
    depths: Depths = None,
    coastline: Coastline = None,
    bathymetry: Bathymetry = None,
    order: Order = None,
    tolerance: Tolerance = None,
    iterations: Iterations = None,
    threads: Threads = None,
    output: Output = None,
    format: Format = "cdf5",
    graph_info: GraphInfo = False,
    overrides: Overrides = None,
) -> None:
    """Make a mesh, and say what it is like.

    WHAT or --points or a spacing says how many cells. The word `make` may be left out. A case's mesh goes to
    the cache unless --output is given. `halcyon mesh info FILE` says what a mesh file is like."""
    given = dict(locals())
    from halcyon.cli.mesh import make_mesh

    make_mesh(given)


@mesh.command()
def info(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A mesh: MPAS, or a GRIST .2d.nc file.", show_default=False)
    ],
    plot: Annotated[
        str | None, _of("--plot", "PNG", "Draw the mesh coloured by spacing, and histograms.")
    ] = None,
) -> None:
    """Say what a mesh is like: counts, resolution, quality, identities, memory of a model on it."""
    from halcyon.cli.mesh import mesh_info

    mesh_info(file, plot)
