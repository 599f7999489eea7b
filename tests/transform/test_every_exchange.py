"""All V x W sets with all methods, algorithms, kinds of progress, numbers of groups, and none, one and
two groups ahead: bitwise equal to one rank, for scalars, vectors and derivatives, on the sphere and on a
plane."""

import pytest

from halcyon.halo import METHODS
from halcyon.transform import Bifourier, ExchangeSettings, Grid, Plane, Transform
from tests.transform.coefficients import random_coefficients, random_waves
from tests.transform.sets import all_sets

pytestmark = pytest.mark.mpi

TRUNCATION, N_FIELDS = 10, 9
TOGETHER = 2  # fields that are computed at a time, fewer than are exchanged
RINGS = ("ring-1", "ring-2", "ring-3")
WAYS = [
    *((method, "burst") for method in METHODS if method != "auto"),
    *((method, algorithm) for method in ("isend_irecv", "persistent") for algorithm in ("bruck", *RINGS)),
    ("isend_recv", "ring-1"),
]
PROGRESS = ("none", "poll", "thread")
GROUPS = range(1, 9)


class OnSphere:
    """Results of one rank: winds from vorticity and divergence, and the inverse; values of a scalar, its
    gradient, and its analysis."""

    def __init__(self, n_ranks):
        self.grid = Grid.full(8 * max(n_ranks, 2), 24)
        alone = self.made()
        self.given = random_coefficients(alone, 2, N_FIELDS)
        self.found = self.everything(alone, self.given)

    def made(self, **options):
        return Transform(self.grid, TRUNCATION, group=TOGETHER, **options)

    def everything(self, transform, given):
        winds = transform.winds(*given, fields=N_FIELDS)
        values = transform.synthesis(given[0], fields=N_FIELDS)
        slopes = transform.gradient(given[1], fields=N_FIELDS)
        return [*winds, *transform.vorticity_divergence(*winds), values, *slopes, transform.analysis(values)]

    def coefficients(self, share, given):
        return given[share.fields(N_FIELDS)][:, share.coefficients]


class OnPlane:
    """Values of waves, and their analysis."""

    def __init__(self, n_ranks):
        self.plane = Plane(23, 21, length_x=3e6, length_y=2e6)
        alone = self.made()
        self.given = random_waves(alone, 1, N_FIELDS)
        self.found = self.everything(alone, self.given)

    def made(self, **options):
        return Bifourier(self.plane, TRUNCATION, group=TOGETHER, **options)

    def everything(self, transform, given):
        values = transform.synthesis(given[0])
        return [values, transform.analysis(values)]

    def coefficients(self, share, given):
        return given[:, share.coefficients]


@pytest.fixture(scope="module", params=[OnSphere, OnPlane])
def alone(comm, request):
    return request.param(comm.size)


@pytest.fixture(scope="module")
def by(comm):
    from halcyon.comm import Progress

    return {name: Progress(comm, name) for name in PROGRESS}


def due(alone, share):
    """The part of the expected results that a rank holds, as bytes."""
    mine = [
        each.reshape(N_FIELDS, -1)[:, share.points]
        if each.dtype == float
        else alone.coefficients(share, each)
        for each in alone.found
    ]
    return [each.tobytes() for each in mine]


def is_burst(algorithm, sets):
    """Whether a ring sends to all ranks in one round, like burst."""
    name, _, k = algorithm.partition("-")
    return name == "ring" and int(k) >= max(sets) - 1


@pytest.mark.parametrize(("method", "algorithm"), WAYS)
def test_all_of_them_have_the_bits_of_one_rank(comm, alone, by, method, algorithm):
    different = []
    for sets in all_sets(comm.size):
        if is_burst(algorithm, sets):
            continue
        transform = alone.made(comm=comm, sets=sets)
        given = [alone.coefficients(transform.share, each) for each in alone.given]
        expected = due(alone, transform.share)
        for groups in GROUPS:
            for name, progress in by.items():
                choice = ExchangeSettings(groups, groups % 3, method, algorithm, name)
                transform._apply_settings(choice, progress)
                if [each.tobytes() for each in alone.everything(transform, given)] != expected:
                    different.append((sets, choice))
    assert different == []
