"""Communication hiding (the share of exchange time that overlaps with computation): definitions, checked with
invented times; and measurements of transforms and models."""

from types import SimpleNamespace

import numpy as np
import pytest

from halcyon import schedule
from halcyon.base import ConfigError
from halcyon.spectral import Model
from halcyon.transform import Bifourier, ExchangeSettings, Grid, Plane, Transform
from halcyon.transform.hiding import Trials, groups_per_call, hiding_from_trials, run_trials
from tests.transform.sets import all_sets

PANELS = (0, 1, 0)  # doubles sent as coefficients, panels and points: with V = 1 only panels are sent


def trials(wall_s, parts_s):
    """Trials of `wall_s` [s], of which Fourier, Legendre and exchange take parts_s (direction, part) [s]."""
    return Trials(wall_s, wall_s - sum(part[2] for part in parts_s), np.array(parts_s), 0.0, 0)


def groups_of_one_call(groups):
    """(groups, fields) of one call with one field, for each direction."""
    return [(groups, 1)], [(groups, 1)]


@pytest.mark.mpi
def test_what_travels_between_which_stages(comm):
    """Doubles that core.sent gives per field, against the bytes of the schedules of both directions; V
    sets share the fields evenly."""
    n = 12 * comm.size
    for sets in all_sets(comm.size) if comm.size > 1 else ():
        plane = Bifourier(Plane(64, 64, length_x=1, length_y=1), 21, comm=comm, sets=sets)
        sphere = Transform(Grid.full(64), 42, comm=comm, sets=sets)
        for transform in (sphere, plane):
            expected_bytes = n * 8 * sum(transform.core.sent)
            for direction in ("synthesis", "analysis"):
                counted = schedule.counts(transform.schedule(direction, n))
                assert counted.sent_bytes.sum() == pytest.approx(expected_bytes, rel=1e-12, abs=0)
        model = Model("barotropic", 42, Grid.full(64), comm=comm, sets=sets)
        coefficients, *panels_and_points = model.core.sent
        assert panels_and_points == sphere.core.sent[1:] and sphere.core.sent[0] == 0
        assert coefficients == pytest.approx(43 * 44 * (1 - 1 / sets[0]))


def test_calls_are_cut_as_their_fields_allow():
    """Calls have as many groups as the settings ask for, but at most one per component and field."""
    # (direction, components, fields, fields of the largest V set)
    calls = [("analysis", 1, 30, 15), ("synthesis", 2, 30, 15), ("synthesis", 3, 1, 1)]
    assert groups_per_call(ExchangeSettings(4), calls) == ([(8, 60), (3, 3)], [(4, 30)])
    assert groups_per_call(ExchangeSettings(1), calls) == ([(2, 60), (3, 3)], [(1, 30)])
    assert groups_per_call(ExchangeSettings(50), calls) == ([(30, 60), (3, 3)], [(15, 30)])
    assert groups_per_call(ExchangeSettings(50, 0), calls) == ([(1, 60), (1, 3)], [(1, 30)])


def test_the_ceiling_is_of_all_calls_of_a_way():
    """The ceiling is the mean over the calls of a direction, weighted by fields, and over directions."""
    parts = [[3.0, 3.0, 6.0], [3.0, 3.0, 6.0]]

    def ceiling(*groups_per_call):
        return hiding_from_trials(groups_per_call, PANELS, trials(24.0, parts), trials(23.0, parts)).ceiling

    one, two, four = (ceiling(*groups_of_one_call(n)) for n in (1, 2, 4))
    assert one == pytest.approx(0, abs=1e-9) and 0.2 < two < four - 0.1
    assert ceiling([(1, 1), (4, 3)], [(2, 7)]) == pytest.approx((3 / 4 * four + two) / 2)


@pytest.mark.parametrize("groups", [2, 3, 8])
def test_the_ceiling_is_of_the_stages_that_travel(groups):
    """With V = 1 panels are exchanged between the stages: the first stage of the first group and the
    second stage of the last group are exposed only if messages take longer than both."""
    parts = [[3.0, 3.0, 1.0], [3.0, 3.0, 1.0]]  # Fourier, Legendre, exchange of both ways
    found = hiding_from_trials(groups_of_one_call(groups), PANELS, trials(14.0, parts), trials(13.0, parts))
    assert (found.work_s, found.blocking_s, found.pipelined_s) == (12.0, 14.0, 13.0)
    assert found.hidden == pytest.approx(0.5)
    assert 1 - 1 / groups <= found.ceiling <= 1
    slow = hiding_from_trials(
        groups_of_one_call(groups), PANELS, trials(14.0, [[0, 0, 7.0]] * 2), trials(14.0, parts)
    )
    assert slow.ceiling == pytest.approx(0, abs=1e-9)  # there is no work to hide behind


def test_ways_count_by_what_they_exchange():
    """Directions are weighted by exchange time: one with 2 s of 3 s and no work in the other gives 2/3."""
    both_directions = hiding_from_trials(
        groups_of_one_call(2), PANELS, trials(9.0, [[3.0, 3.0, 2.0], [0, 0, 1.0]]), trials(9.0, [[0] * 3] * 2)
    )
    one_direction = hiding_from_trials(
        groups_of_one_call(2), PANELS, trials(8.0, [[3.0, 3.0, 2.0], [0, 0, 0]]), trials(8.0, [[0] * 3] * 2)
    )
    assert both_directions.ceiling == pytest.approx(one_direction.ceiling * 2 / 3)


def test_too_little_to_tell_is_no_share():
    """No hidden share is reported if the exchange is too short: a pipeline that takes 0.7 ms longer than
    blocking calls with 0.01 ms of exchange would get -7000 %; nor if the spread of times is large."""
    parts = [[0.3, 0.3, 0.01], [0.3, 0.3, 0.01]]
    blocking = Trials(1.0e-3, 0.99e-3, np.array(parts), 0.0, 0, spread_s=0.005e-3)
    found = hiding_from_trials(groups_of_one_call(2), PANELS, blocking, trials(1.7e-3, parts))
    assert found.hidden is None and found.figures()["hidden"] is None
    assert "by wall clock hidden share not measurable (at most " in str(found)
    unsteady = Trials(1.4e-3, 1e-3, np.array(parts), 0.0, 0, spread_s=0.5e-3)
    assert hiding_from_trials(groups_of_one_call(2), PANELS, unsteady, trials(1.2e-3, parts)).hidden is None
    steady = Trials(1.4e-3, 1e-3, np.array(parts), 0.0, 0, spread_s=0.1e-3)
    assert hiding_from_trials(
        groups_of_one_call(2), PANELS, steady, trials(1.2e-3, parts)
    ).hidden == pytest.approx(0.5)


def test_trials_tell_their_spread(comm):
    direction = SimpleNamespace(fourier_s=0.0, legendre_s=0.0, exchange_s=0.0, sent_bytes=0)
    found = run_trials(comm, comm, lambda: (direction, direction))
    assert found.spread_s > 0 and found.wall_s > 0


def test_the_ratio_of_the_paper_is_of_calls():
    """The paper's communication hiding ratio: 1 - (initiation + completion) / blocking communication,
    summed over both directions."""
    blocking, pipelined = (
        trials(9.0, [[3.0, 3.0, 2.0], [0, 0, 1.0]]),
        trials(9.0, [[0, 0, 0.5], [0, 0, 0.25]]),
    )
    found = hiding_from_trials(groups_of_one_call(2), PANELS, blocking, pipelined)
    assert (found.blocking_calls_s, found.calls_s, found.chr) == (3.0, 0.75, 0.75)
    assert found.figures()["chr"] == 0.75


@pytest.mark.mpi
def test_any_transform_tells_what_it_hides(comm):
    """All ranks report the same plausible hiding, and the exchange settings stay; one rank raises an
    error."""
    plane = Plane(32, 32, length_x=1, length_y=1)
    for sets in all_sets(comm.size):
        options = {"comm": comm, "sets": sets, "groups": 3, "progress": "poll"}
        model = Model("shallow_water", 21, Grid.full(64), comm=comm, sets=sets)
        zero, high = np.zeros(len(model.points)), np.full(len(model.points), 1e4)
        model.set(east=zero, north=zero, ground=zero, surface=high)
        for transform, arguments in (
            (Transform(Grid.full(64), 21, **options), (6,)),
            (Bifourier(plane, 10, **options), (6,)),
            (model, ()),
        ):
            if comm.size == 1:
                with pytest.raises(ConfigError, match="One rank exchanges nothing that could be hidden"):
                    transform.hiding(*arguments)
                continue
            before = transform.exchange_settings
            found = transform.hiding(*arguments)
            assert comm.allgather(found) == [found] * comm.size
            assert 0 < found.work_s < found.blocking_s and found.pipelined_s > 0
            assert 0 < found.ceiling <= 1 and found.calls_s > 0 and found.chr < 1
            assert transform.exchange_settings == before
    if comm.size > 1:
        with pytest.raises(ConfigError, match=r"n_fields is 0. Give 1 or more"):
            Transform(Grid.full(64), 21, comm=comm).hiding(0)


def max_in_flight(transform, n_fields):
    """Maximum number of all-to-alls in flight while rank 0 computes scalars, in both directions."""
    in_flight = []
    for direction in ("synthesis", "analysis"):
        n = 0
        for operation in schedule.operations(transform.schedule(direction, n_fields), 0):
            n += {"start": 1, "wait": -1}.get(operation.action, 0)
            in_flight += [n] if operation.action == "compute" else []
    return max(in_flight)


@pytest.mark.mpi
@pytest.mark.parametrize("winds", [False, True])
def test_it_is_held_against_ranks_that_block(comm, monkeypatch, winds):
    """The blocking reference exchanges all 40 fields of a component in one group, with no group ahead."""
    applied = []  # settings, then the calls and the all-to-alls in flight until the next settings

    def apply_and_record(transform, settings, progress):
        if applied:
            applied[-1] += (transform.core.calls, max_in_flight(transform, 40))
        apply_settings(transform, settings, progress)
        applied.append((settings,))

    apply_settings = Transform._apply_settings
    monkeypatch.setattr(Transform, "_apply_settings", apply_and_record)
    for v, w in all_sets(comm.size) if comm.size > 1 else ():
        options = {"comm": comm, "sets": (v, w), "groups": 3, "method": "ialltoallv"}
        transform = Transform(Grid.full(64), 21, **options)
        transform.hiding(40, winds=winds)
        (blocking, calls, in_flight), (restored,) = applied
        assert blocking == ExchangeSettings(
            1, 0, "ialltoallv"
        ) and restored == transform.exchange_settings == ExchangeSettings(3, 1, "ialltoallv")
        components = 2 if winds else 1
        assert calls == [(direction, components, 40, -(-40 // v)) for direction in ("synthesis", "analysis")]
        assert in_flight == 0 < max_in_flight(transform, 40)
        applied.clear()


@pytest.mark.mpi
def test_one_group_hides_nothing(comm):
    """One group, or none ahead, hides nothing by definition; two components of winds make two groups."""
    if comm.size == 1:
        return
    transform = Transform(Grid.full(64), 21, comm=comm)
    for n_fields in (4, 40):
        found = transform.hiding(n_fields)
        assert (found.pipelined_s, found.chr) == (found.blocking_s, 0)
        assert found.hidden in (0, None) and found.ceiling == pytest.approx(0, abs=1e-9)
    transform.set_exchange(ahead=0)
    found = transform.hiding(4, winds=True)
    assert (found.pipelined_s, found.chr) == (found.blocking_s, 0) and found.ceiling < 1e-9
    transform.set_exchange()
    found = transform.hiding(4, winds=True)
    assert found.pipelined_s != found.blocking_s and found.ceiling > 1e-6
