"""Gaussian grids: latitudes and weights against exact values, row lengths, invalid arguments."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from halcyon.base import ConfigError
from halcyon.transform import Grid, Transform


def exact_row(n, sine):
    """Sine and cosine of the Gaussian latitude nearest to `sine` and its weight, by Newton's iteration
    for P_n in 60 digits."""
    with localcontext(prec=60):
        x = Decimal(float(sine))
        for _ in range(5):
            p, previous = Decimal(1), Decimal(0)
            for k in range(n):
                p, previous = ((2 * k + 1) * x * p - k * previous) / (k + 1), p
            slope = n * (previous - x * p) / (1 - x * x)
            x -= p / slope
        return float(x), float((1 - x * x).sqrt()), float(2 / ((1 - x * x) * slope * slope))


@pytest.mark.parametrize("n", [2, 3, 5, 64, 255, 1280])
def test_latitudes_and_weights_are_exact_to_the_last_bits(n):
    grid = Grid.full(n, 4)
    for row in {0, 1, n // 4, n // 2 - 1, n - 1}:
        sine, cosine, weight = exact_row(n, grid.sines[row])
        for found, exact in ((grid.sines, sine), (grid.cosines, cosine), (grid.weights, weight)):
            assert abs(found[row] - exact) <= np.spacing(abs(exact)), (row, found[row], exact)


@pytest.mark.parametrize("n", [1, 2, 9, 40])
def test_polynomials_are_integrated_exactly(n):
    """Sum of w mu^k = 2 / (k + 1) for even k up to 2 n - 1, summed without rounding."""
    grid = Grid.full(n, 4)
    rows = [(Fraction(float(mu)), Fraction(float(w))) for mu, w in zip(grid.sines, grid.weights, strict=True)]
    for k in range(0, 2 * n, 2):
        assert abs(float(sum(w * mu**k for mu, w in rows) - Fraction(2, k + 1))) < 4e-16


def test_rows_are_symmetric_and_from_the_north():
    grid = Grid.full(9, 18)
    assert (grid.sines == -grid.sines[::-1]).all() and grid.sines[0] > grid.sines[1]
    assert grid.sines[4] == 0 and grid.latitude[4] == 0
    assert (grid.weights == grid.weights[::-1]).all()
    assert grid.longitude[1] == 20
    assert grid.areas.shape == (9, 18) and grid.areas.sum() == pytest.approx(1, abs=1e-15)


def test_octahedral_rows():
    grid = Grid.octahedral(48)
    lengths = [20 + 4 * i for i in range(48)]
    assert list(grid.row_lengths) == lengths + lengths[::-1]
    assert grid.shape == (grid.n_points,) == (sum(lengths) * 2,)
    assert grid.latitude.shape == grid.longitude.shape == grid.areas.shape == grid.shape


def test_reduced_rows_are_short_near_the_poles_smooth_and_even():
    """Row lengths grow towards the equator, are even, and have no prime factors above 5."""
    lengths = Grid.reduced(128, 127).row_lengths
    assert lengths[0] == 40 and lengths[63] == 256
    assert (np.diff(lengths[:64]) >= 0).all() and (lengths % 2 == 0).all()
    for length in np.unique(lengths):
        for factor in (2, 3, 5):
            while length % factor == 0:
                length //= factor
        assert length == 1
    assert lengths.sum() < 0.85 * 128 * 256


def test_reduced_rows_are_longer_for_products_and_small_tolerances():
    rows = Grid.reduced(64, 42).row_lengths
    assert (Grid.reduced(64, 42, points_per_wave=3).row_lengths >= rows).all()
    assert (Grid.reduced(64, 42, tolerance=1e-4).row_lengths <= rows).all()
    assert Grid.reduced(64, 42, points_per_wave=3).row_lengths.max() >= 127


@pytest.mark.parametrize("truncation", [0, 1, 5, 13, 21, 45, 63, 127, 255])
def test_what_octahedral_grids_hold_comes_back(truncation):
    """Octahedral grids hold a truncation T from some number of rows on, 2 (T + 1) at most; a round trip
    on the smallest of these grids is exact to 1e-10."""
    is_held = [Grid.octahedral(n).holds(truncation) for n in range(1, truncation + 3)]
    smallest = is_held.index(True) + 1
    assert smallest <= truncation + 1 and all(is_held[smallest - 1 :])
    transform = Transform(Grid.octahedral(smallest), truncation)
    rng = np.random.default_rng(truncation)
    coefficients = rng.normal(size=(4, transform.n_coefficients)) + 0j
    back = transform.analysis(transform.synthesis(coefficients))
    assert np.abs(back - coefficients).max() < 1e-10


@pytest.mark.parametrize("truncation", [0, 1, 13, 42, 127])
def test_reduced_grids_hold_what_they_are_made_for(truncation):
    for per_wave in (2, 3):
        assert Grid.reduced(truncation + 1, truncation, points_per_wave=per_wave).holds(truncation)
        assert not Grid.reduced(truncation + 1, truncation, points_per_wave=per_wave).holds(truncation + 1)
    assert Grid.reduced(truncation + 1, truncation, tolerance=1e-6).holds(truncation)


@pytest.mark.parametrize(("n", "truncation"), [(23, 99), (23, 45), (64, 127), (96, 127), (22, 42)])
def test_the_truncation_that_is_recommended_holds(n, truncation):
    """The error recommends a truncation whose round trip is exact to 1e-10, also where only rows next to
    the poles are too short."""
    with pytest.raises(ConfigError, match=f"cannot hold T{truncation}.* {2 * truncation + 2} octa") as info:
        Transform(Grid.octahedral(n), truncation)
    recommended = int(str(info.value).split("at most T")[1].rstrip("."))
    assert n - 1 <= recommended < truncation
    transform = Transform(Grid.octahedral(n), recommended)
    coefficients = np.random.default_rng(1).normal(size=transform.n_coefficients) + 0j
    assert np.abs(transform.analysis(transform.synthesis(coefficients)) - coefficients).max() < 1e-10


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Grid.full(0, 8), "0 latitudes"),
        (lambda: Grid.full(8, -2), "-2 values. Give it 1 to 1000000"),
        (lambda: Grid([]), "without rows"),
        (lambda: Grid([8, 12, 12, 10]), "Rows 0 and 3"),
        (lambda: Grid([12, 8, 8, 12]), "shrink towards the equator"),
        (lambda: Grid.octahedral(0), "octahedral"),
        (lambda: Grid.reduced(64, -1), "T-1"),
        pytest.param(
            lambda: Grid.reduced(64, 42, points_per_wave=1),
            "1 values per wave",
            id="<lambda>-1 values a wave",
        ),
        (lambda: Grid.reduced(64, 42, tolerance=0), "tolerance of 0"),
        (lambda: Transform(Grid.full(64, 128), 64), "cannot hold T64.*at most T63"),
        (lambda: Transform(Grid.full(64, 80), 42), "cannot hold T42.*at most T39"),
        (lambda: Transform(Grid([6, *[128] * 62, 6]), 42), "64 rows of 6 to 128 values cannot hold T42"),
        (lambda: Transform(Grid.reduced(64, 42, tolerance=0.1), 42), "cannot hold T42.*at most T14"),
        (lambda: Grid.full(8).holds(4.5), "truncation is 4.5. Give a whole number"),
        (lambda: Transform(Grid.full(64, 128), 42, radius=0), "radius 0"),
        (lambda: Transform(Grid.full(64, 128), -1), "T-1"),
        pytest.param(
            lambda: Transform(Grid.full(64, 128), 42, group=0),
            "group is 0, the number",
            id="<lambda>-0 fields",
        ),
        (lambda: Transform(Grid.full(64, 128), 42, memory=-1), "-1 bytes"),
        (lambda: Transform(Grid.full(64, 128), 42, memory="lots"), "memory is 'lots'. Give a whole number"),
        (lambda: Transform(Grid.full(64, 128), 42, radius=np.inf), "radius inf m"),
        (lambda: Transform(Grid.full(64, 128), 42, radius=None), "radius is None. Give a number"),
        (lambda: Transform(Grid.full(64, 128), 42, group=2.5), "group is 2.5. Give a whole number"),
        (lambda: Transform(Grid.full(64, 128), 21.5), "truncation is 21.5. Give a whole number"),
        (lambda: Transform(Grid.full(64, 128), "21"), "truncation is '21'. Give a whole number"),
        (lambda: Transform(Grid.full(64, 128), True), "truncation is True. Give a whole number"),
        (lambda: Transform(64, 42), "grid is 64. Give a Grid"),
        (lambda: Grid.full(10**12), r"n_latitudes is 1000000000000. Give a whole number below 2\^31"),
        (lambda: Grid.full(2**31 - 1, 8), "2147483647 latitudes was asked for. Give 1 to 100000"),
        (lambda: Grid.full(8, 2**31 - 1), "2147483647 values. Give it 1 to 1000000"),
        (lambda: Grid.full(8, 0), "0 values"),
        (lambda: Grid.octahedral(2**30), "2 x 1073741824 latitudes was asked for. Give 1 to 50000"),
        (lambda: Grid.octahedral("O48"), "n is 'O48'. Give a whole number"),
        (lambda: Grid.reduced(64, 42.5), "truncation is 42.5. Give a whole number"),
        (lambda: Grid.reduced(64, 42, tolerance="small"), "tolerance is 'small'. Give a number"),
        (lambda: Grid.reduced(64, 42, shortest=0), "shortest rows have 0 values"),
        pytest.param(
            lambda: Grid.reduced(64, 42, points_per_wave=2**30),
            "1073741824 values per wave for truncation T42",
            id="<lambda>-1073741824 values a wave for truncation T42",
        ),
        (lambda: Grid("N64"), "row_lengths is 'N64'. Give a list"),
        (lambda: Grid([8, 8.5, 8.5, 8]), "row_lengths is 8.5. Give a whole number"),
        (lambda: Grid.full(8).location(128), "There is no point 128. Give 0 to 127"),
    ],
)
def test_what_cannot_be_is_refused(make, text):
    with pytest.raises(ConfigError, match=text):
        make()
