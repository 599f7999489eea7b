"""What a step's transforms hide, by its definitions, from trials that are made up."""

from types import SimpleNamespace

import numpy as np
import pytest

from halcyon.run.hiding import Trials, hiding, transposed
from halcyon.run.hiding import trials as measured
from halcyon.transform import Grid


def model(sets):
    return SimpleNamespace(sets=sets, truncation=9, grid=Grid.full(16, 32))


def trials(wall_s, parts_s):
    return Trials(wall_s, wall_s - sum(part[2] for part in parts_s), np.array(parts_s), 0.0, 0)


def test_what_travels_between_which_stages():
    assert transposed(model((1, 2))) == pytest.approx([0, 1, 0])
    coefficients, panels, points = transposed(model((2, 1)))
    assert panels == 0 and points / coefficients == pytest.approx(16 * 32 / (10 * 11))
    assert transposed(model((2, 4))).sum() == pytest.approx(1)


@pytest.mark.parametrize("groups", [2, 3, 8])
def test_the_ceiling_is_of_the_stages_that_travel(groups):
    """With V = 1 panels travel between the stages: the first group's first stage and the last one's second
    are exposed only where messages take longer than both."""
    parts = [[3.0, 3.0, 1.0], [3.0, 3.0, 1.0]]  # Fourier, Legendre, exchange of both ways
    found = hiding(model((1, 4)), groups, trials(14.0, parts), trials(13.0, parts))
    assert (found.work_s, found.blocking_s, found.pipelined_s) == (12.0, 14.0, 13.0)
    assert found.hidden == pytest.approx(0.5)
    assert 1 - 1 / groups <= found.ceiling <= 1
    slow = hiding(model((1, 4)), groups, trials(14.0, [[0, 0, 7.0]] * 2), trials(14.0, parts))
    assert slow.ceiling == pytest.approx(0, abs=1e-9)  # there is no work to hide behind


def test_ways_count_by_what_they_exchange():
    both = hiding(model((1, 2)), 2, trials(9.0, [[3.0, 3.0, 2.0], [0, 0, 1.0]]), trials(9.0, [[0] * 3] * 2))
    there = hiding(model((1, 2)), 2, trials(8.0, [[3.0, 3.0, 2.0], [0, 0, 0]]), trials(8.0, [[0] * 3] * 2))
    assert both.ceiling == pytest.approx(there.ceiling * 2 / 3)


def test_too_little_to_tell_is_no_share():
    """A pipeline that loses 0.7 ms, where 0.01 of 1 ms was exposed: no -7000 %."""
    parts = [[0.3, 0.3, 0.01], [0.3, 0.3, 0.01]]
    blocking = Trials(1.0e-3, 0.99e-3, np.array(parts), 0.0, 0, spread_s=0.005e-3)
    found = hiding(model((1, 2)), 2, blocking, trials(1.7e-3, parts))
    assert found.hidden is None and found.figures()["hidden"] is None
    assert "by wall clock too little to tell what is hidden of " in found.text()
    spread = Trials(1.4e-3, 1e-3, np.array(parts), 0.0, 0, spread_s=0.5e-3)
    assert hiding(model((1, 2)), 2, spread, trials(1.2e-3, parts)).hidden is None
    steady = Trials(1.4e-3, 1e-3, np.array(parts), 0.0, 0, spread_s=0.1e-3)
    assert hiding(model((1, 2)), 2, steady, trials(1.2e-3, parts)).hidden == pytest.approx(0.5)


def test_trials_tell_their_spread(comm):
    way = SimpleNamespace(fourier_s=0.0, legendre_s=0.0, exchange_s=0.0, sent_bytes=0)
    found = measured(comm, comm, SimpleNamespace(rehearse=lambda: (way, way)))
    assert 0 < found.spread_s < 10 and found.wall_s > 0
