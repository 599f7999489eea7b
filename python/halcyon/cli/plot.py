"""`halcyon plot`: draws the pictures of a run again, and decompositions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from halcyon.base import ConfigError

if TYPE_CHECKING:
    from halcyon.mesh import Mesh

RANKS = 8  # unless others are asked for
_DRAWN = ("natural", "bfs", "rcm", "hilbert", "morton")  # unless others are asked for


def draw(folder: Path) -> None:
    """Draws the pictures of the run in `folder` and names them. Raises InputError when there is no run."""
    from halcyon.plot import draw_run

    for picture in draw_run(folder.absolute()):
        typer.echo(str(picture))


def draw_panels(folder: Path, output: Path, every_s: float, variable: str, at: float | None = None) -> None:
    """Draws maps of the run in `folder` and names the picture. Raises InputError when there is no run, or no
    such variable or level, ConfigError for a bad step."""
    from halcyon.launch.output_file import picture_file
    from halcyon.plot import draw_panels

    if not every_s > 0:
        raise ConfigError(f"--every {every_s:g}: give seconds above 0.")
    draw_panels(folder.absolute(), picture_file(output), every_s=every_s, variable=variable, at=at)
    typer.echo(str(output))


def draw_spectra(run: Path, output: Path, stations: Sequence[str] | None, time: str | None) -> None:
    """Draws the spectra at stations and names the picture. Raises InputError when there are none, ConfigError
    for a time that is none and for unknown stations."""
    from halcyon.config.option import utc
    from halcyon.launch.output_file import picture_file
    from halcyon.plot import spectra

    try:
        when = None if time is None else np.datetime64(utc(time), "s")
    except ValueError:
        raise ConfigError(f"--time {time}: give a time in UTC such as 2022-09-04T12:00.") from None
    file = run / "spectra.nc" if run.is_dir() else run
    spectra(picture_file(output, [file]), file, stations=stations, time=when)
    typer.echo(str(output))


def draw_decomposition(
    what: str,
    output: Path,
    *,
    ranks: int | None,
    file: Path | None,
    rank: int,
    layers: int,
    orders: Sequence[str] | None,
    on: str,
    partition: Mapping[str, Any],
) -> None:
    """Draws how a mesh is cut for so many ranks and what one of them holds, and names the picture.

    file: graph.info.part.N, instead of METIS with the options `partition`. on: `cells`, or edges or vertices
    that are shown, too, and their paths. Raises ConfigError for ranks, layers, orders and names that cannot
    be, InputError for a broken mesh or partition."""
    from halcyon.cli.cuts import owners_of, require_one_way
    from halcyon.config.mesh_file import mesh_of
    from halcyon.decomposition import Decomposition, areas_of, places_of
    from halcyon.launch.output_file import picture_file

    orders, files = list(dict.fromkeys(orders or _DRAWN)), [file] if file else []
    require_one_way(ranks, files)
    wanted = RANKS if ranks is None else ranks
    _check(wanted, layers, orders, on)
    drawn = picture_file(output, [what, *files])
    mesh = mesh_of(what)
    ((n_ranks, owners),) = owners_of(mesh, [wanted], files, partition).items()
    _check_rank(rank, n_ranks)
    part = Decomposition(mesh, owners, rank, layers)
    areas, places = areas_of(part), places_of(part, on) if on != "cells" else None
    from halcyon.plot.decomposition import decomposition_plot

    shown = places.owned if places else areas.inner if len(areas.inner) > 1 else areas.owned
    paths = {name: index_path(mesh, name, shown, on) for name in orders}
    title = f"Rank {rank} of {n_ranks} on {Path(what).name}"
    decomposition_plot(drawn, mesh, owners, areas, paths, places=places, title=title)
    typer.echo(f"picture    {output}")


def index_path(mesh: Mesh, order: str, chosen: np.ndarray, on: str = "cells") -> np.ndarray:
    """Some cells, edges or vertices in one of `halcyon.graph.ORDERS` of the whole mesh: edges and vertices as
    the cells touch them first."""
    from halcyon_bench.order import cells_in

    if order == "natural":
        return np.sort(chosen)
    found = cells_in(order, mesh)
    if on != "cells":
        found = _first_touched(mesh, found, mesh.edges_on_cell if on == "edges" else mesh.vertices_on_cell)
    is_chosen = np.zeros(len(found), bool)
    is_chosen[chosen] = True
    return found[is_chosen[found]]


def _first_touched(mesh: Mesh, cells: np.ndarray, on_cell: np.ndarray) -> np.ndarray:
    """What cells have in their lists, as they touch it first."""
    counts = np.diff(mesh.cell_offsets)[cells]
    starts = np.asarray(mesh.cell_offsets)[cells] - (np.cumsum(counts) - counts)
    touched = np.asarray(on_cell)[np.repeat(starts, counts) + np.arange(counts.sum())]
    found, first = np.unique(touched, return_index=True)
    return found[np.argsort(first)]


def _check(ranks: int, layers: int, orders: Sequence[str], on: str) -> None:
    from halcyon import graph
    from halcyon.decomposition.cost import MOST, PLACES

    if ranks < 1:
        raise ConfigError(f"--ranks is {ranks}, but must be at least 1.")
    if not 1 <= layers <= MOST["layers"]:
        raise ConfigError(f"--layers is {layers}, but must be at least 1, at most {MOST['layers']}.")
    if on not in PLACES:
        raise ConfigError(f"--on is '{on}', but must be one of {', '.join(PLACES)}.")
    for name in orders:
        if name not in graph.ORDERS:
            raise ConfigError(f"--order {name}: there is no such order. Give {', '.join(graph.ORDERS)}.")


def _check_rank(rank: int, ranks: int) -> None:
    if not 0 <= rank < ranks:
        raise ConfigError(f"--rank is {rank}, but the ranks are 0 to {ranks - 1}.")
