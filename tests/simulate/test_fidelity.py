"""The fidelity that `auto` selects, and what results say about effects that they cannot show."""

import pytest

from halcyon.simulate import build, simulate

CASE = {
    "workload": {"type": "alltoall", "block_bytes": 8192},
    "topology": {"type": "fat_tree", "levels": 2, "radix": 8},
    "ranks": 16,
}


@pytest.mark.parametrize(("most", "fidelity"), [(16, "packet"), (15, "chunk")])
def test_auto_selects_by_the_number_of_ranks(monkeypatch, most, fidelity):
    monkeypatch.setattr(build, "MAX_RANKS_FOR_AUTO_PACKETS", most)
    found = simulate(CASE | {"engine": {"fidelity": "auto"}})
    assert found.attrs["fidelity"] == fidelity
    assert found.attrs["expected_error"].startswith(f"{fidelity}, chosen by auto: ")
    assert found["time"] == simulate(CASE | {"engine": {"fidelity": fidelity}})["time"]


@pytest.mark.parametrize(
    ("routing", "engine", "expected"),
    [
        ("adaptive", {"fidelity": "packet"}, ""),
        ("minimal", {"back_pressure": False}, "back_pressure: false: buffers are unlimited"),
        ("adaptive", {"fidelity": "reserve"}, "adaptive: reads no queues beyond the first switch"),
    ],
)
def test_results_say_what_they_cannot_show(routing, engine, expected):
    approximate = simulate(CASE | {"routing": routing, "engine": engine}).attrs["approximate"]
    assert expected in approximate and bool(expected) == bool(approximate)


def test_several_nics_per_node_tell_the_taper():
    """Four nodes with two NICs each on a switch with four up-links: 2:1."""
    found = simulate(CASE | {"machine": {"nics_per_node": 2, "ranks_per_node": 2}})
    assert found.attrs["topology"].endswith("; 8 NICs and 4 links of a switch, bandwidths 2:1")
    assert "NICs" not in simulate(CASE).attrs["topology"]
