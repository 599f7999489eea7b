"""Networks, routings, machines and placements, from Python."""

import numpy as np
import pytest

from halcyon import network
from halcyon._core.schedule import message_list
from halcyon.base import ConfigError, InputError

RING = [(0, 1), (1, 2), (2, 3), (3, 0)]


def nodes_of(*numbers):
    return np.array(numbers, np.int32)


@pytest.mark.parametrize(
    ("make", "counts", "kinds"),
    [
        (lambda: network.Torus([4, 3], 5), (60, 12, 48), ["dimension 1", "dimension 2"]),
        (lambda: network.HyperX([4, 3]), (12, 12, 60), ["dimension 1", "dimension 2"]),
        (lambda: network.FatTree([2, 2, 2], [2, 2]), (8, 12, 32), ["levels 1 to 2", "levels 2 to 3"]),
        (lambda: network.FatTree.of_radix(2, 6, 2), (24, 8, 24), ["levels 1 to 2"]),
        (
            lambda: network.Dragonfly(group=[2, 2], n_groups=5, global_links=1, arrangement="circulant"),
            (20, 20, 60),
            ["row", "column", "global"],
        ),
        (lambda: network.graph([1, 0, 2, 1], RING), (4, 4, 8), ["cable"]),
        (lambda: network.named_network("fattree-M"), (390625, 62500, 2343750), None),
    ],
)
def test_counts(make, counts, kinds):
    """Numbers of nodes, switches and links; links are sorted by source, and each has one in reverse."""
    topology = make()
    assert (topology.n_nodes, topology.n_switches, topology.n_links) == counts
    if kinds is not None:
        assert topology.kinds == kinds
        source, target, kind = topology.links()
        assert len(source) == len(target) == len(kind) == topology.n_links
        assert np.all(np.diff(source) >= 0)
        assert set(zip(source.tolist(), target.tolist(), strict=True)) == set(
            zip(target.tolist(), source.tolist(), strict=True)
        )
        assert kind.max() == len(kinds) - 1


def test_distances_and_switches():
    torus = network.Torus([5, 4], 2)
    assert torus.switch_of(nodes_of(0, 1, 2, 39)).tolist() == [0, 0, 1, 19]
    assert torus.distance(nodes_of(0, 0, 0), nodes_of(4, 12, 19)).tolist() == [1, 4, 2]
    assert torus.diameter == 4
    assert repr(torus) == "<torus 5 x 4 with 2 nodes per switch>"


def test_routes_walk_along_links():
    """Consecutive links of a route meet, from the source's switch to the target's; global links (kind 1)
    are few."""
    dragonfly = network.Dragonfly(group=[4], n_groups=5, global_links=1, nodes_per_switch=2)
    source, target, kind = dragonfly.links()
    for name in ("minimal", "valiant", "ugal"):
        routing = network.make_routing(dragonfly, name, seed=7)
        links, channels = routing.route(0, 39, flow=3)
        assert source[links[0]] == 0
        assert target[links[-1]] == 19
        assert np.array_equal(target[links[:-1]], source[links[1:]])
        assert channels.max() < routing.n_channels
        assert (kind[links] == 1).sum() == (1 if name != "valiant" else 2)
    assert routing.name == "ugal"
    assert routing.topology is dragonfly


def test_a_routing_keeps_its_network():
    """A routing keeps alive the network that it was made for."""
    routing = network.make_routing(network.Torus([8]))
    assert len(routing.route(0, 4)[0]) == 4


def test_a_graph_of_a_file(tmp_path):
    """Reads a network file; a mistake in the file is reported with its line."""
    path = tmp_path / "ring.txt"
    path.write_text("switches 4  # a ring\nnodes 1\n" + "".join(f"cable {a} {b}\n" for a, b in RING))
    ring = network.read_graph(path)
    assert (ring.n_nodes, ring.n_links, ring.diameter) == (4, 8, 2)
    path.write_text("switches 4\nnodes 1\ncable 0 9\n")
    with pytest.raises(InputError, match=r"ring\.txt:3: there is no switch 9, only 0 to 3"):
        network.read_graph(path)


def test_machines():
    """Named machines have their documented values, and keyword arguments override these."""
    reference = network.machine()
    assert network.fields(reference)["links"] == [(12.5e9, 100e-9)]
    assert (reference.injection_latency, reference.packet_bytes, reference.bypass_bytes) == (1e-6, 4096, 0)
    slow = network.machine("zheng2018", links=[(1e9, 1e-7)], nics_per_node=2)
    assert (slow.links[0].bandwidth, slow.bypass_bytes, slow.nics_per_node) == (1e9, 256, 2)
    assert network.fields(network.machine(slow)) == network.fields(slow)
    network.require_valid(slow, network.Torus([3]))
    with pytest.raises(ConfigError, match=r"injection_bandwidth is 0\. Give 1000 or more"):
        network.require_valid(network.machine(injection_bandwidth=0), network.Torus([3]))


def test_placements():
    torus = network.Torus([4, 4])
    assert network.linear_placement(torus, 6, 2).nodes.tolist() == [0, 0, 1, 1, 2, 2]
    shuffled = network.random_placement(torus, 16, seed=3)
    assert np.array_equal(np.sort(shuffled.nodes), np.arange(16))
    assert network.Placement(torus, nodes_of(3, 1)).nodes.tolist() == [3, 1]


def test_mapping_brings_those_together_that_talk():
    """Mapping the ranks of a shuffled ring to a torus saves 30 % of the hop bytes of the linear placement."""
    torus = network.Torus([4, 4])
    shuffled = np.random.default_rng(1).permutation(16).tolist()
    messages = [(0, a, b, 100) for a, b in zip(shuffled, shuffled[1:] + shuffled[:1], strict=True)]
    schedule = message_list(16, messages)
    linear, mapped = network.linear_placement(torus, 16), network.mapped_placement(torus, schedule)
    assert (
        1600 <= network.hop_bytes(torus, mapped, schedule) < 0.7 * network.hop_bytes(torus, linear, schedule)
    )
    assert np.array_equal(np.sort(mapped.nodes), np.arange(16))


@pytest.mark.parametrize(
    ("mistake", "error", "text"),
    [
        (lambda: network.Torus([4, 0]), ConfigError, "dimension 2 of 2 is 0. Give 1 or more"),
        (
            lambda: network.make_routing(network.Torus([4]), "valient"),
            ConfigError,
            "no routing 'valient'. Use",
        ),
        (
            lambda: network.make_routing(network.Torus([4]), "d_mod_k"),
            ConfigError,
            "d_mod_k is for fat trees",
        ),
        (lambda: network.make_routing(network.Torus([4])).route(0, 4), InputError, "no node 4. Give 0 to 3"),
        (lambda: network.Torus([4]).switch_of(nodes_of(-1)), InputError, "no node -1. Give 0 to 3"),
        (
            lambda: network.FatTree([2, 2], [2]).distance(nodes_of(0), nodes_of(2)),
            InputError,
            "Switch 2 has no nodes",
        ),
        (lambda: network.graph([1, 1], [(0, 1), (1,)]), InputError, r"Cable 1 is \(1,\). Give two switches"),
        pytest.param(
            lambda: network.graph([1, 1], []),
            InputError,
            "Switch 1 is not connected to switch 0",
            id="<lambda>-InputError-Switch 1 has no way to switch 0",
        ),
        (lambda: network.named_network("torus-XL"), ConfigError, "no network 'torus-XL'. Use torus-M"),
        (lambda: network.machine("fast"), ConfigError, "no machine 'fast'. Use reference, zheng2018"),
        pytest.param(
            lambda: network.machine(speed=1),
            ConfigError,
            "Machine has no 'speed'. It has arbitration, buffer_packets, bypass_bytes",
            id="<lambda>-ConfigError-Machine has no 'speed'. It has buffer_packets, bypass_bytes",
        ),
        (lambda: network.machine(arbitration="luck"), ConfigError, "Give one of: arrival, round_robin, age"),
        (lambda: network.machine(packet_bytes="big"), ConfigError, "packet_bytes is 'big'"),
        (lambda: network.machine(links=[1e9]), ConfigError, "a list of .bandwidth, latency"),
        pytest.param(
            lambda: network.linear_placement(network.Torus([4]), 5),
            ConfigError,
            "5 ranks, but torus 4 with 1 node per switch has 4 slots",
            id="<lambda>-ConfigError-5 ranks, but torus 4 with 1 node a switch has 4 places",
        ),
        (
            lambda: network.Dragonfly(group=[2], n_groups=2, global_links=1, arrangement="palm"),
            ConfigError,
            "no arrangement of global links 'palm'",
        ),
    ],
)
def test_mistakes(mistake, error, text):
    with pytest.raises(error, match=text):
        mistake()
