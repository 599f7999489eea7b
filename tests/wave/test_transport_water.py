"""Transport with currents, water level and ice."""

import numpy as np
import pytest

from halcyon import wave
from halcyon.base import InputError
from tests.support import sea_states


@pytest.fixture(scope="module")
def grid():
    return sea_states.spectral_grid(frequencies=10, first_frequency=0.05, ratio=1.15)


def gyre(model, speed):
    """A solid-body rotation around an oblique axis [m s-1], free of divergence."""
    lat, lon = model.latitude, model.longitude
    eastward = speed * (0.5 * np.cos(lat) - np.sin(lat) * np.cos(lon))
    return eastward.astype(np.float32), (speed * np.sin(lon)).astype(np.float32)


def set_random_sea(model):
    """Sets actions between 1e-6 and 1, random in the logarithm."""
    model.action[:] = 10 ** np.random.default_rng(1).uniform(-6, 0, model.action.shape)


def total(mesh, grid, action):
    """The total action [m4 s], weighted by the frequency widths."""
    return np.einsum("cfd,c,f->", action.astype(float), mesh.area_cell, np.array(grid.frequency_width))


@pytest.mark.parametrize("scheme", ["upwind", "second_order"])
def test_action_is_conserved_and_positive_with_currents(grid, scheme):
    mesh = sea_states.sphere(3)
    model = sea_states.model(mesh, grid, scheme=scheme)
    assert model.set_water(None, *gyre(model, 2.0)) == -1
    set_random_sea(model)
    model.action[:, [0, 1, 8, 9]] = 0  # so that nothing leaves the range of frequencies
    before = total(mesh, grid, model.action)
    for _ in range(20):
        model.transport(0.95 * model.cfl_limits.min())
    assert model.action.min() >= 0
    assert total(mesh, grid, model.action) == pytest.approx(before, rel=3e-6)


def test_a_current_carries_a_sea_with_it(grid):
    """An eastward current moves the mean longitude of a patch of northward waves by its distance."""
    mesh = sea_states.sphere(4)
    points = mesh.cell_points
    longitude = np.arctan2(points[:, 1], points[:, 0])
    mean_longitudes = []
    for speed in (0.0, 1.5):
        model = sea_states.model(mesh, grid, refraction=False)
        flow = (speed * np.cos(model.latitude)).astype(np.float32)
        model.set_water(None, flow, np.zeros_like(flow))
        model.action[:] = 0
        patch = np.exp(-0.5 * (np.arccos(np.clip(points[:, 0], -1, 1)) / 0.2) ** 2)
        model.action[:, :, [0, 35]] = patch[:, None, None]
        for _ in range(20):
            model.transport(4000.0)
        weights = model.action[:, 7].astype(float).sum(axis=1) * mesh.area_cell
        mean_longitudes.append(np.average(longitude, weights=weights))
    assert mean_longitudes[1] - mean_longitudes[0] == pytest.approx(sea_states.arc(1.5, 8e4), rel=0.05)


def test_a_current_shortens_the_limit(grid):
    """Stable steps with a current are shorter; the bound from its greatest speed is a lower bound."""
    mesh = sea_states.sphere(3)
    model = sea_states.model(mesh, grid)
    at_rest = model.cfl_limits
    model.set_water(None, *gyre(model, 2.0))
    assert (model.cfl_limits < at_rest).all()
    bounds = wave.cfl_limits(mesh, grid, strongest_current=3.5)
    assert (bounds < at_rest).all()
    assert (bounds <= model.cfl_limits * 1.02).all()


def test_water_at_rest_changes_nothing(grid):
    """Zero level and current have the bits of no level and current, also after a level of 1 m."""
    results = []
    for with_water in (False, True):
        model = sea_states.model(sea_states.sphere(2, 30.0), grid)
        if with_water:
            zero = np.zeros(len(model.latitude), np.float32)
            model.set_water(zero + 1, zero, zero)
            model.set_water(zero, None, None)
        set_random_sea(model)
        model.transport(1000.0)
        results.append(np.array(model.action))
    assert np.array_equal(*results)


def test_a_level_makes_the_depth(grid):
    """A level of 3 m over 10 m gives the bits of a sea of 13 m."""
    mesh = sea_states.sphere(2, 10.0)
    model, deeper = sea_states.model(mesh, grid), sea_states.model(sea_states.sphere(2, 13.0), grid)
    model.set_water(np.full(mesh.n_cells, 3.0, np.float32), None, None)
    assert model.depth == pytest.approx(13.0)
    for sea in (model, deeper):
        set_random_sea(sea)
        sea.transport(2000.0)
    assert np.array_equal(model.action, deeper.action)


def test_what_falls_dry_keeps_the_least_depth(grid):
    """A level below the bed leaves least_depth, and transport stays finite."""
    mesh = sea_states.sphere(2, 2.0)
    model = sea_states.model(mesh, grid, least_depth=0.2)
    model.set_water(np.full(mesh.n_cells, -5.0, np.float32), None, None)
    assert model.depth == pytest.approx(0.2)
    set_random_sea(model)
    model.transport(1000.0)
    assert np.isfinite(model.action).all()


def test_ice_absorbs(grid):
    """Cells with more than half ice have no waves, through transport and wind input, until the ice is
    gone."""
    mesh = sea_states.sphere(3)
    model = sea_states.model(mesh, grid)
    ice_fraction = np.where(np.abs(mesh.cell_latitude) > 1.0, 0.9, 0.4).astype(np.float32)
    model.action[:] = 1
    model.set_ice(ice_fraction)
    assert (model.action[ice_fraction > 0.5] == 0).all()
    model.transport(1000.0)
    assert (model.action[ice_fraction > 0.5] == 0).all()
    assert model.action[ice_fraction < 0.5].min() > 0
    model.set_wind(wave.ConstantWind(20.0, 0.0), 0.0)
    assert model.sources(600.0)[0] == -1
    assert (model.action[ice_fraction > 0.5] == 0).all()
    model.set_ice(None)
    model.sources(600.0)
    assert model.action[ice_fraction > 0.5].max() > 0


def test_mistakes(grid):
    """Wrong shapes raise errors; the first cell with an invalid value is returned."""
    model = sea_states.model(sea_states.sphere(2), grid)
    n = len(model.latitude)
    with pytest.raises(InputError, match=f"3 values; the model has {n} local cells"):
        model.set_water(np.zeros(3, np.float32), None, None)
    with pytest.raises(InputError, match="both components"):
        model.set_water(None, np.zeros(n, np.float32), None)
    with pytest.raises(InputError, match="owned cells"):
        model.set_ice(np.zeros(3, np.float32))
    bad = np.zeros(n, np.float32)
    bad[7] = np.nan
    assert model.set_water(bad, None, None) == 7
    assert model.set_ice(bad) == 7
