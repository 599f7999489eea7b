"""Ranks that share a node and its NIC."""

import pytest

from halcyon.simulate import simulate


@pytest.mark.parametrize(
    ("mesh", "ranks", "per_node", "bins", "eager_bytes"),
    [("G3", 48, 12, 100, 4096), ("G3", 48, 12, 1000, 16384), ("G4", 24, 4, 100, 16384)],
)
def test_a_message_within_a_node_may_stand_behind_one_that_waits_for_the_nic(
    mesh, ranks, per_node, bins, eager_bytes
):
    """The simulation ends, and takes no less than the NICs need to send all bytes."""
    work = {"type": "mesh_halo", "mesh": mesh, "bins": bins, "bytes_per_value": 8, "layers": 2}
    machine = {"base": "reference", "ranks_per_node": per_node, "eager_bytes": eager_bytes}
    case = {"workload": work | {"order": "in_order"}, "topology": "fattree-M", "machine": machine}
    result = simulate(case | {"ranks": ranks})
    assert result["time"] >= result["injection_bound"]
