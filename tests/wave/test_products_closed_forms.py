"""Spreading, peak direction, Stokes drift, energy flux and the highest wave against closed forms;
requests."""

import numpy as np
import pytest

from halcyon.base import GRAVITY, ConfigError, InputError
from halcyon.wave import SpectralGrid, jonswap, product_names, products, wave_variables, wavenumbers

GRID = SpectralGrid(frequencies=35, first_frequency=0.0345, ratio=1.1, directions=36)
DEEP = {"depth": np.array([5000], np.float32)}
RHO = 1025.0


def one(action, names=None, **given):
    return {name: values[0] for name, values in products(GRID, action[None], names, **given).items()}


def bin_(m, k, value=1.0):
    action = np.zeros((35, 36), np.float32)
    action[m, k] = value
    return action


def variance(m, value=1.0):
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
    got = one(cosine_sea(power, np.radians(75)))
    assert got["spreading"] == pytest.approx(np.degrees(np.sqrt(2 / (power + 1))), rel=1e-5)
    assert got["peak_spreading"] == pytest.approx(got["spreading"], rel=1e-5)


def test_one_direction_has_no_spreading_and_all_have_the_most():
    assert one(bin_(12, 3))["spreading"] == pytest.approx(0, abs=0.05)
    assert one(np.ones((35, 36), np.float32))["spreading"] == pytest.approx(np.degrees(np.sqrt(2)), rel=1e-6)


def test_the_peak_has_its_own_direction():
    got = one(bin_(10, 0, 5.0) + bin_(20, 18, 1.0))
    assert got["peak_direction"] == pytest.approx(185, abs=1e-3)
    assert got["peak_spreading"] == pytest.approx(0, abs=0.05)


@pytest.mark.parametrize("k", [0, 9, 20])
def test_stokes_drift_of_one_wave_on_deep_water(k):
    """u_s = 2 sigma k m0, in the direction of propagation (Kenyon 1969)."""
    got = one(bin_(15, k), ["eastward_stokes_drift", "northward_stokes_drift"], **DEEP)
    sigma = GRID.sigma[15]
    speed = 2 * sigma * sigma**2 / GRAVITY * variance(15)
    theta = GRID.direction[k]
    assert got["eastward_stokes_drift"] == pytest.approx(speed * np.sin(theta), rel=1e-5)
    assert got["northward_stokes_drift"] == pytest.approx(speed * np.cos(theta), rel=1e-5)


def test_stokes_drift_of_one_wave_on_shallow_water():
    depth = np.array([6.0], np.float32)
    k = float(wavenumbers(GRID, depth)[0, 6])
    got = one(bin_(6, 9), ["eastward_stokes_drift"], depth=depth)
    drift = GRID.sigma[6] * k * np.cosh(2 * k * 6) / np.sinh(k * 6) ** 2 * variance(6)
    assert got["eastward_stokes_drift"] == pytest.approx(drift * np.sin(GRID.direction[9]), rel=1e-5)


def test_stokes_drift_has_the_tail():
    """A Phillips spectrum a f^-5 from f_1 on: int 16 pi^3 f^3/g a f^-5 df = 16 pi^3 a/(g f_1)."""
    f = np.asarray(GRID.frequency)
    action = np.zeros((35, 36), np.float32)
    action[:, 9] = 1e-6 * f**-5 / (np.asarray(GRID.sigma) * GRID.direction_width)
    got = one(action, ["eastward_stokes_drift", "northward_stokes_drift"], **DEEP)
    whole = 16 * np.pi**3 * 1e-6 / (GRAVITY * f[0])
    assert np.hypot(*got.values()) == pytest.approx(whole, rel=0.01)


def test_energy_flux_of_one_wave():
    """rho g cg m0, cg = g/(2 sigma) on deep water."""
    got = one(bin_(10, 9), ["eastward_energy_flux", "northward_energy_flux"], **DEEP)
    flux = RHO * GRAVITY * GRAVITY / (2 * GRID.sigma[10]) * variance(10)
    assert np.hypot(*got.values()) == pytest.approx(flux, rel=1e-5)
    assert got["eastward_energy_flux"] > 0


def test_energy_flux_of_a_sea_follows_from_height_and_energy_period():
    """rho g^2/(64 pi) Hs^2 Te on deep water."""
    action = np.zeros((35, 36), np.float32)
    action[:, 12] = np.asarray(jonswap(GRID, peak_frequency=0.08, alpha=0.01)).sum(axis=1)
    got = one(
        action, ["significant_height", "mean_period", "eastward_energy_flux", "northward_energy_flux"], **DEEP
    )
    flux = RHO * GRAVITY**2 / (64 * np.pi) * got["significant_height"] ** 2 * got["mean_period"]
    assert np.hypot(got["eastward_energy_flux"], got["northward_energy_flux"]) == pytest.approx(
        flux, rel=1e-4
    )


def test_steepness_is_that_of_height_and_zero_crossing_period():
    got = one(np.asarray(jonswap(GRID, peak_frequency=0.1, alpha=0.0081, gamma=1)))
    expected = 2 * np.pi * got["significant_height"] / (GRAVITY * got["mean_period_02"] ** 2)
    assert got["steepness"] == pytest.approx(expected, rel=1e-5)


def test_the_highest_wave_is_the_mean_of_simulated_highest():
    got = one(np.asarray(jonswap(GRID, peak_frequency=0.1, alpha=0.01)))
    n = round(1200 / got["mean_period_02"])
    uniform = np.random.default_rng(3).uniform(size=(4000, n)).max(axis=1)
    heights = got["significant_height"] / 4 * (-8.42 * np.log1p(-uniform)) ** (1 / 2.126)
    assert got["expected_maximum_height"] == pytest.approx(heights.mean(), rel=0.01)
    assert 1.4 < got["expected_maximum_height"] / got["significant_height"] < 1.7


def test_a_calm_sea_carries_nothing():
    zero = np.zeros(1, np.float32)
    got = one(
        np.zeros((35, 36), np.float32), product_names(), **DEEP, eastward_wind=zero, northward_wind=zero
    )
    assert got.pop("peak_bin") == -1
    nothing = ("height", "drift", "flux")
    assert all(v == 0 for name, v in got.items() if name.endswith(nothing))
    assert all(np.isnan(v) for name, v in got.items() if not name.endswith(nothing))


def test_products_are_made_only_from_what_they_need():
    action = bin_(12, 3)
    with pytest.raises(InputError, match=r"need the argument depth \(cell\)"):
        one(action, ["eastward_stokes_drift"])
    with pytest.raises(InputError, match=r"need the argument eastward_wind \(cell\)"):
        one(action, ["swell_height"], **DEEP)
    with pytest.raises(InputError, match="depth has 2 cells, action has 1"):
        one(action, ["eastward_stokes_drift"], depth=np.ones(2, np.float32))
    with pytest.raises(
        ConfigError, match=r"Unknown product 'swel_height'. The products are: significant_height, "
    ):
        one(action, ["swel_height"])


def test_products_do_not_depend_on_what_else_is_asked():
    sea = np.asarray(jonswap(GRID, peak_frequency=0.09, alpha=0.012, direction=1.0))
    wind = {name: np.array([8], np.float32) for name in ("eastward_wind", "northward_wind")}
    every = one(sea, product_names(), **DEEP, **wind)
    for name in product_names():
        assert one(sea, [name], **DEEP, **wind)[name].tobytes() == every[name].tobytes()


def test_every_product_is_in_the_table_with_cf_names():
    """Products without a CF standard name are listed here."""
    rows = {row.name: row for row in wave_variables()}
    unnamed = {"steepness", "eastward_energy_flux", "northward_energy_flux", "peak_bin"}
    for name in product_names():
        assert bool(rows[name].standard_name) == (name not in unnamed), name
        assert rows[name].units
        assert rows[name].output == (name != "peak_bin")
