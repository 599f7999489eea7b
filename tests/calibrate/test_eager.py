"""The eager limit (largest message that is sent without waiting for its receiver), from synthetic and
measured send times."""

import numpy as np
import pytest

from halcyon.calibrate.eager import RECEIVER_DELAY_S, REPETITIONS, SIZES, eager_bytes, estimate_limit


def send_times(limit, *, bandwidth=5e9, noise=0.0, seed=0):
    """Times [s] (size, repetition) of sends to a prompt receiver and to a late one.

    A send takes 1 us plus the transfer time; above the limit, a send to the late receiver takes
    RECEIVER_DELAY_S longer. A fifth of all samples takes up to `noise` [s] longer."""
    random = np.random.default_rng(seed)
    sizes = np.array(SIZES)[:, None]
    prompt = np.repeat(1e-6 + sizes / bandwidth, REPETITIONS, axis=1)
    late = prompt + np.where(sizes > limit, RECEIVER_DELAY_S, 0.0)
    delays = [noise * random.random(prompt.shape) * (random.random(prompt.shape) < 0.2) for _ in range(2)]
    return prompt + delays[0], late + delays[1]


@pytest.mark.parametrize("limit", [0, 1, 256, 4096, 2**16, SIZES[-1]])
def test_the_limit_is_found_where_nothing_disturbs(limit):
    assert estimate_limit(SIZES, *send_times(limit)) == limit


@pytest.mark.parametrize("seed", range(10))
def test_single_samples_that_are_late_do_not_matter(seed):
    assert estimate_limit(SIZES, *send_times(4096, noise=5 * RECEIVER_DELAY_S, seed=seed)) == 4096


def test_sizes_that_contradict_the_others_do_not_matter():
    prompt, late = send_times(4096)
    # all samples of three sizes, as if another process used the core
    late[SIZES.index(512)] += RECEIVER_DELAY_S
    late[SIZES.index(64)] += RECEIVER_DELAY_S
    late[SIZES.index(2**20)] -= RECEIVER_DELAY_S
    assert estimate_limit(SIZES, prompt, late) == 4096


def test_a_slow_network_is_no_waiting():
    """Long transfer times are not mistaken for waiting for the receiver."""
    assert estimate_limit(SIZES, *send_times(2**16, bandwidth=50e6)) == 2**16
    assert estimate_limit(SIZES, *send_times(SIZES[-1], bandwidth=50e6)) == SIZES[-1]


@pytest.mark.mpi
def test_a_real_library_has_a_limit(comm):
    if comm.size < 2:
        pytest.skip("takes two ranks")
    limit = eager_bytes(comm, (0, comm.size - 1))
    assert 0 <= limit <= SIZES[-1]
    assert limit == comm.bcast(limit)
