"""Checks of the network simulator pass, and fail where routing is wrong."""

import pytest

from halcyon import network
from halcyon_validation.cases import cases_of


@pytest.mark.parametrize("name", [name for name in cases_of("network") if name not in ("dragonfly", "torus")])
def test_network(name):
    outcome = cases_of("network")[name]()
    assert outcome.checks and [check for check in outcome.checks if not check.passed] == []


def test_a_wrong_routing_fails(monkeypatch):
    """Minimal routes instead of UGAL's, and D-mod-k instead of adaptive ones, miss the bandwidths."""
    make, wrong = network.make_routing, {"ugal": "minimal", "adaptive": "d_mod_k"}
    monkeypatch.setattr(network, "make_routing", lambda topology, name: make(topology, wrong.get(name, name)))
    failed = {
        check.name
        for name in ("hyperx", "fat_tree")
        for check in cases_of("network")[name]().checks
        if not check.passed
    }
    assert failed == {"worst case, UGAL: 1/2", "permutation, adaptive: 1"}
