"""Traffic of closed form, and the bandwidth that a network gives to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from halcyon import network, schedule
from halcyon._core.schedule import message_list

BANDWIDTH = 12.5e9  # of NICs and links of the reference machine [B s-1]
PACKET = 4096  # [bytes]

Targets = Callable[[int], np.ndarray]  # number of messages per node: targets (node, message)


def shift(n_nodes: int, distance: int) -> Targets:
    """Node i sends to node i + distance."""
    targets = (np.arange(n_nodes) + distance) % n_nodes
    return lambda n_messages: np.repeat(targets[:, None], n_messages, axis=1)


def permutation(n_nodes: int, seed: int = 1) -> Targets:
    """Each node sends to one random other node, which receives from no other."""
    order = np.random.default_rng(seed).permutation(n_nodes)
    targets = np.empty(n_nodes, int)
    targets[order] = np.roll(order, 1)  # a single cycle: no node sends to itself
    return lambda n_messages: np.repeat(targets[:, None], n_messages, axis=1)


def uniform(n_nodes: int, seed: int = 1) -> Targets:
    """Each message goes to a random other node."""

    def targets(n_messages: int) -> np.ndarray:
        distance = np.random.default_rng(seed).integers(1, n_nodes, (n_nodes, n_messages))
        return (np.arange(n_nodes)[:, None] + distance) % n_nodes

    return targets


def throughput(
    topology: network.Topology,
    routing: str,
    targets: Targets,
    *,
    n_messages: int = 300,
    last: bool = False,
    machine: network.Machine | None = None,
) -> float:
    """Steady bandwidth of the mean (or `last`) rank, over that of a NIC: from the times for once and twice as
    many messages of one packet, so that start and end do not count. Without a `machine`, ranks are nodes."""
    finish_s = [_finish_s(topology, routing, targets(n), last, machine) for n in (n_messages, 2 * n_messages)]
    return n_messages * PACKET / BANDWIDTH / (finish_s[1] - finish_s[0])


def _finish_s(
    topology: network.Topology, routing: str, targets: np.ndarray, last: bool, machine: network.Machine | None
) -> float:
    sources = np.broadcast_to(np.arange(len(targets))[:, None], targets.shape)
    pairs, counts = np.unique(np.stack([sources.ravel(), targets.ravel()]), axis=1, return_counts=True)
    if counts.max() == targets.shape[1]:  # one target per node: one long message
        messages = [(0, a, b, int(n) * PACKET) for (a, b), n in zip(pairs.T.tolist(), counts, strict=True)]
    else:
        messages = [(0, a, b, PACKET) for a, row in enumerate(targets.tolist()) for b in row]
    work = message_list(len(targets), messages)
    finish_s = simulated(work, topology, routing, machine, fidelity="packet").finish_s
    return float(finish_s.max() if last else finish_s.mean())


def incast_of(n_nodes: int, size: int) -> schedule.Schedule:
    """All nodes send `size` bytes to node 0."""
    return message_list(n_nodes, [(0, node, 0, size) for node in range(1, n_nodes)])


def simulated(
    work: schedule.Schedule,
    topology: network.Topology,
    routing: str,
    machine: network.Machine | None = None,
    **options: Any,
) -> network.Result:
    """Simulates a schedule with ranks on nodes in order, one per node without a `machine`."""
    machine = machine or network.machine()
    return network.simulate(
        work,
        topology,
        network.make_routing(topology, routing),
        machine,
        network.linear_placement(topology, work.n_ranks, machine.ranks_per_node),
        network.options(**options),
    )
