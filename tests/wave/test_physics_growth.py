"""Wave growth under constant wind, stability, and reporting of invalid cells."""

import numpy as np
import pytest

from halcyon.wave import SpectralGrid, jonswap, make_physics, products, set_fetch_law, wavenumbers

G = 9.80616
GRID = SpectralGrid(frequencies=35, first_frequency=0.0345, ratio=1.1, directions=36)


def single(value):
    """An array of one cell."""
    return np.array([value], np.float32)


def grow(speed, hours, *, dt=600.0, depth=5000.0, towards=0.0, action=None, **options):
    """The action (1, frequency, direction) after some hours of a constant wind, and hourly significant
    heights [m]; without action the run starts from a flat sea."""
    action = np.zeros((1, 35, 36), np.float32) if action is None else action
    physics = make_physics("wam3", GRID, **options)
    wind = single(speed * np.sin(towards)), single(speed * np.cos(towards))
    k, heights = wavenumbers(GRID, single(depth)), []
    for step in range(round(hours * 3600 / dt)):
        assert physics.step(action, single(depth), k, *wind, dt) is None
        if (step + 1) * dt % 3600 == 0:
            heights.append(products(GRID, action)["significant_height"][0])
    return action, np.array(heights)


def friction_velocity(speed):
    """u* [m s-1] from Wu's (1982) drag with the cap of wam3."""
    return speed * np.sqrt(min((0.8 + 0.065 * speed) * 1e-3, 2.03e-3))


@pytest.mark.parametrize("speed", [10.0, 20.0])
def test_approaches_the_fully_developed_sea(speed):
    # Komen et al. (1984) tuned the dissipation to g^2 m0 / u*^4 = 1.1e3, the limit of Pierson
    # and Moskowitz (1964).
    _, heights = grow(speed, 72)
    limit = 4 * np.sqrt(1.1e3) * friction_velocity(speed) ** 2 / G
    assert heights[-1] == pytest.approx(limit, rel=0.1)
    assert (np.diff(heights[5:]) > -1e-3).all()
    assert heights[-1] - heights[-13] < 0.05 * heights[-1]


@pytest.mark.parametrize("speed", [10.0, 20.0])
@pytest.mark.parametrize("hours", [6, 12])
def test_grows_with_duration_like_observed_seas(speed, hours):
    # Kahma and Calkoen (1992), all data, in u*: m0 g^2/u*^4 = 6.5e-4 X^0.9, omega_p u*/g = 3.08 X^-0.27, with
    # the fetch that a wave group at the peak has run: dX/dT = X^0.27 / (2 3.08), T = g t/u*.
    u = friction_velocity(speed)
    fetch = (0.73 * G * hours * 3600 / u / (2 * 3.08)) ** (1 / 0.73)
    expected = 4 * np.sqrt(6.5e-4 * fetch**0.9) * u**2 / G
    _, heights = grow(speed, hours)
    assert heights[-1] == pytest.approx(expected, rel=0.3)


@pytest.mark.parametrize("speed", [10.0, 20.0])
def test_time_step_hardly_matters(speed):
    """Heights with steps of 600 s and 1200 s are within 2 % and 5 % of those with 300 s."""
    heights = {dt: grow(speed, 24, dt=dt)[1] for dt in (300.0, 600.0, 1200.0)}
    for hour in (12, 24):
        assert heights[600.0][hour - 1] == pytest.approx(heights[300.0][hour - 1], rel=0.02)
        assert heights[1200.0][hour - 1] == pytest.approx(heights[300.0][hour - 1], rel=0.05)


@pytest.mark.parametrize("limiter", ["hersbach_janssen", "wamdi"])
def test_spectrum_is_smooth_and_symmetric(limiter):
    """The frequency spectrum has one peak; directions are symmetric about the wind."""
    towards = GRID.direction[4]
    action, _ = grow(15.0, 24, towards=towards, limiter=limiter)
    density = action[0] * GRID.sigma[:, None]
    spectrum = density.sum(axis=1)
    peak = spectrum.argmax()
    assert (np.diff(spectrum[: peak + 1]) >= 0).all()
    assert (np.diff(spectrum[peak:]) <= 0).all()
    centred = np.roll(density, -4, axis=1)
    mirrored = np.roll(centred[:, ::-1], 1, axis=1)
    assert np.allclose(centred, mirrored, rtol=1e-3, atol=1e-5 * centred.max())
    assert products(GRID, action)["mean_direction"][0] == pytest.approx(np.degrees(towards) + 180, abs=0.01)


def test_stays_stable_in_a_typhoon_with_a_long_step():
    action, heights = grow(45.0, 24, dt=1800.0)
    assert np.isfinite(action).all() and (action >= 0).all()
    assert (np.diff(heights) > 0).all() and heights[-1] < 60


def test_swell_loses_little_without_wind():
    action = jonswap(GRID, peak_frequency=0.08, alpha=0.001, gamma=3)[None].copy()
    before = products(GRID, action)["significant_height"][0]
    _, heights = grow(0.0, 24, action=action)
    assert 0.9 * before < heights[-1] < before


def test_depth_limits_the_height():
    """Waves do not exceed depth_limit times the depth, by default 0.8."""
    _, heights = grow(30.0, 24, depth=5.0, friction=0)
    assert heights.max() <= 0.8 * 5 * (1 + 1e-5)
    _, limited = grow(30.0, 24, depth=5.0, friction=0, depth_limit=0.4)
    assert limited.max() <= 0.4 * 5 * (1 + 1e-5)


def test_calm_stays_calm():
    action, heights = grow(0.0, 2)
    assert not action.any() and not heights.any()


def test_tail_falls_as_the_fifth_power():
    """Beyond the prognostic frequencies the density falls as f^-5."""
    action, _ = grow(20.0, 12)
    tail = (action[0] * GRID.sigma[:, None])[28:, 0:4]
    assert np.allclose(tail[1:] / tail[:-1], 1.1**-5, rtol=1e-4)


def step_cells(action, eastward, dt=600.0):
    """Steps the source terms of cells in a wind (cell) [m s-1]; returns the first bad cell or None."""
    n = len(action)
    depth = np.full(n, 100, np.float32)
    physics = make_physics("wam3", GRID)
    return physics.step(action, depth, wavenumbers(GRID, depth), eastward, np.zeros(n, np.float32), dt)


def test_a_cell_depends_on_itself_only():
    """Cells have the same bits together and one by one."""
    rng = np.random.default_rng(2)
    spectra = np.stack([jonswap(GRID, peak_frequency=f, alpha=0.01) for f in rng.uniform(0.06, 0.3, 12)])
    wind = rng.uniform(0, 40, 12).astype(np.float32)
    together = spectra.copy()
    step_cells(together, wind)
    for i in range(12):
        alone = spectra[i : i + 1].copy()
        step_cells(alone, wind[i : i + 1])
        assert np.array_equal(alone[0], together[i])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1e6, 1e6])
def test_the_first_bad_cell_is_reported(bad):
    action = np.repeat(jonswap(GRID, peak_frequency=0.1, alpha=0.01)[None], 5, axis=0)
    action[2, 10, 3] = bad
    action[4, 0, 0] = np.nan
    cell, height = step_cells(action, np.full(5, 10, np.float32))
    assert cell == 2
    assert not height <= 60  # or not a number


def test_wind_that_is_not_a_number_is_reported():
    wind = np.array([10, 10, np.nan], np.float32)
    for action in (
        np.zeros((3, 35, 36), np.float32),
        np.repeat(jonswap(GRID, peak_frequency=0.1, alpha=0.01)[None], 3, 0),
    ):
        assert step_cells(action, wind)[0] == 2


def test_starts_from_the_fetch_law_without_a_jump():
    """After one hour in the same wind the height is within 50 % of the fetch law's."""
    action = np.zeros((1, 35, 36), np.float32)
    set_fetch_law(action, GRID, single(0), single(15), 30000)
    start = products(GRID, action)["significant_height"][0]
    _, heights = grow(15.0, 1, action=action)
    assert heights[-1] == pytest.approx(start, rel=0.5)


def test_steps_in_pieces_are_the_same_bits():
    """A new object for each step gives the same bits: a step keeps no state besides its arguments."""
    one_object = jonswap(GRID, peak_frequency=0.12, alpha=0.012)[None].copy()
    wind = np.array([18], np.float32)
    physics, depth = make_physics("wam3", GRID), np.full(1, 100, np.float32)
    for _ in range(6):
        physics.step(one_object, depth, wavenumbers(GRID, depth), wind, wind, 600)
    new_objects = jonswap(GRID, peak_frequency=0.12, alpha=0.012)[None].copy()
    for _ in range(6):
        make_physics("wam3", GRID).step(new_objects, depth, wavenumbers(GRID, depth), wind, wind, 600)
    assert np.array_equal(one_object, new_objects)
