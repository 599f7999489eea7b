"""Graphs as adjacency lists: partitions by METIS, and orders of nodes in which neighbours are close in
memory.

A graph is given by `offsets` int32 (node + 1) and `neighbours` int32: the neighbours of node i are
neighbours[offsets[i] : offsets[i + 1]]; negative entries are ignored. The arrays of a mesh are `cell_offsets`
and `cells_on_cell`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from halcyon._core import graph as core
from halcyon._core.graph import (
    METHODS,
    ORDERS,
    PartitionReport,
    bfs_order,
    geohash,
    grist_hilbert_order,
    grist_morton_order,
    hilbert_order,
    morton_order,
    rcm_order,
)
from halcyon.base import ConfigError

__all__ = [
    "METHODS",
    "ORDERS",
    "PartitionReport",
    "bfs_order",
    "geohash",
    "grist_hilbert_order",
    "grist_morton_order",
    "hilbert_order",
    "morton_order",
    "partition",
    "partition_report",
    "rcm_order",
    "two_level_partition",
]


def partition(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    n_parts: int,
    *,
    method: str = "kway",
    seed: int = 1,
    contiguous: bool = False,
    node_weights: ArrayLike | None = None,
    edge_weights: ArrayLike | None = None,
) -> np.ndarray:
    """Partitions a graph into parts of nearly equal weight with a small edge cut. Returns the part of each
    node, int32 (node). No part is empty. Deterministic.

    method: one of METHODS. seed: seed of METIS' random numbers. contiguous: whether each part must be
    connected. node_weights: integers (node), 0 or more; edge_weights: integers (entry of neighbours), 1 or
    more, equal in both directions.

    Raises ConfigError for fewer than 1 part, more parts than nodes, invalid weights, an unknown method, and
    contiguous parts of a graph that is not connected; InputError for invalid lists."""
    weights = _weights(node_weights, edge_weights)
    options: dict[str, Any] = {
        "method": method,
        "seed": seed,
        "contiguous": contiguous,
        "ranks_per_node": None,
    }
    return core.partition(offsets, neighbours, n_parts, **options, **weights)


def two_level_partition(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    n_ranks: int,
    ranks_per_node: int,
    *,
    method: str = "kway",
    seed: int = 1,
    contiguous: bool = False,
    node_weights: ArrayLike | None = None,
    edge_weights: ArrayLike | None = None,
) -> np.ndarray:
    """Partitions a graph such that most cut edges are within compute nodes. Returns the rank of each node of
    the graph, int32 (node of the graph).

    The graph is partitioned among compute nodes of `ranks_per_node` consecutive ranks each (the last node may
    have fewer), and then the part of each compute node among its ranks. Options and errors: see `partition`.
    """
    weights = _weights(node_weights, edge_weights)
    options: dict[str, Any] = {
        "method": method,
        "seed": seed,
        "contiguous": contiguous,
        "ranks_per_node": ranks_per_node,
    }
    return core.partition(offsets, neighbours, n_ranks, **options, **weights)


def partition_report(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    parts: ArrayLike,
    n_parts: int | None = None,
    *,
    node_weights: ArrayLike | None = None,
    edge_weights: ArrayLike | None = None,
) -> core.PartitionReport:
    """Returns the quality measures of a partition, a `PartitionReport`: minimum, mean and maximum weight of a
    part, imbalance (maximum over mean), edge cut, and the numbers of parts that are empty or not connected.

    parts: part of each node, (node). n_parts: by default the largest part plus one.

    Raises InputError for a wrong number of entries, or parts outside 0 to n_parts - 1."""
    parts = np.asarray(parts, np.int32)
    if n_parts is None:
        n_parts = int(parts.max(initial=-1)) + 1
    weights = _weights(node_weights, edge_weights)
    return core.partition_report(offsets, neighbours, parts, n_parts, **weights)


def _weights(node_weights: ArrayLike | None, edge_weights: ArrayLike | None) -> dict[str, Any]:
    weights = {"node_weights": node_weights, "edge_weights": edge_weights}
    return {name: _integers(name, values) for name, values in weights.items()}


def _integers(name: str, values: ArrayLike | None) -> np.ndarray | None:
    if values is None:
        return None
    values = np.asarray(values)
    if not np.issubdtype(values.dtype, np.integer):
        raise ConfigError(f"{name} are {values.dtype}, but must be whole numbers. Scale and round them.")
    if values.size == 0:
        raise ConfigError(f"{name} is empty. Give all weights, or leave it out.")
    return values.astype(np.int64)
