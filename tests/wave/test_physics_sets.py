"""Properties of every physics set: growth, finite values, reproducible bits, reporting of invalid cells."""

import numpy as np
import pytest

from halcyon.base import ConfigError, InputError
from halcyon.wave import (
    jonswap,
    make_physics,
    physics_references,
    physics_sets,
    products,
    wavenumbers,
)
from halcyon_validation.growth_runs import GRID, PointRow, duration_growth

SETS = ["wam4", "ard", "test451", "test471", "st6", "fvwam"]
EACH_SET = pytest.mark.parametrize("name", SETS)


def single(value):
    """An array of one cell."""
    return np.array([value], np.float32)


def stepped(
    name,
    action,
    *,
    speed=15.0,
    towards=0.0,
    dt=600.0,
    depth=5000.0,
    physics=None,
    wave_stress=None,
    **options,
):
    """The action after one step of a physics set, and the first bad cell with its height, or None.
    wave_stress: of the last step, changed in place."""
    action = np.array(action, np.float32, ndmin=3)
    n = len(action)
    wind = [np.full(n, speed * part(towards), np.float32) for part in (np.sin, np.cos)]
    depths = np.full(n, depth, np.float32)
    physics = physics or make_physics(name, GRID, **options)
    bad = physics.step(action, depths, wavenumbers(GRID, depths), *wind, dt, wave_stress)
    return action, bad


def height(action):
    """Significant height [m] of one spectrum."""
    return products(GRID, np.array(action, np.float32, ndmin=3))["significant_height"][0]


@EACH_SET
def test_spectrum_is_smooth_and_symmetric(name):
    """Beyond the peak the frequency spectrum falls; directions are symmetric about the wind."""
    row = PointRow(name, 15.0, 5000.0)
    for _ in range(100):
        row.step_sources(600.0)
    density = row.action[0] * GRID.sigma[:, None]
    spectrum = density.sum(axis=1)
    peak = spectrum.argmax()
    assert (np.diff(spectrum[peak:]) <= 0).all()
    assert np.allclose(density, density[:, ::-1], rtol=1e-3, atol=1e-5 * density.max())


@EACH_SET
def test_turning_the_wind_turns_the_sea(name):
    """With wind and sea turned by nine bins, the result is turned by nine bins."""
    sea = jonswap(GRID, peak_frequency=0.12, alpha=0.01, direction=0.3)
    turned, _ = stepped(name, np.roll(sea, 9, axis=1), towards=0.2 + np.pi / 2)
    plain, _ = stepped(name, sea, towards=0.2)
    assert np.allclose(turned[0], np.roll(plain[0], 9, axis=1), rtol=2e-3, atol=1e-5 * plain.max())


@EACH_SET
def test_a_typhoon_stays_finite_with_a_long_step(name):
    row, height_before = PointRow(name, 45.0, 5000.0), 0.0
    for _ in range(24):
        row.step_sources(1800.0)
        assert np.isfinite(row.action).all() and (row.action >= 0).all()
        height_now = row.sea_states().height[0]
        assert height_now > height_before
        height_before = height_now
    assert height_before < (55 if name == "fvwam" else 40)  # the drag of fvwam has no cap


@EACH_SET
def test_swell_loses_little_without_wind(name):
    sea = jonswap(GRID, peak_frequency=0.08, alpha=0.001)
    after, bad = sea, None
    for _ in range(36):
        after, bad = stepped(name, after, speed=0.0)
        assert bad is None
    assert 0.85 * height(sea) < height(after) < height(sea)


@pytest.mark.parametrize("name", ["wam4", "ard", "test471", "st6"])
def test_calm_stays_calm(name):
    action, bad = stepped(name, np.zeros((1, 35, 36)), speed=0.0)
    assert bad is None and not action.any()


@EACH_SET
def test_a_cell_depends_on_itself_only(name):
    """Cells have the same bits together and one by one."""
    rng = np.random.default_rng(2)
    seas = np.stack([jonswap(GRID, peak_frequency=f, alpha=0.01) for f in rng.uniform(0.06, 0.3, 6)])
    together, _ = stepped(name, seas)
    for i in range(6):
        assert np.array_equal(stepped(name, seas[i])[0][0], together[i])


@EACH_SET
def test_steps_in_pieces_are_the_same_bits(name):
    """A new object for each step gives the same bits: a step keeps no state besides its arguments."""
    one_object = new_objects = jonswap(GRID, peak_frequency=0.12, alpha=0.012)[None]
    physics = make_physics(name, GRID)
    for _ in range(4):
        one_object, _ = stepped(name, one_object, physics=physics, towards=0.4, depth=20.0)
        new_objects, _ = stepped(name, new_objects, towards=0.4, depth=20.0)
    assert np.array_equal(one_object, new_objects)


@EACH_SET
@pytest.mark.parametrize("dt", [600.0, 1800.0])
def test_the_first_bad_cell_is_reported_and_keeps_its_spectrum(name, dt):
    action = np.repeat(jonswap(GRID, peak_frequency=0.1, alpha=0.01)[None], 5, axis=0)
    action[2, 10, 3] = 1e6
    after, (cell, height) = stepped(name, action, dt=dt)
    assert cell == 2 and not height <= 60
    assert np.array_equal(after[2], action[2])


@EACH_SET
def test_wind_that_is_not_a_number_is_reported(name):
    _, (cell, height) = stepped(name, np.zeros((1, 35, 36)), speed=np.nan)
    assert cell == 0 and np.isnan(height)


@EACH_SET
def test_depth_limits_the_height(name):
    assert duration_growth(name, 30.0, (12,), depth=4.0, breaking=0).height[0] <= 0.8 * 4 * (1 + 1e-5)


def test_a_long_step_is_taken_in_equal_parts():
    """A step beyond longest_step has the bits of two steps of half the length."""
    sea = jonswap(GRID, peak_frequency=0.12, alpha=0.012)
    divided, _ = stepped("ard", sea, dt=1200.0)
    stress = single(0)
    half, _ = stepped("ard", sea, dt=600.0, wave_stress=stress)
    assert np.array_equal(divided, stepped("ard", half, dt=600.0, wave_stress=stress)[0])
    undivided, _ = stepped("ard", sea, dt=1200.0, longest_step=1200)
    assert not np.array_equal(divided, undivided)


def test_fvwam_keeps_a_floor_around_the_wind():
    """From no waves one step leaves a hundredth of the fetch-limited sea of 10 m/s over 30 km, with
    f_p = 3.5 (g/U) X^-0.33 and alpha from f_p, X being the fetch times g/U^2."""
    action, _ = stepped("fvwam", np.zeros((1, 35, 36)), speed=10.0, dt=1.0)
    g, f = 9.80616, GRID.frequency
    peak = 3.5 * g / 10 * (g * 30e3 / 100) ** -0.33
    sea = jonswap(GRID, peak_frequency=peak, alpha=0.01 * 0.033 * (peak * 10 / g) ** (2 / 3), gamma=3)
    shape = (sea * GRID.sigma[:, None])[:, 0] / (2 / np.pi * np.cos(GRID.direction[0]) ** 2)
    expected = np.maximum(shape, 1e-6)[:, None] * np.maximum(0, np.cos(GRID.direction)) ** 2
    low = f < 0.3  # [Hz]
    assert np.allclose((action[0] * GRID.sigma[:, None])[low], expected[low], rtol=1e-2, atol=1e-9)


def test_gusts_add_to_the_input_of_slow_winds():
    sea = jonswap(GRID, peak_frequency=0.15, alpha=0.01)
    steady, _ = stepped("ard", sea, speed=8.0)
    gusty, _ = stepped("ard", sea, speed=8.0, gustiness=0.3)
    assert height(gusty) > height(steady)


@pytest.mark.parametrize("dt", [0.0, -600.0, np.nan])
def test_a_step_that_is_none_is_refused(dt):
    with pytest.raises(ConfigError, match=r"The step of the source terms is .* s; it must be positive"):
        stepped("ard", np.zeros((1, 35, 36)), dt=dt)


@pytest.mark.parametrize("cell", [-1, 1])
def test_terms_of_a_cell_that_is_none_are_refused(cell):
    depth, calm = single(50.0), single(0.0)
    with pytest.raises(InputError, match=rf"There is no cell {cell}: action has 1"):
        make_physics("ard", GRID).terms(
            np.zeros((1, 35, 36), np.float32), cell, depth, wavenumbers(GRID, depth), calm, calm
        )


@pytest.mark.parametrize("depth", [0.0, -5.0, np.nan])
def test_no_water_has_no_waves(depth):
    """Depths that are not positive are refused."""
    with pytest.raises(InputError, match=r"A depth is .* m; depths must be positive"):
        wavenumbers(GRID, single(depth))


@pytest.mark.parametrize("wrong", [{"peak_frequency": 0}, {"alpha": -1}, {"gamma": 0}, {"alpha": np.nan}])
def test_a_jonswap_sea_that_is_none_is_refused(wrong):
    with pytest.raises(ConfigError, match=r"A JONSWAP sea has peak frequency"):
        jonswap(GRID, **({"peak_frequency": 0.1, "alpha": 0.01} | wrong))


def test_every_set_says_after_whom_it_is():
    """The seven physics sets have references, each different."""
    references = {name: physics_references(name) for name in physics_sets()}
    assert len(set(references.values())) == len(references) == 7 and all(references.values())
    with pytest.raises(ConfigError, match=r"There is no physics set 'wam9'"):
        physics_references("wam9")


def test_fvwam_takes_long_steps_in_parts_that_it_could_take_itself():
    """A step of 1800 s has the bits of twelve of 150 s."""
    sea = np.zeros((1, 35, 36))
    long_step, _ = stepped("fvwam", sea, dt=1800.0)
    short_steps, stress = sea, single(0)
    for _ in range(12):
        short_steps, _ = stepped("fvwam", short_steps, dt=150.0, wave_stress=stress)
    assert np.array_equal(long_step, short_steps)
