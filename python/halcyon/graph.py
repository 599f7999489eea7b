"""Adjacency graphs: partition by METIS, and orders in which neighbours are near in memory.

A graph is given by `offsets` int32 (node + 1) and `neighbours` int32: those of node i stand in
neighbours[offsets[i] : offsets[i + 1]], and negative ones mean none. A mesh has them as `cell_offsets` and
`cells_on_cell`.
"""

import numpy as np

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
    offsets,
    neighbours,
    n_parts,
    *,
    method="kway",
    seed=1,
    contiguous=False,
    node_weights=None,
    edge_weights=None,
):
    """The part int32 (node) of each node, so that parts weigh nearly the same and edges between them little.

    method: one of METHODS. seed: of METIS' random choices. contiguous: whether each part must be in one
    piece. node_weights: whole numbers (node), 0 or more; edge_weights: beside `neighbours`, 1 or more, the
    same from both ends. No part is empty, and the same call gives the same answer.
    Raises ConfigError for fewer parts than 1 or more than nodes, weights that are none, an unknown method,
    and contiguous parts of a graph that is not; InputError where the lists make no graph."""
    weights = _weights(node_weights, edge_weights)
    options = {"method": method, "seed": seed, "contiguous": contiguous, "ranks_per_node": None}
    return core.partition(offsets, neighbours, n_parts, **options, **weights)


def two_level_partition(
    offsets,
    neighbours,
    n_ranks,
    ranks_per_node,
    *,
    method="kway",
    seed=1,
    contiguous=False,
    node_weights=None,
    edge_weights=None,
):
    """The rank int32 (node of the graph) of each, so that most edges between ranks stay within a computer.

    The graph is cut among computers of `ranks_per_node` ranks each, the last of which may have fewer, and
    what each has among its ranks, which are consecutive. Options and errors as `partition`."""
    weights = _weights(node_weights, edge_weights)
    options = {"method": method, "seed": seed, "contiguous": contiguous, "ranks_per_node": ranks_per_node}
    return core.partition(offsets, neighbours, n_ranks, **options, **weights)


def partition_report(offsets, neighbours, parts, n_parts=None, *, node_weights=None, edge_weights=None):
    """What a partition is like, a `PartitionReport`: least, mean and most weight of a part, imbalance (most
    over mean), edge cut, and how many parts are empty or in more than one piece.

    parts: (node). n_parts: by default one more than the largest.
    Raises InputError for another number of entries than nodes, or parts that are not there."""
    parts = np.asarray(parts, np.int32)
    count = int(parts.max(initial=-1)) + 1 if n_parts is None else n_parts
    weights = _weights(node_weights, edge_weights)
    return core.partition_report(offsets, neighbours, parts, count, **weights)


def _weights(node_weights, edge_weights):
    given = {"node_weights": node_weights, "edge_weights": edge_weights}
    return {name: _whole(name, values) for name, values in given.items()}


def _whole(name, values):
    if values is None:
        return None
    values = np.asarray(values)
    if not np.issubdtype(values.dtype, np.integer):
        raise ConfigError(f"{name} are {values.dtype}, but must be whole numbers. Scale and round them.")
    if values.size == 0:
        raise ConfigError(f"{name} is empty. Give a weight each, or leave it out.")
    return values.astype(np.int64)
