"""`halcyon schedule`: the tables, pictures and JSON of what runs on many ranks would exchange."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from halcyon.base import ConfigError

if TYPE_CHECKING:
    from halcyon.decomposition import Volumes
    from halcyon.decomposition.cost import Exchange
    from halcyon.mesh import Mesh

MIB, GIB = 2**20, 2**30


def tell(
    what: str,
    ranks: str,
    exchange: Exchange,
    partition: Mapping[str, Any],
    *,
    ranks_per_node: int | None,
    folder: Path | None,
    as_json: bool,
) -> None:
    """Prints what runs on each of some numbers of ranks exchange, and draws it into `folder`.

    Raises ConfigError for numbers of ranks that cannot be, InputError for a file that is no mesh."""
    from halcyon.cli.mesh_argument import mesh_of
    from halcyon.cli.whole_numbers import whole_numbers
    from halcyon.run.prepare import check_ranks

    numbers = whole_numbers("--ranks", ranks)
    _check(ranks_per_node, folder)
    mesh = mesh_of(what)
    for n_ranks in numbers:
        check_ranks(n_ranks, mesh.n_cells)
    counted = [_count(mesh, n_ranks, exchange, partition, ranks_per_node) for n_ranks in numbers]
    rows, cases = [row for row, _ in counted], [volumes for _, volumes in counted]
    title = f"{what}: {mesh.n_cells:,} cells"
    if as_json:
        typer.echo(json.dumps(_document(what, mesh.n_cells, exchange, partition, ranks_per_node, rows)))
    else:
        _print(title, exchange, ranks_per_node, rows)
    if folder is not None:
        _draw(folder, title, exchange, cases, quiet=as_json)


def _count(
    mesh: Mesh, ranks: int, exchange: Exchange, partition: Mapping[str, Any], ranks_per_node: int | None
) -> tuple[dict[str, Any], Volumes]:
    """What runs on so many ranks exchange, in numbers and as a matrix."""
    from halcyon import graph
    from halcyon.decomposition import block_map, reordered_map
    from halcyon.decomposition.cost import between_nodes, cost

    lists = mesh.cell_offsets, mesh.cells_on_cell
    owners = graph.partition(*lists, ranks, **partition)
    volumes = exchange.volumes(mesh, owners, ranks)
    row = cost(owners, volumes, exchange)
    if ranks_per_node is not None:
        per_node = min(ranks_per_node, ranks)
        owners = graph.two_level_partition(*lists, ranks, per_node, **partition)
        blocks = block_map(ranks, per_node)
        row["nodes"] = {
            "as they come": between_nodes(volumes, blocks),
            "reordered": between_nodes(volumes, reordered_map(volumes, per_node)),
            "two levels": between_nodes(exchange.volumes(mesh, owners, ranks), blocks),
        }
    return row, volumes


def _check(ranks_per_node: int | None, folder: Path | None) -> None:
    from halcyon.cli.output_file import output_file

    if ranks_per_node is not None and ranks_per_node < 1:
        raise ConfigError(f"--ranks-per-node is {ranks_per_node}, but must be at least 1.")
    if folder is not None:
        if not folder.is_dir():
            raise ConfigError(f"--plot {folder}: there is no such folder. Make it, or choose another.")
        output_file(folder / "volumes.png")


def _document(
    what: str,
    cells: int,
    exchange: Exchange,
    partition: Mapping[str, Any],
    ranks_per_node: int | None,
    rows: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    head = {"mesh": what, "cells": cells, "exchange": vars(exchange), "partition": dict(partition)}
    return head | {"ranks_per_node": ranks_per_node, "runs": list(rows)}


def _print(
    title: str, exchange: Exchange, ranks_per_node: int | None, rows: Sequence[Mapping[str, Any]]
) -> None:
    from halcyon.cli.describe import print_table

    typer.echo(
        f"{title}; {exchange.layers} halo layer{'s' if exchange.layers > 1 else ''}, "
        f"{exchange.cell_bytes:,} bytes a cell, {exchange.steps} steps\n\nA rank: least / mean / most"
    )
    print_table(
        (
            *("ranks", "cells owned", "cells in halo", "messages", "MiB a step", "GiB, all"),
            *("over mean: cells", "bytes"),
        ),
        [_row(row) for row in rows],
    )
    if ranks_per_node:
        typer.echo(f"\nBetween nodes of {ranks_per_node} ranks, a step")
        print_table(
            (
                *("ranks", "nodes", "map", "links", "of a node", "MiB between", "within"),
                *("MiB of a node", "busiest node"),
            ),
            [_node_row(row["ranks"], name, node) for row in rows for name, node in row["nodes"].items()],
        )


def _row(row: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        f"{row['ranks']:,}",
        _spread(row["cells_owned"], 1, ",.0f"),
        _spread(row["cells_halo"], 1, ",.0f"),
        _spread(row["messages"], 1, ".3g"),
        _spread(row["bytes_received"], MIB, ".3g"),
        f"{row['bytes_total'] / GIB:.3g}",
        f"{row['imbalance_cells']:.2f}",
        f"{row['imbalance_bytes']:.2f}",
    )


def _node_row(ranks: int, name: str, node: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        f"{ranks:,}",
        f"{node['nodes']:,}",
        name,
        f"{node['links']:,}",
        _spread(node["node_links"], 1, ".4g"),
        f"{node['bytes_between'] / MIB:.4g}",
        f"{node['bytes_within'] / MIB:.4g}",
        _spread(node["node_bytes"], MIB, ".3g"),
        str(node["busiest"]),
    )


def _spread(values: Mapping[str, float], unit: float, form: str) -> str:
    return " / ".join(format(values[name] / unit, form) for name in ("min", "mean", "max"))


def _draw(folder: Path, title: str, exchange: Exchange, cases: Sequence[Any], *, quiet: bool) -> None:
    from halcyon.plot.volumes import distribution_plot, volumes_plot

    for name, plot in (("volumes.png", volumes_plot), ("distribution.png", distribution_plot)):
        plot(folder / name, cases, steps=exchange.steps, title=title)
        if not quiet:
            typer.echo(f"picture    {folder / name}")
