"""The full integral of the nonlinear transfer: conservation, symmetry, convergence, scaling."""

import numpy as np
import pytest

from halcyon.base import ConfigError, InputError
from halcyon.wave import SpectralGrid, exact_transfer, jonswap
from halcyon_validation.transfer import imbalances

GRID = SpectralGrid(frequencies=22, first_frequency=0.06, ratio=1.12, directions=20)


def sea(direction=0.3, gamma=3.3, alpha=0.01):
    """Variance density [m2 Hz-1 rad-1] of a JONSWAP sea."""
    action = jonswap(GRID, peak_frequency=0.12, alpha=alpha, gamma=gamma, direction=direction)
    return action.astype(float) * GRID.sigma[:, None]


def test_conserves():
    """Net gains relative to the sums of absolute rates are rounding errors; that of momentum is below
    2e-3."""
    rates = exact_transfer(GRID, sea(), points=10)
    net_gains = imbalances(GRID, rates)
    assert abs(net_gains["energy"]) < 1e-12 and abs(net_gains["action"]) < 1e-12
    assert abs(net_gains["momentum"]) < 2e-3


def test_grows_with_the_cube_of_the_density():
    once, twice = (exact_transfer(GRID, factor * sea(), points=6) for factor in (1, 2))
    assert np.allclose(twice, 8 * once, rtol=1e-12)


@pytest.mark.parametrize("shift", [1, 7])
def test_turns_with_the_spectrum(shift):
    """The transfer of a rotated spectrum is the rotated transfer."""
    plain = exact_transfer(GRID, sea(), points=6)
    turned = exact_transfer(GRID, np.ascontiguousarray(np.roll(sea(), shift, axis=1)), points=6)
    assert np.allclose(turned, np.roll(plain, shift, axis=1), atol=1e-12 * np.abs(plain).max())


def test_points_converge():
    """Rates with 12 and with 36 points per locus differ by less than 5 % of the largest."""
    few, many = (exact_transfer(GRID, sea(), points=n).sum(1) for n in (12, 36))
    assert np.abs(few - many).max() < 0.05 * np.abs(many).max()


def test_a_peak_feeds_longer_and_shorter_waves():
    """The largest gain is just below the peak frequency, the largest loss just above, and high frequencies
    gain."""
    rates = exact_transfer(GRID, sea(), points=10).sum(1)
    relative = GRID.frequency / 0.12
    assert 0.8 < relative[rates.argmax()] < 1.05
    assert 1.0 < relative[rates.argmin()] < 1.6
    assert (rates[(relative > 2.4) & (relative < 4)] > 0).all()


def test_wrong_arguments_are_named():
    with pytest.raises(ConfigError, match="at least 2 points per locus, not 1"):
        exact_transfer(GRID, sea(), points=1)
    with pytest.raises(InputError, match=r"shape \(3, 20\); this spectral grid has 22"):
        exact_transfer(GRID, np.zeros((3, 20)))


@pytest.mark.parametrize("wrong", [-1.0, np.nan, np.inf])
def test_a_density_that_is_none_is_refused(wrong):
    density = sea()
    density[3, 4] = wrong
    with pytest.raises(InputError, match=r"needs finite densities >= 0, but the density of bin 64 is"):
        exact_transfer(GRID, density, points=2)
