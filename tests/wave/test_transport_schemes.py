"""Transport schemes: numerical diffusion, frequency bands, swell age, halo layers."""

import numpy as np
import pytest

from halcyon import wave
from halcyon.base import ConfigError
from tests.support import sea_states

SCHEMES = ["upwind", "second_order"]


@pytest.fixture(scope="module")
def grid():
    return sea_states.spectral_grid(first_frequency=0.05, ratio=1.2)


def patch(mesh, width=0.15):
    """A Gaussian patch (cell) around 0N 0E; width [rad]."""
    return np.exp(-0.5 * (np.arccos(np.clip(mesh.cell_points[:, 0], -1, 1)) / width) ** 2)


def advected(mesh, grid, time_s, **options):
    """The action after transport of a patch of eastward waves."""
    model = sea_states.model(mesh, grid, **options)
    model.action[:] = 0
    model.action[:, :, 8:10] = patch(mesh)[:, None, None]
    limit = wave.cfl_limit(mesh, grid, **{k: v for k, v in options.items() if k != "bands"})
    n = int(np.ceil(time_s / (0.95 * limit)))
    for _ in range(n):
        model.transport(time_s / n)
    return model.action.astype(float)


def longitude_variance(mesh, action):
    """The variance of longitude [rad2], weighted by the action (cell)."""
    longitude = np.arctan2(mesh.cell_points[:, 1], mesh.cell_points[:, 0])
    weights = action * mesh.area_cell
    mean = np.average(longitude, weights=weights)
    return np.average((longitude - mean) ** 2, weights=weights)


def test_the_second_order_spreads_swell_less_than_half_as_much(grid):
    """The variance along the direction of propagation grows less than half as much as with upwind."""
    mesh = sea_states.sphere(4)
    start = longitude_variance(mesh, patch(mesh))
    spread = [
        longitude_variance(mesh, advected(mesh, grid, 2e5, scheme=scheme, swell_age=0.0)[:, 2].sum(axis=1))
        - start
        for scheme in SCHEMES
    ]
    assert 0 < spread[1] < 0.5 * spread[0]


def test_the_second_order_makes_no_new_maximum_to_speak_of(grid):
    """The maximum of 1 is exceeded by less than 1 %."""
    mesh = sea_states.sphere(4)
    action = advected(mesh, grid, 1e5, scheme="second_order", swell_age=0.0)
    assert action.min() >= 0
    assert action.max() < 1.01


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_limit_keeps_what_is_random_positive(grid, scheme):
    """With steps of `cfl_limit` random spectra stay positive to rounding."""
    mesh = sea_states.sphere(3)
    model = sea_states.model(mesh, grid, scheme=scheme)
    model.action[:] = 10 ** np.random.default_rng(1).uniform(-6, 0, model.action.shape)
    for _ in range(40):
        model.transport(wave.cfl_limit(mesh, grid, scheme=scheme))
    assert model.action.min() >= -1e-9 * model.action.max()


def test_swell_age_diffuses_across(grid):
    """Booij and Holthuijsen's diffusion: the variance across the direction grows by an additional 2 D t."""
    mesh, time_s, age = sea_states.sphere(4), 2e5, 86400.0
    latitude = mesh.cell_latitude
    variances = []
    for swell_age in (0.0, age):
        weights = advected(mesh, grid, time_s, swell_age=swell_age)[:, 0].sum(axis=1) * mesh.area_cell
        variances.append(np.average(latitude**2, weights=weights))
    speed = sea_states.deep_group_speed(grid)[0]
    expected = 2 * (speed * grid.direction_width) ** 2 * age / 12 * time_s * sea_states.arc(1, 1) ** 2
    assert variances[1] - variances[0] == pytest.approx(expected, rel=0.25)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_band_is_as_if_its_steps_were_taken_one_by_one(grid, scheme):
    """Frequencies of a band with n substeps have the bits of a model that takes n steps."""
    mesh = sea_states.sphere(3, lambda lat, lon: 20 + 300 * np.cos(2 * lon) ** 2)
    start = np.random.default_rng(3).uniform(0, 1, (mesh.n_cells, 8, 36)).astype(np.float32)
    dt = 0.9 * wave.cfl_limit(mesh, grid, scheme=scheme)
    in_bands = sea_states.model(mesh, grid, scheme=scheme, bands=[(3, 3), (3, 2), (2, 1)])
    in_bands.action[:] = start
    in_bands.transport(3 * dt)
    for frequencies, n in ((slice(0, 3), 3), (slice(3, 6), 2), (slice(6, 8), 1)):
        in_steps = sea_states.model(mesh, grid, scheme=scheme)
        in_steps.action[:] = start
        for _ in range(n):
            in_steps.transport(3 * dt / n)
        assert np.array_equal(in_bands.action[:, frequencies], in_steps.action[:, frequencies])


@pytest.mark.parametrize("bands", [[(3, 1)], [(8, 0)], [(9, 1)], [(0, 1), (8, 1)]])
def test_bands_that_are_not_the_spectrum(grid, bands):
    """Bands must cover all frequencies once, with at least one step each."""
    with pytest.raises(ConfigError, match="band"):
        sea_states.model(sea_states.sphere(2), grid, bands=bands)


def test_limits_rise_with_frequency(grid):
    """Stable steps [s] by frequency; the model's are those of the mesh."""
    limits = wave.cfl_limits(sea_states.sphere(3), grid)
    assert limits.shape == (8,)
    assert (np.diff(limits) > 0).all()
    model = sea_states.model(sea_states.sphere(3), grid)
    assert model.cfl_limits == pytest.approx(limits, rel=1e-5)


def test_an_unknown_scheme(grid):
    with pytest.raises(ConfigError, match="'upwind' or 'second_order'"):
        sea_states.model(sea_states.sphere(2), grid, scheme="quickest")


@pytest.mark.mpi
def test_too_few_halo_layers(comm, grid):
    """The default scheme needs two layers on more than one rank."""
    if comm.size == 1:
        sea_states.model(sea_states.sphere(2), grid, comm, layers=1)
    else:
        with pytest.raises(ConfigError, match="needs 2 halo layers, but there are 1"):
            sea_states.model(sea_states.sphere(2), grid, comm, layers=1)
