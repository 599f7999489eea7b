"""Threads that share a transform or a solver: each thread gets the bits that a single thread gets."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from halcyon.krylov import VARIANTS, Gcr
from halcyon.transform import Bifourier, Grid, Plane, Transform

N_FIELDS = 120


def six_threads_agree(work, inputs):
    """Whether six threads compute the same bits from the inputs as one thread."""
    alone = [work(each) for each in inputs]
    with ThreadPoolExecutor(6) as threads:
        return all(map(np.array_equal, threads.map(work, inputs), alone))


@pytest.fixture(params=["sphere", "plane"])
def transform(request):
    if request.param == "sphere":
        return Transform(Grid.full(48), 31)
    return Bifourier(Plane(64, 48, length_x=1.0, length_y=1.0), (21, 15))


def test_a_transform(transform):
    values = np.random.default_rng(1).normal(size=(N_FIELDS, *transform.shape))
    assert six_threads_agree(transform.analysis, values)
    assert six_threads_agree(transform.synthesis, transform.analysis(values))


def test_winds_while_others_look_on():
    """Winds stay bitwise equal while other threads transform and read the timers."""
    transform = Transform(Grid.full(48), 31)
    values = np.random.default_rng(1).normal(size=(N_FIELDS, *transform.shape))

    def round_trip(u):
        measured_s = transform.fourier_s + transform.legendre_s
        assert measured_s >= 0
        return np.stack(transform.winds(*transform.vorticity_divergence(u, u[::-1])))

    assert six_threads_agree(round_trip, values)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_solver(variant):
    matrix = np.diag(np.arange(4.0, 54.0)) + 1
    solver = Gcr(50, variant=variant)
    right_sides = np.random.default_rng(1).normal(size=(N_FIELDS, 50))
    assert six_threads_agree(lambda b: solver.solve(lambda x: matrix @ x, b).x, right_sides)
