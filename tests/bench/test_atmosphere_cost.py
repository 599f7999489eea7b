"""The benchmark runs and returns all its results; the times are not checked."""

import pytest

from halcyon.plan.probes.atmosphere_cost import SETS, AtmosphereSetup, measure_on_ranks, share_of_triad, table


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("equations", SETS)
def test_costs_on_ranks(ranks, equations):
    """All results are positive, and appear in the table."""
    setup = AtmosphereSetup(equations, levels=4)
    cost = measure_on_ranks(ranks, setup, mesh_level=2, repetitions=1)
    assert cost.pop("iterations") == 0  # explicit steps
    assert set(cost) == {"step", "waited", "triad", "step_s", "memory"}
    assert all(value > 0 for name, value in cost.items())
    assert cost["waited"] < 1
    assert f"{equations}, 64 bits, {ranks} rank" in table({(setup, ranks): cost})


def test_ranks_apart_have_a_sphere_each():
    """With `independent_ranks`, each rank computes its own sphere."""
    cost = measure_on_ranks(2, AtmosphereSetup(levels=2), mesh_level=1, repetitions=1, independent_ranks=True)
    assert cost["step"] > 0


def test_the_share_of_the_triad():
    """A step that moves 1200 bytes in 1.2 us has half the bandwidth of a triad of 24 bytes in 12 ns."""
    assert share_of_triad(AtmosphereSetup("hydrostatic"), {"step": 1.2, "triad": 12.0}) == pytest.approx(0.5)
