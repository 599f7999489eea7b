"""Spreading, peak direction, Stokes drift, energy flux and the highest wave against closed forms; errors."""

import numpy as np
import pytest

from halcyon.base import GRAVITY, ConfigError, InputError
from halcyon.wave import SpectralGrid, jonswap, product_names, products, wave_variables, wavenumbers

GRID = SpectralGrid(frequencies=35, first_frequency=0.0345, ratio=1.1, directions=36)
DEEP = {"depth": np.array([5000], np.float32)}
RHO = 1025.0  # density of sea water [kg m-3]


def cell_products(action, names=None, **arguments):
    """Products of one spectrum."""
    return {name: values[0] for name, values in products(GRID, action[None], names, **arguments).items()}


def one_bin(m, k, value=1.0):
    """Action in one bin only: frequency m, direction k."""
    action = np.zeros((35, 36), np.float32)
    action[m, k] = value
    return action


def variance(m, value=1.0):
    """m0 [m2] of a spectrum with one bin of frequency m."""
    return value * GRID.sigma[m] * GRID.frequency_width[m] * GRID.direction_width


def cosine_sea(power, towards=0.0):
    """A spectrum of one frequency with the spreading cos^2s(angle / 2) around a direction [rad], s =
    power."""
    action = np.zeros((35, 36), np.float32)
    action[14] = np.cos((np.asarray(GRID.direction) - towards) / 2) ** (2 * power)
    return action


@pytest.mark.parametrize("power", [1, 4, 15, 40])
def test_spreading_of_a_cosine_sea(power):
    """r = s/(s + 1) for cos^2s(theta/2), so sigma = sqrt(2/(s + 1)) (Kuik et al. 1988)."""
    result = cell_products(cosine_sea(power, np.radians(75)))
    assert result["spreading"] == pytest.approx(np.degrees(np.sqrt(2 / (power + 1))), rel=1e-5)
    assert result["peak_spreading"] == pytest.approx(result["spreading"], rel=1e-5)


def test_one_direction_has_no_spreading_and_all_have_the_most():
    """Equal action in all directions has a spreading of sqrt(2) rad."""
    assert cell_products(one_bin(12, 3))["spreading"] == pytest.approx(0, abs=0.05)
    assert cell_products(np.ones((35, 36), np.float32))["spreading"] == pytest.approx(
        np.degrees(np.sqrt(2)), rel=1e-6
    )


def test_the_tail_has_the_directions_of_the_last_frequency():
    """int_f^inf (x/f)^-5 dx = f/4 of the last frequency f counts in mean direction and spreading."""
    north, east = GRID.direction[0], GRID.direction[9]
    result = cell_products(one_bin(12, 0) + one_bin(34, 9, 40.0))
    low = variance(12)
    high = 40 * variance(34) * (1 + GRID.frequency[34] / 4 / GRID.frequency_width[34])
    mean = (low * np.exp(1j * north) + high * np.exp(1j * east)) / (low + high)
    assert result["significant_height"] == pytest.approx(4 * np.sqrt(low + high), rel=1e-5)
    assert result["mean_direction"] == pytest.approx(np.degrees(np.angle(mean)) + 180, abs=1e-3)
    assert result["spreading"] == pytest.approx(np.degrees(np.sqrt(2 * (1 - abs(mean)))), rel=1e-5)


def test_the_peak_has_its_own_direction():
    """With two peaks the direction and spreading of the higher are reported."""
    result = cell_products(one_bin(10, 0, 5.0) + one_bin(20, 18, 1.0))
    assert result["peak_direction"] == pytest.approx(185, abs=1e-3)
    assert result["peak_spreading"] == pytest.approx(0, abs=0.05)


@pytest.mark.parametrize("k", [0, 9, 20])
def test_stokes_drift_of_one_wave_on_deep_water(k):
    """u_s = 2 sigma k m0, in the direction of propagation (Kenyon 1969)."""
    result = cell_products(one_bin(15, k), ["eastward_stokes_drift", "northward_stokes_drift"], **DEEP)
    sigma = GRID.sigma[15]
    speed = 2 * sigma * sigma**2 / GRAVITY * variance(15)
    theta = GRID.direction[k]
    assert result["eastward_stokes_drift"] == pytest.approx(speed * np.sin(theta), rel=1e-5)
    assert result["northward_stokes_drift"] == pytest.approx(speed * np.cos(theta), rel=1e-5)


def test_stokes_drift_of_one_wave_on_shallow_water():
    """u_s = sigma k cosh(2 k d) / sinh^2(k d) m0."""
    depth = np.array([6.0], np.float32)
    k = float(wavenumbers(GRID, depth)[0, 6])
    result = cell_products(one_bin(6, 9), ["eastward_stokes_drift"], depth=depth)
    drift = GRID.sigma[6] * k * np.cosh(2 * k * 6) / np.sinh(k * 6) ** 2 * variance(6)
    assert result["eastward_stokes_drift"] == pytest.approx(drift * np.sin(GRID.direction[9]), rel=1e-5)


def test_stokes_drift_has_the_tail():
    """A Phillips spectrum a f^-5 from f_1 on: int 16 pi^3 f^3/g a f^-5 df = 16 pi^3 a/(g f_1)."""
    f = np.asarray(GRID.frequency)
    action = np.zeros((35, 36), np.float32)
    action[:, 9] = 1e-6 * f**-5 / (np.asarray(GRID.sigma) * GRID.direction_width)
    result = cell_products(action, ["eastward_stokes_drift", "northward_stokes_drift"], **DEEP)
    drift = 16 * np.pi**3 * 1e-6 / (GRAVITY * f[0])
    assert np.hypot(*result.values()) == pytest.approx(drift, rel=0.01)


def test_energy_flux_of_one_wave():
    """rho g cg m0, cg = g/(2 sigma) on deep water."""
    result = cell_products(one_bin(10, 9), ["eastward_energy_flux", "northward_energy_flux"], **DEEP)
    flux = RHO * GRAVITY * GRAVITY / (2 * GRID.sigma[10]) * variance(10)
    assert np.hypot(*result.values()) == pytest.approx(flux, rel=1e-5)
    assert result["eastward_energy_flux"] > 0


def test_energy_flux_of_a_sea_follows_from_height_and_energy_period():
    """rho g^2/(64 pi) Hs^2 Te on deep water."""
    action = np.zeros((35, 36), np.float32)
    action[:, 12] = np.asarray(jonswap(GRID, peak_frequency=0.08, alpha=0.01)).sum(axis=1)
    result = cell_products(
        action, ["significant_height", "mean_period", "eastward_energy_flux", "northward_energy_flux"], **DEEP
    )
    flux = RHO * GRAVITY**2 / (64 * np.pi) * result["significant_height"] ** 2 * result["mean_period"]
    assert np.hypot(result["eastward_energy_flux"], result["northward_energy_flux"]) == pytest.approx(
        flux, rel=1e-4
    )


def test_steepness_is_that_of_height_and_zero_crossing_period():
    result = cell_products(np.asarray(jonswap(GRID, peak_frequency=0.1, alpha=0.0081, gamma=1)))
    expected = 2 * np.pi * result["significant_height"] / (GRAVITY * result["mean_period_02"] ** 2)
    assert result["steepness"] == pytest.approx(expected, rel=1e-5)


def test_the_highest_wave_is_the_mean_of_simulated_highest():
    """The mean of the highest of 20 minutes' waves, with heights drawn after Forristall (1978)."""
    result = cell_products(np.asarray(jonswap(GRID, peak_frequency=0.1, alpha=0.01)))
    n = round(1200 / result["mean_period_02"])
    probability = np.random.default_rng(3).uniform(size=(4000, n)).max(axis=1)
    heights = result["significant_height"] / 4 * (-8.42 * np.log1p(-probability)) ** (1 / 2.126)
    assert result["expected_maximum_height"] == pytest.approx(heights.mean(), rel=0.01)
    assert 1.4 < result["expected_maximum_height"] / result["significant_height"] < 1.7


def test_a_calm_sea_carries_nothing():
    """Heights, drifts and fluxes are 0; periods, directions and other products are missing."""
    calm = np.zeros(1, np.float32)
    result = cell_products(
        np.zeros((35, 36), np.float32), product_names(), **DEEP, eastward_wind=calm, northward_wind=calm
    )
    assert result.pop("peak_bin") == -1 and result.pop("first_bin_share") == 0
    zero_in_a_calm = ("height", "drift", "flux")
    assert all(v == 0 for name, v in result.items() if name.endswith(zero_in_a_calm))
    assert all(np.isnan(v) for name, v in result.items() if not name.endswith(zero_in_a_calm))


def test_products_are_made_only_from_what_they_need():
    """A product without the arguments that it needs is refused."""
    action = one_bin(12, 3)
    with pytest.raises(InputError, match=r"need the argument depth \(cell\)"):
        cell_products(action, ["eastward_stokes_drift"])
    with pytest.raises(InputError, match=r"need the argument eastward_wind \(cell\)"):
        cell_products(action, ["swell_height"], **DEEP)
    with pytest.raises(InputError, match="depth has 2 cells, action has 1"):
        cell_products(action, ["eastward_stokes_drift"], depth=np.ones(2, np.float32))
    with pytest.raises(
        ConfigError, match=r"Unknown product 'swel_height'. The products are: significant_height, "
    ):
        cell_products(action, ["swel_height"])


def test_products_do_not_depend_on_what_else_is_asked():
    """A product requested alone has the bits of all products together."""
    sea = np.asarray(jonswap(GRID, peak_frequency=0.09, alpha=0.012, direction=1.0))
    wind = {name: np.array([8], np.float32) for name in ("eastward_wind", "northward_wind")}
    all_products = cell_products(sea, product_names(), **DEEP, **wind)
    for name in product_names():
        assert cell_products(sea, [name], **DEEP, **wind)[name].tobytes() == all_products[name].tobytes()


def test_every_product_is_in_the_table_with_cf_names():
    """Products without a CF standard name are listed here."""
    rows = {row.name: row for row in wave_variables()}
    unnamed = {"steepness", "eastward_energy_flux", "northward_energy_flux", "peak_bin", "first_bin_share"}
    for name in product_names():
        assert bool(rows[name].standard_name) == (name not in unnamed), name
        assert rows[name].units
        assert rows[name].output == (name not in ("peak_bin", "first_bin_share"))
