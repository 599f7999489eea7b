"""`halcyon schedule`: counts the communication volumes of runs on many ranks, prints and plots them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from halcyon.cli.options import Layers, MeshName, Method, Seed, flag, option, reject

if TYPE_CHECKING:
    import numpy as np

    from halcyon.decomposition import Volumes
    from halcyon.decomposition.cost import Exchange
    from halcyon.mesh import Mesh

MIB, GIB = 2**20, 2**30
UNITS = {"cells": "per cell", "edges": "per edge", "vertices": "per vertex"}
RANKS = "8,64,512"  # by default


def schedule(
    mesh: MeshName,
    ranks: str | None = option("Numbers of ranks; default 8,64,512.", "N,N,..."),
    partition_files: list[Path] | None = option(
        "Partition file graph.info.part.N, instead of METIS; may be repeated.",
        "FILE",
        "--partition-file",
    ),
    bins: int = option("Number of values per cell, such as 35 x 36 spectral bins.", "N", default=1260),
    bytes_per_value: int = option("Number of bytes per value: 4 for float, 8 for double.", "N", default=4),
    on: str = option("Location of the values: cells, edges or vertices.", default="cells"),
    layers: Layers = 1,
    steps: int = option("Number of exchanges, one per step.", "N", default=60),
    ranks_per_node: int | None = option(
        "Number of ranks per node, to report the volumes between nodes.", "N"
    ),
    method: Method = "kway",
    seed: Seed = 1,
    plot: Path | None = option("Folder of the pictures volumes.png and distribution.png.", "FOLDER"),
    as_json: bool = flag("Print JSON instead of tables.", "--json"),
) -> None:
    """Count the cells, messages and bytes per rank of runs on many ranks.

    The mesh is partitioned by METIS, or as given in files. The halo exchange of every rank is counted here,
    without a run."""
    from halcyon.cli.common import owners_of, require_one_source, whole_numbers
    from halcyon.config.mesh_file import mesh_of
    from halcyon.decomposition.cost import Exchange

    exchange = Exchange(bins=bins, bytes_per_value=bytes_per_value, layers=layers, steps=steps, on=on)
    partition, files = {"method": method, "seed": seed}, partition_files or []
    require_one_source(ranks, files)
    numbers = whole_numbers("--ranks", ranks or RANKS)
    _check(ranks_per_node, plot)
    loaded_mesh = mesh_of(mesh)
    options = None if files else partition
    counted = [
        _count(loaded_mesh, n_ranks, owners, exchange, options, ranks_per_node)
        for n_ranks, owners in owners_of(loaded_mesh, numbers, files, partition).items()
    ]
    rows, volumes = [row for row, _ in counted], [each for _, each in counted]
    title = f"{mesh}: {loaded_mesh.n_cells:,} cells"
    if as_json:
        source = {"files": [str(file) for file in files]} if files else partition
        settings = {
            "mesh": mesh,
            "cells": loaded_mesh.n_cells,
            "exchange": vars(exchange),
            "partition": source,
        }
        typer.echo(json.dumps(settings | {"ranks_per_node": ranks_per_node, "runs": rows}))
    else:
        _print(title, exchange, ranks_per_node, rows)
    if plot is not None:
        _draw(plot, title, exchange, volumes, quiet=as_json)


def _count(
    mesh: Mesh,
    ranks: int,
    owners: np.ndarray,
    exchange: Exchange,
    partition: Mapping[str, Any] | None,
    ranks_per_node: int | None,
) -> tuple[dict[str, Any], Volumes]:
    """Returns the table row of one number of ranks, and the volumes between ranks as a matrix.

    partition: options of METIS, which also computes a two-level partition if ranks_per_node is given; None if
    the partition was read from a file."""
    from halcyon import graph
    from halcyon.decomposition import block_map, reordered_map
    from halcyon.decomposition.cost import between_nodes, cost

    volumes = exchange.volumes(mesh, owners, ranks)
    row = cost(exchange.owned(mesh, owners, ranks), volumes, exchange)
    if ranks_per_node is None:
        return row, volumes
    per_node = min(ranks_per_node, ranks)
    blocks = block_map(ranks, per_node)
    row["nodes"] = {
        "as they come": between_nodes(volumes, blocks),
        "reordered": between_nodes(volumes, reordered_map(volumes, per_node)),
    }
    if partition is not None:
        adjacency = mesh.cell_offsets, mesh.cells_on_cell
        owners = graph.two_level_partition(*adjacency, ranks, per_node, **partition)
        row["nodes"]["two levels"] = between_nodes(exchange.volumes(mesh, owners, ranks), blocks)
    return row, volumes


def _check(ranks_per_node: int | None, folder: Path | None) -> None:
    from halcyon.launch.output_file import output_file

    if ranks_per_node is not None and ranks_per_node < 1:
        reject(f"--ranks-per-node is {ranks_per_node}. Give 1 or more.")
    if folder is not None:
        if not folder.is_dir():
            reject(f"--plot {folder}: there is no such folder. Create it, or choose another.")
        output_file(folder / "volumes.png")


def _print(
    title: str, exchange: Exchange, ranks_per_node: int | None, rows: Sequence[Mapping[str, Any]]
) -> None:
    from halcyon.cli.common import print_rows

    on, layers = exchange.on, f"{exchange.layers} halo layer{'s' if exchange.layers > 1 else ''}"
    item = f"{exchange.item_bytes:,} bytes {UNITS[on]}"
    typer.echo(f"{title}; {layers}, {item}, {exchange.steps} steps\n\nPer rank: min / mean / max")
    print_rows(
        {
            "ranks": f"{row['ranks']:,}",
            f"{on} owned": _spread(row[f"{on}_owned"], 1, ",.0f"),
            f"{on} in halo": _spread(row[f"{on}_halo"], 1, ",.0f"),
            "messages": _spread(row["messages"], 1, ".3g"),
            "MiB per step": _spread(row["bytes_received"], MIB, ".3g"),
            "GiB total": f"{row['bytes_total'] / GIB:.3g}",
            f"max/mean {on}": f"{row[f'imbalance_{on}']:.2f}",
            "max/mean bytes": f"{row['imbalance_bytes']:.2f}",
        }
        for row in rows
    )
    if ranks_per_node:
        typer.echo(f"\nBetween nodes of {ranks_per_node} ranks, per step")
        print_rows(
            {
                "ranks": f"{row['ranks']:,}",
                "nodes": f"{node['nodes']:,}",
                "map": name,
                "links": f"{node['links']:,}",
                "per node": _spread(node["node_links"], 1, ".4g"),
                "MiB between": f"{node['bytes_between'] / MIB:.4g}",
                "within": f"{node['bytes_within'] / MIB:.4g}",
                "MiB per node": _spread(node["node_bytes"], MIB, ".3g"),
                "busiest node": str(node["busiest"]),
            }
            for row in rows
            for name, node in row["nodes"].items()
        )


def _spread(values: Mapping[str, float], unit: float, form: str) -> str:
    return " / ".join(format(values[name] / unit, form) for name in ("min", "mean", "max"))


def _draw(folder: Path, title: str, exchange: Exchange, volumes: Sequence[Volumes], *, quiet: bool) -> None:
    from halcyon.plot.volumes import distribution_plot, volumes_plot

    for name, plot in (("volumes.png", volumes_plot), ("distribution.png", distribution_plot)):
        plot(folder / name, volumes, steps=exchange.steps, title=title)
        if not quiet:
            typer.echo(f"picture    {folder / name}")
