"""What of an exchange goes between the nodes of a machine, and which ranks should share one.

The graph of ranks is cut into nodes of a fixed size by METIS, then improved by exchanges of two ranks.
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

MOST_SWEEPS = 20
MOST_WEIGHT = 1000

Ties = list[dict[int, int]]  # the bytes both ways between a rank and each of its peers


def ties_of(volumes: Volumes) -> Ties:
    """How strongly ranks are bound to each other."""
    ties: Ties = [defaultdict(int) for _ in range(volumes.n_ranks)]
    for receiver, sender, size in zip(
        volumes.receivers.tolist(), volumes.peers.tolist(), volumes.bytes.tolist(), strict=True
    ):
        ties[receiver][sender] += size
        ties[sender][receiver] += size
    return [dict(tie) for tie in ties]


def cut_to_size(ties: Ties, ranks_per_node: int) -> np.ndarray:
    """The node (rank) by METIS' cut of the graph of ranks, after which ranks move on from node to node until
    all nodes but one are full."""
    n_nodes = -(-len(ties) // ranks_per_node)
    offsets = np.cumsum([0, *map(len, ties)], dtype=np.int32)
    peers = np.array([other for tie in ties for other in tie], np.int32)
    weights = _weights(np.array([size for tie in ties for size in tie.values()], np.int64))
    cut = graph.partition(offsets, peers, n_nodes, method="recursive", edge_weights=weights)
    places = _Places(ties, cut.tolist())
    wanted = [ranks_per_node] * n_nodes
    wanted[min(range(n_nodes), key=lambda node: len(places.members[node]))] -= n_nodes * ranks_per_node - len(
        ties
    )
    for node in range(n_nodes):
        while len(places.members[node]) > wanted[node]:
            places.pass_on(places.way_to_room(node, wanted))
    return np.array(places.node_of)


def _weights(sizes: np.ndarray) -> np.ndarray | None:
    """Sizes as small whole numbers, since METIS adds them up in 32 bits; None where there are none."""
    return np.maximum(sizes * MOST_WEIGHT // sizes.max(), 1) if sizes.size else None


def improved(ties: Ties, node_of: np.ndarray) -> np.ndarray:
    """The node (rank) after two ranks at a time changed places, each time those that save most bytes between
    nodes, until no exchange saves any (Kernighan and Lin 1970, Bell Syst. Tech. J. 49, 291-307, in its
    simplest form)."""
    places = _Places(ties, node_of.tolist())
    for _ in range(MOST_SWEEPS):
        if sum(places.exchange_best(rank) for rank in range(len(ties))) == 0:
            break
    return np.array(places.node_of)


class _Places:
    """Where ranks are, and how strongly each is bound to each node."""

    def __init__(self, ties: Ties, node_of: Sequence[int]):
        self.ties, self.node_of = ties, list(node_of)
        self.members: list[set[int]] = [set() for _ in range(max(node_of) + 1)]
        self.bound: list[defaultdict[int, int]] = []
        self.best_gains: dict[int, dict[int, int]] = {}  # what `_best_gain` found, by home
        for rank, tie in enumerate(ties):
            self.members[node_of[rank]].add(rank)
            self.bound.append(defaultdict(int))
            for other, size in tie.items():
                self.bound[rank][node_of[other]] += size

    def exchange_best(self, rank: int) -> bool:
        """Exchanges a rank with the one by which most bytes are saved. Whether there was one."""
        home, found, most = self.node_of[rank], None, 0
        for node in sorted(self.bound[rank]):
            if node == home:
                continue
            gain = self._gain(rank, node)
            if gain + self._best_gain(node, home) <= most:
                continue
            for other in sorted(self.members[node]):
                saved = gain + self._gain(other, home) - 2 * self.ties[rank].get(other, 0)
                if saved > most:
                    found, most = other, saved
        if found is None:
            return False
        away = self.node_of[found]
        self._move(rank, away)
        self._move(found, home)
        return True

    def way_to_room(self, node: int, wanted: Sequence[int]) -> list[int]:
        """The shortest way over nodes that exchange from a node to one with fewer members than wanted; to the
        first such node at once where there is none."""
        before = {node: node}
        front = deque([node])
        while front:
            at = front.popleft()
            if len(self.members[at]) < wanted[at]:
                way = [at]
                while way[-1] != node:
                    way.append(before[way[-1]])
                return way[::-1]
            beside = {other for rank in self.members[at] for other, size in self.bound[rank].items() if size}
            for other in sorted(beside - before.keys()):
                before[other] = at
                front.append(other)
        return [node, next(i for i, held in enumerate(self.members) if len(held) < wanted[i])]

    def pass_on(self, way: Sequence[int]) -> None:
        """Moves a rank along each step of a way, each time that which costs least."""
        for home, node in pairwise(way):
            self._move(max(sorted(self.members[home]), key=lambda rank: self._gain(rank, node)), node)

    def _gain(self, rank: int, node: int) -> int:
        bound = self.bound[rank]
        return bound.get(node, 0) - bound.get(self.node_of[rank], 0)

    def _best_gain(self, home: int, node: int) -> int:
        """The most that a member of `home` saves by going to `node` alone."""
        gains = self.best_gains.setdefault(home, {})
        if node not in gains:
            gains[node] = max(self._gain(rank, node) for rank in self.members[home])
        return gains[node]

    def _move(self, rank: int, node: int) -> None:
        home = self.node_of[rank]
        self.members[home].remove(rank)
        self.members[node].add(rank)
        self.node_of[rank] = node
        for changed in (home, node, *(self.node_of[other] for other in self.ties[rank])):
            self.best_gains.pop(changed, None)
        for other, size in self.ties[rank].items():
            self.bound[other][home] -= size
            self.bound[other][node] += size


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
