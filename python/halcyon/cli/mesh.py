"""`halcyon mesh`: makes a mesh and writes it, or finds that of a case, and says what it is like."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from halcyon.cli.options import Overrides, argument, drawing, flag, option, refuse, with_default

if TYPE_CHECKING:
    from halcyon.mesh import MeshSpec

MAKE = "make"
_FLAGS = {"background": "spacing", "circles": "circle", "boxes": "box"}
_OF_ANY = ("what", "overrides", "output", "format", "graph_info", "threads")
mesh = typer.Typer(cls=with_default(MAKE), help="Make a mesh, or say what one is like.")


@mesh.command(MAKE)
def make(
    what: str | None = argument(
        "G0..G10, a uniform mesh of 10 * 4^level + 2 cells; G8X4 or alike, as many cells whose "
        "spacing varies by a ratio of 4 around a circle; or a case file, or a file with only `mesh:` "
        "(YAML).",
        "WHAT",
        show_default=False,
        default=None,
    ),
    points: int | None = option("Cells of the globe, 12 or more; spacings are relative.", "N"),
    background: float | None = option("Spacing where nothing else asks for less.", "KM", "--spacing"),
    circles: list[str] | None = option(
        "Finer in a circle; may be repeated.", "LON,LAT,RADIUS_KM,SPACING_KM,TRANSITION_KM", "--circle"
    ),
    boxes: list[str] | None = option(
        "Finer in a box; may be repeated.", "W,E,S,N,SPACING_KM,TRANSITION_KM", "--box"
    ),
    coast: str | None = option("Finer at the coast, coarser with distance.", "SPACING_KM,TRANSITION_KM"),
    depth: str | None = option(
        "Finer in shallow water, as sqrt(depth) up to DEPTH_M (4000).", "SPACING_KM[,DEPTH_M]"
    ),
    field: str | None = option("Spacing from a netCDF file, in m or km.", "FILE[:VAR]"),
    stretch: float | None = option(
        "Draw a uniform mesh together: RATIO times coarser at the antipode.", "RATIO"
    ),
    center: str | None = option("Of a G8X4 or --stretch; by default 180,35.", "LON,LAT"),
    radius: float | None = option("Of the circle of a G8X4; by default 3336, pi/6.", "KM"),
    transition: float | None = option("Width of a G8X4's transition; by default 1001, pi/20.", "KM"),
    region: str | None = option("Keep cells in a box [degrees].", "W,E,S,N"),
    polygon: Path | None = option("Keep cells in the polygons of a GeoJSON file.", "FILE"),
    sea: bool = flag("Cut out land, and write depths.", "--sea"),
    depths: str | None = option("Keep cells with depths between [m].", "MIN,MAX"),
    coastline: str | None = option(
        "auto, c, l or i of GSHHG, or a GeoJSON file; least area of islands (300).", "SOURCE[,KM2]"
    ),
    bathymetry: str | None = option("Depths of a netCDF file, or etopo5, the default.", "FILE[:VAR]"),
    order: str | None = option(
        "Of the cells: hilbert (default), morton, bfs, rcm, grist_hilbert, grist_morton or natural.", "ORDER"
    ),
    tolerance: float | None = option(
        "Points are at rest when they move by less than X of their spacing.", "X"
    ),
    iterations: int | None = option("Most iterations on a level.", "N"),
    threads: int | None = option("By default as many as there are cores.", "N"),
    output: str | None = option("The mesh file; by default of WHAT's name, as g7.nc.", "FILE"),
    format: str = option("cdf5 (default) or netcdf4.", "FORMAT", show_default=False, default="cdf5"),
    graph_info: bool = flag("Write FILE's graph.info for METIS too.", "--graph-info"),
    overrides: Overrides = None,
) -> None:
    """Make a mesh, and say what it is like.

    WHAT or --points or a spacing says how many cells. The word `make` may be left out. A case's mesh goes to
    the cache unless --output is given. `halcyon mesh info FILE` says what a mesh file is like."""
    given = dict(locals())
    from halcyon.cli.mesh_options import spec_of
    from halcyon.mesh.named import is_named_mesh
    from halcyon.mesh.ugrid import FORMATS

    if format not in FORMATS:
        refuse(f"--format {format}: give {' or '.join(FORMATS)}.")
    if what is not None and not is_named_mesh(what) and _is_file(what):
        _of_file(Path(what), given)
        return
    if overrides:
        refuse("--set replaces options of a case file, but none is given.")
    if all(size is None for size in (what, points, background, field)):
        refuse("The mesh has no size. Give WHAT, such as G7 or a case file, or --points or --spacing.")
    _write(spec_of(given), output or f"{(what or 'mesh').lower()}.nc", given)


@mesh.command()
def info(
    file: Path = argument("A mesh: MPAS, or a GRIST .2d.nc file.", "FILE", show_default=False),
    plot: str | None = option("Draw the mesh coloured by spacing, and histograms.", "PNG", "--plot"),
) -> None:
    """Say what a mesh is like: counts, resolution, quality, identities, memory of a model on it."""
    _tell(file, plot)


def _tell(path: Path, picture: str | None) -> None:
    """Prints what the mesh of a file is like, and draws it if `picture` is given."""
    from halcyon.cli.mesh_info import info_text
    from halcyon.mesh import read_mesh

    draw = drawing(picture, "halcyon.plot:mesh_picture", [path])
    mesh = read_mesh(path)
    typer.echo(info_text(mesh, path))
    draw(mesh, title=path.name)
    if picture is not None:
        typer.echo(f"picture    {picture}")


def _is_file(what: str) -> bool:
    return Path(what).exists() or what.endswith((".yaml", ".yml"))


def _of_file(path: Path, given: Mapping[str, Any]) -> None:
    """The mesh of a case, kept in the cache unless it is written, or of a file that has only `mesh:`."""
    from halcyon.cli.common import is_netcdf
    from halcyon.config.load import load_case, load_mesh
    from halcyon.config.mesh_file import prepare_mesh
    from halcyon.run.progress import run_view

    if is_netcdf(path):
        refuse(f"{path} is a netCDF file, not a case. `halcyon mesh info {path}` says what a mesh is like.")
    stray = next((name for name, value in given.items() if name not in _OF_ANY and value), None)
    if stray is not None:
        flag = _FLAGS.get(stray, stray)
        refuse(f"--{flag} does not go with the file {path}. Change the file, or give --set.")
    output, overrides = given["output"], given["overrides"] or []
    alone = load_mesh(path, overrides)
    case = None if alone is not None else load_case(path, overrides)
    if alone is not None:
        _write(alone.spec(), output or f"{path.stem}.nc", given)
    elif output is None:
        with run_view(sys.stdout) as view:
            made = prepare_mesh(case, view.step)
        _tell(getattr(case.mesh, "file", made), None)
    elif hasattr(case.mesh, "spec"):
        _write(case.mesh.spec(), output, given)
    else:
        refuse(f"{case.place('mesh')}: mesh.file exists already; leave out --output.")


def _write(spec: MeshSpec, name: str, given: Mapping[str, Any]) -> None:
    from dataclasses import replace

    from halcyon.cli.mesh_info import info_text
    from halcyon.launch.output_file import output_file
    from halcyon.mesh import make, write_graph_info, write_mpas
    from halcyon.run.progress import run_view

    start, what = time.monotonic(), given["what"]
    depth, field = spec.needs_depth, spec.spacing and spec.spacing.field
    coast = spec.coast.source if spec.coast.source != "gshhg" else None
    file = what if what and _is_file(what) else None
    inputs = [
        read for read in (file, field and field.path, depth and depth.path, spec.polygon, coast) if read
    ]
    path = output_file(name, inputs)
    graph = output_file(Path(name).with_suffix(".graph.info"), inputs) if given["graph_info"] else None
    if given["threads"] is not None:
        spec = replace(spec, threads=given["threads"])
    with run_view(sys.stdout) as view:
        mesh = make(spec, view.step)
        view.step(f"writing {name}")
        write_mpas(str(path), mesh, given["format"])
        if graph is not None:
            write_graph_info(str(graph), mesh)
    typer.echo(info_text(mesh, Path(name)))
    typer.echo(f"made in    {time.monotonic() - start:.1f} s")
