"""What transport must leave alone: uniform spectra, the sum of action, positive values; and its limit."""

import numpy as np
import pytest

from halcyon import wave
from halcyon.base import ConfigError
from tests.support import seas


@pytest.fixture(scope="module")
def grid():
    return seas.spectral_grid(first_frequency=0.04, ratio=1.2)


def bumpy(lat, lon):
    """Depths from 20 to 4000 m."""
    return 20 + 3980 * (0.5 + 0.5 * np.sin(3 * lon) * np.cos(2 * lat)) ** 2


def steep(lat, lon):
    """Shelves of 6 m beside 5000 m."""
    return np.where(np.sin(5 * lon + 3 * lat) > 0, 6.0, 5000.0)


def random_action(model):
    rng = np.random.default_rng(1)
    model.action[:] = 10 ** rng.uniform(-6, 0, model.action.shape)


def steps(model, n, share=0.95, mesh=None, grid=None):
    dt = share * wave.cfl_limit(mesh, grid)
    for _ in range(n):
        model.transport(dt)
    return np.asarray(model.action)


def total(mesh, action):
    """The action in each frequency, summed in double precision [m4 s2]."""
    return (action.astype(float) * mesh.area_cell[:, None, None]).sum(axis=(0, 2))


@pytest.mark.parametrize("turning", [True, False])
def test_a_uniform_spectrum_stays_uniform(grid, turning):
    """With turning: the discrete turning cancels the discrete divergence of the directions. Without it a
    uniform spectrum is no solution where compass directions diverge, and it shows."""
    mesh = seas.sphere(4)
    model = seas.model(mesh, grid, great_circle=turning)
    model.action[:] = np.random.default_rng(2).uniform(0.5, 2, (1, grid.n_frequencies, 1))
    start = model.action[0].copy()
    worst = np.abs(steps(model, 50, mesh=mesh, grid=grid) / start - 1).max()
    assert worst < 2e-6 if turning else worst > 0.1


def test_a_uniform_spectrum_over_uneven_depth_stays_positive(grid):
    mesh = seas.sphere(3, bumpy)
    model = seas.model(mesh, grid)
    model.action[:] = 1
    assert steps(model, 50, mesh=mesh, grid=grid).min() > 0


@pytest.mark.parametrize("depth", [5000.0, bumpy, steep], ids=["flat", "bumpy", "steep"])
def test_action_is_conserved_on_a_closed_sphere(grid, depth):
    mesh = seas.sphere(3, depth)
    model = seas.model(mesh, grid)
    random_action(model)
    before = total(mesh, model.action)
    after = steps(model, 60, mesh=mesh, grid=grid)
    assert np.abs(total(mesh, after) / before - 1).max() < 1e-6
    assert after.min() >= 0


@pytest.mark.parametrize("directions", [8, 9, 15, 31, 41, 100])
def test_any_number_of_directions(directions):
    grid = seas.spectral_grid(directions=directions)
    mesh = seas.sphere(2)
    model = seas.model(mesh, grid)
    model.action[:] = 1
    assert np.abs(steps(model, 10, mesh=mesh, grid=grid) - 1).max() < 1e-6
    random_action(model)
    before = total(mesh, model.action)
    after = steps(model, 10, mesh=mesh, grid=grid)
    assert total(mesh, after) == pytest.approx(before, rel=1e-6)
    assert after.min() >= -1e-12


def test_what_is_not_a_number_is_carried_on(grid):
    """So that the check of a run finds it."""
    mesh = seas.sphere(2)
    model = seas.model(mesh, grid)
    model.action[:] = 1
    model.action[np.searchsorted(model.owned_cells, 70), 2, :] = np.nan
    after = steps(model, 1, mesh=mesh, grid=grid)
    near = mesh.cells_on_cell[mesh.cell_offsets[70] : mesh.cell_offsets[71]]
    cells = np.searchsorted(model.owned_cells, [70, *near])
    assert np.isnan(after[cells, 2]).any(axis=1).all()
    assert np.isfinite(after[:, [0, 1, 3]]).all()


def test_turning_that_is_too_fast_is_implicit(grid):
    """Over steep shelves turning crosses many bins in a step; it stays positive, conserving and bounded."""
    mesh = seas.sphere(3, steep)
    model = seas.model(mesh, grid)
    assert model.implicit_share(0.95 * wave.cfl_limit(mesh, grid)) > 0.2
    model.action[:] = 0
    model.action[:, :, 7] = 1
    before = total(mesh, model.action)
    after = steps(model, 100, mesh=mesh, grid=grid)
    assert after.min() >= 0
    assert np.isfinite(after).all()
    assert total(mesh, after) == pytest.approx(before, rel=1e-6)


def test_the_limit_keeps_spectra_positive_and_is_sharp(grid):
    """At the limit no spectrum turns negative; a hundredth beyond it a spike in some cell does."""
    mesh = seas.sphere(3)
    model = seas.model(mesh, grid)
    random_action(model)
    assert steps(model, 60, 1.0, mesh, grid).min() >= 0
    assert lowest_after_a_spike(mesh, grid, 1.0) > -1e-6
    assert lowest_after_a_spike(mesh, grid, 1.01) < -0.005


def lowest_after_a_spike(mesh, grid, share):
    """The lowest action after a step from cells that hold 1 each and do not touch, over several choices."""
    model = seas.model(mesh, grid, great_circle=True)
    lowest = np.inf
    left = set(range(mesh.n_cells))
    while left:
        spikes, taken = [], set()
        for cell in sorted(left):
            near = mesh.cells_on_cell[mesh.cell_offsets[cell] : mesh.cell_offsets[cell + 1]]
            if not taken.intersection(near):
                spikes.append(cell)
                taken.add(cell)
        left -= taken
        model.action[:] = 0
        model.action[np.searchsorted(model.owned_cells, spikes)] = 1
        lowest = min(lowest, steps(model, 1, share, mesh, grid).min())
    return lowest


def test_far_beyond_the_limit_it_is_unstable(grid):
    mesh = seas.sphere(3)
    model = seas.model(mesh, grid)
    random_action(model)
    after = steps(model, 60, 2.5, mesh, grid)
    assert after.min() < -1e3


@pytest.mark.parametrize("dt", [0.0, -600.0, np.nan, np.inf])
def test_a_step_that_is_none_is_refused(grid, dt):
    model = seas.model(seas.sphere(2), grid)
    with pytest.raises(ConfigError, match=r"A step of transport takes .* s; it must be positive"):
        model.transport(dt)
