"""`halcyon mesh`: makes a mesh, or prints the properties of a mesh."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from halcyon.cli.options import Overrides, argument, figure_writer, flag, group_with_default, option, reject

if TYPE_CHECKING:
    from halcyon.mesh import MeshSpec

MAKE = "make"
_OPTION_NAMES = {  # option of each parameter with another name
    "background": "spacing",
    "circles": "circle",
    "boxes": "box",
}
_FILE_PARAMETERS = (
    "source",
    "overrides",
    "output",
    "format",
    "graph_info",
    "threads",
)  # allowed with a YAML file
mesh = typer.Typer(
    cls=group_with_default(MAKE),
    help="Make a mesh, or print the properties of one. Without a sub-command: make.",
)


@mesh.command(MAKE)
def make(
    source: str | None = argument(
        "Mesh to make: G0..G10, a uniform mesh of 10 * 4^level + 2 cells; a name such as G8X4, the "
        "cells of G8 with spacings that vary by a factor of 4 around a circle; or a YAML file: a case, "
        "or only its group mesh.",
        "MESH|CASE",
        show_default=False,
        default=None,
    ),
    points: int | None = option(
        "Number of cells of the global mesh, at least 12; spacings are then relative.", "N"
    ),
    background: float | None = option("Spacing outside all refined areas.", "KM", "--spacing"),
    circles: list[str] | None = option(
        "Refined circle; repeatable.", "LON,LAT,RADIUS_KM,SPACING_KM,TRANSITION_KM", "--circle"
    ),
    boxes: list[str] | None = option("Refined box; repeatable.", "W,E,S,N,SPACING_KM,TRANSITION_KM", "--box"),
    coast: str | None = option(
        "Spacing at the coast; it grows with the distance from the coast.", "SPACING_KM,TRANSITION_KM"
    ),
    depth: str | None = option(
        "Spacing proportional to the square root of the water depth, at least SPACING_KM; where the water is"
        " deeper than DEPTH_M (4000), the background spacing applies.",
        "SPACING_KM[,DEPTH_M]",
    ),
    field: str | None = option("Spacing in a netCDF file, in m or km.", "FILE[:VAR]"),
    stretch: float | None = option(
        "Schmidt stretching of a uniform mesh: RATIO of antipodal to central spacing.", "RATIO"
    ),
    center: str | None = option("Centre of the circle of G8X4, or of --stretch; default 180,35.", "LON,LAT"),
    radius: float | None = option("Radius of the circle of G8X4; default 3336 (pi/6).", "KM"),
    transition: float | None = option(
        "Width of the transition of G8X4; by default six coarse spacings, at least 1001 (pi/20), at most "
        "the radius.",
        "KM",
    ),
    region: str | None = option("Box of the cells to keep [degrees].", "W,E,S,N"),
    polygon: Path | None = option("GeoJSON file with the polygons of the cells to keep.", "FILE"),
    sea: bool = flag("Remove land cells and write depths.", "--sea"),
    depths: str | None = option("Range of depths of the cells to keep [m].", "MIN,MAX"),
    coastline: str | None = option(
        "Coastline: GSHHG resolution auto, c, l or i, or a GeoJSON file; KM2: area of the smallest island "
        "(300).",
        "SOURCE[,KM2]",
    ),
    bathymetry: str | None = option("Bathymetry: a netCDF file, or etopo5 (default).", "FILE[:VAR]"),
    order: str | None = option(
        "Order of the cells: hilbert (default), morton, bfs, rcm, grist_hilbert, grist_morton or natural.",
        "ORDER",
    ),
    tolerance: float | None = option(
        "Convergence: mean displacement of the points per iteration, over the spacing.", "X"
    ),
    iterations: int | None = option("Largest number of iterations per level.", "N"),
    threads: int | None = option("Number of threads; by default one per core.", "N"),
    output: str | None = option("Mesh file; by default named after the mesh, such as g7.nc.", "FILE"),
    format: str = option("Format: cdf5 (default) or netcdf4.", "FORMAT", show_default=False, default="cdf5"),
    graph_info: bool = flag("Write the graph.info file of METIS, too.", "--graph-info"),
    overrides: Overrides = None,
) -> None:
    """Make a mesh and print its properties.

    The number of cells follows from MESH, --points or a spacing. The word `make` is optional. The mesh of a
    case is written to the cache unless --output is given."""
    given = dict(locals())
    from halcyon.cli.meshes.spec_options import spec_of
    from halcyon.mesh.named import is_named_mesh
    from halcyon.mesh.ugrid import FORMATS

    if format not in FORMATS:
        reject(f"--format {format}: give {' or '.join(FORMATS)}.")
    if source is not None and not is_named_mesh(source) and _is_file(source):
        _make_from_file(Path(source), given)
        return
    if overrides:
        reject("--set replaces options of a case file, but no file is given.")
    if all(size is None for size in (source, points, background, field)):
        reject("The mesh has no size. Give a mesh such as G7, a case file, --points or --spacing.")
    _write(spec_of(given), output or f"{(source or 'mesh').lower()}.nc", given)


@mesh.command()
def info(
    file: Path = argument("Mesh file: MPAS, or a GRIST .2d.nc file.", "FILE", show_default=False),
    plot: str | None = option("Figure of the mesh coloured by spacing, with histograms.", "PNG", "--plot"),
) -> None:
    """Print the properties of a mesh.

    Prints counts, resolution, quality, discrete identities, and the memory of models on the mesh."""
    _print_info(file, plot)


def _print_info(path: Path, picture: str | None) -> None:
    """Prints the properties of the mesh in a file, and plots it into `picture` if given."""
    from halcyon.cli.meshes.info import info_text
    from halcyon.mesh import read_mesh

    draw = figure_writer(picture, "halcyon.plot:mesh_picture", [path])
    mesh = read_mesh(path)
    typer.echo(info_text(mesh, path))
    draw(mesh, title=path.name)
    if picture is not None:
        typer.echo(f"picture    {picture}")


def _is_file(source: str) -> bool:
    return Path(source).exists() or source.endswith((".yaml", ".yml"))


def _make_from_file(path: Path, given: Mapping[str, Any]) -> None:
    """Makes the mesh of a case, in the cache unless --output is given, or of a file with only `mesh`."""
    from halcyon.cli.common import is_netcdf
    from halcyon.config.load import load_case, load_mesh
    from halcyon.config.mesh_file import prepare_mesh
    from halcyon.run.progress import run_view

    if is_netcdf(path):
        reject(f"{path} is a netCDF file, not a case. `halcyon mesh info {path}` prints its properties.")
    extra = next((name for name, value in given.items() if name not in _FILE_PARAMETERS and value), None)
    if extra is not None:
        name = _OPTION_NAMES.get(extra, extra)
        reject(f"--{name} does not go with the file {path}. Change the file, or use --set.")
    output, overrides = given["output"], given["overrides"] or []
    only_mesh = load_mesh(path, overrides)
    if only_mesh is not None:
        _write(only_mesh.spec(), output or f"{path.stem}.nc", given)
        return
    case = load_case(path, overrides)
    if output is None:
        with run_view(sys.stdout) as view:
            made: Any = prepare_mesh(case, view.status)
        _print_info(getattr(case.mesh, "file", made), None)
    elif hasattr(case.mesh, "spec"):
        _write(case.mesh.spec(), output, given)
    else:
        reject(
            f"{case.location('mesh')}: the mesh of the case is a file already, mesh.file. Leave out --output."
        )


def _write(spec: MeshSpec, name: str, given: Mapping[str, Any]) -> None:
    from dataclasses import replace

    from halcyon.cli.meshes.info import info_text
    from halcyon.launch.output_file import output_file
    from halcyon.mesh import make, write_graph_info, write_mpas
    from halcyon.run.progress import run_view

    start, source = time.monotonic(), given["source"]
    depth, field = spec.depth_source, spec.spacing and spec.spacing.field  # sources of depths and spacings
    coast = spec.coast.source if spec.coast.source != "gshhg" else None
    file = source if source and _is_file(source) else None
    inputs = [
        read for read in (file, field and field.path, depth and depth.path, spec.polygon, coast) if read
    ]
    path = output_file(name, inputs)
    graph = output_file(Path(name).with_suffix(".graph.info"), inputs) if given["graph_info"] else None
    if given["threads"] is not None:
        spec = replace(spec, threads=given["threads"])
    with run_view(sys.stdout) as view:
        mesh = make(spec, view.status)
        view.status(f"writing {name}")
        write_mpas(str(path), mesh, given["format"])
        if graph is not None:
            write_graph_info(str(graph), mesh)
    typer.echo(info_text(mesh, Path(name)))
    typer.echo(f"made in    {time.monotonic() - start:.1f} s")
