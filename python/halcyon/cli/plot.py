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

_DRAWN = ("natural", "bfs", "rcm", "hilbert", "morton")  # unless others are asked for


def draw(folder: Path) -> None:
    """Draws the pictures of the run in `folder` and names them. Raises InputError when there is no run."""
    from halcyon.plot import draw_run

    for picture in draw_run(folder.absolute()):
        typer.echo(str(picture))


def draw_decomposition(
    what: str,
    output: Path,
    *,
    ranks: int,
    rank: int,
    layers: int,
    orders: Sequence[str] | None,
    partition: Mapping[str, Any],
) -> None:
    """Draws how a mesh is cut for so many ranks and what one of them holds, and names the picture.

    Raises ConfigError for ranks, layers, orders and names that cannot be, InputError for a broken mesh."""
    from halcyon import graph
    from halcyon.cli.mesh_argument import mesh_of
    from halcyon.cli.output_file import picture_file
    from halcyon.decomposition import Decomposition, areas_of
    from halcyon.run.prepare import check_ranks

    orders = list(dict.fromkeys(orders or _DRAWN))
    _check(ranks, rank, layers, orders)
    drawn = picture_file(output, [what])
    mesh = mesh_of(what)
    check_ranks(ranks, mesh.n_cells)
    owners = graph.partition(mesh.cell_offsets, mesh.cells_on_cell, ranks, **partition)
    part = areas_of(Decomposition(mesh, owners, rank, layers))
    from halcyon.plot.decomposition import decomposition_plot

    shown = part.inner if len(part.inner) > 1 else part.owned
    paths = {name: index_path(mesh, name, shown) for name in orders}
    decomposition_plot(drawn, mesh, owners, part, paths, title=f"Rank {rank} of {ranks} on {Path(what).name}")
    typer.echo(f"picture    {output}")


def index_path(mesh: Mesh, order: str, cells: np.ndarray) -> np.ndarray:
    """Some cells in one of `halcyon.graph.ORDERS` of the whole mesh."""
    from halcyon.bench.order import cells_in

    if order == "natural":
        return np.sort(cells)
    found = cells_in(order, mesh)
    chosen = np.zeros(mesh.n_cells, bool)
    chosen[cells] = True
    return found[chosen[found]]


def _check(ranks: int, rank: int, layers: int, orders: Sequence[str]) -> None:
    from halcyon import graph
    from halcyon.decomposition.cost import MOST

    if ranks < 1:
        raise ConfigError(f"--ranks is {ranks}, but must be at least 1.")
    if not 0 <= rank < ranks:
        raise ConfigError(f"--rank is {rank}, but the ranks are 0 to {ranks - 1}.")
    if not 1 <= layers <= MOST["layers"]:
        raise ConfigError(f"--layers is {layers}, but must be at least 1, at most {MOST['layers']}.")
    for name in orders:
        if name not in graph.ORDERS:
            raise ConfigError(f"--order {name}: there is no such order. Give {', '.join(graph.ORDERS)}.")
