"""T511 on a linear grid, with Legendre functions precomputed in part or computed on the fly."""

import numpy as np
import pytest

from halcyon.transform import Grid, Transform
from tests.transform.coefficients import random_coefficients, relative_error

TRUNCATION = 511
MEMORY = 32 << 20  # bytes, an eighth of all Legendre functions


@pytest.fixture(scope="module")
def transform():
    return Transform(Grid.reduced(512, TRUNCATION), TRUNCATION, memory=MEMORY)


def test_the_budget_is_kept(transform):
    assert 0.9 * MEMORY < transform.kept_bytes <= MEMORY


@pytest.mark.parametrize("fields", [(), (3,)], ids=["one", "three"])
def test_round_trips(transform, fields):
    coefficients = random_coefficients(transform, *fields)
    assert relative_error(transform.analysis(transform.synthesis(coefficients)), coefficients) < 7e-14


def test_what_is_kept_and_what_is_made_anew_have_the_same_bits(transform):
    coefficients = random_coefficients(transform)
    values = transform.synthesis(coefficients)
    without_memory = Transform(transform.grid, TRUNCATION, memory=0)
    assert without_memory.kept_bytes == 0
    assert np.array_equal(without_memory.synthesis(coefficients), values)
    assert np.array_equal(without_memory.analysis(values), transform.analysis(values))


def test_parseval():
    """Mean square of the values = sum of squared coefficients, at T340: T511's grid integrates its
    squares."""
    transform = Transform(Grid.full(512, 1024), 340, memory=0)
    coefficients = random_coefficients(transform)
    values = transform.synthesis(coefficients)
    twice = np.where(transform.wavenumbers > 0, 2, 1)
    squares = (twice * np.abs(coefficients) ** 2).sum()
    assert (values**2 * transform.grid.areas).sum() == pytest.approx(squares, rel=1e-13)


def test_the_gradient_has_no_vorticity(transform):
    coefficients = random_coefficients(transform)
    vorticity, divergence = transform.vorticity_divergence(*transform.gradient(coefficients))
    laplacian = transform.laplacian(coefficients)
    assert relative_error(divergence, laplacian) < 1e-13
    assert np.abs(vorticity).max() < 1e-13 * np.abs(laplacian).max()
