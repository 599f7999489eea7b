"""The graph of ranks cut into nodes of a fixed size: by METIS, then improved by exchanges of two ranks."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from halcyon import graph
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
