"""Every V x W sets by every method, algorithm, progress and number of groups: the bits of one rank, of
scalars and of vectors."""

import pytest

from halcyon.transform import Choice, Grid, Transform
from sets import all_sets
from spectra import random_coefficients

pytestmark = pytest.mark.mpi

TRUNCATION, N_FIELDS = 10, 9
METHODS = ("alltoallv", "isend_recv", "isend_irecv", "ialltoallv", "persistent")
WAYS = [
    *((method, "burst") for method in METHODS),
    *(("isend_irecv", algorithm) for algorithm in ("bruck", "ring-1", "ring-2", "ring-3")),
    ("persistent", "bruck"),
    ("isend_recv", "ring-1"),
]
PROGRESS = ("none", "poll", "thread")
GROUPS = range(1, 9)


def everything(transform, spectra):
    """Of a rank's vorticity and divergence: winds, and both back of these; values of a scalar, and back."""
    winds = transform.winds(*spectra, fields=N_FIELDS)
    values = transform.synthesis(spectra[0], fields=N_FIELDS)
    return [*winds, *transform.vorticity_divergence(*winds), values, transform.analysis(values)]


class Alone:
    """The same of one rank that has all of it."""

    def __init__(self, grid):
        self.grid = grid
        transform = Transform(grid, TRUNCATION)
        self.spectra = random_coefficients(transform, 2, N_FIELDS)
        self.found = everything(transform, self.spectra)

    def of(self, transform):
        """What a rank must have of it, and of the spectra."""
        share = transform.share
        held = share.fields(N_FIELDS)
        mine = [
            each.reshape(N_FIELDS, -1)[:, share.points]
            if each.dtype == float
            else each[held][:, share.coefficients]
            for each in self.found
        ]
        return [each[held][:, share.coefficients] for each in self.spectra], mine


@pytest.fixture(scope="module")
def alone(comm):
    return Alone(Grid.full(8 * max(comm.size, 2), 24))


@pytest.fixture(scope="module")
def by(comm):
    from halcyon.comm import Progress

    return {name: Progress(comm, name) for name in PROGRESS}


def is_burst(algorithm, sets):
    """A ring of so many at once that there is one round."""
    name, _, k = algorithm.partition("-")
    return name == "ring" and int(k) >= max(sets) - 1


@pytest.mark.parametrize(("method", "algorithm"), WAYS)
def test_all_of_them_have_the_bits_of_one_rank(comm, alone, by, method, algorithm):
    different = []
    for sets in all_sets(comm.size):
        if is_burst(algorithm, sets):
            continue
        transform = Transform(alone.grid, TRUNCATION, comm=comm, sets=sets)
        spectra, expected = alone.of(transform)
        for groups in GROUPS:
            for name, progress in by.items():
                choice = Choice(groups, 1 + groups % 2, method, algorithm, name)
                transform._take(choice, progress)
                found = everything(transform, spectra)
                if any(a.tobytes() != b.tobytes() for a, b in zip(found, expected, strict=True)):
                    different.append((sets, choice))
    assert different == []
