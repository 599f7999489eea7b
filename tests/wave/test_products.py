"""Bulk parameters and initial seas against closed forms and fine quadrature."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halcyon._core.base import ConfigError
from halcyon.wave import SpectralGrid, jonswap, products, set_fetch_law

G = 9.80616
GRID = SpectralGrid(frequencies=35, first_frequency=0.0345, ratio=1.1, directions=36)
PERIODS = ("mean_period", "mean_period_01", "mean_period_02", "peak_period", "mean_direction")


def cell_products(action, grid=GRID):
    """All products of one spectrum that need nothing but the spectrum."""
    return {name: values[0] for name, values in products(grid, np.asarray(action, np.float32)[None]).items()}


def jonswap_density(f, peak, alpha, gamma):
    """Variance density [m2 Hz-1] of JONSWAP (Hasselmann et al. 1973)."""
    width = np.where(f > peak, 0.09, 0.07)
    r = np.exp(-((f / peak - 1) ** 2) / (2 * width**2))
    return alpha * G**2 * (2 * np.pi) ** -4 * f**-5 * np.exp(-1.25 * (f / peak) ** -4) * gamma**r


@pytest.mark.parametrize("peak", [0.08, 0.1, 0.15])
@pytest.mark.parametrize("gamma", [1.0, 3.3])
def test_moments_of_jonswap(peak, gamma):
    """Height and periods on a fine spectral grid follow from moments of the spectrum by quadrature."""
    fine = SpectralGrid(frequencies=500, first_frequency=0.03, ratio=1.008, directions=36)
    sea = cell_products(jonswap(fine, peak_frequency=peak, alpha=0.01, gamma=gamma), fine)
    f = np.linspace(0.02, 40, 2_000_000)
    e = jonswap_density(f, peak, 0.01, gamma)
    moment = {n: np.trapezoid(e * f**n, f) for n in (-1, 0, 1, 2)}
    assert sea["significant_height"] == pytest.approx(4 * np.sqrt(moment[0]), rel=1e-3)
    assert sea["mean_period"] == pytest.approx(moment[-1] / moment[0], rel=1e-3)
    assert sea["mean_period_01"] == pytest.approx(moment[0] / moment[1], rel=1e-3)
    assert sea["mean_period_02"] == pytest.approx(np.sqrt(moment[0] / moment[2]), rel=2e-3)
    assert sea["peak_period"] == pytest.approx(1 / peak, rel=1e-3)


@pytest.mark.parametrize("peak", np.linspace(0.07, 0.15, 9))
def test_coarse_grid_is_close_to_the_closed_form_of_pierson_and_moskowitz(peak):
    sea = cell_products(jonswap(GRID, peak_frequency=peak, alpha=0.0081, gamma=1))
    m0 = 0.0081 * G**2 * (2 * np.pi) ** -4 / (5 * peak**4)
    assert sea["significant_height"] == pytest.approx(4 * np.sqrt(m0), rel=0.01)
    assert sea["peak_period"] == pytest.approx(1 / peak, rel=0.02)


@settings(max_examples=30, deadline=None)
@given(st.floats(0, 2 * np.pi))
def test_direction_says_from(towards):
    """The mean direction is where waves come from, between 0 and 360 degrees."""
    sea = cell_products(jonswap(GRID, peak_frequency=0.1, alpha=0.01, direction=towards))
    error = (sea["mean_direction"] - np.degrees(towards) - 180 + 180) % 360 - 180
    assert abs(error) < 0.5
    assert 0 <= sea["mean_direction"] < 360


@pytest.mark.parametrize("direction_bin", [0, 8, 9, 17, 35])
def test_waves_of_one_direction(direction_bin):
    """Height, period and direction of a spectrum with one bin."""
    action = np.zeros((35, 36), np.float32)
    action[12, direction_bin] = 1
    sea = cell_products(action)
    assert sea["mean_direction"] == pytest.approx((direction_bin * 10 + 5 + 180) % 360, abs=1e-3)
    assert sea["mean_period"] == pytest.approx(1 / GRID.frequency[12], rel=1e-6)
    assert sea["peak_bin"] == 12
    m0 = GRID.sigma[12] * GRID.frequency_width[12] * GRID.direction_width
    assert sea["significant_height"] == pytest.approx(4 * np.sqrt(m0), rel=1e-6)


def test_calm_has_height_zero_and_no_period():
    """Without waves periods and directions are missing."""
    sea = cell_products(np.zeros((35, 36)))
    assert sea["significant_height"] == 0
    assert sea["peak_bin"] == -1
    assert all(np.isnan(sea[name]) for name in PERIODS)


def test_below_five_centimetres_a_sea_has_no_period():
    """The lowest swell of a distant storm has a height, but neither a period nor a direction, as calm."""
    action = np.zeros((35, 36), np.float32)
    action[0, 0] = 1
    unit = cell_products(action)["significant_height"]
    for height, is_calm in ((0.049, True), (0.051, False)):
        sea = cell_products(action * np.float32((height / unit) ** 2))
        assert sea["significant_height"] == pytest.approx(height, rel=1e-5)
        assert all(np.isnan(sea[name]) == is_calm for name in (*PERIODS, "mean_direction"))


def test_peak_in_the_first_bin_is_told():
    """A sea with its peak below the first frequency has peak_bin 0."""
    assert cell_products(jonswap(GRID, peak_frequency=0.03, alpha=0.01))["peak_bin"] == 0


def test_the_share_of_the_first_bin():
    """first_bin_share is the variance of the first frequency over that of all, with the tail; 0 in a calm."""
    action = jonswap(GRID, peak_frequency=0.04, alpha=0.01)
    density = (action * GRID.sigma[:, None]).sum(1) * GRID.direction_width
    variance = density * GRID.frequency_width
    expected = variance[0] / (variance.sum() + density[-1] * GRID.frequency[-1] / 4)
    assert 0.01 < expected < 0.2
    assert cell_products(action)["first_bin_share"] == pytest.approx(expected, rel=1e-5)
    assert cell_products(np.zeros_like(action))["first_bin_share"] == 0


def fetch_sea(speed, fetch=30000):
    """Products of the fetch law's sea in an eastward wind [m s-1] over a fetch [m]."""
    action = np.zeros((1, 35, 36), np.float32)
    set_fetch_law(action, GRID, np.array([speed], np.float32), np.zeros(1, np.float32), fetch)
    return cell_products(action[0])


@pytest.mark.parametrize("speed", [8.0, 15.0, 30.0, 50.0])
def test_fetch_law(speed):
    """The peak frequency is 3.5 g/U X^-0.33, between the fully developed sea's and 0.2 Hz."""
    sea = fetch_sea(speed)
    peak = 3.5 * G / speed * (G * 30000 / speed**2) ** -0.33
    assert sea["peak_period"] == pytest.approx(1 / min(max(peak, 0.13 * G / speed), 0.2), rel=0.03)
    assert sea["mean_direction"] == pytest.approx(270, abs=0.1)


def test_fetch_law_of_light_wind_is_fully_developed():
    assert fetch_sea(4.0)["peak_period"] == pytest.approx(4.0 / (0.13 * G), rel=0.03)
    assert fetch_sea(0.0)["significant_height"] == 0


def test_fetch_must_be_positive():
    with pytest.raises(ConfigError, match=r"initial\.fetch"):
        fetch_sea(10.0, fetch=0)
