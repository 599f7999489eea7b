"""`halcyon convert`: writes a mesh that exists in another format."""

from __future__ import annotations

from pathlib import Path

import typer

OTHERS = ("ugrid", "graph")  # formats beside those of an MPAS file


def convert(source: Path, target: str, to: str | None) -> None:
    """Reads an MPAS or GRIST mesh, checks it, and writes it as `to`, by default what the target's name says.

    Raises ConfigError for a format that is unknown, or left out where the name does not say it, and for a
    target that is none (see `output_file`); InputError if the source is no good mesh; RunError if the target
    cannot be written."""
    from halcyon.base import ConfigError
    from halcyon.cli.output_file import output_file
    from halcyon.mesh import read_mesh
    from halcyon.mesh.ugrid import FORMATS

    known = (*FORMATS, *OTHERS)
    format = to or _format_of(Path(target), known)
    if format not in known:
        raise ConfigError(f"--to {format}: the format is unknown. Choose one of {', '.join(known)}.")
    path = output_file(target, [source])
    mesh = read_mesh(source)
    _write(path, mesh, format)
    typer.echo(f"{target}: {mesh.n_cells:,} cells as {format}")


def _format_of(target: Path, known: tuple[str, ...]) -> str:
    from halcyon.base import ConfigError

    if target.suffix != ".info":
        choice = ", ".join(known)
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
