"""Traffic of an exchange between the compute nodes of a machine, and mappings of ranks to nodes that reduce
this traffic.

A mapping begins with blocks of ranks, or with a METIS partition of the graph of ranks; then pairs of ranks on
different nodes are swapped as long as a swap reduces the traffic.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from halcyon import graph
from halcyon.base import ConfigError
from halcyon.decomposition.volumes import Volumes

MAX_SWEEPS = 20  # in a sweep, each rank may swap once
MAX_WEIGHT = 1000  # of an edge in METIS

# For each rank, a dictionary with the bytes that the rank sends to and receives from each peer.
PeerBytes = list[dict[int, int]]


def peer_bytes_of(volumes: Volumes) -> PeerBytes:
    """Returns the bytes that each rank exchanges with each of its peers."""
    peer_bytes: PeerBytes = [defaultdict(int) for _ in range(volumes.n_ranks)]
    for receiver, sender, size in zip(
        volumes.receivers.tolist(), volumes.peers.tolist(), volumes.bytes.tolist(), strict=True
    ):
        peer_bytes[receiver][sender] += size
        peer_bytes[sender][receiver] += size
    return [dict(peers) for peers in peer_bytes]


def metis_map(peer_bytes: PeerBytes, ranks_per_node: int) -> np.ndarray:
    """Returns the node of each rank: a METIS partition of the graph of ranks, after which ranks are moved
    between nodes until all nodes but one are full."""
    n_nodes = -(-len(peer_bytes) // ranks_per_node)
    offsets = np.cumsum([0, *map(len, peer_bytes)], dtype=np.int32)
    peers = np.array([other for peers in peer_bytes for other in peers], np.int32)
    weights = _weights(np.array([size for peers in peer_bytes for size in peers.values()], np.int64))
    parts = graph.partition(offsets, peers, n_nodes, method="recursive", edge_weights=weights)
    node_map = _NodeMap(peer_bytes, parts.tolist())
    capacity = [ranks_per_node] * n_nodes
    emptiest_node = min(range(n_nodes), key=lambda node: len(node_map.members[node]))
    capacity[emptiest_node] -= n_nodes * ranks_per_node - len(peer_bytes)
    for node in range(n_nodes):
        while len(node_map.members[node]) > capacity[node]:
            node_map.shift_ranks(node_map.path_to_free_slot(node, capacity))
    return np.array(node_map.node_of)


def _weights(sizes: np.ndarray) -> np.ndarray | None:
    """Scales sizes to small integers, since METIS sums them in 32 bits; None if there are no sizes."""
    return np.maximum(sizes * MAX_WEIGHT // sizes.max(), 1) if sizes.size else None


def swapped_map(peer_bytes: PeerBytes, node_of: np.ndarray) -> np.ndarray:
    """Returns the node of each rank after swaps of two ranks, until no swap saves bytes between nodes or
    after MAX_SWEEPS. Each rank in turn makes its best swap (simplest form of Kernighan and Lin 1970, Bell
    Syst. Tech. J. 49, 291-307).

    node_of: the mapping to begin with."""
    node_map = _NodeMap(peer_bytes, node_of.tolist())
    for _ in range(MAX_SWEEPS):
        if sum(node_map.swap_best(rank) for rank in range(len(peer_bytes))) == 0:
            break
    return np.array(node_map.node_of)


class _NodeMap:
    """A mapping of ranks to nodes, with the bytes that each rank exchanges with the ranks of each node."""

    def __init__(self, peer_bytes: PeerBytes, node_of: Sequence[int]) -> None:
        self.peer_bytes, self.node_of = peer_bytes, list(node_of)
        self.members: list[set[int]] = [set() for _ in range(max(node_of) + 1)]
        self.bytes_to_node: list[defaultdict[int, int]] = []
        self.best_gains: dict[
            int, dict[int, int]
        ] = {}  # best_gains[home][node] caches _best_gain(home, node)
        for rank, peers in enumerate(peer_bytes):
            self.members[node_of[rank]].add(rank)
            self.bytes_to_node.append(defaultdict(int))
            for other, size in peers.items():
                self.bytes_to_node[rank][node_of[other]] += size

    def swap_best(self, rank: int) -> bool:
        """Swaps the nodes of `rank` and of the rank on another node with which a swap saves most bytes
        between nodes. Returns False, without a swap, if no swap saves bytes."""
        home, partner, most_saved = self.node_of[rank], None, 0
        for node in sorted(self.bytes_to_node[rank]):
            if node == home:
                continue
            gain = self._gain(rank, node)
            if gain + self._best_gain(node, home) <= most_saved:
                continue
            for other in sorted(self.members[node]):
                saved = gain + self._gain(other, home) - 2 * self.peer_bytes[rank].get(other, 0)
                if saved > most_saved:
                    partner, most_saved = other, saved
        if partner is None:
            return False
        self._move(rank, self.node_of[partner])
        self._move(partner, home)
        return True

    def path_to_free_slot(self, node: int, capacity: Sequence[int]) -> list[int]:
        """Returns the shortest path, over nodes that exchange data, from a node to a node with fewer members
        than its capacity; if there is no path, the node itself and the first node with a free slot."""
        previous = {node: node}
        queue = deque([node])
        while queue:
            current = queue.popleft()
            if len(self.members[current]) < capacity[current]:
                path = [current]
                while path[-1] != node:
                    path.append(previous[path[-1]])
                return path[::-1]
            adjacent = {
                other
                for rank in self.members[current]
                for other, size in self.bytes_to_node[rank].items()
                if size
            }
            for other in sorted(adjacent - previous.keys()):
                previous[other] = current
                queue.append(other)
        return [node, next(i for i, ranks in enumerate(self.members) if len(ranks) < capacity[i])]

    def shift_ranks(self, path: Sequence[int]) -> None:
        """Moves one rank along each step of a path: the rank whose move adds fewest bytes between nodes."""
        for home, node in pairwise(path):
            self._move(max(sorted(self.members[home]), key=lambda rank: self._gain(rank, node)), node)

    def _gain(self, rank: int, node: int) -> int:
        """The number of bytes between nodes that moving a rank to `node` saves."""
        bytes_to = self.bytes_to_node[rank]
        return bytes_to.get(node, 0) - bytes_to.get(self.node_of[rank], 0)

    def _best_gain(self, home: int, node: int) -> int:
        """The largest number of bytes between nodes that moving one member of `home` to `node` saves."""
        gains = self.best_gains.setdefault(home, {})
        if node not in gains:
            gains[node] = max(self._gain(rank, node) for rank in self.members[home])
        return gains[node]

    def _move(self, rank: int, node: int) -> None:
        home = self.node_of[rank]
        self.members[home].remove(rank)
        self.members[node].add(rank)
        self.node_of[rank] = node
        for changed in (home, node, *(self.node_of[other] for other in self.peer_bytes[rank])):
            self.best_gains.pop(changed, None)
        for other, size in self.peer_bytes[rank].items():
            self.bytes_to_node[other][home] -= size
            self.bytes_to_node[other][node] += size


@dataclass(frozen=True)
class Traffic:
    """Traffic of an exchange between nodes.

    links: number of pairs of ranks on different nodes that exchange data (Pang et al. 2025, figures 1 and 2);
    node_links and node_bytes (node): number of links of each node, and bytes that its ranks send to and
    receive from other nodes. bytes_between and bytes_within: bytes that all ranks send to ranks of other
    nodes, and to ranks of the same node."""

    links: int
    node_links: np.ndarray
    node_bytes: np.ndarray
    bytes_between: int
    bytes_within: int

    @property
    def busiest(self) -> int:
        """The node with the most bytes, the first one if there are several."""
        return int(np.argmax(self.node_bytes))


def traffic(volumes: Volumes, node_of: np.ndarray) -> Traffic:
    """Returns the traffic between nodes. node_of (rank): node of each rank, from 0 on.

    Raises ConfigError unless there is one node per rank."""
    node_of = np.asarray(node_of)
    if node_of.shape != (volumes.n_ranks,) or node_of.min() < 0:
        raise ConfigError(
            f"node_of has {len(node_of)} entries for {volumes.n_ranks} ranks. Give one node per rank."
        )
    from_rank, to_rank, n_nodes = volumes.peers, volumes.receivers, int(node_of.max()) + 1
    across = node_of[from_rank] != node_of[to_rank]
    pairs = np.unique(np.sort(np.stack([from_rank, to_rank])[:, across], axis=0), axis=1)
    bytes_across = volumes.bytes[across]
    node_bytes = np.zeros(n_nodes, np.int64)
    for ranks in (from_rank, to_rank):
        np.add.at(node_bytes, node_of[ranks[across]], bytes_across)
    return Traffic(
        links=pairs.shape[1],
        node_links=np.bincount(node_of[pairs].ravel(), minlength=n_nodes),
        node_bytes=node_bytes,
        bytes_between=int(bytes_across.sum()),
        bytes_within=int(volumes.bytes.sum() - bytes_across.sum()),
    )


def block_map(ranks: int, ranks_per_node: int) -> np.ndarray:
    """Returns the node of each rank if nodes are filled in the order of ranks, as launchers do; the last node
    may have fewer ranks. Raises ConfigError for fewer than 1 rank per node."""
    if ranks_per_node < 1:
        raise ConfigError(f"A node needs at least 1 rank, not {ranks_per_node}.")
    return np.arange(ranks) // ranks_per_node


def reordered_map(volumes: Volumes, ranks_per_node: int) -> np.ndarray:
    """Returns the node of each rank, such that ranks that exchange much data share nodes.

    Improves `block_map`, and also a METIS partition of the graph of ranks, by swaps of two ranks, and returns
    the better mapping. It has at most as many bytes between nodes as `block_map`."""
    peer_bytes, blocks = peer_bytes_of(volumes), block_map(volumes.n_ranks, ranks_per_node)
    maps = [swapped_map(peer_bytes, start) for start in (blocks, metis_map(peer_bytes, ranks_per_node))]
    return min(maps, key=lambda node_of: traffic(volumes, node_of).bytes_between)
