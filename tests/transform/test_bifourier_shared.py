"""Ranks that share a transform on a plane: their results are bitwise equal to those of one rank, however
points and waves are divided."""

import numpy as np
import pytest

from halcyon.base import ConfigError, InputError
from halcyon.transform import Bifourier, ExchangeSettings, Plane, tuning
from tests.transform.coefficients import random_waves
from tests.transform.sets import all_sets

pytestmark = pytest.mark.mpi

N_FIELDS = 7
CASES = {  # plane and truncation (M, N) for each shape of the kept waves
    "ellipse": (Plane(40, 30, length_x=3e6, length_y=2e6), (13, 9)),
    "rectangle": (Plane(31, 27, length_x=3e6, length_y=2e6), (15, 13)),
}


class Alone:
    """Results of one rank for random fields: the reference for ranks that share the transform."""

    def __init__(self, shape):
        self.plane, self.truncation = CASES[shape]
        self.shape = shape
        self.transform = self.make()
        self.waves = random_waves(self.transform, N_FIELDS)
        self.values = self.transform.synthesis(self.waves)
        self.back = self.transform.analysis(self.values)

    def make(self, **options):
        return Bifourier(self.plane, self.truncation, shape=self.shape, **options)


@pytest.fixture(scope="module", params=CASES)
def alone(request):
    return Alone(request.param)


@pytest.fixture(scope="module")
def ellipse():
    return Alone("ellipse")


def same_bits(found, expected):
    return found.dtype == expected.dtype and found.tobytes() == np.ascontiguousarray(expected).tobytes()


def check(transform, alone, n=N_FIELDS):
    """Values, coefficients and derivatives of the first n fields have the bits of one rank."""
    share = transform.share
    waves, back = alone.waves[:n, share.coefficients], alone.back[:n, share.coefficients]
    expected = alone.values[:n].reshape(n, -1)[:, share.points]
    values = transform.synthesis(waves)
    assert same_bits(values, expected)
    assert same_bits(transform.analysis(values), back)
    for name in ("x_derivative", "y_derivative", "laplacian", "inverse_laplacian"):
        expected = getattr(alone.transform, name)(alone.waves[:n])[:, share.coefficients]
        assert same_bits(getattr(transform, name)(waves), expected)


@pytest.mark.parametrize("groups, ahead, group", [(1, 1, 16), (3, 1, 2), (7, 2, 16), (1, 1, 1), (2, 0, 3)])
def test_any_sets_give_the_bits_of_one_rank(comm, alone, groups, ahead, group):
    for sets in all_sets(comm.size):
        transform = alone.make(comm=comm, sets=sets, groups=groups, ahead=ahead, group=group)
        assert transform.sets == sets
        for _ in range(2):
            check(transform, alone)


@pytest.mark.parametrize("algorithm", ["burst", "bruck", "ring-1", "ring-2"])
@pytest.mark.parametrize(
    "method", ["isend_recv", "isend_irecv", "persistent", "ineighbor", "alltoallv", "ialltoallv", "shared"]
)
def test_any_method_and_algorithm(comm, ellipse, method, algorithm):
    """Results have the bits of one rank for all exchange methods and all-to-all algorithms."""
    for sets in all_sets(comm.size):
        options = {"sets": sets, "groups": 2, "method": method, "algorithm": algorithm}
        check(ellipse.make(comm=comm, **options), ellipse)


@pytest.mark.parametrize("progress", ["none", "poll", "thread"])
def test_any_progress(comm, ellipse, progress):
    """Results have the bits of one rank, with and without polling or a progress thread."""
    from halcyon.comm import Progress

    driver = Progress(comm, progress)
    for sets in all_sets(comm.size):
        for method in ("isend_irecv", "ialltoallv"):
            check(ellipse.make(comm=comm, sets=sets, groups=4, method=method, progress=driver), ellipse)


def test_fewer_fields_than_sets(comm, ellipse):
    """Some V sets have no fields to transform, but each rank has its points of all fields."""
    for sets in all_sets(comm.size):
        for n in (1, 2):
            check(ellipse.make(comm=comm, sets=sets, groups=3), ellipse, n)


def test_what_ranks_hold(comm, alone):
    """Each point and wave has exactly one rank, and no rank has many more coefficients than the mean."""
    for sets in all_sets(comm.size):
        share = (transform := alone.make(comm=comm, sets=sets)).share
        points, waves = np.zeros(alone.plane.n_points, int), np.zeros(alone.transform.n_coefficients, int)
        points[share.points], waves[share.coefficients] = 1, 1
        assert (comm.allreduce(points) == 1).all() and (comm.allreduce(waves) == 1).all()
        assert divmod(comm.rank, sets[1]) == (share.v, share.w)
        assert np.array_equal(share.m, alone.transform.m[share.coefficients])
        assert np.array_equal(share.n, alone.transform.n[share.coefficients])
        assert np.array_equal(share.x, alone.transform.share.x[share.points])
        assert np.array_equal(share.y, alone.transform.share.y[share.points])
        assert np.array_equal(share.rows, np.unique(share.points // alone.plane.nx))
        mean = alone.transform.n_coefficients / comm.size
        assert comm.allreduce(transform.n_coefficients, max) < 1.25 * mean + 1


def test_scatter_and_gather(comm, alone):
    """Scattered fields are each rank's share; the root gathers the fields of one rank, other ranks None."""
    root = comm.size - 1
    for sets in all_sets(comm.size):
        share = alone.make(comm=comm, sets=sets).share
        mine = share.scatter_coefficients(alone.waves if comm.rank == root else None, root)
        assert same_bits(mine, alone.waves[:, share.coefficients])
        values = share.scatter_values(alone.values if comm.rank == 0 else None)
        assert same_bits(values, alone.values.reshape(N_FIELDS, -1)[:, share.points])
        everything = share.gather_values(values, root), share.gather_coefficients(mine)
        assert (everything[0] is None) == (comm.rank != root) and (everything[1] is None) == (comm.rank != 0)
        assert everything[0] is None or same_bits(everything[0], alone.values)
        assert everything[1] is None or same_bits(everything[1], alone.waves)
        for call in (share.scatter_values, share.gather_values, share.gather_coefficients):
            with pytest.raises(InputError, match="shape"):
                call(np.zeros((2, 3)))


def test_only_what_must_travel_does(comm, ellipse):
    """The bytes sent are those of the schedule, and each number that changes rank is sent once per
    transposition: of columns (points and coefficients of all fields) and of panels (rows of waves)."""
    from halcyon import schedule

    if comm.size == 1:
        return
    for v, w in all_sets(comm.size):
        transform = ellipse.make(comm=comm, sets=(v, w), groups=2)
        check(transform, ellipse)
        schedules = [transform.schedule(direction, N_FIELDS) for direction in ("synthesis", "analysis")]
        counts = [schedule.counts(each) for each in schedules]
        assert transform.statistics.sent_bytes == sum(each.sent_bytes[comm.rank] for each in counts)
        n_own_fields = len(range(transform.share.v, N_FIELDS, v))
        n_kept = comm.allreduce(n_own_fields * (transform.core.n_points + 2 * transform.n_coefficients))
        columns = N_FIELDS * (ellipse.plane.n_points + 2 * ellipse.transform.n_coefficients) - n_kept
        panels = 2 * N_FIELDS * ellipse.plane.ny * (ellipse.truncation[0] + 1) * (1 - 1 / w)
        for each in counts:
            assert each.sent_bytes.sum() == pytest.approx(8 * (columns + panels), rel=0.03)
            if w == 1:
                assert each.sent_bytes.sum() == 8 * columns


def test_tuning_changes_how_and_no_bits(comm, ellipse):
    """A tuning tries the requested settings and keeps one; results stay bitwise equal."""
    transform = ellipse.make(comm=comm)
    candidates = {"methods": ("isend_irecv",), "algorithms": ("burst",), "progress": ("none",)}
    tried = transform.tune(N_FIELDS, groups=(1, 3), ahead=(1, 2), **candidates, repetitions=1)
    assert set(tried) == (
        {ExchangeSettings(1), ExchangeSettings(3), ExchangeSettings(3, 2)} if comm.size > 1 else set()
    )
    assert transform.exchange_settings in tried or comm.size == 1
    check(transform, ellipse)


def test_the_first_call_may_tune(comm, ellipse, monkeypatch):
    """With groups="auto" the first call tunes, and later calls do not."""

    def tune_quickly(*args, **candidates):
        return tuning.fastest(*args, **candidates | {"methods": ("isend_irecv",), "repetitions": 1})

    monkeypatch.setattr("halcyon.transform.exchanges.fastest", tune_quickly)
    transform = ellipse.make(comm=comm, groups="auto")
    assert transform._must_tune
    check(transform, ellipse)
    assert not transform._must_tune


def test_a_mistake_on_one_rank_is_told_on_all(comm, ellipse):
    if comm.size == 1:
        return
    transform = ellipse.make(comm=comm)
    with pytest.raises(InputError, match=r"^Rank 1: values has the shape"):
        transform.analysis(np.zeros((2, transform.core.n_points + (comm.rank == 1))))
    with pytest.raises(ConfigError, match=r"^Rank 1 gives fields \(3,\), but rank 0 \(2,\)"):
        transform.synthesis(np.zeros((2 + (comm.rank == 1), transform.n_coefficients), complex))
    with pytest.raises(ConfigError, match=r"^Rank 1 gives ahead 2, but rank 0 1"):
        ellipse.make(comm=comm, ahead=1 + (comm.rank == 1))


def test_mistakes_are_told(comm, ellipse):
    with pytest.raises(ConfigError, match="are not the"):
        ellipse.make(comm=comm, sets=(comm.size, 2))
    with pytest.raises(ConfigError, match="Give 1 or more"):
        ellipse.make(comm=comm, groups=0)
    with pytest.raises(ConfigError, match=r"groups is 'many'. Give a number from 1 on, or auto"):
        ellipse.make(comm=comm, groups="many")
    with pytest.raises(ConfigError, match="no exchange method 'pigeon'"):
        ellipse.make(comm=comm, method="pigeon")
    with pytest.raises(ConfigError, match="direction is 'there'"):
        ellipse.make(comm=comm).schedule("there", 1)
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
        ellipse.make(comm=comm).synthesis(np.zeros((2, 3)))
