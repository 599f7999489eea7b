"""The overlap benchmark runs and returns all its results; the times are not checked."""

import pytest

from halcyon.plan.probes.atmosphere_cost import AtmosphereSetup
from halcyon_bench.atmosphere_scaling import PARTS, VARIANTS, Scaling, hidden, on_ranks, table


@pytest.mark.parametrize("equations", ["hydrostatic", "nonhydrostatic"])
def test_times_of_parts(equations):
    variants = on_ranks(2, Scaling(AtmosphereSetup(equations, levels=3), 162), repetitions=1)
    assert variants.keys() == VARIANTS.keys()
    for parts in variants.values():
        assert parts.keys() == set(PARTS)
        assert all(seconds > 0 for seconds in parts.values())
    assert "2 ranks, overlapped" in table({"2 ranks": variants})


def test_what_is_hidden_of_an_exchange():
    """The hidden share is reduced by the time that MPI progress adds to the computation."""
    ways = {
        "overlapped": {"computation": 11.0, "exchange": 1.0},
        "waited": {"computation": 10.0, "exchange": 4.0},
    }
    assert hidden(ways) == pytest.approx(0.5)
