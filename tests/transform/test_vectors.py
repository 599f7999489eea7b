"""Winds, vorticity and divergence, gradients and Laplacians against closed forms and round trips."""

import numpy as np
import pytest

from halcyon.transform import Grid, Transform
from tests.transform.coefficients import random_coefficients, relative_error

A = 6371220.0  # default radius of the Earth [m]
GRIDS = {
    "full": Grid.full(128, 256),
    "odd": Grid.full(129, 270),
    "reduced": Grid.reduced(128, 128),
}


@pytest.fixture(scope="module", params=GRIDS)
def transform(request):
    return Transform(GRIDS[request.param], 127)


@pytest.fixture(scope="module", params=[0, 1 << 30], ids=["anew", "kept"])
def with_memory(request, transform):
    """`transform` with all Legendre functions computed on the fly, or all precomputed."""
    with_memory = Transform(transform.grid, 127, memory=request.param)
    assert (with_memory.kept_bytes > 0) == (request.param > 0)
    return with_memory


def test_a_turning_sphere():
    """u = w a cos(latitude) has the vorticity 2 w sin(latitude)."""
    grid = Grid.full(32, 64)
    transform = Transform(grid, 21)
    vorticity = np.zeros(transform.n_coefficients, complex)
    vorticity[1] = 2e-5 / np.sqrt(3)
    u, v = transform.winds(vorticity, 0 * vorticity)
    exact = 1e-5 * A * grid.cosines[:, None] + np.zeros(64)
    assert np.abs(u - exact).max() < 1e-13 * A * 1e-5
    assert not v.any()


def test_flow_across_the_poles():
    """Solid-body rotation about an axis in the equatorial plane: u = -w a sin(latitude) cos(longitude), v
    = w a sin(longitude)."""
    grid = Grid.full(32, 64)
    transform = Transform(grid, 21)
    longitude = np.radians(grid.longitude)
    u = -1e-5 * A * grid.sines[:, None] * np.cos(longitude)
    v = 1e-5 * A * np.sin(longitude) + 0 * u
    vorticity, divergence = transform.vorticity_divergence(u, v)
    n_1_m_1 = (transform.degrees == 1) & (transform.wavenumbers == 1)
    assert vorticity[n_1_m_1] == pytest.approx(1e-5 / np.sqrt(3 / 2), rel=1e-13)
    assert np.abs(vorticity[~n_1_m_1]).max() < 1e-18
    assert np.abs(divergence).max() < 1e-18
    winds = transform.winds(vorticity, divergence)
    assert relative_error(winds[0], u) < 1e-13 and relative_error(winds[1], v) < 1e-13


def test_winds_and_back(transform):
    vorticity, divergence = 1e-5 * random_coefficients(transform, 2, 3, with_mean=False)
    found = transform.vorticity_divergence(*transform.winds(vorticity, divergence))
    assert relative_error(found[0], vorticity) < 1e-13
    assert relative_error(found[1], divergence) < 1e-13


def test_the_gradient_has_no_vorticity_and_the_laplacian_as_divergence(with_memory):
    coefficients = random_coefficients(with_memory)
    vorticity, divergence = with_memory.vorticity_divergence(*with_memory.gradient(coefficients))
    laplacian = with_memory.laplacian(coefficients)
    assert relative_error(divergence, laplacian) < 1e-13
    assert np.sqrt((np.abs(vorticity) ** 2).mean()) < 1e-13 * np.sqrt((np.abs(laplacian) ** 2).mean())
    assert np.abs(vorticity).max() < 1e-13 * np.abs(laplacian).max()


def test_the_inverse_laplacian(transform):
    coefficients = random_coefficients(transform, 2, with_mean=False)
    assert (
        relative_error(transform.inverse_laplacian(transform.laplacian(coefficients)), coefficients) < 1e-15
    )
    assert (transform.inverse_laplacian(np.ones(transform.n_coefficients))[0]) == 0


def test_a_gradient_in_closed_form():
    """For x = cos^2(latitude) sin(2 longitude), on a sphere of radius 2."""
    grid = Grid.full(32, 64)
    transform = Transform(grid, 21, radius=2)
    c, s = grid.cosines[:, None], grid.sines[:, None]
    longitude = np.radians(grid.longitude)
    east, north = transform.gradient(transform.analysis(c**2 * np.sin(2 * longitude)))
    assert np.abs(east - c * np.cos(2 * longitude)).max() < 1e-14
    assert np.abs(north + c * s * np.sin(2 * longitude)).max() < 2e-14
