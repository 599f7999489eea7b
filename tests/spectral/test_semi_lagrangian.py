"""The semi-Lagrangian semi-implicit scheme against closed forms, and against Eulerian steps."""

import numpy as np
import pytest

from halcyon import spectral
from halcyon.atmosphere.levels import interfaces
from halcyon.base import ConfigError
from halcyon.physics import column_scheme
from halcyon.transform import Grid
from halcyon_validation.spectral_runs import advance, l2, make_model, run
from tests.spectral.models import LEVELS, build

SCHEME = {"scheme": "semi_lagrangian"}


@pytest.mark.parametrize("grid", [None, Grid.reduced(22, 21, points_per_wave=2), Grid.octahedral(22)])
def test_steady_flow_stays_with_steps_of_two_hours(grid):
    """Williamson's case 2: exact but for trajectories and interpolation, also on a linear grid."""
    result = run(make_model(21, "shallow_water", "solid_rotation", grid=grid, **SCHEME), 2, 7200, ["height"])
    assert result.l2("height") < 1e-5
    assert result.changes["mass"] < 1e-14


def test_steady_flow_over_the_poles_stays():
    """Williamson's case 2, tilted by one radian, with the Coriolis force of a tilted axis: errors of
    interpolation; a wrong sign of the force beyond the grid's axis makes them 1e-2."""
    options = {"tilt": 1.0}
    model = make_model(21, "shallow_water", "solid_rotation", options=options, **SCHEME)
    result = run(model, 1, 1200, ["height"])
    assert result.l2("height") < 3e-4


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
    """A strong baroclinic wave after two days: semi-Lagrangian steps of 45 minutes and Eulerian ones of 20
    minutes differ by less than half of what has changed. (Gravity waves of the start, which are slower in
    long steps, dominate the surface pressure.)"""
    levels, names, states = interfaces(10, 5000.0), ["eastward_wind", "temperature"], {}
    for scheme, step_s in (("semi_implicit", 1200), ("semi_lagrangian", 2700)):
        options = {"perturbation": 15.0}
        model = make_model(21, "primitive", "baroclinic_wave", options=options, scheme=scheme, levels=levels)
        start = model.products(names)
        advance(model, 2, step_s)
        states[scheme] = model.products(names)
    for name in names:
        change = np.sqrt(np.mean((states["semi_implicit"][name] - start[name]) ** 2))
        difference = np.sqrt(np.mean((states["semi_lagrangian"][name] - states["semi_implicit"][name]) ** 2))
        assert difference < 0.5 * change, name


def test_a_changed_step_is_extrapolated_correctly():
    """Steps that alternate between 300 s and 900 s are of second order: close to those of 600 s."""
    heights = {}
    for steps in ((600, 600), (300, 900), (100, 100)):
        model = make_model(21, "shallow_water", "rossby_haurwitz", **SCHEME)
        for _ in range(round(21600 / sum(steps))):
            for step_s in steps:
                model.step(step_s)
        heights[steps] = model.products(["height"])["height"]
    exact = heights[(100, 100)]
    even, uneven = (l2(model.grid, heights[steps], exact) for steps in ((600, 600), (300, 900)))
    assert uneven < 3 * even


@pytest.mark.parametrize("name", ["lagrangian_water", "lagrangian_air"])
def test_the_mass_fixer_keeps_the_mass(name):
    fixed, free = build(name), build(name, mass_fixer=False)
    first = fixed.integrals()[0]
    for _ in range(6):
        fixed.step(3600), free.step(3600)
    assert fixed.integrals()[0] == pytest.approx(first, rel=1e-14)
    assert free.integrals()[0] != pytest.approx(first, rel=1e-9)


def test_tracers_keep_their_mass_and_range(tmp_path):
    """A limited tracer stays within its range, a constant stays constant, and each keeps its mass; physics
    that halves a tracer in a step halves its mass."""
    tracers = ["passive_tracer", "constant_tracer"]
    model = make_model(21, "primitive", "baroclinic_wave", levels=LEVELS, tracers=tracers, **SCHEME)
    mass = dict(zip((row.name for row in model.integral_variables), model.integrals(), strict=True))
    start = model.products(tracers)["passive_tracer"]
    advance(model, 0.25, 3600)
    end, masses = model.products(tracers), model.integrals()[-2:]
    assert masses[0] == pytest.approx(mass["passive_tracer_mass"], rel=1e-14, abs=0)
    assert masses[1] == pytest.approx(mass["mass"] - mass_above(model), rel=1e-13, abs=0)
    assert end["passive_tracer"].min() >= 0 and end["passive_tracer"].max() < 1.001 * start.max()
    assert np.abs(end["passive_tracer"] - start).max() > 0.01  # it moves
    assert np.abs(end["constant_tracer"] - 1).max() < 1e-13

    scheme = tmp_path / "halving.py"
    scheme.write_text(
        "def halving(block):\n    block.tracer_tendencies[:] = -block.tracers / (2 * block.step)\n"
    )
    physics = [column_scheme(f"{scheme}:halving")]
    options = {"levels": LEVELS, "tracers": tracers, "physics": physics}
    model = make_model(21, "primitive", "baroclinic_wave", **options, **SCHEME)
    model.step(3600)
    assert model.integrals()[-2:] == pytest.approx(masses / 2, rel=1e-13, abs=0)


def mass_above(model):
    """Mass of the air above the highest level [kg]."""
    return 4 * np.pi * model.planet.radius**2 * LEVELS[0][0] / model.planet.gravity


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
