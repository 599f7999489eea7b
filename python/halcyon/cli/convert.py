"""`halcyon convert`: writes a mesh that exists in another format."""

from __future__ import annotations

from pathlib import Path

import typer

FORMATS = ("cdf5", "netcdf4", "ugrid", "graph")


def convert(source: Path, target: Path, to: str | None) -> None:
    """Reads an MPAS or GRIST mesh, checks it, and writes it as `to`, by default what the target's name says.

    Raises ConfigError for a format that is unknown, or left out where the name does not say it, and where
    both are one file; InputError if the source is no good mesh; RunError if the target cannot be written."""
    from halcyon.base import ConfigError
    from halcyon.mesh import read_mesh

    format = to or _format_of(target)
    if format not in FORMATS:
        raise ConfigError(f"--to {format}: the format is unknown. Choose one of {', '.join(FORMATS)}.")
    if source.resolve() == target.resolve():
        raise ConfigError(f"{target} is the mesh that is to be read. Give another name for the result.")
    if not target.parent.is_dir():
        raise ConfigError(f"{target}: there is no folder {target.parent}. Make it, or choose another.")
    mesh = read_mesh(source)
    _write(target, mesh, format)
    typer.echo(f"{target}: {mesh.n_cells:,} cells as {format}")


def _format_of(target: Path) -> str:
    from halcyon.base import ConfigError

    if target.suffix != ".info":
        choice = ", ".join(FORMATS)
        raise ConfigError(f"The name {target.name} does not tell the format. Give --to with one of {choice}.")
    return "graph"


def _write(path: Path, mesh, format: str) -> None:
    from halcyon.mesh import write_graph_info, write_mpas, write_ugrid

    if format == "graph":
        write_graph_info(path, mesh)
    elif format == "ugrid":
        write_ugrid(path, mesh)
    else:
        write_mpas(path, mesh, format)
