"""The bits of a transformed field depend on that field alone, not on other fields, batches or addresses."""

import numpy as np
import pytest

from halcyon.transform import Grid, Transform
from tests.transform.coefficients import random_coefficients

GRIDS = {
    "full": Grid.full(86, 180),
    "octahedral": Grid.octahedral(43),
    "reduced": Grid.reduced(65, 42),
    "long": Grid.full(200, 256),  # more latitudes than one group of stripes
}


@pytest.fixture(scope="module", params=GRIDS)
def case(request):
    """The grid and, for 12 fields, the coefficients, values, and coefficients after a round trip."""
    grid = GRIDS[request.param]
    transform = Transform(grid, 42)
    coefficients = random_coefficients(transform, 12)
    values = transform.synthesis(coefficients)
    return grid, coefficients, values, transform.analysis(values)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 12])
def test_any_number_of_fields(case, n):
    grid, coefficients, values, back = case
    transform = Transform(grid, 42)
    for first in range(0, 13 - n):
        fields = slice(first, first + n)
        assert np.array_equal(transform.synthesis(coefficients[fields]), values[fields])
        assert np.array_equal(transform.analysis(values[fields]), back[fields])


def check_each_alone(transform, n):
    """Round trips are exact, and bitwise equal to those of each field alone."""
    coefficients = random_coefficients(transform, n)
    values = transform.synthesis(coefficients)
    back = transform.analysis(values)
    assert np.allclose(back, coefficients, rtol=0, atol=1e-12)
    for i in range(n):
        assert np.array_equal(transform.synthesis(coefficients[i]), values[i])
        assert np.array_equal(transform.analysis(values[i]), back[i])


@pytest.mark.parametrize("group", [16, 31, 33, 2**31 - 1])
def test_large_batches(group):
    """33 fields in three, two and one batches of at most `group` fields, and in one with room for more."""
    check_each_alone(Transform(Grid.full(65), 63, group=group), 33)


def test_more_than_caches_hold():
    """An analysis with more than 8 MiB of blocks uses non-temporal stores; bits stay."""
    check_each_alone(Transform(Grid.full(256), 255), 22)


@pytest.mark.parametrize("truncation", range(10))
def test_few_stripes_and_few_terms(truncation):
    """Loops shorter than the kernels' tiles give each field the bits that it has alone."""
    check_each_alone(Transform(Grid.full(truncation + 1), truncation), 5)


@pytest.mark.parametrize("options", [{"memory": 0}, {"memory": 50_000}, {"group": 1}, {"group": 5}], ids=str)
def test_any_memory_and_group(case, options):
    """Neither the memory for precomputed Legendre functions nor the batch size changes bits."""
    grid, coefficients, values, back = case
    transform = Transform(grid, 42, **options)
    if "memory" in options:
        assert transform.kept_bytes <= options["memory"] < Transform(grid, 42).kept_bytes
    assert np.array_equal(transform.synthesis(coefficients), values)
    assert np.array_equal(transform.analysis(values), back)


def test_winds_of_any_number_memory_and_group(case):
    """Winds of nine fields have the bits of each field alone, for any memory and batch size."""
    grid = case[0]
    vorticity, divergence = random_coefficients(Transform(grid, 42), 2, 9)
    winds = Transform(grid, 42).winds(vorticity, divergence)
    back = Transform(grid, 42).vorticity_divergence(*winds)
    for options in ({"memory": 0}, {"group": 4}):
        transform = Transform(grid, 42, **options)
        for i in range(9):
            alone = transform.winds(vorticity[i], divergence[i])
            assert all(np.array_equal(a, b[i]) for a, b in zip(alone, winds, strict=True))
            alone = transform.vorticity_divergence(winds[0][i], winds[1][i])
            assert all(np.array_equal(a, b[i]) for a, b in zip(alone, back, strict=True))


def test_wherever_arrays_lie(case):
    """Arrays at any address give the same bits, also at those that FFTW's plans do not support."""
    grid, coefficients, values, back = case
    transform = Transform(grid, 42)
    memory = np.empty(values.size + 8)
    for shift in range(4):
        moved = memory[shift : shift + values.size].reshape(values.shape)
        assert np.array_equal(transform.synthesis(coefficients, out=moved), values)
        assert np.array_equal(transform.analysis(moved), back)
    assert np.array_equal(transform.analysis(np.asfortranarray(values)), back)
