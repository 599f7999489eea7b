"""The semi-Lagrangian semi-implicit scheme against closed forms, and against Eulerian steps."""

import numpy as np
import pytest

from halcyon import spectral
from halcyon.atmosphere.levels import interfaces
from halcyon.base import ConfigError
from halcyon.transform import Grid
from halcyon_validation.spectral_runs import advance, l2, make_model, run
from tests.spectral.models import build

SCHEME = {"scheme": "semi_lagrangian"}


@pytest.mark.parametrize("grid", [None, Grid.reduced(22, 21, points_per_wave=2), Grid.octahedral(22)])
def test_steady_flow_stays_with_steps_of_two_hours(grid):
    """Williamson's case 2: exact but for trajectories and interpolation, also on a linear grid."""
    result = run(make_model(21, "shallow_water", "solid_rotation", grid=grid, **SCHEME), 2, 7200, ["height"])
    assert result.l2("height") < 1e-5
    assert result.changes["mass"] < 1e-14


@pytest.mark.parametrize(("decentring", "least", "most"), [(0.0, 3.0, 4.2), (0.2, 1.8, 2.2)])
def test_errors_in_time_are_of_second_order(decentring, least, most):
    """Rossby-Haurwitz wave for six hours: halving the step divides its error by about four, with decentring
    by two."""
    heights = []
    for step_s in (1200, 600, 300):
        model = make_model(
            21, "shallow_water", "rossby_haurwitz", interpolation="cubic", decentring=decentring, **SCHEME
        )
        for _ in range(21600 // step_s):
            model.step(step_s)
        heights.append(model.products(["height"])["height"])
    assert least < l2(model.grid, heights[0], heights[1]) / l2(model.grid, heights[1], heights[2]) < most


def test_the_air_of_long_steps_agrees_with_eulerian_steps():
    """A baroclinic wave after two days: long semi-Lagrangian steps differ from short Eulerian ones by much
    less than the jets' wind and the wave's surface pressure."""
    levels = interfaces(10, 5000.0)
    states = {}
    for scheme, step_s in (("semi_implicit", 1200), ("semi_lagrangian", 5400)):
        model = make_model(21, "primitive", "baroclinic_wave", scheme=scheme, levels=levels)
        advance(model, 2, step_s) if step_s == 1200 else [model.step(step_s) for _ in range(32)]
        states[scheme] = model.products(["eastward_wind", "surface_pressure", "temperature"])
    ours, theirs = states["semi_lagrangian"], states["semi_implicit"]
    assert np.sqrt(np.mean((ours["eastward_wind"] - theirs["eastward_wind"]) ** 2)) < 0.5
    assert np.abs(ours["surface_pressure"] - theirs["surface_pressure"]).max() < 150
    assert np.sqrt(np.mean((ours["temperature"] - theirs["temperature"]) ** 2)) < 0.3


@pytest.mark.parametrize("name", ["lagrangian_water", "lagrangian_air"])
def test_the_mass_fixer_keeps_the_mass(name):
    fixed, free = build(name), build(name, mass_fixer=False)
    first = fixed.integrals()[0]
    for _ in range(6):
        fixed.step(3600), free.step(3600)
    assert fixed.integrals()[0] == pytest.approx(first, rel=1e-14)
    assert free.integrals()[0] != pytest.approx(first, rel=1e-9)


def test_isothermal_air_at_rest_over_a_mountain_stays_calm():
    """Isothermal air at rest over a mountain of 2 km: winds of rounding errors only."""
    model = make_model(
        21,
        "primitive",
        "resting_mountain",
        levels=interfaces(10, 5000.0),
        options={"lapse_rate": 0.0},
        **SCHEME,
    )
    for _ in range(48):
        model.step(3600)
    wind = model.products(["eastward_wind", "northward_wind"])
    assert max(np.abs(values).max() for values in wind.values()) < 1e-8


def test_a_step_that_crosses_trajectories_is_refused():
    model = build("lagrangian_air")
    longest = model.longest_step()
    assert longest > 3 * build("primitive").longest_step()
    with pytest.raises(
        ConfigError, match=r"dt is 20000 s: with the vorticity and divergence .* Give at most"
    ):
        model.step(20000.0)


@pytest.mark.parametrize(
    ("equations", "options", "text"),
    [
        ("barotropic", {}, "The equations barotropic have no semi-Lagrangian form"),
        ("shallow_water", {"interpolation": "quintic"}, "There is no interpolation 'quintic'"),
        ("shallow_water", {"decentring": -0.1}, "decentring is -0.1"),
        ("shallow_water", {"halo": "narrow"}, "There is no halo 'narrow'"),
        ("shallow_water", {"level_groups": 2}, "1 levels in 2 groups"),
    ],
)
def test_mistakes_are_named(equations, options, text):
    with pytest.raises(ConfigError, match=text):
        spectral.Model(equations, 21, Grid.full(32, 64), **SCHEME, **options)
