"""`halcyon partition`: shares the cells of a mesh out among ranks, and says what the partitions are like."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halcyon.base import ConfigError

if TYPE_CHECKING:
    import numpy as np

    from halcyon.mesh import Mesh

PREFIX = "graph.info.part."
TITLES = ("parts", "cells min", "mean", "max", "imbalance", "edge cut", "split", "file")
BETWEEN = "between nodes"


def partition_mesh(
    path: Path, parts: str, options: Mapping[str, Any], ranks_per_node: int | None, folder: Path
) -> None:
    """Cuts the mesh of a file into each of the numbers of parts, writes folder/graph.info.part.N, and prints
    a table: cells of parts, imbalance, edges that are cut, and parts that are in more than one piece.

    options: of `halcyon.graph.partition`. ranks_per_node: where nodes are cut out first, or None.
    Nothing is written unless every number of parts can be had. Raises ConfigError for numbers that cannot be
    and folders that cannot be written to, InputError if the file is no mesh, RunError if writing fails."""
    from halcyon.cli.describe import print_table
    from halcyon.cli.output_file import output_file
    from halcyon.mesh import read_mesh, write_partition
    from halcyon.run.view import run_view

    counts = _counts(parts)
    files = {n: output_file(folder / f"{PREFIX}{n}", [path]) for n in counts}
    with run_view(sys.stdout) as view:
        view.step(f"reading {path}")
        mesh = read_mesh(path)
        owners = {}
        for n in counts:
            view.step(f"cutting {mesh.n_cells:,} cells into {n} parts")
            owners[n] = _owners(mesh, n, options, ranks_per_node)
    for n, file in files.items():
        write_partition(file, owners[n])
    titles = TITLES if ranks_per_node is None else (*TITLES[:6], BETWEEN, *TITLES[6:])
    rows = [(*_row(mesh, owners[n], ranks_per_node), str(folder / f"{PREFIX}{n}")) for n in counts]
    print_table(titles, rows)


def _counts(text: str) -> list[int]:
    words = text.split(",")
    if not all(word.strip().isdecimal() and int(word) > 0 for word in words):
        raise ConfigError(f"--parts {text}: give whole numbers from 1 on with commas between, such as 8,64.")
    return list(dict.fromkeys(int(word) for word in words))


def _owners(mesh: Mesh, n: int, options: Mapping[str, Any], ranks_per_node: int | None) -> np.ndarray:
    from halcyon import graph

    lists = mesh.cell_offsets, mesh.cells_on_cell
    if ranks_per_node is None:
        return graph.partition(*lists, n, **options)
    return graph.two_level_partition(*lists, n, ranks_per_node, **options)


def _row(mesh: Mesh, owners: np.ndarray, ranks_per_node: int | None) -> list[str]:
    from halcyon import graph

    lists = mesh.cell_offsets, mesh.cells_on_cell
    report = graph.partition_report(*lists, owners)
    row = [
        f"{report.n_parts:,}",
        f"{report.least_weight:,}",
        f"{report.mean_weight:,.1f}",
        f"{report.most_weight:,}",
        f"{report.imbalance:.3f}",
        f"{report.edge_cut:,}",
    ]
    if ranks_per_node is not None:
        row.append(f"{graph.partition_report(*lists, owners // ranks_per_node).edge_cut:,}")
    return [*row, str(report.n_split)]
