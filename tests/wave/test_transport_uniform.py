"""Invariants of transport: uniform spectra, total action, positivity; and its stability limit."""

import numpy as np
import pytest

from halcyon import wave
from halcyon.base import ConfigError
from tests.support import sea_states


@pytest.fixture(scope="module")
def grid():
    return sea_states.spectral_grid(first_frequency=0.04, ratio=1.2)


def bumpy(lat, lon):
    """Depths from 20 to 4000 m."""
    return 20 + 3980 * (0.5 + 0.5 * np.sin(3 * lon) * np.cos(2 * lat)) ** 2


def steep(lat, lon):
    """Shelves of 6 m depth next to 5000 m."""
    return np.where(np.sin(5 * lon + 3 * lat) > 0, 6.0, 5000.0)


def set_random_action(model):
    """Sets actions between 1e-6 and 1, random in the logarithm."""
    rng = np.random.default_rng(1)
    model.action[:] = 10 ** rng.uniform(-6, 0, model.action.shape)


def steps(model, n, share=0.95, mesh=None, grid=None):
    """The action after n steps of a share of the stable step."""
    dt = share * wave.cfl_limit(mesh, grid)
    for _ in range(n):
        model.transport(dt)
    return np.asarray(model.action)


def total(mesh, action):
    """The total action [m4 s2] (frequency), in double precision."""
    return (action.astype(float) * mesh.area_cell[:, None, None]).sum(axis=(0, 2))


@pytest.mark.parametrize("turning", [True, False])
def test_a_uniform_spectrum_stays_uniform(grid, turning):
    """With turning, the discrete turning cancels the discrete divergence of the directions. Without turning a
    uniform spectrum is not a solution where compass directions diverge, and it changes."""
    mesh = sea_states.sphere(4)
    model = sea_states.model(mesh, grid, great_circle=turning)
    model.action[:] = np.random.default_rng(2).uniform(0.5, 2, (1, grid.n_frequencies, 1))
    start = model.action[0].copy()
    change = np.abs(steps(model, 50, mesh=mesh, grid=grid) / start - 1).max()
    assert change < 2e-6 if turning else change > 0.1


def test_a_uniform_spectrum_over_uneven_depth_stays_positive(grid):
    mesh = sea_states.sphere(3, bumpy)
    model = sea_states.model(mesh, grid)
    model.action[:] = 1
    assert steps(model, 50, mesh=mesh, grid=grid).min() > 0


@pytest.mark.parametrize("depth", [5000.0, bumpy, steep], ids=["flat", "bumpy", "steep"])
def test_action_is_conserved_on_a_closed_sphere(grid, depth):
    mesh = sea_states.sphere(3, depth)
    model = sea_states.model(mesh, grid)
    set_random_action(model)
    before = total(mesh, model.action)
    after = steps(model, 60, mesh=mesh, grid=grid)
    assert np.abs(total(mesh, after) / before - 1).max() < 1e-6
    assert after.min() >= 0


@pytest.mark.parametrize("directions", [8, 9, 15, 31, 41, 100])
def test_any_number_of_directions(directions):
    """With few or odd numbers of directions a uniform spectrum stays uniform, and action is conserved and
    positive."""
    grid = sea_states.spectral_grid(directions=directions)
    mesh = sea_states.sphere(2)
    model = sea_states.model(mesh, grid)
    model.action[:] = 1
    assert np.abs(steps(model, 10, mesh=mesh, grid=grid) - 1).max() < 1e-6
    set_random_action(model)
    before = total(mesh, model.action)
    after = steps(model, 10, mesh=mesh, grid=grid)
    assert total(mesh, after) == pytest.approx(before, rel=1e-6)
    assert after.min() >= -1e-12


def test_what_is_not_a_number_is_carried_on(grid):
    """NaN is advected, so that the check during a run detects it."""
    mesh = sea_states.sphere(2)
    model = sea_states.model(mesh, grid)
    model.action[:] = 1
    model.action[np.searchsorted(model.owned_cells, 70), 2, :] = np.nan
    after = steps(model, 1, mesh=mesh, grid=grid)
    neighbors = mesh.cells_on_cell[mesh.cell_offsets[70] : mesh.cell_offsets[71]]
    cells = np.searchsorted(model.owned_cells, [70, *neighbors])
    assert np.isnan(after[cells, 2]).any(axis=1).all()
    assert np.isfinite(after[:, [0, 1, 3]]).all()


def test_turning_that_is_too_fast_is_implicit(grid):
    """At steep shelves waves turn by many bins per step; turning stays positive, conservative and bounded:
    with `upwind` it is implicit, with `second_order` in substeps."""
    mesh = sea_states.sphere(3, steep)
    for scheme in ("upwind", "second_order"):
        model = sea_states.model(mesh, grid, scheme=scheme)
        assert model.split_share(0.95 * wave.cfl_limit(mesh, grid)) > 0.2
        model.action[:] = 0
        model.action[:, :, 7] = 1
        before = total(mesh, model.action)
        after = steps(model, 100, mesh=mesh, grid=grid)
        assert after.min() >= 0
        assert np.isfinite(after).all()
        assert total(mesh, after) == pytest.approx(before, rel=1e-6)


def test_the_limit_keeps_spectra_positive_and_is_sharp(grid):
    """At the limit no spectrum becomes negative; one percent beyond it a spike in some cell does."""
    mesh = sea_states.sphere(3)
    model = sea_states.model(mesh, grid)
    set_random_action(model)
    assert steps(model, 60, 1.0, mesh, grid).min() >= 0
    assert lowest_after_a_spike(mesh, grid, 1.0) > -1e-6
    assert lowest_after_a_spike(mesh, grid, 1.01) < -0.005


def lowest_after_a_spike(mesh, grid, share):
    """The lowest action after one step from a spike of 1 in a cell, over all cells; one model run has spikes
    in many cells that are not neighbours."""
    model = sea_states.model(mesh, grid, great_circle=True)
    lowest = np.inf
    remaining = set(range(mesh.n_cells))
    while remaining:
        spikes, excluded = [], set()
        for cell in sorted(remaining):
            neighbors = mesh.cells_on_cell[mesh.cell_offsets[cell] : mesh.cell_offsets[cell + 1]]
            if not excluded.intersection(neighbors):
                spikes.append(cell)
                excluded.add(cell)
        remaining -= excluded
        model.action[:] = 0
        model.action[np.searchsorted(model.owned_cells, spikes)] = 1
        lowest = min(lowest, steps(model, 1, share, mesh, grid).min())
    return lowest


def test_far_beyond_the_limit_it_is_unstable(grid):
    """With 2.5 times the stable step the action becomes very negative."""
    mesh = sea_states.sphere(3)
    model = sea_states.model(mesh, grid)
    set_random_action(model)
    after = steps(model, 60, 2.5, mesh, grid)
    assert after.min() < -1e3


@pytest.mark.parametrize("dt", [0.0, -600.0, np.nan, np.inf])
def test_a_step_that_is_none_is_refused(grid, dt):
    model = sea_states.model(sea_states.sphere(2), grid)
    with pytest.raises(ConfigError, match=r"The transport step is .* s; it must be positive"):
        model.transport(dt)
