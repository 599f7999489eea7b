"""`halcyon partition`: shares the cells of a mesh out among ranks, and says what the partitions are like."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from halcyon.mesh import Mesh

PREFIX = "graph.info.part."
TITLES = ("parts", "cells min", "mean", "max", "imbalance", "edge cut", "split", "file")
BETWEEN = "between nodes"


def partition_mesh(
    what: str,
    parts: str,
    options: Mapping[str, Any],
    ranks_per_node: int | None,
    folder: Path,
    weighed: Mapping[str, str | None],
) -> None:
    """Cuts a mesh into each of the numbers of parts, writes folder/graph.info.part.N, and prints a table:
    cells of parts, imbalance, edges that are cut, and parts that are in more than one piece.

    what: a mesh as `halcyon.config.mesh_file.mesh_of` takes it. options: of `halcyon.graph.partition`.
    ranks_per_node: where nodes are cut out first, or None. weighed: where weights of `cell` and `edge` are;
    the table then has weights instead of cells and edges.
    Nothing is written unless every number of parts can be had. Raises ConfigError for numbers that cannot be
    and folders that cannot be written to, InputError if the file is no mesh, RunError if writing fails."""
    from halcyon.cli.describe import print_table
    from halcyon.cli.whole_numbers import whole_numbers
    from halcyon.config.mesh_file import mesh_of
    from halcyon.launch.output_file import output_file
    from halcyon.mesh import write_partition
    from halcyon.run.view import run_view

    counts = whole_numbers("--parts", parts)
    inputs = [what, *(text for text in weighed.values() if text is not None)]
    files = {n: output_file(folder / f"{PREFIX}{n}", inputs) for n in counts}
    with run_view(sys.stdout) as view:
        view.step(f"reading {what}")
        mesh = mesh_of(what)
        given = _weights(mesh, what, weighed)
        owners = {}
        for n in counts:
            view.step(f"cutting {mesh.n_cells:,} cells into {n} parts")
            owners[n] = _owners(mesh, n, {**options, **given}, ranks_per_node)
    for n, file in files.items():
        write_partition(file, owners[n])
    rows = [(*_row(mesh, owners[n], ranks_per_node, given), str(folder / f"{PREFIX}{n}")) for n in counts]
    print_table(_titles(ranks_per_node, given), rows)


def _weights(mesh: Mesh, what: str, weighed: Mapping[str, str | None]) -> dict[str, np.ndarray]:
    """The keywords of `halcyon.graph.partition`."""
    from halcyon.cli.weights import weights

    found: dict[str, np.ndarray] = {}
    if (text := weighed["cell"]) is not None:
        found["node_weights"] = weights("--cell-weights", text, what, mesh.n_cells, "cell")
    if (text := weighed["edge"]) is not None:
        of_edges = weights("--edge-weights", text, what, mesh.n_edges, "edge")
        found["edge_weights"] = of_edges[mesh.edges_on_cell]
    return found


def _titles(ranks_per_node: int | None, given: Mapping[str, np.ndarray]) -> tuple[str, ...]:
    titles = TITLES if ranks_per_node is None else (*TITLES[:6], BETWEEN, *TITLES[6:])
    return (titles[0], "weight min", *titles[2:]) if "node_weights" in given else titles


def _owners(mesh: Mesh, n: int, options: Mapping[str, Any], ranks_per_node: int | None) -> np.ndarray:
    from halcyon import graph

    lists = mesh.cell_offsets, mesh.cells_on_cell
    if ranks_per_node is None:
        return graph.partition(*lists, n, **options)
    return graph.two_level_partition(*lists, n, ranks_per_node, **options)


def _row(
    mesh: Mesh, owners: np.ndarray, ranks_per_node: int | None, given: Mapping[str, np.ndarray]
) -> list[str]:
    from halcyon import graph

    lists = mesh.cell_offsets, mesh.cells_on_cell
    report = graph.partition_report(*lists, owners, **given)
    row = [
        f"{report.n_parts:,}",
        f"{report.least_weight:,}",
        f"{report.mean_weight:,.1f}",
        f"{report.most_weight:,}",
        f"{report.imbalance:.3f}",
        f"{report.edge_cut:,}",
    ]
    if ranks_per_node is not None:
        row.append(f"{graph.partition_report(*lists, owners // ranks_per_node, **given).edge_cut:,}")
    return [*row, str(report.n_split)]
