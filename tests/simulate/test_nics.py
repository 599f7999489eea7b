"""NICs of a node as parts of the network: rails, neighbouring switches, stripes, and what they need."""

import warnings

import numpy as np
import pytest
import yaml

from halcyon import network
from halcyon.base import ConfigError, InputError
from halcyon.simulate import build, simulate
from halcyon.simulate.network_size import network_size
from halcyon.simulate.sized_networks import BUILDERS, sized_network

TREE = {"type": "fat_tree", "down": [4, 4], "up": [4]}
NODES = {"nics_per_node": 4, "ranks_per_node": 4}
SHIFT = {"type": "traffic", "pattern": "shift", "shift": 16, "message_bytes": 400_000}
CASE = {"workload": SHIFT, "ranks": 64, "topology": TREE, "routing": "d_mod_k"}


@pytest.mark.parametrize("fidelity", ["packet", "chunk", "reserve"])
def test_rails_carry_what_one_tree_cannot(fidelity):
    """Four ranks of each of 16 nodes send to the next leaf switch: on rails at the bandwidth of four NICs, on
    one tree with an up-link per node at a quarter of it."""
    times = {}
    for attachment in ("node", "rails"):
        case = CASE | {"machine": NODES | {"nic_attachment": attachment}, "engine": {"fidelity": fidelity}}
        found = simulate(case)
        times[attachment] = found["time"].item()
        assert found["nic_bytes"].values.tolist() == [16 * 400_000] * 4
        assert ("4 rails, each a fat tree" in found.attrs["topology"]) == (attachment == "rails")
    assert times["rails"] == pytest.approx(400_000 / 12.5e9, rel=0.05)
    assert times["node"] == pytest.approx(4 * times["rails"], rel=0.1)


@pytest.mark.parametrize("fidelity", ["packet", "chunk", "reserve"])
def test_stripes_wait_for_the_slowest_nic(fidelity):
    """NICs of one node progress at different speeds, and are idle until the next message is cut."""
    machine = {"nics_per_node": 2, "ranks_per_node": 4, "nic_attachment": "switches", "eager_bytes": 8192}
    machine |= {"nic_choice": "striped", "stripe_bytes": 5000}
    network_options = {
        "type": "dragonfly",
        "group": [4],
        "groups": 6,
        "global_links": 2,
        "nodes_per_switch": 2,
    }
    work = {"type": "alltoall", "block_bytes": 20_000, "algorithm": "ring-4"}
    case = {"workload": work, "ranks": 64, "topology": network_options, "routing": "minimal"}
    found = simulate(case | {"machine": machine, "engine": {"fidelity": fidelity}}, threads=1)
    assert found["nic_bytes"].values.tolist() == [64 * 60 * 10_000] * 2
    assert found["time"] >= found["link_bound"]


def test_slowdowns_of_messages_are_recorded():
    """On rails no message waits; on one tree the slowest takes four times as long as alone."""
    slowed = {}
    for attachment in ("node", "rails"):
        machine = NODES | {"nic_attachment": attachment}
        found = simulate(CASE | {"machine": machine, "record": {"slowdown": True}})
        slowed[attachment] = found["slowdown_from"].values[found["slowed"].values > 0]
        assert found["slowed"].sum() == found["messages"] == 64
    assert slowed["rails"].tolist() == [1]
    assert 3.3 < slowed["node"].max() < 4.1


def test_failed_cables_of_rails_belong_to_a_rail():
    machine = NODES | {"nic_attachment": "rails"}
    case = CASE | {"machine": machine, "routing": "minimal", "failed_cables": {"number": 2, "seed": 3}}
    found = simulate(case)
    whole = simulate(CASE | {"machine": machine, "routing": "minimal"})
    assert found["time"] > whole["time"] and found["bytes"] == whole["bytes"]
    tree = network.FatTree([4, 4], [4])
    rails = build.without_cables(network.attach_nics(tree, "rails", 4), 2, seed=3)
    assert rails.n_links == 4 * tree.n_links - 4 and rails.attached_nics == 4
    assert 1 <= sum(isinstance(part, network.FatTree) for part in rails.parts) <= 3


@pytest.mark.parametrize(("attachment", "ports"), [("node", 20), ("switches", 8), ("rails", 8)])
def test_ports_of_switches_are_counted(attachment, ports):
    """A leaf switch has four up-links, and ports for four nodes of four NICs, or for four NICs."""
    machine = NODES | {"nic_attachment": attachment}
    case = CASE | {"ranks": 16, "workload": SHIFT | {"shift": 4}}
    simulate(case | {"machine": machine | {"switch_ports": ports}})
    with pytest.raises(ConfigError, match=f"needs switches of {ports} ports, with "):
        simulate(case | {"machine": machine | {"switch_ports": ports - 1}})


@pytest.mark.parametrize("attachment", ["node", "switches", "rails"])
@pytest.mark.parametrize("kind", sorted(set(BUILDERS) - {"crossbar"}))
def test_sized_networks_hold_nodes_of_several_nics(kind, attachment):
    """A sized network has ports for the NICs of the nodes."""
    for n_nodes in (1, 30, 1000):
        options = sized_network(kind, n_nodes, 64, 4, attachment)
        made = network.attach_nics(network.make_topology(**options), attachment, 4)
        assert made.n_nodes >= n_nodes
        assert network_size(made, network.machine(nics_per_node=4)).most_ports <= 64


def test_a_crossbar_has_no_neighbouring_switches():
    assert sized_network("crossbar", 16, 64, 4, "rails")["nodes"] == 16
    with pytest.raises(ConfigError, match="a crossbar is one switch"):
        sized_network("crossbar", 16, 64, 4, "switches")


def test_mapped_and_random_placements_on_rails():
    """Placements count nodes, not end points; a file of nodes too."""
    machine = NODES | {"nic_attachment": "switches"}
    for placement in ("mapped", "random"):
        found = simulate(
            CASE | {"ranks": 16, "workload": SHIFT | {"shift": 4}, "machine": machine, "placement": placement}
        )
        assert np.bincount(found["node"].values).tolist() == [4] * 4
    with pytest.raises(ConfigError, match=r"There are 17 ranks, but .* has 16 slots: 4 nodes"):
        simulate(CASE | {"ranks": 17, "machine": machine})


@pytest.mark.parametrize(
    ("machine", "text"),
    [
        ({"nics_per_node": 4}, "nics_per_node = 4 is more than ranks_per_node = 1"),
        (NODES | {"nic_attachment": "planes"}, "nic_attachment"),
        (NODES | {"nic_choice": "both"}, "nic_choice"),
        (NODES | {"nic_choice": "per_socket", "sockets_per_node": 3}, "sockets_per_node = 3 and nics"),
        (NODES | {"nic_choice": "striped", "messages_at_once": 4}, "messages_at_once is 4"),
        ({"nics_per_node": 5, "ranks_per_node": 5, "nic_attachment": "switches"}, "Give more switches"),
    ],
)
def test_nics_that_cannot_be(machine, text, tmp_path):
    """One clear error each."""
    (tmp_path / "ours.yaml").write_text(yaml.safe_dump(machine | {"topology": TREE}))
    case = {"workload": {"type": "allreduce"}, "ranks": 4, "machine": "ours.yaml"}
    (tmp_path / "case.yaml").write_text(yaml.safe_dump(case))
    with pytest.raises(ConfigError, match=text):
        simulate(tmp_path / "case.yaml")


@pytest.mark.parametrize(
    ("work", "content", "text"),
    [
        ({"pattern": "shift", "message_bytes": 0}, None, "message_bytes"),
        ({"pattern": "shift", "message_bytes": 2**40}, None, "message_bytes"),
        ({"pattern": "shift"}, "0 1\n1 0\n", "file is used by the pattern matrix only"),
        ({"pattern": "matrix"}, "", "has 0 x 0|has 0 x 1|has 1 x 0"),
        ({"pattern": "matrix"}, "0 1\n1 0\n1 1\n", "has 3 x 2 numbers. Give as many lines as"),
        ({"pattern": "matrix"}, "0 a\n1 0\n", "is no matrix .could not convert string 'a'"),
    ],
)
def test_traffic_that_cannot_be(work, content, text, tmp_path):
    """One clear error each, without warnings of numpy."""
    if content is not None:
        (tmp_path / "bytes.txt").write_text(content)
        work = work | {"file": str(tmp_path / "bytes.txt")}
    with warnings.catch_warnings(), pytest.raises((ConfigError, InputError), match=text):
        warnings.simplefilter("error")
        simulate(CASE | {"workload": {"type": "traffic"} | work, "ranks": 2})


def test_a_gap_between_messages():
    """`message_gap` delays the second of two short messages."""
    two = {"type": "alltoall", "block_bytes": 8, "algorithm": "burst"}
    case = {"workload": two, "ranks": 3, "topology": {"type": "crossbar", "nodes": 3}}
    free, slow = (simulate(case | {"machine": {"message_gap": gap}})["time"].item() for gap in (0, 5e-6))
    assert slow - free == pytest.approx(5e-6 - 8 / 12.5e9, rel=1e-6)
