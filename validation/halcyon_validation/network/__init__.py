"""Bandwidths of networks under traffic of closed form, incast, and allreduces by LogGP."""

from __future__ import annotations

from functools import partial

from halcyon import network, schedule
from halcyon_validation.check import Check, Outcome, by_name, near
from halcyon_validation.network.traffic import (
    BANDWIDTH,
    incast_of,
    permutation,
    shift,
    simulated,
    throughput,
    uniform,
)

KIM = "Kim et al. 2008 (ISCA), figure 8 and section 4"


def dragonfly() -> Outcome:
    """1,056 nodes as in Kim et al. (a = 8, p = h = 4): each group sends to the next one; random targets. In
    the worst case, a detour uses two global links, of 32 a group, and minimal routes fill one: 33/64."""
    topology = network.Dragonfly(group=[8], n_groups=33, global_links=4, nodes_per_switch=4)
    to_next_group = partial(throughput, topology, targets=shift(1056, 32), n_messages=400)
    at_random = partial(throughput, topology, targets=uniform(1056), n_messages=100)
    return Outcome(
        [
            near(
                "worst case, minimal: 1 / (a h)",
                to_next_group("minimal", last=True),
                1 / 32,
                0.05,
                source=KIM,
            ),
            near("worst case, Valiant: 1/2", to_next_group("valiant"), 0.5, 0.05, source=KIM),
            near("worst case, UGAL: 33/64", to_next_group("ugal"), 33 / 64, 0.05, source=KIM),
            near("worst case, UGAL-G: 33/64", to_next_group("ugal_g"), 33 / 64, 0.05, source=KIM),
            Check("random targets, minimal: nearly 1", at_random("minimal"), 0.9, 1, source=KIM),
            near("random targets, Valiant: 1/2", at_random("valiant"), 0.5, 0.05, source=KIM),
            Check("random targets, UGAL: nearly minimal", at_random("ugal"), 0.85, 1, source=KIM),
            Check("random targets, UGAL-G: nearly 1", at_random("ugal_g"), 0.9, 1, source=KIM),
        ]
    )


def fat_tree() -> Outcome:
    """Three levels of eight ports up and down, and two levels with half the up-links."""
    tree, thin = network.FatTree([8, 8, 8], [8, 8]), network.FatTree([8, 8], [4])
    shifted = partial(throughput, tree, targets=shift(512, 8))
    permuted = partial(throughput, tree, targets=permutation(512))
    zahavi, theory = "Zahavi et al. 2010: no link is shared", "links up over nodes"
    return Outcome(
        [
            near("shift, D-mod-k: 1", shifted("d_mod_k"), 1, 0.01, source=zahavi),
            near("shift, adaptive: 1", shifted("adaptive"), 1, 0.05, source="rearrangeable, Clos 1953"),
            near(
                "permutation, adaptive: 1", permuted("adaptive"), 1, 0.05, source="rearrangeable, Clos 1953"
            ),
            Check(
                "permutation, D-mod-k: shared links",
                permuted("d_mod_k"),
                0.2,
                0.6,
                source="Hoefler et al. 2008",
            ),
            near(
                "half the links, adaptive: 1/2",
                throughput(thin, "adaptive", shift(64, 8)),
                0.5,
                0.02,
                source=theory,
            ),
            near(
                "half the links, D-mod-k: 1/2",
                throughput(thin, "d_mod_k", shift(64, 8)),
                0.5,
                0.02,
                source=theory,
            ),
        ]
    )


def torus() -> Outcome:
    """8^3 switches with one node: across the bisection at 1 byte per byte of the NIC."""
    topology = network.Torus([8, 8, 8], 1)
    dally = "Dally and Towles 2004, chapter 3: bisection of k-ary n-cubes"
    halves = throughput(topology, "minimal", shift(512, 4))
    at_random = throughput(topology, "minimal", uniform(512), n_messages=150)
    return Outcome(
        [
            Check("half a ring further, of 4 / k = 1/2", halves / 0.5, 0.9, 1, source=dally),
            Check("random targets, of 8 / k = 1", at_random, 0.85, 1, source=dally),
        ]
    )


def hyperx() -> Outcome:
    """Eight fully connected switches with eight nodes each: each switch sends to the next one, and random
    targets."""
    topology = network.HyperX([8], 8)
    ahn = "Ahn et al. 2009 (SC09), section 3: load of the links"
    to_next_switch = partial(throughput, topology, targets=shift(64, 8), n_messages=400)
    at_random = partial(throughput, topology, targets=uniform(64), n_messages=400)
    return Outcome(
        [
            near("worst case, minimal: 1/8", to_next_switch("minimal"), 1 / 8, 0.01, source=ahn),
            near("worst case, Valiant: 1/2", to_next_switch("valiant"), 0.5, 0.05, source=ahn),
            near("worst case, UGAL: 1/2", to_next_switch("ugal"), 0.5, 0.05, source=ahn),
            near("random targets, minimal: 63/64", at_random("minimal"), 63 / 64, 0.05, source=ahn),
            Check("random targets, UGAL", at_random("ugal"), 0.9, 1, source=ahn),
        ]
    )


def nics() -> Outcome:
    """64 nodes of four NICs and four ranks: each node sends to that eight further, one leaf switch away; and
    messages of 1 MB between two nodes."""
    tree = network.FatTree([8, 8], [8])  # as many up-links as nodes
    attached = {
        "a tree per rail": network.attach_nics(tree, "rails", 4),
        "leaf switches per rail": network.attach_nics(network.FatTree([8, 8, 4], [8, 8]), "switches", 4),
    }
    chassis = network.attach_nics(
        network.Dragonfly(group=[8], n_groups=4, global_links=3, nodes_per_switch=8), "switches", 4
    )
    machine = network.machine(nics_per_node=4, ranks_per_node=4)
    to_next_leaf = partial(throughput, targets=shift(256, 32), machine=machine)
    ports = "ratio of ports"
    checks = [
        near(f"{name}, shift: 4 NICs per node", 4 * to_next_leaf(each, "d_mod_k"), 4, 0.01, source=ports)
        for name, each in attached.items()
    ]
    by_node = 4 * to_next_leaf(tree, "d_mod_k")
    checks.append(near("NICs at the node's switch, up-links per node: 1", by_node, 1, 0.01, source=ports))
    work, size = schedule.traffic_to([12, *range(1, 13)], 10**6), 10**6 / BANDWIDTH
    for name, topology in (attached | {"NICs over switches of a dragonfly": chassis}).items():
        for choice, expected in (("striped", 1 / 4), ("per_socket", 1)):
            one = network.machine(nics_per_node=4, nic_choice=choice, sockets_per_node=4)
            for fidelity in ("packet", "chunk", "reserve", "analytic"):
                found, empty = (
                    simulated(each, topology, "minimal", one, fidelity=fidelity).time_s
                    for each in (work, schedule.traffic_to([12, *range(1, 13)], 1))
                )
                label = f"{name}, a message by {choice}, {fidelity}: over bytes / bandwidth"
                checks.append(near(label, (found - empty) / size, expected, 1e-4))
    return Outcome(checks)


def incast() -> Outcome:
    """63 nodes send 1 MB to one: its NIC is the limit; or 8 bytes, to a NIC with a gap of 300 ns."""
    topology, work = network.FatTree([8, 8], [8]), incast_of(64, 10**6)
    checks = []
    for fidelity in ("packet", "chunk", "reserve"):
        found = simulated(work, topology, "d_mod_k", fidelity=fidelity).time_s
        checks.append(near(f"time over bytes / bandwidth, {fidelity}", found * BANDWIDTH / 63e6, 1, 0.01))
    machine, crossbar = network.machine(message_gap=3e-7), network.HyperX([1], 64)
    found = simulated(incast_of(64, 8), crossbar, "minimal", machine, fidelity="packet").time_s
    expected = machine.injection_latency + 62 * 3e-7 + 8 / BANDWIDTH
    source = "Alexandrov et al. 1995 (SPAA), LogGP"
    checks.append(near("short messages: over L + 62 g + 8 G", found / expected, 1, 1e-6, source=source))
    return Outcome(checks)


def arbitration() -> Outcome:
    """Seven nodes of a binary tree send 8 MiB to the first: time of a node, over that of its bytes alone."""
    tree, work = network.FatTree([2, 2, 2], [1, 1]), incast_of(8, 2**23)
    source = "inputs in turn: shares of 1/2, 1/8 and 1/16; by age: equal shares"
    checks = []
    for name, expected in (("round_robin", {1: 2, 2: 5, 4: 7}), ("age", {1: 7, 2: 7, 4: 7})):
        machine = network.machine(arbitration=name)
        finish_s = simulated(work, tree, "minimal", machine, fidelity="packet").finish_s
        for node, multiple in expected.items():
            found = float(finish_s[node] * BANDWIDTH / 2**23)
            checks.append(near(f"{name}, node {node}: {multiple}", found, multiple, 0.05, source=source))
    return Outcome(checks)


def allreduce() -> Outcome:
    """Recursive doubling on 64 nodes of one switch: log2(64) (2 o + L + m G) of LogGP."""
    source = "Alexandrov et al. 1995 (SPAA), LogGP"
    machine = network.machine(send_overhead=3e-7, receive_overhead=2e-7, memory_bandwidth=1e18)
    checks = []
    for size in (8, 100_000):
        for fidelity in ("packet", "chunk"):
            work = schedule.allreduce(64, bytes=size, radix=2)
            found = simulated(work, network.HyperX([1], 64), "minimal", machine, fidelity=fidelity).time_s
            expected = 6 * (3e-7 + 2e-7 + machine.injection_latency + size / BANDWIDTH)
            checks.append(
                near(f"{size:,} B, {fidelity}: over LogGP's time", found / expected, 1, 1e-6, source=source)
            )
    return Outcome(checks)


def chunks() -> Outcome:
    """Times by chunks of 16 KiB over those by packets, where packets of a message have one route:
    transpositions of 720 x 360 x 256 points on 128 nodes."""
    networks = {
        "torus": (network.Torus([4, 4, 4], 2), "minimal"),
        "HyperX": (network.HyperX([4, 4, 4], 2), "minimal"),
        "half the links of a fat tree": (network.FatTree([8, 4, 4], [4, 4]), "d_mod_k"),
    }
    checks = []
    for name, (topology, routing) in networks.items():
        for algorithm in ("ring-1", "burst"):
            work = schedule.transposition((720, 360, 256), (8, 16), algorithm=algorithm)
            chunk_s, packet_s = (
                simulated(work, topology, routing, fidelity=fidelity).time_s
                for fidelity in ("chunk", "packet")
            )
            checks.append(near(f"{name}, {algorithm}", chunk_s / packet_s, 1, 0.1, source="packet"))
    return Outcome(checks)


CASES = by_name(dragonfly, fat_tree, torus, hyperx, nics, incast, arbitration, allreduce, chunks)
