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
    """The message leaves as soon as the NIC is free, not when its receiver's computation has ended."""
    work = {"type": "mesh_halo", "mesh": mesh, "bins": bins, "bytes_per_value": 8, "layers": 2}
    machine = {"base": "reference", "ranks_per_node": per_node, "eager_bytes": eager_bytes}
    case = {"workload": work | {"order": "in_order"}, "topology": "fattree-M", "machine": machine}
    found = simulate(case | {"ranks": ranks})
    assert found["time"] >= found["injection_bound"]
