"""Networks with failed cables."""

import numpy as np
import pytest

from halcyon import network
from halcyon.base import ConfigError
from halcyon.simulate import simulate
from halcyon.simulate.build import without_cables

CASE = {"workload": {"type": "alltoall", "block_bytes": 20_000, "algorithm": "burst"}, "ranks": 32}
DRAGONFLY = {"type": "dragonfly", "group": [4], "groups": 4, "global_links": 3, "nodes_per_switch": 2}


def simulated(**changes):
    return simulate(CASE | {"topology": DRAGONFLY, "routing": "minimal"} | changes)["time"].item()


def test_failed_cables_are_missing_in_both_directions():
    """The other cables, the nodes and the kinds are those of the network."""
    whole = network.make_topology(**DRAGONFLY)
    broken = without_cables(whole, 5, kind="global", seed=3)
    assert broken.n_nodes == whole.n_nodes and broken.n_switches == whole.n_switches
    assert broken.n_links == whole.n_links - 2 * 5 and list(broken.kinds) == list(whole.kinds)
    counts = [np.bincount(each.links()[2], minlength=2) for each in (whole, broken)]
    assert counts[0][0] == counts[1][0] and counts[0][1] - counts[1][1] == 10
    source, target, _ = broken.links()
    assert sorted(zip(source, target, strict=True)) == sorted(zip(target, source, strict=True))
    nodes = np.arange(whole.n_nodes, dtype=np.int32)
    assert np.array_equal(whole.switch_of(nodes), broken.switch_of(nodes))


def test_a_network_with_failed_cables_is_slower():
    """Half of the global cables carry the same bytes: the transposition takes longer, by another seed
    otherwise; without failures it is that of the network."""
    whole = simulated()
    assert simulated(failed_cables={"number": 0}) == whole
    half = [simulated(failed_cables={"number": 12, "kind": "global", "seed": seed}) for seed in (1, 2)]
    assert min(half) > 1.2 * whole and half[0] != half[1]
    assert half[0] == simulated(failed_cables={"number": 12, "kind": "global", "seed": 1})


@pytest.mark.parametrize(
    ("failed", "text"),
    [
        ({"number": 1, "kind": "optical"}, "has no kind of links 'optical'. Its kinds are: local, global."),
        ({"number": 25, "kind": "global"}, "25 cables cannot fail: there are 24. Give fewer."),
        ({"number": 24, "kind": "global"}, "Give fewer, or another seed."),
    ],
)
def test_failures_that_cannot_be(failed, text):
    with pytest.raises(ConfigError) as error:
        simulated(failed_cables=failed)
    assert text in str(error.value)
