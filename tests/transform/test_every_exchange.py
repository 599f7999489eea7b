"""Ranks that share a transform have the bits of one rank for every exchange: all V x W sets, methods,
algorithms, kinds of progress and numbers of groups, 0 to 2 groups ahead, on the sphere and on a plane."""

import pytest

from halcyon.halo import METHODS
from halcyon.transform import Bifourier, ExchangeSettings, Grid, Plane, Transform
from tests.transform.coefficients import random_coefficients, random_waves
from tests.transform.sets import all_sets

pytestmark = pytest.mark.mpi

TRUNCATION, N_FIELDS = 10, 9
FIELDS_PER_BATCH = 2  # fields that are computed together, fewer than a group exchanges
RINGS = ("ring-1", "ring-2", "ring-3")
WAYS = [  # (exchange method, all-to-all algorithm)
    *((method, "burst") for method in METHODS if method != "auto"),
    *((method, algorithm) for method in ("isend_irecv", "persistent") for algorithm in ("bruck", *RINGS)),
    ("isend_recv", "ring-1"),
]
PROGRESS = ("none", "poll", "thread")
GROUPS = range(1, 9)


class OnSphere:
    """Results of one rank on the sphere: winds from vorticity and divergence, and the inverse; values of a
    scalar, its gradient, and its analysis."""

    def __init__(self, n_ranks):
        self.grid = Grid.full(8 * max(n_ranks, 2), 24)
        alone = self.make()
        self.coefficients = random_coefficients(alone, 2, N_FIELDS)
        self.results = self.compute_results(alone, self.coefficients)

    def make(self, **options):
        return Transform(self.grid, TRUNCATION, group=FIELDS_PER_BATCH, **options)

    def compute_results(self, transform, coefficients):
        winds = transform.winds(*coefficients, fields=N_FIELDS)
        values = transform.synthesis(coefficients[0], fields=N_FIELDS)
        slopes = transform.gradient(coefficients[1], fields=N_FIELDS)
        return [*winds, *transform.vorticity_divergence(*winds), values, *slopes, transform.analysis(values)]

    def coefficients_of_rank(self, share, coefficients):
        return coefficients[share.fields(N_FIELDS)][:, share.coefficients]


class OnPlane:
    """Results of one rank on a plane: values of waves, and their analysis."""

    def __init__(self, n_ranks):
        self.plane = Plane(23, 21, length_x=3e6, length_y=2e6)
        alone = self.make()
        self.coefficients = random_waves(alone, 1, N_FIELDS)
        self.results = self.compute_results(alone, self.coefficients)

    def make(self, **options):
        return Bifourier(self.plane, TRUNCATION, group=FIELDS_PER_BATCH, **options)

    def compute_results(self, transform, coefficients):
        values = transform.synthesis(coefficients[0])
        return [values, transform.analysis(values)]

    def coefficients_of_rank(self, share, coefficients):
        return coefficients[:, share.coefficients]


@pytest.fixture(scope="module", params=[OnSphere, OnPlane])
def alone(comm, request):
    return request.param(comm.size)


@pytest.fixture(scope="module")
def progress_by_name(comm):
    from halcyon.comm import Progress

    return {name: Progress(comm, name) for name in PROGRESS}


def expected_bytes(alone, share):
    """The results of one rank, restricted to the share of this rank."""
    restricted = [
        each.reshape(N_FIELDS, -1)[:, share.points]
        if each.dtype == float
        else alone.coefficients_of_rank(share, each)
        for each in alone.results
    ]
    return [each.tobytes() for each in restricted]


def is_burst(algorithm, sets):
    """Whether a ring of k messages per round sends all messages in one round, like burst."""
    name, _, k = algorithm.partition("-")
    return name == "ring" and int(k) >= max(sets) - 1


@pytest.mark.parametrize(("method", "algorithm"), WAYS)
def test_all_of_them_have_the_bits_of_one_rank(comm, alone, progress_by_name, method, algorithm):
    different = []
    for sets in all_sets(comm.size):
        if is_burst(algorithm, sets):
            continue
        transform = alone.make(comm=comm, sets=sets)
        coefficients = [alone.coefficients_of_rank(transform.share, each) for each in alone.coefficients]
        expected = expected_bytes(alone, transform.share)
        for groups in GROUPS:
            for name, progress in progress_by_name.items():
                settings = ExchangeSettings(groups, groups % 3, method, algorithm, name)
                transform._apply_settings(settings, progress)
                results = alone.compute_results(transform, coefficients)
                if [each.tobytes() for each in results] != expected:
                    different.append((sets, settings))
    assert different == []
