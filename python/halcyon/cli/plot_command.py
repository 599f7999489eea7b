"""`halcyon plot`: the pictures of a run, and of a decomposition."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from halcyon.cli.default_command import with_default
from halcyon.cli.mesh_argument import MeshName
from halcyon.cli.schedule_command import Layers, Method, Seed

RUN = "run"
plot = typer.Typer(
    cls=with_default(RUN), help="Draw a run's pictures again, its maps or spectra, or a decomposition."
)


@plot.command(RUN)
def draw_run(
    run_folder: Annotated[Path, typer.Argument(metavar="RUN_DIR", help="A run's folder.")],
) -> None:
    """Draw the pictures of a finished run again. The word `run` may be left out.

    `halcyon plot panels RUN_DIR` draws maps at several times, `halcyon plot spectra RUN` spectra at stations,
    `halcyon plot decomposition MESH` how a mesh is cut."""
    from halcyon.cli.plot import draw

    draw(run_folder)


@plot.command()
def panels(
    run_folder: Annotated[Path, typer.Argument(metavar="RUN_DIR", help="A run's folder.")],
    every: Annotated[float, typer.Option(metavar="SECONDS", help="Time between two maps.")] = 86400.0,
    variable: Annotated[
        str, typer.Option(metavar="NAME", help="Of the fields files.")
    ] = "significant_height",
    at: Annotated[
        float | None,
        typer.Option(
            metavar="LEVEL",
            help="Level of a variable that has some: pressure [Pa], height [m]; by default 85000 Pa, or "
            "the middle one.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(metavar="PNG", help="The picture; by default panels.png in the run's folder."),
    ] = None,
) -> None:
    """Draw maps of a run at several times, in one figure."""
    from halcyon.cli.plot import draw_panels

    draw_panels(run_folder, output or run_folder / "panels.png", every, variable, at)


@plot.command()
def spectra(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder, or its spectra.nc.")],
    station: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="May be repeated; by default all.", show_default=False),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(metavar="UTC", help="Such as 2022-09-04T12:00; by default of the highest sea."),
    ] = None,
    output: Annotated[Path, typer.Option(metavar="PNG", help="The picture.")] = Path("spectra.png"),
) -> None:
    """Draw the spectra at the stations of a run."""
    from halcyon.cli.plot import draw_spectra

    draw_spectra(run, output, station, time)


@plot.command()
def decomposition(
    mesh: MeshName,
    ranks: Annotated[
        int | None,
        typer.Option(
            "-n", "--ranks", metavar="N", help="Parts of the mesh; by default 8.", show_default=False
        ),
    ] = None,
    partition_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Parts of a file graph.info.part.N, not of METIS.", show_default=False
        ),
    ] = None,
    layers: Layers = 1,
    rank: Annotated[int, typer.Option(metavar="R", help="Whose cells are shown.")] = 0,
    order: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORDER",
            help="natural, bfs, rcm, hilbert, morton, grist_hilbert or grist_morton; may be repeated. By "
            "default the first five.",
            show_default=False,
        ),
    ] = None,
    on: Annotated[str, typer.Option(help="cells; or edges or vertices, shown with their paths.")] = "cells",
    method: Method = "kway",
    seed: Seed = 1,
    output: Annotated[Path, typer.Option(metavar="PNG", help="The picture.")] = Path("decomposition.png"),
) -> None:
    """Draw the parts of a mesh, a rank's inner, boundary and halo cells, and its index path in each order."""
    from halcyon.cli.plot import draw_decomposition

    partition = {"method": method, "seed": seed}
    draw_decomposition(
        mesh,
        output,
        ranks=ranks,
        file=partition_file,
        rank=rank,
        layers=layers,
        orders=order,
        on=on,
        partition=partition,
    )
