"""Scalar transforms against closed forms, round trips and Parseval's theorem."""

import numpy as np
import pytest

from halcyon.base import InputError
from halcyon.transform import Grid, Transform
from tests.transform.coefficients import random_coefficients, relative_error

# P_nm(mu) for mu = sin(latitude), c = cos(latitude), normalized so that the mean over the sphere of
# |P_nm exp(i m longitude)|^2 is 1.
CLOSED_FORMS = {
    (0, 0): lambda mu, c: 1 + 0 * mu,
    (1, 0): lambda mu, c: np.sqrt(3) * mu,
    (1, 1): lambda mu, c: np.sqrt(3 / 2) * c,
    (2, 0): lambda mu, c: np.sqrt(5) / 2 * (3 * mu**2 - 1),
    (2, 1): lambda mu, c: np.sqrt(15 / 2) * mu * c,
    (2, 2): lambda mu, c: np.sqrt(15 / 8) * c**2,
    (3, 1): lambda mu, c: np.sqrt(21 / 16) * c * (5 * mu**2 - 1),
    (4, 3): lambda mu, c: np.sqrt(315 / 16) * mu * c**3,
    (5, 5): lambda mu, c: np.sqrt(693 / 256) * c**5,
}


def grids(truncation):
    """A grid of each kind that holds a truncation; "odd" has an odd number of rows."""
    n = truncation + 1
    return {
        "full": Grid.full(n + n % 2, 2 * n),
        "odd": Grid.full(n + 1 - n % 2 + 2, 2 * n + 3),
        "reduced": Grid.reduced(n + n % 2, truncation),
        "octahedral": Grid.octahedral(truncation + 1),
    }


@pytest.mark.parametrize("kind", grids(6))
@pytest.mark.parametrize(("n", "m"), CLOSED_FORMS)
def test_single_harmonics(kind, n, m):
    """Values of one spherical harmonic against its closed form, and the coefficients back."""
    grid = grids(6)[kind]
    transform = Transform(grid, 6)
    coefficients = ((transform.degrees == n) & (transform.wavenumbers == m)) * (0.6 + 0.8j if m else 1)
    mu = np.repeat(grid.sines, grid.row_lengths)
    cosine = np.repeat(grid.cosines, grid.row_lengths)
    longitude = np.radians(np.resize(grid.longitude, mu.shape))
    phase = 2 * (0.6 * np.cos(m * longitude) - 0.8 * np.sin(m * longitude)) if m else 1
    exact = CLOSED_FORMS[n, m](mu, cosine) * phase
    values = transform.synthesis(coefficients)
    assert np.abs(values.ravel() - exact).max() < 2e-14
    assert np.abs(transform.analysis(values) - coefficients).max() < 2e-15


@pytest.mark.parametrize(
    ("truncation", "bound"), [(0, 1e-16), (1, 1e-15), (42, 3e-15), (127, 8e-15), (255, 1.5e-14)]
)
@pytest.mark.parametrize("kind", ["full", "odd", "reduced"])
def test_round_trips(kind, truncation, bound):
    transform = Transform(grids(truncation)[kind], truncation)
    coefficients = random_coefficients(transform, 2)
    assert relative_error(transform.analysis(transform.synthesis(coefficients)), coefficients) < bound


def test_round_trips_on_octahedral_grids():
    """The rows nearest to the poles do not resolve all wavenumbers of the truncation."""
    transform = Transform(Grid.octahedral(128), 127)
    coefficients = random_coefficients(transform, 2)
    assert relative_error(transform.analysis(transform.synthesis(coefficients)), coefficients) < 1e-10


@pytest.mark.parametrize("kind", ["full", "odd", "reduced"])
def test_parseval(kind):
    """The mean of the square is the sum of the squared coefficients, on a quadratic grid, which
    integrates squares exactly."""
    transform = Transform(Grid.full(193, 384) if kind == "odd" else grids(191)[kind], 127)
    coefficients = random_coefficients(transform)
    values = transform.synthesis(coefficients)
    multiplicity = np.where(transform.wavenumbers > 0, 2, 1)
    assert (values**2 * transform.grid.areas).sum() == pytest.approx(
        (multiplicity * np.abs(coefficients) ** 2).sum(), rel=1e-13
    )
    assert (values * transform.grid.areas).sum() == pytest.approx(coefficients[0].real, abs=1e-12)


def test_coefficients_beyond_the_truncation_are_left_out():
    fine, coarse = (Transform(Grid.full(64, 128), truncation) for truncation in (42, 21))
    coefficients = random_coefficients(fine)
    kept = coefficients[(fine.degrees <= 21) & (fine.wavenumbers <= 21)]
    assert relative_error(coarse.analysis(fine.synthesis(coefficients)), kept) < 1e-14


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda t: t.synthesis(np.zeros(10)), r"coefficients has the shape \(10,\). T21 has 253"),
        (lambda t: t.synthesis(0), "253"),
        (lambda t: t.analysis(np.zeros((64, 32))), r"values has the shape \(64, 32\).*\(32, 64\)"),
        (lambda t: t.analysis(np.zeros((3, 32, 64)), out=np.zeros(253, complex)), r"complex128 \(3, 253\)"),
        (lambda t: t.winds(np.zeros((2, 253)), np.zeros((3, 253))), r"vorticity has fields \(2,\)"),
        (lambda t: t.vorticity_divergence(np.zeros((32, 64)), np.zeros((1, 32, 64))), "as many of both"),
        (lambda t: t.synthesis(["wind"]), "Give numbers"),
        (lambda t: t.analysis(np.zeros((32, 64), complex)), "values is of complex128"),
        (lambda t: t.analysis(np.zeros((32, 64)), out=[0]), "Give a numpy array"),
        (lambda t: t.gradient(np.zeros(253), out=np.zeros((3, 32, 64))), "Give two arrays"),
        (lambda t: t.laplacian(np.zeros(252)), r"coefficients has the shape \(252,\). T21 has 253"),
        (lambda t: t.inverse_laplacian("x"), "Give numbers"),
    ],
)
def test_other_shapes_are_refused(call, text):
    with pytest.raises(InputError, match=text):
        call(Transform(Grid.full(32, 64), 21))


def test_no_fields_are_no_work():
    transform = Transform(Grid.full(32, 64), 21)
    assert transform.synthesis(np.zeros((0, 253))).shape == (0, 32, 64)
    assert transform.analysis(np.zeros((2, 0, 32, 64))).shape == (2, 0, 253)
