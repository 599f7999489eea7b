"""The eager limit from times of sends that are made up, and from real ones."""

import numpy as np
import pytest

from halcyon.calibrate.eager import LATE_S, REPETITIONS, SIZES, eager_bytes, limit_of


def times(limit, *, bandwidth=5e9, noise=0.0, seed=0):
    """Times [s] (size, repetition) of sends to a receiver who is ready, and to one who comes late: 1 us and
    the bytes, and beyond the limit until the receiver comes; some of them disturbed by up to `noise`."""
    random = np.random.default_rng(seed)
    sizes = np.array(SIZES)[:, None]
    own = np.repeat(1e-6 + sizes / bandwidth, REPETITIONS, axis=1)
    late = own + np.where(sizes > limit, LATE_S, 0.0)
    disturbed = [noise * random.random(own.shape) * (random.random(own.shape) < 0.2) for _ in range(2)]
    return own + disturbed[0], late + disturbed[1]


@pytest.mark.parametrize("limit", [0, 1, 256, 4096, 2**16, SIZES[-1]])
def test_the_limit_is_found_where_nothing_disturbs(limit):
    assert limit_of(SIZES, *times(limit)) == limit


@pytest.mark.parametrize("seed", range(10))
def test_single_samples_that_are_late_do_not_matter(seed):
    assert limit_of(SIZES, *times(4096, noise=5 * LATE_S, seed=seed)) == 4096


def test_sizes_that_contradict_the_others_do_not_matter():
    prompt, late = times(4096)
    late[SIZES.index(512)] += LATE_S  # all of its samples, as while something else had the processor
    late[SIZES.index(64)] += LATE_S
    late[SIZES.index(2**20)] -= LATE_S
    assert limit_of(SIZES, prompt, late) == 4096


def test_a_slow_network_is_no_waiting():
    assert limit_of(SIZES, *times(2**16, bandwidth=50e6)) == 2**16
    assert limit_of(SIZES, *times(SIZES[-1], bandwidth=50e6)) == SIZES[-1]


@pytest.mark.mpi
def test_a_real_library_has_a_limit(comm):
    if comm.size < 2:
        pytest.skip("takes two ranks")
    limit = eager_bytes(comm, (0, comm.size - 1))
    assert 0 <= limit <= SIZES[-1]
    assert limit == comm.bcast(limit)
