"""`halcyon compare-networks`, and networks sized for a number of nodes."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import yaml

from halcyon import network
from halcyon.base import ConfigError
from halcyon.simulate import simulate
from halcyon.simulate.sized_networks import BUILDERS, sized_network

ROOT = Path(__file__).parents[2]
CASE = {
    "title": "Rings & <b>data</b> <!--<script></script>",
    "workload": {"type": "alltoall", "block_bytes": 4096, "algorithm": "ring-2"},
    "ranks": 60,
    "machine": {
        "ranks_per_node": 2,
        "links": {"kinds": [{"kind": "global", "bandwidth": 5e9, "latency": 1e-6}]},
    },
}


def compared(halcyon, tmp_path, *words, case=CASE):
    (tmp_path / "case.yaml").write_text(yaml.safe_dump(case))
    return halcyon("compare-networks", "case.yaml", *words)


@pytest.mark.parametrize("kind", BUILDERS)
@pytest.mark.parametrize("n_nodes", [1, 2, 7, 64, 1000, 40_000])
def test_sized_networks_hold_the_nodes_with_the_ports(kind, n_nodes):
    """A sized network holds the nodes, is at most as large as its rule allows, and has switches of at most
    64 ports (except the crossbar)."""
    options = sized_network(kind, n_nodes, 64)
    made = network.make_topology(**options)
    assert made.n_nodes >= n_nodes
    from_switch, _, _ = made.links()
    nodes = np.bincount(made.switch_of(np.arange(made.n_nodes, dtype=np.int32)), minlength=made.n_switches)
    ports = np.bincount(from_switch, minlength=made.n_switches) + nodes
    assert kind == "crossbar" or ports.max() <= 64
    if n_nodes >= 64:
        assert made.n_nodes <= 1.2 * n_nodes
    smaller = {"fat_tree": "down", "torus": "sizes", "hyperx": "sizes"}.get(kind)
    if smaller and options[smaller][-1] > 1:  # one less on the last level or dimension is too small
        fewer = [*options[smaller][:-1], options[smaller][-1] - 1]
        assert network.make_topology(**options | {smaller: fewer}).n_nodes < n_nodes


def test_networks_that_cannot_be_sized():
    with pytest.raises(ConfigError, match="no dragonfly of switches with 7 ports holds 1,000 nodes"):
        sized_network("dragonfly", 1000, 7)
    with pytest.raises(ConfigError, match="there is no rule for a network 'ring'"):
        sized_network("ring", 10, 64)


def test_each_network_takes_the_time_of_its_simulation(halcyon, tmp_path):
    """Rows have the times of `simulate` on the same networks; the speed of global links is used where there
    are global links, and named where there are none."""
    done = compared(halcyon, tmp_path, "--network", "torus", "--network", "dragonfly", "--json")
    assert done.returncode == 0, done.stderr
    torus, dragonfly = json.loads(done.stdout)["networks"]
    for row, routing, ignored in ((torus, "minimal", ["global"]), (dragonfly, "ugal", [])):
        case = CASE | {"topology": sized_network(row["network"], 30, 64), "routing": routing}
        if ignored:
            case |= {"machine": {"ranks_per_node": 2}}
        assert row["time_s"] == simulate(case)["time"].item()
        assert row["routing"] == routing and row["ignored_kinds"] == ignored
        assert 1 <= row["message_slowdown_50"] <= row["message_slowdown_95"] <= row["message_slowdown_99"]
    assert min(torus["slowdown"], dragonfly["slowdown"]) == 1
    page = (tmp_path / "case.networks/networks.html").read_text()
    assert "Rings &amp; &lt;b&gt;data&lt;/b&gt; &lt;!--&lt;script&gt;" in page and "<script" not in page
    assert "http" not in page and "data:image/png;base64," in page


def test_equal_bisections(halcyon, tmp_path):
    """The links are scaled so that each bisection carries what half of the nodes inject; on the full fat
    tree they already do."""
    words = ("--equal", "bisection", "--network", "fat_tree", "--network", "torus", "--ports", "8", "--json")
    done = compared(halcyon, tmp_path, *words, case=CASE | {"ranks": 64, "machine": {}})
    assert done.returncode == 0, done.stderr
    tree, torus = json.loads(done.stdout)["networks"]
    assert tree["nodes"] == torus["nodes"] == 64
    assert tree["link_speed_factor"] == 1 and torus["link_speed_factor"] == 1  # 4 x 4 x 4: 32 links
    for row in (tree, torus):
        assert row["bisection_bandwidth"] == pytest.approx(32 * 12.5e9)
    done = compared(halcyon, tmp_path, "--equal", "bisection", "--network", "torus-M", "--json")
    (row,) = json.loads(done.stdout)["networks"]
    assert row["link_speed_factor"] == pytest.approx(390625 / 2 / 1250)


def test_all_routings_and_files(halcyon, tmp_path):
    """`all` simulates the routings that a network has; a machine file gives its network."""
    (tmp_path / "ours.yaml").write_text("topology: {type: torus, sizes: [4, 8]}\n")
    words = ("--network", "fat_tree", "--network", "ours.yaml", "--routing", "all")
    done = compared(halcyon, tmp_path, *words, "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["networks"]
    by_network = {
        name: {row["routing"] for row in rows if row["network"] == name} for name in ("fat_tree", "ours.yaml")
    }
    assert "d_mod_k" in by_network["fat_tree"] - by_network["ours.yaml"]
    assert {"minimal", "valiant", "ugal"} <= by_network["ours.yaml"]
    done = compared(halcyon, tmp_path, *words)
    assert done.returncode == 0 and done.stdout.count("has no links of kind global") == 2


def test_the_example(halcyon):
    """The example compares four networks."""
    path = ROOT / "examples/networks/transposition.yaml"
    words = ("--set", "ranks=100", "--set", "workload.grid=[288, 144, 30]", "--json")
    rows = json.loads(halcyon("compare-networks", path, "--output", "out", *words).stdout)["networks"]
    assert [row["network"] for row in rows] == ["fat_tree", "dragonfly", "hyperx", "torus"]
    assert all(row["bound_s"] <= row["time_s"] for row in rows)


@pytest.mark.parametrize(
    ("words", "changes", "text"),
    [
        (["--network", "ring"], {}, "--network ring: there is no such network, nor a machine file"),
        (["--routing", "east"], {}, "--routing east: there is no such routing"),
        (["--routing", "d_mod_k", "--network", "torus"], {}, "none of the networks has this routing"),
        (["--equal", "price"], {}, "--equal price: give nodes or bisection"),
        (["--ports", "4"], {}, "no dragonfly of switches with 4 ports holds 30 nodes"),
        ([], {"sweep": {"ranks": [4, 8]}}, "a comparison has no sweep"),
        ([], {"workload": {"type": "alltoall"}}, "workload.block_bytes"),
        (["--network", "case.yaml"], {}, "case.yaml"),
    ],
)
def test_comparisons_that_cannot_be(halcyon, tmp_path, words, changes, text):
    done = compared(halcyon, tmp_path, *words, case=CASE | changes)
    assert done.returncode == 2 and text in done.stderr, done.stderr


def test_a_plan_on_a_sized_network(halcyon, tmp_path):
    """`halcyon plan --topology` takes every type of network, sized for the most ranks."""
    step = {"points": 10**6, "step": 60, "computation": {"all": "1e-6 * patch"}}
    step |= {"exchanges": {"sums": {"workload": {"type": "allreduce"}}}}
    (tmp_path / "step.yaml").write_text(yaml.safe_dump(step))
    for kind in BUILDERS:
        done = halcyon("plan", "--model", "step.yaml", "--topology", kind, "--ranks", "10,500", "--json")
        assert done.returncode == 0, done.stderr
        rows = json.loads(done.stdout)["curve"]
        assert [row["ranks"] for row in rows] == [10, 500]
        assert all(math.isfinite(row["ways"][row["best"]]["step_s"]) for row in rows)
