"""The spectral model on reduced and octahedral grids: analytic solutions, comparison with the full grid."""

import numpy as np
import pytest

from halcyon.run.start.on_grid import set_start
from halcyon.spectral import Model
from halcyon.transform import Grid
from halcyon_validation.spectral import rotated_wave
from halcyon_validation.spectral_runs import DAY_S, l2, make_model, run
from tests.spectral.models import REDUCED_GRIDS, build

on_each_grid = pytest.mark.parametrize("grid", REDUCED_GRIDS.values(), ids=REDUCED_GRIDS)


@on_each_grid
@pytest.mark.parametrize("tilt", [0.0, 0.8, np.pi / 2])
@pytest.mark.parametrize(("scheme", "step_s"), [("runge_kutta", 1200), ("semi_implicit", 1800)])
def test_a_steady_flow_stays(grid, scheme, step_s, tilt):
    """Case 2 of Williamson et al. (1992) keeps height and wind to rounding errors."""
    model = make_model(
        21, "shallow_water", "solid_rotation", options={"tilt": tilt}, scheme=scheme, grid=grid
    )
    result = run(model, 1, step_s, ["height", "eastward_wind"])
    assert result.l2("height") < 1e-13
    assert result.l2("eastward_wind") < 1e-11
    assert result.changes["mass"] < 1e-15
    assert result.changes["angular_momentum"] < 1e-13


@on_each_grid
def test_a_rossby_haurwitz_wave_turns_as_it_must(grid):
    """The only error is that of the time stepping, which is the same on the full grid."""
    errors = {}
    for kind in (grid, Grid.full(32, 64)):
        model = make_model(21, "barotropic", "rossby_haurwitz", grid=kind)
        result = run(model, 3, 900, ["vorticity"])
        exact = rotated_wave(model, result.first["vorticity"], 3 * DAY_S)
        errors[kind] = l2(model.grid, result.last["vorticity"], exact)
        assert result.changes["angular_momentum"] < 1e-14
    on_grid, on_full_grid = errors.values()
    assert on_grid == pytest.approx(on_full_grid, rel=1e-3)
    assert on_grid < 1e-9


def check_coefficients(model, reference, tolerance):
    """Checks that the coefficients after 24 steps agree to a tolerance relative to the largest one."""
    for stepped in (model, reference):
        for _ in range(24):
            stepped.step(600)
    for row in reference.restart_variables:
        difference = np.abs(model.prognostic(row.name) - reference.prognostic(row.name)).max()
        assert difference < tolerance * np.abs(reference.prognostic(row.name)).max(), row.name


@on_each_grid
@pytest.mark.parametrize("scheme", ["runge_kutta", "semi_implicit"])
def test_shallow_water_is_that_of_the_full_grid(grid, scheme):
    """Coefficients are equal up to rounding, since both grids resolve the initial state and all products."""
    case = "shallow_water", "rossby_haurwitz"
    check_coefficients(*(make_model(21, *case, scheme=scheme, grid=g) for g in (grid, None)), 1e-10)


@pytest.mark.parametrize(("name", "tolerance"), [("reduced", 1e-10), ("octahedral", 1e-2)])
def test_the_air_is_that_of_the_full_grid(name, tolerance):
    """The octahedral grid has other latitudes, so that the initial state is aliased differently."""
    check_coefficients(build("primitive", grid=REDUCED_GRIDS[name]), build("primitive"), tolerance)


def test_trouble_has_a_place_where_rows_differ():
    """`Grid.location`, which failures report, gives the positions of points on octahedral and full grids."""
    grid = Grid.octahedral(8)
    assert grid.location(0) == (0.0, pytest.approx(grid.latitude[0]))
    for point in (19, 20, 21, grid.n_points // 2, grid.n_points - 1):
        assert grid.location(point) == pytest.approx((grid.longitude[point], grid.latitude[point]))
    full = Grid.full(8, 16)
    assert full.location(17) == pytest.approx((22.5, full.latitude[1]))


def test_the_longest_rows_need_not_hold_more():
    """A linear reduced grid with the minimum number of rows is stable with diffusion."""
    model = Model("shallow_water", 21, Grid.reduced(22, 21), diffusion=(4, 36000.0))
    set_start(model, "mountain")
    for _ in range(20):
        model.step(600)
    assert np.isfinite(model.integrals()).all()
