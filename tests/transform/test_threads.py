"""Threads that share a transform or a solver are serialized: each finds the results of a single thread."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from halcyon.krylov import VARIANTS, Gcr
from halcyon.transform import Bifourier, Grid, Plane, Transform

N_FIELDS = 120


def same_by_threads(work, given):
    """Whether six threads get the results of one."""
    alone = [work(each) for each in given]
    with ThreadPoolExecutor(6) as threads:
        return all(map(np.array_equal, threads.map(work, given), alone))


@pytest.fixture(params=["sphere", "plane"])
def transform(request):
    if request.param == "sphere":
        return Transform(Grid.full(48), 31)
    return Bifourier(Plane(64, 48, length_x=1.0, length_y=1.0), (21, 15))


def test_a_transform(transform):
    values = np.random.default_rng(1).normal(size=(N_FIELDS, *transform.shape))
    assert same_by_threads(transform.analysis, values)
    assert same_by_threads(transform.synthesis, transform.analysis(values))


def test_winds_while_others_look_on():
    transform = Transform(Grid.full(48), 31)
    values = np.random.default_rng(1).normal(size=(N_FIELDS, *transform.shape))

    def there_and_back(u):
        looked = transform.fourier_s + transform.legendre_s
        assert looked >= 0
        return np.stack(transform.winds(*transform.vorticity_divergence(u, u[::-1])))

    assert same_by_threads(there_and_back, values)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_solver(variant):
    matrix = np.diag(np.arange(4.0, 54.0)) + 1
    solver = Gcr(50, variant=variant)
    right_sides = np.random.default_rng(1).normal(size=(N_FIELDS, 50))
    assert same_by_threads(lambda b: solver.solve(lambda x: matrix @ x, b).x, right_sides)
