"""`halcyon plot`: figures of a run and of a decomposition."""

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
    figure_writer,
    group_with_default,
    option,
    reject,
)
from halcyon.cli.working import working

RUN = "run"
RANKS = 8  # default number of parts
_ORDERS = ("natural", "bfs", "rcm", "hilbert", "morton")  # default orders
plot = typer.Typer(
    cls=group_with_default(RUN),
    help="Plot a run, its maps or spectra, or a decomposition. The default is run.",
)


@plot.command(RUN)
def draw_run(
    run_folder: Path = argument("Folder of the run or ensemble.", "RUN_DIR"),
) -> None:
    """Plot the figures of a run or ensemble again (default)."""
    from halcyon import plot

    draw = plot.draw_ensemble if (run_folder / "ensemble.json").exists() else plot.draw_run
    with working(f"drawing {run_folder}"):
        pictures = draw(run_folder.absolute())
    for picture in pictures:
        typer.echo(str(picture))


@plot.command()
def panels(
    run_folder: Path = argument("Folder of the run.", "RUN_DIR"),
    every: float = option("Time between two maps.", "SECONDS", default=86400.0),
    variable: str = option("Variable of the fields files.", "NAME", default="significant_height"),
    at: float | None = option(
        "Level of a variable with levels: pressure [Pa] or height [m]; default 85000 Pa, or the middle "
        "level.",
        "LEVEL",
    ),
    output: Path | None = option("Figure to write; default panels.png in the run's folder.", "PNG"),
) -> None:
    """Plot maps of a run at several times, in one figure."""
    from halcyon import plot
    from halcyon.launch.output_file import picture_file

    output = output or run_folder / "panels.png"
    if not every > 0:
        reject(f"--every {every:g}: give seconds above 0.")
    figure = picture_file(output)
    with working(f"drawing {variable}"):
        plot.draw_panels(run_folder.absolute(), figure, every_s=every, variable=variable, at=at)
    typer.echo(str(output))


@plot.command()
def spectra(
    run: Path = argument("Folder of the run, or its spectra.nc.", "RUN"),
    station: list[str] | None = option("Name of a station; repeatable; by default all.", "NAME"),
    time: str | None = option("Time such as 2022-09-04T12:00; default: time of the highest waves.", "UTC"),
    output: Path = option("Figure to write.", "PNG", default=Path("spectra.png")),
) -> None:
    """Plot the wave spectra at the stations of a run."""
    import numpy as np

    from halcyon import plot
    from halcyon.config.option import utc
    from halcyon.launch.output_file import picture_file

    try:
        when = None if time is None else np.datetime64(utc(time), "s")
    except ValueError:
        reject(f"--time {time}: give a time in UTC such as 2022-09-04T12:00.")
    file = run / "spectra.nc" if run.is_dir() else run
    with working("drawing spectra"):
        plot.spectra(picture_file(output, [file]), file, stations=station, time=when)
    typer.echo(str(output))


@plot.command()
def timeline(
    record: Path = argument("Record of a run: halcyon run CASE --record FILE.", "RECORD"),
    rank: list[int] | None = option("Rank; repeatable; by default 0.", "R"),
    begin: float | None = option(
        "Begin of the part that is shown, in the ranks' computing time; default: the middle.", "SECONDS"
    ),
    end: float | None = option(
        "End of the part that is shown; default: a tenth of the record later.", "SECONDS"
    ),
    output: Path = option("Figure to write.", "PNG", default=Path("timeline.png")),
) -> None:
    """Plot computation and messages in flight of a recorded run."""
    from halcyon.launch.output_file import picture_file
    from halcyon.plot.timeline import timeline_plot
    from halcyon.schedule import read_record

    figure = picture_file(output, [record])
    schedule = read_record(record)
    timeline_plot(figure, schedule, ranks=rank or (0,), begin_s=begin, end_s=end, title=record.name)
    typer.echo(str(output))


@plot.command()
def decomposition(
    mesh: MeshName,
    ranks: int | None = option("Number of parts of the mesh; default 8.", "N", "-n", "--ranks"),
    partition_file: Path | None = option("File graph.info.part.N with the parts, instead of METIS.", "FILE"),
    layers: Layers = 1,
    rank: int = option("Rank whose cells are shown.", "R", default=0),
    order: list[str] | None = option(
        "Order of the cells: natural, bfs, rcm, hilbert, morton, grist_hilbert or grist_morton; "
        "repeatable; by default the first five.",
        "ORDER",
    ),
    on: str = option("Elements that the index paths connect: cells, edges or vertices.", default="cells"),
    method: Method = "kway",
    seed: Seed = 1,
    output: Path = option("Figure to write.", "PNG", default=Path("decomposition.png")),
) -> None:
    """Plot the partition of a mesh, and the cells of one rank.

    Plots the rank's inner, boundary and halo cells, and, for each order, the path along its elements in the
    order of their indices."""
    from halcyon.cli.common import owners_of, require_one_source
    from halcyon.config.mesh_file import mesh_of
    from halcyon.decomposition import Decomposition, areas_of, entity_areas_of
    from halcyon.plot.index_path import index_path

    orders, files = list(dict.fromkeys(order or _ORDERS)), [partition_file] if partition_file else []
    require_one_source(ranks, files)
    requested = RANKS if ranks is None else ranks
    _check(requested, layers, orders, on)
    draw = figure_writer(output, "halcyon.plot.decomposition:decomposition_plot", [mesh, *files])
    loaded_mesh = mesh_of(mesh)
    ((n_ranks, owners),) = owners_of(
        loaded_mesh, [requested], files, {"method": method, "seed": seed}
    ).items()
    if not 0 <= rank < n_ranks:
        reject(f"--rank is {rank}, but the ranks are 0 to {n_ranks - 1}.")
    part = Decomposition(loaded_mesh, owners, rank, layers)
    cell_areas = areas_of(part)
    entity_areas = None if on == "cells" else entity_areas_of(part, on)
    shown = cell_areas.inner if len(cell_areas.inner) > 1 else cell_areas.owned
    if entity_areas:
        shown = entity_areas.owned
    paths = {name: index_path(loaded_mesh, name, shown, on) for name in orders}
    title = f"Rank {rank} of {n_ranks} on {Path(mesh).name}"
    draw(loaded_mesh, owners, cell_areas, paths, entities=entity_areas, title=title)
    typer.echo(f"picture    {output}")


def _check(ranks: int, layers: int, orders: Sequence[str], on: str) -> None:
    from halcyon import graph
    from halcyon.decomposition.cost import LOCATIONS, MAXIMA

    if ranks < 1:
        reject(f"--ranks is {ranks}, but must be at least 1.")
    if not 1 <= layers <= MAXIMA["layers"]:
        reject(f"--layers is {layers}, but must be at least 1, at most {MAXIMA['layers']}.")
    if on not in LOCATIONS:
        reject(f"--on is '{on}', but must be one of {', '.join(LOCATIONS)}.")
    for name in orders:
        if name not in graph.ORDERS:
            reject(f"--order {name}: there is no such order. Give {', '.join(graph.ORDERS)}.")
