"""Wind input, whitecapping, bottom friction and linear growth against their formulas."""

import numpy as np
import pytest

from halcyon._core.base import ConfigError, InputError
from halcyon.wave import SpectralGrid, jonswap, make_physics, physics_options, wavenumbers

G = 9.80616
GRID = SpectralGrid(frequencies=35, first_frequency=0.0345, ratio=1.1, directions=36)
ACTION = jonswap(GRID, peak_frequency=0.12, alpha=0.012, gamma=2, direction=0.7)
DENSITY = ACTION * GRID.sigma[:, None]


def single(value):
    """An array of one cell."""
    return np.array([value], np.float32)


def terms(*, action=ACTION, depth=5000.0, speed=15.0, towards=0.5, **options):
    """The source terms [m2 rad-1] of one cell by name, in a wind [m s-1] towards 0.5 rad."""
    wind = single(speed * np.sin(towards)), single(speed * np.cos(towards))
    k = wavenumbers(GRID, single(depth))
    return make_physics("wam3", GRID, **options).terms(action[None].copy(), 0, single(depth), k, *wind)


def friction_velocity(speed, cap=2.03e-3):
    """u* [m s-1] from Wu's (1982) drag with a cap."""
    return speed * np.sqrt(min((0.8 + 0.065 * speed) * 1e-3, cap))


@pytest.mark.parametrize("speed", [5.0, 15.0, 45.0])
@pytest.mark.parametrize("depth", [15.0, 5000.0])
def test_wind_input(speed, depth):
    """Wind input is that of Komen et al. (1984), with the phase speed c at the depth."""
    c = GRID.sigma / wavenumbers(GRID, single(depth))[0].astype(float)
    inverse_age = 28 * friction_velocity(speed) / c[:, None] * np.cos(GRID.direction - 0.5)
    expected = np.maximum(0, 0.25 * 1.225 / 1025 * (inverse_age - 1)) * GRID.sigma[:, None] * DENSITY
    assert np.allclose(
        terms(speed=speed, depth=depth)["wind_input"], expected, rtol=1e-4, atol=1e-5 * expected.max()
    )


def test_drag_cap_holds_at_typhoon_winds():
    """The cap is 2.03e-3 by default and takes effect at 45 m/s."""
    assert np.array_equal(terms(speed=45.0)["wind_input"], terms(speed=45.0, drag_cap=2.03e-3)["wind_input"])
    assert terms(speed=45.0, drag_cap=1)["wind_input"].max() > terms(speed=45.0)["wind_input"].max()


def test_linear_growth():
    """Linear growth is that of Cavaleri and Malanotte-Rizzoli (1981), with Tolman's (1992) filter of low
    frequencies."""
    u = friction_velocity(15.0)
    frequency_filter = np.exp(-((GRID.frequency / (0.13 * G / (28 * u))) ** -4.0))
    along = np.maximum(0, np.cos(GRID.direction - 0.5))
    expected = 1.5e-3 / G**2 * (u * along) ** 4 * frequency_filter[:, None]
    assert np.allclose(terms()["linear_growth"], expected, rtol=1e-4, atol=1e-6 * expected.max())
    assert not terms(linear_growth=False)["linear_growth"].any()


@pytest.mark.parametrize("peak", [0.12, 0.6])
def test_whitecapping(peak):
    """Whitecapping is that of Komen et al. (1984) with the mean wavenumber of the WAMDI group (1988)."""
    action = jonswap(GRID, peak_frequency=peak, alpha=0.012, gamma=2, direction=0.7)
    density = action * GRID.sigma[:, None]
    bin_sizes = (GRID.frequency_width * GRID.direction_width)[:, None]
    last_f = GRID.frequency[-1]

    def integral(power):
        """The integral of F f^power, with the f^-5 tail beyond the last frequency."""
        tail = density[-1].sum() * GRID.direction_width * last_f ** (1 + power) / (4 - power)
        return (density * bin_sizes * GRID.frequency[:, None] ** power).sum() + tail

    k = (GRID.sigma**2 / G)[:, None]
    m0 = integral(0)
    sigma_bar = 2 * np.pi * m0 / integral(-1)
    k_bar = (2 * np.pi * m0 / integral(-1)) ** 2 / G  # 1/sqrt(k) = sqrt(g)/sigma in deep water
    expected = -2.36e-5 * sigma_bar * (k / k_bar) * (k_bar**2 * m0 / 3.02e-3) ** 2 * density
    assert np.allclose(terms(action=action)["whitecapping"], expected, rtol=1e-4)


@pytest.mark.parametrize("depth", [10.0, 40.0])
def test_bottom_friction(depth):
    """Bottom friction is that of JONSWAP (Hasselmann et al. 1973) with 0.038 m2 s-3."""
    k = wavenumbers(GRID, single(depth))[0].astype(float)[:, None]
    expected = -2 * 0.038 / G * k / np.sinh(np.minimum(2 * k * depth, 300)) * DENSITY
    assert np.allclose(
        terms(depth=depth)["bottom_friction"], expected, rtol=1e-3, atol=1e-5 * -expected.min()
    )


def test_bottom_friction_vanishes_in_deep_water():
    assert np.abs(terms()["bottom_friction"]).max() < 1e-6 * np.abs(terms()["whitecapping"]).max()


def test_options_carry_their_sources():
    """Every option of wam3 has an explanation."""
    assert {o.name for o in physics_options("wam3")} >= {
        "drag_cap",
        "limiter",
        "linear_growth",
        "depth_limit",
    }
    assert all(o.text for o in physics_options("wam3"))


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("wam9", {}, "wam3"),
        ("wam3", {"dragcap": 2e-3}, "drag_cap"),
        ("wam3", {"drag_cap": 5}, "outside"),
        ("wam3", {"drag_cap": "much"}, "a number"),
        ("wam3", {"limiter": "some"}, "hersbach_janssen"),
        ("wam3", {"linear_growth": 1.0}, "true or false"),
    ],
)
def test_wrong_options_are_named(name, options, words):
    with pytest.raises(ConfigError, match=words):
        make_physics(name, GRID, **options)


def test_too_few_directions():
    with pytest.raises(ConfigError, match="8 directions"):
        make_physics("wam3", SpectralGrid(frequencies=30, first_frequency=0.04, ratio=1.1, directions=6))


def test_too_few_frequencies():
    with pytest.raises(ConfigError, match="8 frequencies"):
        make_physics("wam3", SpectralGrid(frequencies=7, first_frequency=0.04, ratio=1.1, directions=36))


def test_wrong_shapes():
    physics, k = make_physics("wam3", GRID), wavenumbers(GRID, single(50))
    with pytest.raises(InputError, match="35 frequencies"):
        physics.step(np.zeros((1, 30, 36), np.float32), single(50), k, single(1), single(1), 600)
    with pytest.raises(InputError, match="eastward_wind has 1 cells"):
        two = np.zeros((2, 35, 36), np.float32)
        physics.step(two, np.full(2, 50, np.float32), np.repeat(k, 2, axis=0), single(1), single(1), 600)
