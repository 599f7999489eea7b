"""`halcyon convert`: converts a mesh, or fields on its cells, to another format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from halcyon.cli.options import argument, option, reject
from halcyon.cli.working import working

OTHER_MESH_FORMATS = ("ugrid", "graph")  # mesh formats other than MPAS
GRID_FORMATS = ("latlon", "grib2")  # formats for fields on latitude-longitude grids
FORMAT_BY_SUFFIX = {".info": "graph", ".grib2": "grib2", ".grb2": "grib2"}


def convert(
    files: list[Path] = argument(
        "Mesh file: MPAS, or GRIST's .2d.nc; for latlon and grib2 also fields files of a run; for OUT.goal "
        "a trace.",
        "FILE",
    ),
    out: str = argument("Output file.", "OUT"),
    to: str | None = option(
        "Format. For a mesh: cdf5 or netcdf4 (MPAS), ugrid, or graph (METIS). For fields or a mesh's depth: "
        "latlon (netCDF) or grib2. By default graph for OUT.info, grib2 for OUT.grib2.",
        "FORMAT",
    ),
    resolution: float | None = option(
        "Resolution of the output grid; by default about the resolution of the cells.", "DEGREES"
    ),
    grid: str | None = option("Number of grid boxes in the region, or on the globe.", "NLONxNLAT"),
    region: str | None = option(
        "Region [degrees]; E is above 180 across the date line. By default all cells.", "W,E,S,N"
    ),
    variables: str | None = option("Variables to convert; by default all on cells.", "A,B"),
    coverage: float | None = option(
        "Minimum covered fraction: a grid box has a value if cells cover at least this fraction of its area; "
        "by default 0.5.",
        "FRACTION",
    ),
) -> None:
    """Convert a mesh to another format, or remap fields conservatively to a latitude-longitude grid.

    OUT.goal: writes a trace of MPI calls (`halcyon describe trace`) in GOAL, the language of LogGOPSim."""
    if Path(out).suffix == ".goal":
        write_trace(files, out)
        return
    given = {"resolution": resolution, "grid": grid, "region": region, "variables": variables}
    write_as(files, out, to, given | {"coverage": coverage})


def write_trace(sources: Sequence[Path], target: str) -> None:
    """Writes a trace, with its collectives by the algorithms of Open MPI, as GOAL."""
    from halcyon.launch.output_file import output_file
    from halcyon.schedule.trace import read_trace, replay, write_goal

    if len(sources) > 1:
        reject(f"{len(sources)} files are given, but a .goal file has one trace.")
    path = output_file(target, sources)
    work = replay(read_trace(sources[0]))
    write_goal(work, path)
    typer.echo(f"{target}: {work.n_ranks} ranks as GOAL")


def write_as(sources: Sequence[Path], target: str, to: str | None, options: Mapping[str, Any]) -> None:
    """Converts files to format `to`, by default the format that the target's name implies.

    sources: an MPAS or GRIST mesh, which is checked; for latlon and grib2 also one or several files of
    fields on cells (UGRID). options: of `halcyon.cli.convert_fields`, None if not given. Raises ConfigError
    for an unknown or missing format, for options that the format does not have, and for an invalid target
    (see `output_file`); InputError for an invalid source; RunError if the target is not writable."""
    from halcyon.launch.output_file import output_file
    from halcyon.mesh.ugrid import FORMATS

    known = (*FORMATS, *OTHER_MESH_FORMATS, *GRID_FORMATS)
    choices, name = ", ".join(known), Path(target)
    format = to or FORMAT_BY_SUFFIX.get(name.suffix, "")
    if not format:
        reject(f"The name {name.name} does not imply a format. Give --to with one of {choices}.")
    if format not in known:
        reject(f"--to {format}: the format is unknown. Choose one of {choices}.")
    path = output_file(target, sources)
    if format in GRID_FORMATS:
        from halcyon.cli.convert_fields import convert_fields

        write = convert_fields
    else:
        write = _convert_mesh
    with working(f"writing {target}"):
        description = write(sources, path, format, options)
    typer.echo(f"{target}: {description} as {format}")


def _convert_mesh(sources: Sequence[Path], path: Path, format: str, options: Mapping[str, Any]) -> str:
    from halcyon.io.field_source import is_ugrid
    from halcyon.mesh import read_mesh, write_graph_info, write_mpas, write_ugrid

    given = [f"--{name}" for name, value in options.items() if value is not None]
    if given:
        reject(f"{', '.join(given)}: only for --to {' and '.join(GRID_FORMATS)}, but the format is {format}.")
    if len(sources) > 1:
        reject(f"{len(sources)} files are given, but --to {format} takes one mesh.")
    if is_ugrid(sources[0]):
        reject(
            f"{sources[0]} holds fields on cells, no MPAS or GRIST mesh, which --to {format} needs. Give "
            f"--to {' or '.join(GRID_FORMATS)}, or the mesh file."
        )
    mesh = read_mesh(sources[0])
    if format == "graph":
        write_graph_info(path, mesh)
    elif format == "ugrid":
        write_ugrid(path, mesh)
    else:
        write_mpas(path, mesh, format)
    return f"{mesh.n_cells:,} cells"
