"""What an ideal pipeline takes and hides."""

import pytest

from halcyon.schedule import ceiling, hidden, ideal_s


def sided(communication_s, compute_s, sides):
    """Groups that come (1), or leave, too (2)."""
    if sides == 1:
        return [(communication_s, compute_s)]
    return [(communication_s / 2, compute_s), (communication_s / 2, 0.0)]


def test_what_an_ideal_pipeline_takes():
    assert ideal_s(1, sided(6.0, 9.0, 1)) == 15.0
    assert ideal_s(3, sided(6.0, 9.0, 1)) == 11.0  # one group's communication is seen
    assert ideal_s(3, sided(6.0, 3.0, 1)) == 7.0  # the last group's work is seen
    assert ideal_s(1, sided(6.0, 9.0, 2)) == 15.0
    assert ideal_s(3, sided(6.0, 30.0, 2)) == 32.0  # the first group comes, the last leaves
    assert ideal_s(1, [(0.0, 4.0), (6.0, 5.0)]) == 15.0
    assert ideal_s(3, [(0.0, 6.0), (6.0, 6.0)]) == 12.0  # a group travels while others are at both stages
    assert ideal_s(3, [(3.0, 9.0), (3.0, 9.0)]) == 19.0  # the first group comes


@pytest.mark.parametrize("groups", range(1, 9))
def test_the_ceiling_of_long_computations_on_one_side(groups):
    assert ceiling(groups, sided(2.0, 3.0, 1)) == pytest.approx(1 - 1 / groups)
    assert ceiling(groups, sided(2.0, 2.0 * groups, 2)) == pytest.approx(1 - 1 / groups)
    assert ceiling(groups, sided(2.0, 0.0, 1)) == pytest.approx(0)
    assert ceiling(groups, sided(0.0, 1.0, 1)) == 0


def test_what_is_hidden_is_told_where_enough_is_exposed():
    assert hidden(10.0, 14.0, 13.0, spread_s=0.0) == pytest.approx(0.25)
    assert hidden(10.0, 14.0, 16.0, spread_s=0.0) == pytest.approx(-0.5)  # a loss is told, too
    assert hidden(10.0, 14.0, 13.0, spread_s=4.1) is None
    assert hidden(97.1, 100.0, 110.0, spread_s=0.0) is None
    assert hidden(96.9, 100.0, 96.9, spread_s=0.0) == pytest.approx(1)
    assert hidden(10.0, 9.0, 12.0, spread_s=0.0) is None
    assert hidden(0.0, 0.0, 0.0, spread_s=0.0) is None
