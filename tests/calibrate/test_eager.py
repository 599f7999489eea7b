"""The eager limit from synthetic and from measured send times."""

import numpy as np
import pytest

from halcyon.calibrate.eager import RECEIVER_DELAY_S, REPETITIONS, SIZES, eager_bytes, estimate_limit


def times(limit, *, bandwidth=5e9, noise=0.0, seed=0):
    """Times [s] (size, repetition) of sends to a prompt receiver, and to a late one: 1 us plus the transfer
    time and, above the limit, the delay of the receiver; some are disturbed by up to `noise`."""
    random = np.random.default_rng(seed)
    sizes = np.array(SIZES)[:, None]
    own = np.repeat(1e-6 + sizes / bandwidth, REPETITIONS, axis=1)
    late = own + np.where(sizes > limit, RECEIVER_DELAY_S, 0.0)
    disturbed = [noise * random.random(own.shape) * (random.random(own.shape) < 0.2) for _ in range(2)]
    return own + disturbed[0], late + disturbed[1]


@pytest.mark.parametrize("limit", [0, 1, 256, 4096, 2**16, SIZES[-1]])
def test_the_limit_is_found_where_nothing_disturbs(limit):
    assert estimate_limit(SIZES, *times(limit)) == limit


@pytest.mark.parametrize("seed", range(10))
def test_single_samples_that_are_late_do_not_matter(seed):
    assert estimate_limit(SIZES, *times(4096, noise=5 * RECEIVER_DELAY_S, seed=seed)) == 4096


def test_sizes_that_contradict_the_others_do_not_matter():
    prompt, late = times(4096)
    late[SIZES.index(512)] += RECEIVER_DELAY_S  # all of its samples, as by another process on the core
    late[SIZES.index(64)] += RECEIVER_DELAY_S
    late[SIZES.index(2**20)] -= RECEIVER_DELAY_S
    assert estimate_limit(SIZES, prompt, late) == 4096


def test_a_slow_network_is_no_waiting():
    assert estimate_limit(SIZES, *times(2**16, bandwidth=50e6)) == 2**16
    assert estimate_limit(SIZES, *times(SIZES[-1], bandwidth=50e6)) == SIZES[-1]


@pytest.mark.mpi
def test_a_real_library_has_a_limit(comm):
    if comm.size < 2:
        pytest.skip("takes two ranks")
    limit = eager_bytes(comm, (0, comm.size - 1))
    assert 0 <= limit <= SIZES[-1]
    assert limit == comm.bcast(limit)
