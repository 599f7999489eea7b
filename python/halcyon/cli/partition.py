"""`halcyon partition`: partitions the cells of a mesh among ranks, and prints the partitions' quality."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halcyon.cli.options import MeshName, flag, option

if TYPE_CHECKING:
    import numpy as np

    from halcyon.mesh import Mesh

PREFIX = "graph.info.part."


def partition(
    mesh: MeshName,
    parts: str = option("Numbers of parts, one partition each, such as 8,64.", "N[,N...]", default=...),
    method: str = option("Method of METIS: kway or recursive.", "METHOD", default="kway"),
    seed: int = option("Random seed of METIS.", min=0, max=2**31 - 1, default=1),
    contiguous: bool = flag("Make only connected parts.", "--contiguous"),
    ranks_per_node: int | None = option(
        "Number of ranks per node, for a partition in two levels: among nodes, then among their ranks.",
        "M",
        min=1,
    ),
    cell_weights: str | None = option(
        "Work per cell: a variable of MESH, or a text file with one line per cell.", "VAR|FILE"
    ),
    edge_weights: str | None = option(
        "Communication per edge: a variable of MESH, or a text file with one line per edge.", "VAR|FILE"
    ),
    output: Path = option("Folder of the partition files.", "FOLDER", default=Path(".")),
) -> None:
    """Partition the cells of a mesh among MPI ranks.

    Writes graph.info.part.N for each number of parts N, and prints balance and edge cut of each partition."""
    from halcyon.cli.common import print_rows, whole_numbers
    from halcyon.config.mesh_file import mesh_of
    from halcyon.launch.output_file import output_file
    from halcyon.mesh import write_partition
    from halcyon.run.progress import run_view

    counts = whole_numbers("--parts", parts)
    weights = {"cell": cell_weights, "edge": edge_weights}
    inputs = [mesh, *(text for text in weights.values() if text is not None)]
    files = {n: output_file(output / f"{PREFIX}{n}", inputs) for n in counts}
    with run_view(sys.stdout) as view:
        view.status(f"reading {mesh}")
        loaded_mesh = mesh_of(mesh)
        weight_arrays = _weights(loaded_mesh, mesh, weights)
        options = {"method": method, "seed": seed, "contiguous": contiguous, **weight_arrays}
        owners = {}
        for n in counts:
            view.status(f"partitioning {loaded_mesh.n_cells:,} cells into {n} parts")
            owners[n] = _owners(loaded_mesh, n, options, ranks_per_node)
    for n, file in files.items():
        write_partition(file, owners[n])
    rows = {n: _row(loaded_mesh, owners[n], ranks_per_node, weight_arrays) for n in counts}
    print_rows(row | {"file": str(output / f"{PREFIX}{n}")} for n, row in rows.items())


def _weights(mesh: Mesh, source: str, texts: Mapping[str, str | None]) -> dict[str, np.ndarray]:
    """The weights as keyword arguments of `halcyon.graph.partition`.

    source: file or name of the mesh; texts: --cell-weights and --edge-weights, by `cell` and `edge`."""
    from halcyon.cli.weights import weights

    arrays: dict[str, np.ndarray] = {}
    if (text := texts["cell"]) is not None:
        arrays["node_weights"] = weights("--cell-weights", text, source, mesh.n_cells, "cell")
    if (text := texts["edge"]) is not None:
        per_edge = weights("--edge-weights", text, source, mesh.n_edges, "edge")
        arrays["edge_weights"] = per_edge[mesh.edges_on_cell]
    return arrays


def _owners(mesh: Mesh, n: int, options: Mapping[str, Any], ranks_per_node: int | None) -> np.ndarray:
    from halcyon import graph

    adjacency = mesh.cell_offsets, mesh.cells_on_cell
    if ranks_per_node is None:
        return graph.partition(*adjacency, n, **options)
    return graph.two_level_partition(*adjacency, n, ranks_per_node, **options)


def _row(
    mesh: Mesh, owners: np.ndarray, ranks_per_node: int | None, weights: Mapping[str, Any]
) -> dict[str, str]:
    """The properties of a partition, by the titles of the table."""
    from halcyon import graph

    adjacency = mesh.cell_offsets, mesh.cells_on_cell
    report = graph.partition_report(*adjacency, owners, **weights)
    row = {
        "parts": f"{report.n_parts:,}",
        "weight min" if "node_weights" in weights else "cells min": f"{report.least_weight:,}",
        "mean": f"{report.mean_weight:,.1f}",
        "max": f"{report.most_weight:,}",
        "imbalance": f"{report.imbalance:.3f}",
        "edge cut": f"{report.edge_cut:,}",
    }
    if ranks_per_node is not None:
        between_nodes = graph.partition_report(*adjacency, owners // ranks_per_node, **weights)
        row["between nodes"] = f"{between_nodes.edge_cut:,}"
    return row | {"disconnected": str(report.n_split)}
