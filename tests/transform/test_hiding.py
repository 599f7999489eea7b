"""What transforms hide, by its definitions, from trials that are made up."""

from types import SimpleNamespace

import numpy as np
import pytest

from halcyon.base import ConfigError
from halcyon.spectral import Model
from halcyon.transform import Bifourier, Grid, Plane, Transform
from halcyon.transform.hiding import Trials, hiding
from halcyon.transform.hiding import trials as measured
from sets import all_sets

PANELS = (0, 1, 0)  # of V = 1


def trials(wall_s, parts_s):
    return Trials(wall_s, wall_s - sum(part[2] for part in parts_s), np.array(parts_s), 0.0, 0)


@pytest.mark.mpi
def test_what_travels_between_which_stages(comm):
    """As many bytes as the schedules of both ways have."""
    from halcyon import schedule

    for sets in all_sets(comm.size) if comm.size > 1 else ():
        plane = Bifourier(Plane(64, 64, length_x=1, length_y=1), 21, comm=comm, sets=sets)
        for transform in (Transform(Grid.full(64), 42, comm=comm, sets=sets), plane):
            counted = [schedule.counts(transform.schedule(way, 8)) for way in ("synthesis", "analysis")]
            due = 8 * 8 * sum(transform._sent())
            for way in counted:
                assert way.sent_bytes.sum() == pytest.approx(due, rel=0.25)
        model = Model("barotropic", 21, Grid.full(64), comm=comm, sets=sets)
        alone = Transform(Grid.full(64), 21, comm=comm, sets=sets)
        assert model._sent()[1:] == alone._sent()[1:]


@pytest.mark.parametrize("groups", [2, 3, 8])
def test_the_ceiling_is_of_the_stages_that_travel(groups):
    """With V = 1 panels travel between the stages: the first group's first stage and the last one's second
    are exposed only where messages take longer than both."""
    parts = [[3.0, 3.0, 1.0], [3.0, 3.0, 1.0]]  # Fourier, Legendre, exchange of both ways
    found = hiding(groups, PANELS, trials(14.0, parts), trials(13.0, parts))
    assert (found.work_s, found.blocking_s, found.pipelined_s) == (12.0, 14.0, 13.0)
    assert found.hidden == pytest.approx(0.5)
    assert 1 - 1 / groups <= found.ceiling <= 1
    slow = hiding(groups, PANELS, trials(14.0, [[0, 0, 7.0]] * 2), trials(14.0, parts))
    assert slow.ceiling == pytest.approx(0, abs=1e-9)  # there is no work to hide behind


def test_ways_count_by_what_they_exchange():
    both = hiding(2, PANELS, trials(9.0, [[3.0, 3.0, 2.0], [0, 0, 1.0]]), trials(9.0, [[0] * 3] * 2))
    there = hiding(2, PANELS, trials(8.0, [[3.0, 3.0, 2.0], [0, 0, 0]]), trials(8.0, [[0] * 3] * 2))
    assert both.ceiling == pytest.approx(there.ceiling * 2 / 3)


def test_too_little_to_tell_is_no_share():
    """A pipeline that loses 0.7 ms, where 0.01 of 1 ms was exposed: no -7000 %."""
    parts = [[0.3, 0.3, 0.01], [0.3, 0.3, 0.01]]
    blocking = Trials(1.0e-3, 0.99e-3, np.array(parts), 0.0, 0, spread_s=0.005e-3)
    found = hiding(2, PANELS, blocking, trials(1.7e-3, parts))
    assert found.hidden is None and found.figures()["hidden"] is None
    assert "by wall clock too little to tell what is hidden of " in str(found)
    spread = Trials(1.4e-3, 1e-3, np.array(parts), 0.0, 0, spread_s=0.5e-3)
    assert hiding(2, PANELS, spread, trials(1.2e-3, parts)).hidden is None
    steady = Trials(1.4e-3, 1e-3, np.array(parts), 0.0, 0, spread_s=0.1e-3)
    assert hiding(2, PANELS, steady, trials(1.2e-3, parts)).hidden == pytest.approx(0.5)


def test_trials_tell_their_spread(comm):
    way = SimpleNamespace(fourier_s=0.0, legendre_s=0.0, exchange_s=0.0, sent_bytes=0)
    found = measured(comm, comm, lambda: (way, way))
    assert 0 < found.spread_s < 10 and found.wall_s > 0


def test_the_ratio_of_the_paper_is_of_calls():
    """1 - (initiation + completion) / blocking communication, both ways."""
    blocking, pipelined = (
        trials(9.0, [[3.0, 3.0, 2.0], [0, 0, 1.0]]),
        trials(9.0, [[0, 0, 0.5], [0, 0, 0.25]]),
    )
    found = hiding(2, PANELS, blocking, pipelined)
    assert (found.blocking_calls_s, found.calls_s, found.chr) == (3.0, 0.75, 0.75)
    assert found.figures()["chr"] == 0.75


@pytest.mark.mpi
def test_any_transform_tells_what_it_hides(comm):
    plane = Plane(32, 32, length_x=1, length_y=1)
    for sets in all_sets(comm.size):
        how = {"comm": comm, "sets": sets, "groups": 3, "progress": "poll"}
        model = Model("shallow_water", 21, Grid.full(64), comm=comm, sets=sets)
        zero, high = np.zeros(len(model.points)), np.full(len(model.points), 1e4)
        model.set(east=zero, north=zero, ground=zero, surface=high)
        model.communicate(groups=2)
        for transform, given in (
            (Transform(Grid.full(64), 21, **how), (6,)),
            (Bifourier(plane, 10, **how), (6,)),
            (model, ()),
        ):
            if comm.size == 1:
                with pytest.raises(ConfigError, match="One rank exchanges nothing that could hide"):
                    transform.hiding(*given)
                continue
            before = transform.how
            found = transform.hiding(*given)
            assert comm.allgather(found) == [found] * comm.size
            assert 0 < found.work_s < found.blocking_s and found.pipelined_s > 0
            assert 0 < found.ceiling <= 1 and found.calls_s > 0 and found.chr < 1
            assert transform.how == before
    if comm.size > 1:
        with pytest.raises(ConfigError, match=r"n_fields is 0. Give 1 or more"):
            Transform(Grid.full(64), 21, comm=comm).hiding(0)


@pytest.mark.mpi
def test_one_group_hides_nothing(comm):
    """By definition, not by luck."""
    if comm.size == 1:
        return
    found = Transform(Grid.full(64), 21, comm=comm).hiding(4)
    assert (found.pipelined_s, found.chr) == (found.blocking_s, 0)
    assert found.hidden in (0, None) and found.ceiling == pytest.approx(0, abs=1e-9)
