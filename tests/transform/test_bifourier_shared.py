"""Ranks that share a transform on a plane: bitwise equal to one rank for any division of points and
waves."""

import numpy as np
import pytest

from halcyon.base import ConfigError, InputError
from halcyon.transform import Bifourier, ExchangeSettings, Plane, tuning
from tests.transform.coefficients import random_waves
from tests.transform.sets import all_sets

pytestmark = pytest.mark.mpi

N_FIELDS = 7
CASES = {
    "ellipse": (Plane(40, 30, length_x=3e6, length_y=2e6), (13, 9)),
    "rectangle": (Plane(31, 27, length_x=3e6, length_y=2e6), (15, 13)),
}


class Alone:
    """Results of one rank for random fields."""

    def __init__(self, shape):
        self.plane, self.truncation = CASES[shape]
        self.shape = shape
        self.transform = self.made()
        self.waves = random_waves(self.transform, N_FIELDS)
        self.values = self.transform.synthesis(self.waves)
        self.back = self.transform.analysis(self.values)

    def made(self, **options):
        return Bifourier(self.plane, self.truncation, shape=self.shape, **options)


@pytest.fixture(scope="module", params=CASES)
def alone(request):
    return Alone(request.param)


@pytest.fixture(scope="module")
def ellipse():
    return Alone("ellipse")


def same(found, expected):
    return found.dtype == expected.dtype and found.tobytes() == np.ascontiguousarray(expected).tobytes()


def check(transform, alone, n=N_FIELDS):
    share = transform.share
    waves, back = alone.waves[:n, share.coefficients], alone.back[:n, share.coefficients]
    expected = alone.values[:n].reshape(n, -1)[:, share.points]
    values = transform.synthesis(waves)
    assert same(values, expected)
    assert same(transform.analysis(values), back)
    for name in ("x_derivative", "y_derivative", "laplacian", "inverse_laplacian"):
        everywhere = getattr(alone.transform, name)(alone.waves[:n])
        assert same(getattr(transform, name)(waves), everywhere[:, share.coefficients])


@pytest.mark.parametrize("groups, ahead, group", [(1, 1, 16), (3, 1, 2), (7, 2, 16), (1, 1, 1), (2, 0, 3)])
def test_any_sets_give_the_bits_of_one_rank(comm, alone, groups, ahead, group):
    for sets in all_sets(comm.size):
        transform = alone.made(comm=comm, sets=sets, groups=groups, ahead=ahead, group=group)
        assert transform.sets == sets
        for _ in range(2):
            check(transform, alone)


@pytest.mark.parametrize("algorithm", ["burst", "bruck", "ring-1", "ring-2"])
@pytest.mark.parametrize(
    "method", ["isend_recv", "isend_irecv", "persistent", "ineighbor", "alltoallv", "ialltoallv", "shared"]
)
def test_any_method_and_algorithm(comm, ellipse, method, algorithm):
    for sets in all_sets(comm.size):
        how = {"sets": sets, "groups": 2, "method": method, "algorithm": algorithm}
        check(ellipse.made(comm=comm, **how), ellipse)


@pytest.mark.parametrize("progress", ["none", "poll", "thread"])
def test_any_progress(comm, ellipse, progress):
    from halcyon.comm import Progress

    by = Progress(comm, progress)
    for sets in all_sets(comm.size):
        for method in ("isend_irecv", "ialltoallv"):
            check(ellipse.made(comm=comm, sets=sets, groups=4, method=method, progress=by), ellipse)


def test_fewer_fields_than_sets(comm, ellipse):
    """Some V sets have no fields to transform, but model columns of all fields."""
    for sets in all_sets(comm.size):
        for n in (1, 2):
            check(ellipse.made(comm=comm, sets=sets, groups=3), ellipse, n)


def test_what_ranks_hold(comm, alone):
    for sets in all_sets(comm.size):
        share = (transform := alone.made(comm=comm, sets=sets)).share
        points, waves = np.zeros(alone.plane.n_points, int), np.zeros(alone.transform.n_coefficients, int)
        points[share.points], waves[share.coefficients] = 1, 1
        assert (comm.allreduce(points) == 1).all() and (comm.allreduce(waves) == 1).all()
        assert divmod(comm.rank, sets[1]) == (share.v, share.w)
        assert np.array_equal(share.m, alone.transform.m[share.coefficients])
        assert np.array_equal(share.n, alone.transform.n[share.coefficients])
        assert np.array_equal(share.x, alone.transform.share.x[share.points])
        assert np.array_equal(share.y, alone.transform.share.y[share.points])
        assert np.array_equal(share.rows, np.unique(share.points // alone.plane.nx))
        even = alone.transform.n_coefficients / comm.size
        assert comm.allreduce(transform.n_coefficients, max) < 1.25 * even + 1


def test_scatter_and_gather(comm, alone):
    root = comm.size - 1
    for sets in all_sets(comm.size):
        share = alone.made(comm=comm, sets=sets).share
        mine = share.scatter_coefficients(alone.waves if comm.rank == root else None, root)
        assert same(mine, alone.waves[:, share.coefficients])
        values = share.scatter_values(alone.values if comm.rank == 0 else None)
        assert same(values, alone.values.reshape(N_FIELDS, -1)[:, share.points])
        everything = share.gather_values(values, root), share.gather_coefficients(mine)
        assert (everything[0] is None) == (comm.rank != root) and (everything[1] is None) == (comm.rank != 0)
        assert everything[0] is None or same(everything[0], alone.values)
        assert everything[1] is None or same(everything[1], alone.waves)
        for wrong in (share.scatter_values, share.gather_values, share.gather_coefficients):
            with pytest.raises(InputError, match="shape"):
                wrong(np.zeros((2, 3)))


def test_only_what_must_travel_does(comm, ellipse):
    """The bytes sent are those of the schedule, and each number that changes rank is sent once per
    transposition."""
    from halcyon import schedule

    if comm.size == 1:
        return
    for v, w in all_sets(comm.size):
        transform = ellipse.made(comm=comm, sets=(v, w), groups=2)
        check(transform, ellipse)
        ways = [schedule.counts(transform.schedule(way, N_FIELDS)) for way in ("synthesis", "analysis")]
        assert transform.statistics.sent_bytes == sum(way.sent_bytes[comm.rank] for way in ways)
        mine = len(range(transform.share.v, N_FIELDS, v))
        stay = comm.allreduce(mine * (transform.core.n_points + 2 * transform.n_coefficients))
        columns = N_FIELDS * (ellipse.plane.n_points + 2 * ellipse.transform.n_coefficients) - stay
        panels = 2 * N_FIELDS * ellipse.plane.ny * (ellipse.truncation[0] + 1) * (1 - 1 / w)
        for way in ways:
            assert way.sent_bytes.sum() == pytest.approx(8 * (columns + panels), rel=0.03)
            if w == 1:
                assert way.sent_bytes.sum() == 8 * columns


def test_tuning_changes_how_and_no_bits(comm, ellipse):
    transform = ellipse.made(comm=comm)
    lists = {"methods": ("isend_irecv",), "algorithms": ("burst",), "progress": ("none",)}
    tried = transform.tune(N_FIELDS, groups=(1, 3), ahead=(1, 2), **lists, repetitions=1)
    assert set(tried) == (
        {ExchangeSettings(1), ExchangeSettings(3), ExchangeSettings(3, 2)} if comm.size > 1 else set()
    )
    assert transform.exchange_settings in tried or comm.size == 1
    check(transform, ellipse)


def test_the_first_call_may_tune(comm, ellipse, monkeypatch):
    def quickly(*given, **lists):
        return tuning.fastest(*given, **lists | {"methods": ("isend_irecv",), "repetitions": 1})

    monkeypatch.setattr("halcyon.transform.exchanges.fastest", quickly)
    transform = ellipse.made(comm=comm, groups="auto")
    assert transform._must_tune
    check(transform, ellipse)
    assert not transform._must_tune


def test_a_mistake_on_one_rank_is_told_on_all(comm, ellipse):
    if comm.size == 1:
        return
    transform = ellipse.made(comm=comm)
    with pytest.raises(InputError, match=r"^Rank 1: values has the shape"):
        transform.analysis(np.zeros((2, transform.core.n_points + (comm.rank == 1))))
    with pytest.raises(ConfigError, match=r"^Rank 1 gives fields \(3,\), but rank 0 \(2,\)"):
        transform.synthesis(np.zeros((2 + (comm.rank == 1), transform.n_coefficients), complex))
    with pytest.raises(ConfigError, match=r"^Rank 1 gives ahead 2, but rank 0 1"):
        ellipse.made(comm=comm, ahead=1 + (comm.rank == 1))


def test_mistakes_are_told(comm, ellipse):
    with pytest.raises(ConfigError, match="are not the"):
        ellipse.made(comm=comm, sets=(comm.size, 2))
    with pytest.raises(ConfigError, match="Give 1 or more"):
        ellipse.made(comm=comm, groups=0)
    with pytest.raises(ConfigError, match=r"groups is 'many'. Give a number from 1 on, or auto"):
        ellipse.made(comm=comm, groups="many")
    with pytest.raises(ConfigError, match="no exchange method 'pigeon'"):
        ellipse.made(comm=comm, method="pigeon")
    with pytest.raises(ConfigError, match="direction is 'there'"):
        ellipse.made(comm=comm).schedule("there", 1)
    if comm.size == 1:
        return
    narrow = Plane(1, 30, length_x=1, length_y=1)
    with pytest.raises(
        ConfigError, match=rf"{comm.size} W sets share 30 rows, and 1 wavenumbers along x. Give at"
    ):
        Bifourier(narrow, (0, 9), comm=comm)
    with pytest.raises(ConfigError, match=rf"{comm.size} V sets share rows of 1 values. Give at most 1"):
        Bifourier(narrow, (0, 9), comm=comm, sets=(comm.size, 1))
    with pytest.raises(InputError, match="on this rank"):
        ellipse.made(comm=comm).synthesis(np.zeros((2, 3)))
