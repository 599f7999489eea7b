"""The semi-Lagrangian semi-implicit scheme against closed forms, and against Eulerian steps."""

from types import SimpleNamespace

import numpy as np
import pytest

from halcyon import spectral
from halcyon.atmosphere.levels import interfaces
from halcyon.base import ConfigError, RunError
from halcyon.physics import column_scheme
from halcyon.spectral.fitness import require_complete_step
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


def test_tracers_have_free_names():
    """A tracer of any name is an output variable; a name that is there twice is refused."""
    settings = {"levels": LEVELS, **SCHEME}
    model = spectral.Model("primitive", 21, Grid.full(32, 64), tracers=["dust"], **settings)
    shape = (model.n_levels, len(model.points))
    dust = np.random.default_rng(1).random(shape)
    model.set(
        east=np.zeros(shape), north=np.zeros(shape), temperature=np.full(shape, 280.0), tracers=dust,
        ground=np.zeros(shape[1]), surface=np.full(shape[1], 1e5),
    )  # fmt: skip
    assert np.array_equal(model.products(["dust"])["dust"], dust.T)
    assert [row.name for row in model.restart_variables if "dust" in row.name] == ["dust_values"]
    for tracers, moist in ((["dust", "dust"], False), (["water_vapour"], True)):
        with pytest.raises(ConfigError, match=f"The tracer '{tracers[0]}' is there twice"):
            spectral.Model("primitive", 21, model.grid, tracers=tracers, moist=moist, **settings)


def test_moist_air_without_water_is_dry_air():
    """Bit by bit, with and without the tracers of water."""
    dry, moist = (
        make_model(21, "primitive", "baroclinic_wave", levels=LEVELS, moist=moist, **SCHEME)
        for moist in (False, True)
    )
    for model in (dry, moist):
        model.step(3600), model.step(3600)
    names = [row.name for row in dry.variables if row.output and row.name != "topography"]
    assert moist.products(["virtual_temperature"])["virtual_temperature"].max() > 250
    for name, values in dry.products(names).items():
        assert np.array_equal(values, moist.products([name])[name]), name


def test_the_weight_of_vapour_balances_jets():
    """Jets that are balanced with the virtual temperature stay, as in dry air with this temperature, which is
    up to 3 K above that of the moist air."""
    options = {"levels": interfaces(10, 5000.0), "options": {"perturbation": 0.0}}
    changes = []
    for moist in (False, True):
        model = make_model(21, "primitive", "moist_baroclinic_wave", moist=moist, **options, **SCHEME)
        start = model.products(["eastward_wind"])["eastward_wind"]
        advance(model, 1, 3600)
        changes.append(np.abs(model.products(["eastward_wind"])["eastward_wind"] - start).max())
    assert changes[1] == pytest.approx(changes[0], rel=0.02) and changes[1] < 1


def test_budgets_of_moist_air_close():
    """Evaporation and rain change the mass of water and of the air; the dry air keeps its mass, a constant
    tracer its value, and the latent heat is that of the vapour that is gone."""
    model = build("moist_air")
    names = [row.name for row in model.integral_variables]
    first, last = None, None
    for _ in range(12):
        last = dict(zip(names, model.integrals(), strict=True))
        first = first or last
        model.step(3600)
    gain = last["evaporation_mass"] - last["precipitation_mass"]
    vapour = last["evaporation_mass"] - last["latent_heat_energy"] / 2.5e6
    water = first["water_mass"]
    assert last["evaporation_mass"] > 1e-3 * water and last["latent_heat_energy"] > 0
    assert last["water_mass"] - water == pytest.approx(gain, abs=1e-13 * water)
    assert last["water_vapour_mass"] - water == pytest.approx(vapour, abs=1e-13 * water)
    assert last["dry_air_mass"] == pytest.approx(first["dry_air_mass"], rel=1e-14)
    assert last["mass"] == pytest.approx(last["dry_air_mass"] + last["water_mass"], rel=1e-14)
    assert np.abs(model.products(["constant_tracer"])["constant_tracer"] - 1).max() < 1e-13


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


@pytest.mark.parametrize(
    ("equations", "start", "more"),
    [("shallow_water", "rossby_haurwitz", {}), ("primitive", "baroclinic_wave", {"levels": LEVELS})],
)
@pytest.mark.parametrize("grid", [None, Grid.reduced(22, 21, points_per_wave=2)])
def test_gcr_on_the_grid_has_the_solution_of_the_direct_solver(equations, start, more, grid):
    """The differences after six steps are in proportion to the tolerance, also on a linear grid, and smaller
    tolerances take more iterations, each with one allreduce."""
    winds, iterations = [], []
    for options in ({}, *({"solver": "gcr", "tolerance": tolerance} for tolerance in (1e-5, 1e-11))):
        model = make_model(21, equations, start, grid=grid, **more, **options, **SCHEME)
        for _ in range(6):
            model.step(3600)
        winds.append(model.products(["eastward_wind"])["eastward_wind"])
        costs = model.solver_costs
        iterations.append(costs.n_iterations)
        assert costs.n_allreduces == costs.n_iterations + 2 * costs.n_solutions
    assert 1e-7 < np.abs(winds[1] - winds[0]).max() < 1e-2
    assert np.abs(winds[2] - winds[0]).max() < 1e-8
    assert iterations[0] == 0 and 4 * 6 <= iterations[1] < iterations[2] <= 12 * 6


def test_gcr_makes_all_of_the_coriolis_force_implicit():
    """Steady flow around a tilted axis for ten days with steps of 1.7 hours: with the direct solver, which
    extrapolates the force beyond the axis of the grid, inertial oscillations grow until a step is refused."""
    options = {"options": {"tilt": 1.5}, **SCHEME}
    model = make_model(21, "shallow_water", "solid_rotation", solver="gcr", **options)
    assert run(model, 10, 6171.428571428572, ["height"]).l2("height") < 1e-3
    with pytest.raises(ConfigError, match="Give at most"):
        run(make_model(21, "shallow_water", "solid_rotation", **options), 10, 6171.428571428572, ["height"])


def test_a_solver_that_does_not_converge_is_an_error():
    """Permitted steps converge but for rounding, so that the failure of the core is made here."""
    failure = SimpleNamespace(variable="implicit_gravity_waves", value=2e-9, point=-1, step=4)
    text = r"did not converge in step 5: the relative residual is 2.0e-09\. .* or raise the tolerance"
    with pytest.raises(RunError, match=text):
        require_complete_step(failure)


def test_checked_steps_and_new_states_forget_earlier_failures():
    """After a step of ten years, with which the solver does not converge."""
    model = spectral.Model("shallow_water", 21, Grid.full(32, 64), solver="gcr", **SCHEME)
    n = len(model.points)
    start = {"east": np.full(n, 1e-6), "north": np.zeros(n), "ground": np.zeros(n)}
    start["surface"] = np.full(n, 5000.0)
    for forget in (lambda: model.step(60.0), lambda: model.set(**start)):
        model.set(**start)
        model.step(3e8, check=False)
        assert not model.solver_costs.has_converged and model.failure.variable == "deformation_number"
        forget()
        assert model.failure.variable == ""


@pytest.mark.parametrize("tolerance", [1e-8, 1e-12])
def test_gcr_converges_with_the_longest_step_and_most_decentring(tolerance):
    options = {"solver": "gcr", "tolerance": tolerance, "decentring": 1.0, **SCHEME}
    model = make_model(21, "shallow_water", "solid_rotation", **options)
    model.step(model.longest_step())
    assert model.solver_costs.has_converged and model.failure.variable == ""


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
        ("shallow_water", {"solver": "multigrid"}, "There is no solver 'multigrid'. Use direct or gcr"),
        ("shallow_water", {"solver": "gcr", "tolerance": 0.1}, "tolerance is 0.1. Give a number from 1e-12"),
        ("shallow_water", {"tolerance": 1e-6}, "tolerance does nothing with the solver direct"),
    ],
)
def test_mistakes_are_named(equations, options, text):
    with pytest.raises(ConfigError, match=text):
        spectral.Model(equations, 21, Grid.full(32, 64), **SCHEME, **options)
