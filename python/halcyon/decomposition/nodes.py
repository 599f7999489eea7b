"""What of an exchange goes between the nodes of a machine, and which ranks should share one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halcyon.base import ConfigError
from halcyon.decomposition.node_map import cut_to_size, improved, ties_of
from halcyon.decomposition.volumes import Volumes


@dataclass(frozen=True)
class Traffic:
    """An exchange seen by nodes.

    links: pairs of ranks on different nodes that exchange (Pang et al. 2025, figures 1 and 2); node_links and
    node_bytes (node): the links that end there, and the bytes sent to and received from other nodes.
    bytes_between, bytes_within: sent to ranks of other nodes, and of the same."""

    links: int
    node_links: np.ndarray
    node_bytes: np.ndarray
    bytes_between: int
    bytes_within: int

    @property
    def busiest(self) -> int:
        """The node with most bytes, the first of several."""
        return int(np.argmax(self.node_bytes))


def traffic(volumes: Volumes, node_of: np.ndarray) -> Traffic:
    """What goes between nodes. node_of (rank): where each rank runs, counted from 0.

    Raises ConfigError unless there is one node a rank."""
    node_of = np.asarray(node_of)
    if node_of.shape != (volumes.n_ranks,) or node_of.min() < 0:
        raise ConfigError(f"There are {len(node_of)} nodes named for {volumes.n_ranks} ranks. Name one each.")
    from_rank, to_rank, n_nodes = volumes.peers, volumes.receivers, int(node_of.max()) + 1
    across = node_of[from_rank] != node_of[to_rank]
    pairs = np.unique(np.sort(np.stack([from_rank, to_rank])[:, across], axis=0), axis=1)
    bytes_across = volumes.bytes[across]
    node_bytes = np.zeros(n_nodes, np.int64)
    for end in (from_rank, to_rank):
        np.add.at(node_bytes, node_of[end[across]], bytes_across)
    return Traffic(
        links=pairs.shape[1],
        node_links=np.bincount(node_of[pairs].ravel(), minlength=n_nodes),
        node_bytes=node_bytes,
        bytes_between=int(bytes_across.sum()),
        bytes_within=int(volumes.bytes.sum() - bytes_across.sum()),
    )


def block_map(ranks: int, ranks_per_node: int) -> np.ndarray:
    """The node (rank) where nodes are filled in the order of ranks, as launchers do; the last may be less
    full. Raises ConfigError for fewer than 1 a node."""
    if ranks_per_node < 1:
        raise ConfigError(f"A node takes at least 1 rank, not {ranks_per_node}.")
    return np.arange(ranks) // ranks_per_node


def reordered_map(volumes: Volumes, ranks_per_node: int) -> np.ndarray:
    """The node (rank) where ranks that exchange much share nodes as full as those of `block_map`.

    METIS cuts the graph of ranks, and ranks of different nodes change places while that saves bytes between
    nodes; the same from `block_map`; the better of both, so that it is never worse."""
    ties, blocks = ties_of(volumes), block_map(volumes.n_ranks, ranks_per_node)
    maps = [improved(ties, start) for start in (blocks, cut_to_size(ties, ranks_per_node))]
    return min(maps, key=lambda node_of: traffic(volumes, node_of).bytes_between)
