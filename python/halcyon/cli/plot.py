"""`halcyon plot`: the pictures of a run, and of a decomposition."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from halcyon.cli.options import (
    Layers,
    MeshName,
    Method,
    Seed,
    argument,
    drawing,
    option,
    refuse,
    with_default,
)

RUN = "run"
RANKS = 8  # unless others are asked for
_DRAWN = ("natural", "bfs", "rcm", "hilbert", "morton")  # unless others are asked for
plot = typer.Typer(
    cls=with_default(RUN), help="Draw a run's pictures again, its maps or spectra, or a decomposition."
)


@plot.command(RUN)
def draw_run(
    run_folder: Path = argument("A run's folder.", "RUN_DIR"),
) -> None:
    """Draw the pictures of a finished run again. The word `run` may be left out.

    `halcyon plot panels RUN_DIR` draws maps at several times, `halcyon plot spectra RUN` spectra at stations,
    `halcyon plot decomposition MESH` how a mesh is cut."""
    from halcyon import plot

    for picture in plot.draw_run(run_folder.absolute()):
        typer.echo(str(picture))


@plot.command()
def panels(
    run_folder: Path = argument("A run's folder.", "RUN_DIR"),
    every: float = option("Time between two maps.", "SECONDS", default=86400.0),
    variable: str = option("Of the fields files.", "NAME", default="significant_height"),
    at: float | None = option(
        "Level of a variable that has some: pressure [Pa], height [m]; by default 85000 Pa, or "
        "the middle one.",
        "LEVEL",
    ),
    output: Path | None = option("The picture; by default panels.png in the run's folder.", "PNG"),
) -> None:
    """Draw maps of a run at several times, in one figure."""
    from halcyon import plot
    from halcyon.launch.output_file import picture_file

    output = output or run_folder / "panels.png"
    if not every > 0:
        refuse(f"--every {every:g}: give seconds above 0.")
    drawn = picture_file(output)
    plot.draw_panels(run_folder.absolute(), drawn, every_s=every, variable=variable, at=at)
    typer.echo(str(output))


@plot.command()
def spectra(
    run: Path = argument("A run's folder, or its spectra.nc.", "RUN"),
    station: list[str] | None = option("May be repeated; by default all.", "NAME"),
    time: str | None = option("Such as 2022-09-04T12:00; by default of the highest sea.", "UTC"),
    output: Path = option("The picture.", "PNG", default=Path("spectra.png")),
) -> None:
    """Draw the spectra at the stations of a run."""
    import numpy as np

    from halcyon import plot
    from halcyon.config.option import utc
    from halcyon.launch.output_file import picture_file

    try:
        when = None if time is None else np.datetime64(utc(time), "s")
    except ValueError:
        refuse(f"--time {time}: give a time in UTC such as 2022-09-04T12:00.")
    file = run / "spectra.nc" if run.is_dir() else run
    plot.spectra(picture_file(output, [file]), file, stations=station, time=when)
    typer.echo(str(output))


@plot.command()
def decomposition(
    mesh: MeshName,
    ranks: int | None = option("Parts of the mesh; by default 8.", "N", "-n", "--ranks"),
    partition_file: Path | None = option("Parts of a file graph.info.part.N, not of METIS.", "FILE"),
    layers: Layers = 1,
    rank: int = option("Whose cells are shown.", "R", default=0),
    order: list[str] | None = option(
        "natural, bfs, rcm, hilbert, morton, grist_hilbert or grist_morton; may be repeated. By "
        "default the first five.",
        "ORDER",
    ),
    on: str = option("cells; or edges or vertices, shown with their paths.", default="cells"),
    method: Method = "kway",
    seed: Seed = 1,
    output: Path = option("The picture.", "PNG", default=Path("decomposition.png")),
) -> None:
    """Draw the parts of a mesh, a rank's inner, boundary and halo cells, and its index path in each order."""
    from halcyon.cli.common import owners_of, require_one_way
    from halcyon.config.mesh_file import mesh_of
    from halcyon.decomposition import Decomposition, areas_of, places_of
    from halcyon.plot.index_path import index_path

    orders, files = list(dict.fromkeys(order or _DRAWN)), [partition_file] if partition_file else []
    require_one_way(ranks, files)
    wanted = RANKS if ranks is None else ranks
    _check(wanted, layers, orders, on)
    draw = drawing(output, "halcyon.plot.decomposition:decomposition_plot", [mesh, *files])
    made = mesh_of(mesh)
    ((n_ranks, owners),) = owners_of(made, [wanted], files, {"method": method, "seed": seed}).items()
    if not 0 <= rank < n_ranks:
        refuse(f"--rank is {rank}, but the ranks are 0 to {n_ranks - 1}.")
    part = Decomposition(made, owners, rank, layers)
    areas, places = areas_of(part), places_of(part, on) if on != "cells" else None
    shown = places.owned if places else areas.inner if len(areas.inner) > 1 else areas.owned
    paths = {name: index_path(made, name, shown, on) for name in orders}
    title = f"Rank {rank} of {n_ranks} on {Path(mesh).name}"
    draw(made, owners, areas, paths, places=places, title=title)
    typer.echo(f"picture    {output}")


def _check(ranks: int, layers: int, orders: Sequence[str], on: str) -> None:
    from halcyon import graph
    from halcyon.decomposition.cost import MOST, PLACES

    if ranks < 1:
        refuse(f"--ranks is {ranks}, but must be at least 1.")
    if not 1 <= layers <= MOST["layers"]:
        refuse(f"--layers is {layers}, but must be at least 1, at most {MOST['layers']}.")
    if on not in PLACES:
        refuse(f"--on is '{on}', but must be one of {', '.join(PLACES)}.")
    for name in orders:
        if name not in graph.ORDERS:
            refuse(f"--order {name}: there is no such order. Give {', '.join(graph.ORDERS)}.")
