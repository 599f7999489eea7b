"""Time of an ideal pipeline, and the share of its communication that computation hides."""

import pytest

from halcyon.schedule import hidden_share, ideal_s, max_hidden_share


def stages(communication_s, compute_s, sides):
    """Stages (exchange time, compute time) [s] of groups that arrive (sides = 1), or arrive and leave (2)."""
    if sides == 1:
        return [(communication_s, compute_s)]
    return [(communication_s / 2, compute_s), (communication_s / 2, 0.0)]


def test_what_an_ideal_pipeline_takes():
    """ideal_s(groups, stages) against times worked out by hand."""
    assert ideal_s(1, stages(6.0, 9.0, 1)) == 15.0
    assert ideal_s(3, stages(6.0, 9.0, 1)) == 11.0  # one group's communication is exposed
    assert ideal_s(3, stages(6.0, 3.0, 1)) == 7.0  # the last group's work is exposed
    assert ideal_s(1, stages(6.0, 9.0, 2)) == 15.0
    assert ideal_s(3, stages(6.0, 30.0, 2)) == 32.0  # the first group arrives, the last leaves
    assert ideal_s(1, [(0.0, 4.0), (6.0, 5.0)]) == 15.0
    # one group is exchanged while others are at both stages
    assert ideal_s(3, [(0.0, 6.0), (6.0, 6.0)]) == 12.0
    assert ideal_s(3, [(3.0, 9.0), (3.0, 9.0)]) == 19.0  # the first group arrives


@pytest.mark.parametrize("groups", range(1, 9))
def test_the_ceiling_of_long_computations_on_one_side(groups):
    """One of n groups is exposed: a share of 1 - 1/n is hidden."""
    assert max_hidden_share(groups, stages(2.0, 3.0, 1)) == pytest.approx(1 - 1 / groups)
    assert max_hidden_share(groups, stages(2.0, 2.0 * groups, 2)) == pytest.approx(1 - 1 / groups)
    assert max_hidden_share(groups, stages(2.0, 0.0, 1)) == pytest.approx(0)
    assert max_hidden_share(groups, stages(0.0, 1.0, 1)) == 0


def test_what_is_hidden_is_told_where_enough_is_exposed():
    """hidden_share(work, blocking, pipelined) is None if the exchange is below 3 % or below the spread of
    times."""
    assert hidden_share(10.0, 14.0, 13.0, spread_s=0.0) == pytest.approx(0.25)
    # a pipeline slower than blocking exchanges gives a negative share
    assert hidden_share(10.0, 14.0, 16.0, spread_s=0.0) == pytest.approx(-0.5)
    assert hidden_share(10.0, 14.0, 13.0, spread_s=4.1) is None
    assert hidden_share(97.1, 100.0, 110.0, spread_s=0.0) is None
    assert hidden_share(96.9, 100.0, 96.9, spread_s=0.0) == pytest.approx(1)
    assert hidden_share(10.0, 9.0, 12.0, spread_s=0.0) is None
    assert hidden_share(0.0, 0.0, 0.0, spread_s=0.0) is None
