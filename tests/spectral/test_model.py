"""The spectral model: analytic solutions, conservation, checks of the state."""

import numpy as np
import pytest

from halcyon import spectral
from halcyon.atmosphere.levels import interfaces
from halcyon.base import ConfigError, InputError, RunError
from halcyon.run.start.on_grid import grid_coordinates, set_start
from halcyon.transform import Grid, Transform
from halcyon_validation.spectral_runs import advance, l2, make_model, run

LEVELS = interfaces(8, 2000.0)


def air(start="baroclinic_wave", **options):
    """A T21 model of the primitive equations, by default with semi-implicit steps."""
    options = {"scheme": "semi_implicit", "levels": LEVELS, **options}
    return make_model(21, "primitive", start, **options)


def norm_of_change(model, name, before):
    """The relative l2 norm of the change of a product since `before`."""
    return l2(model.grid, model.products([name])[name], before)


@pytest.mark.parametrize("tilt", [0.0, 0.3, np.pi / 2])
@pytest.mark.parametrize(("scheme", "step_s"), [("runge_kutta", 1200), ("semi_implicit", 1800)])
def test_a_steady_flow_stays_whatever_the_axis(scheme, step_s, tilt):
    """Case 2 of Williamson et al. (1992) keeps height and wind to rounding errors, for any axis of
    rotation."""
    model = make_model(21, "shallow_water", "solid_rotation", options={"tilt": tilt}, scheme=scheme)
    result = run(model, 1, step_s, ["height", "eastward_wind"])
    assert result.l2("height") < 1e-13
    assert result.l2("eastward_wind") < 1e-11
    assert result.changes["mass"] < 1e-15
    assert result.changes["angular_momentum"] < 1e-14


def test_tendencies_of_a_steady_flow_are_those_of_rounding():
    """One step of 900 s changes the height of case 2 of Williamson et al. (1992) by rounding errors only."""
    model = make_model(21, "shallow_water", "solid_rotation")
    before = model.products(["height"])["height"]
    model.step(900)
    assert norm_of_change(model, "height", before) < 1e-14


@pytest.mark.parametrize("equations", ["barotropic", "shallow_water"])
def test_mass_energy_and_angular_momentum_are_kept(equations):
    """In two days of a Rossby-Haurwitz wave, which moves, the integrals change by 1e-8 at most."""
    result = run(make_model(21, equations, "rossby_haurwitz"), 2, 600, ["vorticity"])
    changes = result.changes
    assert changes["angular_momentum"] < (1e-13 if equations == "barotropic" else 1e-8)
    assert changes["energy"] < 1e-8
    assert changes.get("mass", 0.0) < 1e-15
    assert result.l2("vorticity") > 0.05  # it moves


def test_shallow_water_agrees_between_the_schemes():
    """After a day heights of both schemes differ by less than 3 % of their change."""
    runs = [
        run(make_model(21, "shallow_water", "mountain", scheme=scheme), 1, step_s, ["height"])
        for scheme, step_s in (("runge_kutta", 600), ("semi_implicit", 200))
    ]
    explicit, semi_implicit = (result.last["height"] for result in runs)
    difference, change = np.abs(explicit - semi_implicit), np.abs(explicit - runs[0].first["height"])
    assert difference.mean() < 0.03 * change.mean()


def test_a_flat_surface_over_a_mountain_stays_flat():
    """Water at rest stays at rest over orography."""
    model = spectral.Model("shallow_water", 21, Grid.full(32, 64))
    lon, lat = grid_coordinates(model.grid)
    orography = 2000 * np.exp(-(((lat - 0.5) / 0.3) ** 2)) * (1 + np.cos(lon))
    zero = np.zeros_like(lon)
    model.set(east=zero, north=zero, ground=orography, surface=zero + 6000)
    for _ in range(20):
        model.step(600)
    result = model.products(["height", "eastward_wind"])
    assert np.abs(result["height"] - 6000).max() < 1e-9
    assert np.abs(result["eastward_wind"]).max() < 1e-10
    assert model.ground.max() > 3000


@pytest.mark.parametrize("scheme", ["runge_kutta", "semi_implicit"])
def test_a_gravity_wave_has_its_frequency(scheme):
    """omega^2 = n (n + 1)/a^2 g H of a small wave in a fluid of depth H at rest on a non-rotating sphere of
    radius a, n being the total wavenumber."""
    n, depth, planet = 6, 1000.0, spectral.Planet(rotation=0.0)
    model = spectral.Model("shallow_water", 21, Grid.full(32, 64), planet=planet, scheme=scheme)
    lon, lat = grid_coordinates(model.grid)
    wave = 0.01 * np.cos(n * lon) * np.cos(lat) ** n
    zero = np.zeros_like(lon)
    model.set(east=zero, north=zero, ground=zero, surface=depth + wave)
    omega = np.sqrt(n * (n + 1) * planet.gravity * depth) / planet.radius
    steps = 200
    for _ in range(steps):
        model.step(np.pi / omega / steps)  # half a period: the wave is upside down
    height = model.products(["height"])["height"] - depth
    assert l2(model.grid, height, -wave) < (1e-4 if scheme == "runge_kutta" else 5e-3)


@pytest.mark.parametrize("start", ["baroclinic_wave", "resting_mountain"])
def test_air_in_balance_stays(start):
    """In a day winds change by less than 1.5 m/s and surface pressure by less than 60 Pa."""
    options = {"perturbation": 0} if start == "baroclinic_wave" else {"height": 500.0}
    model = air(start, options=options)
    before = model.products(["eastward_wind", "surface_pressure"])
    initial = model.integrals()
    advance(model, 1, 1800)
    result = model.products(["eastward_wind", "surface_pressure"])
    assert np.abs(result["eastward_wind"] - before["eastward_wind"]).max() < 1.5
    assert np.abs(result["surface_pressure"] - before["surface_pressure"]).max() < 60
    change = np.abs(model.integrals() / initial - 1)
    assert change[0] < 1e-7
    assert change[1] < 1e-6


def test_the_vertical_scheme_keeps_energy_and_angular_momentum():
    """Short Runge-Kutta steps isolate the error of the spatial discretization (Simmons and Burridge 1981)."""
    model = air(scheme="runge_kutta")
    initial = model.integrals()
    for _ in range(40):
        model.step(60)
    mass, energy, _, momentum = np.abs(model.integrals() / initial - 1)
    assert mass < 1e-10
    assert energy < 1e-10
    assert momentum < 1e-9


def test_the_semi_implicit_step_agrees_with_short_explicit_ones():
    semi_implicit, explicit = air(), air(scheme="runge_kutta")
    advance(semi_implicit, 0.25, 300)
    advance(explicit, 0.25, 100)
    name = "temperature"
    difference = semi_implicit.products([name])[name] - explicit.products([name])[name]
    assert np.abs(difference).max() < 0.05


def test_a_resting_isothermal_atmosphere_has_the_heights_of_its_pressures():
    """Heights are R T / g ln(ps / p)."""
    model = spectral.Model("primitive", 10, Grid.full(16, 32), levels=LEVELS, scheme="semi_implicit")
    n, temperature = model.grid.n_points, 280.0
    zero = np.zeros((8, n))
    model.set(
        east=zero, north=zero, temperature=zero + temperature, ground=np.zeros(n), surface=np.full(n, 1e5)
    )
    result = model.products(["pressure", "geopotential_height"])
    exact = 287.0 * temperature / model.planet.gravity * np.log(1e5 / result["pressure"])
    np.testing.assert_allclose(result["geopotential_height"], exact, rtol=1e-12)
    np.testing.assert_allclose(result["pressure"][0], spectral.level_pressures(*LEVELS, 1e5), rtol=1e-13)


def test_the_forcing_of_held_and_suarez():
    """The tendency of air at rest is the forcing of the paper."""
    model = air("held_suarez", options={"perturbation": 0}, scheme="runge_kutta", held_suarez=True)
    _, lat = grid_coordinates(model.grid)
    before = model.products(["temperature", "pressure"])
    model.step(10)
    warmed = (model.products(["temperature"])["temperature"] - before["temperature"]) / 10
    p, day = before["pressure"], 86400.0
    sine2 = np.sin(lat)[:, None] ** 2
    ratio = p / 1e5
    equilibrium = (315 - 60 * sine2 - 10 * np.log(ratio) * (1 - sine2)) * ratio ** (287 / 1004.5)
    rate = 1 / (40 * day) + (1 / 4 - 1 / 40) / day * np.maximum(0, (ratio - 0.7) / 0.3) * (1 - sine2) ** 2
    exact = -rate * (300 - np.maximum(200, equilibrium))
    transform = Transform(model.grid, 21)
    truncated = transform.synthesis(transform.analysis(exact.T.reshape(-1, *model.grid.shape)))
    np.testing.assert_allclose(warmed.T, truncated.reshape(8, -1), atol=2e-3 * np.abs(exact).max())


def test_hyperdiffusion_takes_the_shortest_waves_and_leaves_rotation():
    """A step multiplies coefficients of total wavenumber n by 1 / (1 + dt/tau (n (n + 1) / (N (N +
    1)))^2), N = 10 being the truncation."""
    model = spectral.Model("barotropic", 10, Grid.full(16, 32), diffusion=(4, 3600.0))
    transform = Transform(model.grid, 10)
    coefficients = np.where((transform.wavenumbers == 0), 1e-6, 0.0) * (transform.degrees > 0)
    u, v = transform.winds(coefficients.astype(complex), 0j * coefficients)
    model.set(east=u, north=v)
    before = model.prognostic("vorticity_coefficients")[:, 0].copy()
    model.step(36.0)
    after = model.prognostic("vorticity_coefficients")[:, 0]
    ratio = after[1:11] / before[1:11]
    assert abs(ratio[0] - 1) < 1e-9  # n = 1
    assert ratio[9] == pytest.approx(1 / 1.01, rel=1e-6)
    assert ratio[4] == pytest.approx(1 / (1 + 0.01 * (28 / 108) ** 2), rel=1e-6)


def test_what_is_not_finite_is_named():
    """The error, or without check the failure, names variable and point."""
    model = make_model(21, "shallow_water", "mountain")
    model.prognostic("vorticity_coefficients")[5] = np.nan
    with pytest.raises(
        RunError, match=r"vorticity is nan at 0\.00 E \S+ N after 0 steps: the state is invalid"
    ):
        model.step(100)
    model.step(100, check=False)
    assert model.failure.point == 0
    assert model.failure.variable == "vorticity"
    assert model.failure.step == 0


def test_a_step_that_is_too_long_is_named():
    model = make_model(21, "shallow_water", "mountain")
    longest = model.longest_step()
    model.step(0.99 * longest)
    model.products([])
    assert model.failure.point < 0
    with pytest.raises(
        ConfigError, match=r"dt is \S+ s: with winds and waves at .* above 1\. Give at most \S+ s\.$"
    ):
        model.step(1.2 * longest)
    assert model.failure.point < 0
    model.step(1.2 * longest, check=False)
    model.products([])
    assert (model.failure.variable, model.failure.step) == ("courant_number", 1)
    assert 1 < model.failure.value < 1.5


@pytest.mark.parametrize(
    ("equations", "scheme"), [("shallow_water", "runge_kutta"), ("primitive", "semi_implicit")]
)
def test_the_longest_step_is_stable(equations, scheme):
    start = {"shallow_water": "barotropic_jet", "primitive": "baroclinic_wave"}[equations]
    options = {"levels": LEVELS} if equations == "primitive" else {}
    model = make_model(21, equations, start, scheme=scheme, **options)
    step_s = 0.9 * model.longest_step()
    for _ in range(60):
        model.step(step_s)
    assert np.isfinite(model.integrals()).all()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"truncation": 4.5}, "truncation is 4.5. Give a whole number"),
        ({"grid": 16}, "grid is 16. Give a Grid"),
        ({"planet": "Mars"}, "planet is 'Mars'. Give a Planet"),
        ({"filter": -1}, "filter is -1. Give a number from 0 to 1"),
        ({"filter": None}, "filter is None. Give a number"),
        ({"filter_share": 0.4}, "filter_share is 0.4. Give a number from 0.5 to 1"),
        ({"diffusion": 3600}, "diffusion is 3600. Give order and time"),
        ({"diffusion": (3, 3600)}, "order of diffusion is 3. Give 2, 4, 6 or 8"),
        ({"diffusion": (4, 0)}, "time of diffusion is 0 s. Give more than 0 s"),
        ({"diffusion": (4, np.nan)}, "time of diffusion is nan s. Give more than 0 s"),
        ({"memory": -1}, "memory of -1 bytes was given. Give 0 or more"),
        ({"memory": "lots"}, "memory is 'lots'. Give a whole number"),
        ({"held_suarez": "yes"}, "held_suarez is 'yes'. Give True or False"),
        ({"levels": 20}, r"levels is 20. Give \(a, b\)"),
        ({"levels": ([0.0], [1.0])}, "levels have 1 coefficients a and 1 b"),
        ({"levels": ([100, 0, 0], [0, 1])}, "levels have 3 coefficients a and 2 b"),
        pytest.param(
            {"levels": ([0, 0], [0, 1])},
            "interface 0 is at 0 Pa, below 0 Pa",
            id="options16-put interface 0 at 0 Pa, under 0 Pa",
        ),
        pytest.param(
            {"levels": ([100, 0, 0], [0, 1, 0.5])},
            "interface 2 is at 50000 Pa, below 100000 Pa",
            id="options17-put interface 2 at 50000 Pa, under 100000 Pa",
        ),
        ({"levels": ([100, 50, 0], [0, 0.5, 0.98])}, "end with a = 0 Pa, b = 0.98. Give b = 0 at the top"),
        ({"levels": ([100, "x"], [0, 1])}, "levels is 'x'. Give a number"),
    ],
)
def test_options_that_cannot_be(options, text):
    all_options = {"truncation": 5, "grid": Grid.full(8), "levels": ([100.0, 0.0], [0.0, 1.0])} | options
    with pytest.raises(ConfigError, match=text):
        spectral.Model("primitive", **all_options)


def test_mistakes_have_one_clear_error():
    grid = Grid.full(16, 32)
    with pytest.raises(ConfigError, match="There are no equations 'deep'"):
        spectral.Model("deep", 10, grid)
    with pytest.raises(ConfigError, match="There is no scheme 'euler'"):
        spectral.Model("barotropic", 10, grid, scheme="euler")
    with pytest.raises(ConfigError, match="Only the primitive equations have levels, and they need levels"):
        spectral.Model("primitive", 10, grid)
    with pytest.raises(ConfigError, match="cannot hold T20"):
        spectral.Model("barotropic", 20, grid)
    model = spectral.Model("shallow_water", 10, grid)
    with pytest.raises(InputError, match=r"east has 3 values. Give 512 finite values: \(point\)"):
        model.set(east=np.zeros(3))
    calm, broken = np.zeros(512), np.zeros(512)
    broken[7] = np.nan
    with pytest.raises(InputError, match=r"surface is nan at \S+ E \S+ N\. Give finite values"):
        model.set(east=calm, north=calm, ground=calm, surface=broken)
    with pytest.raises(ConfigError, match=r"name of a field is 'rain'. Give one of east, north, ground"):
        model.set(east=calm, north=calm, ground=calm, surface=calm, rain=calm)
    with pytest.raises(ConfigError, match=r"axis is \(0, 0, 2\). Give three numbers of length 1"):
        model.set(east=calm, north=calm, ground=calm, surface=calm, axis=(0, 0, 2))
    for step in (0, -60, np.nan, "long"):
        with pytest.raises(ConfigError, match=f"dt is '?{step}"):
            model.step(step)
    for speed in (-1, np.inf, "fast"):
        with pytest.raises(ConfigError, match=f"least_speed is '?{speed}"):
            model.longest_step(speed)
    with pytest.raises(ConfigError, match=r"held_suarez needs the primitive equations and levels"):
        spectral.Model("barotropic", 10, grid, held_suarez=True)
    for planet in ({"radius": -1}, {"gravity": 0}, {"rotation": np.nan}):
        with pytest.raises(
            ConfigError, match=r"planet has a radius of .* Give a radius and a gravity above 0"
        ):
            spectral.Model("barotropic", 10, grid, planet=spectral.Planet(**planet))
    with pytest.raises(ConfigError, match=r"name is 3. Give one of the names"):
        model.prognostic(3)
    for table in (spectral.variables_of, spectral.integral_variables_of):
        with pytest.raises(ConfigError, match=r"equations is 'deep'. Give one of barotropic"):
            table("deep")
    with pytest.raises(ConfigError, match=r"a is \(3,\) and b \(2,\). Give one a and one b"):
        spectral.level_pressures([0, 1, 2], [0, 1], 1e5)
    with pytest.raises(InputError, match="between nan and nan Pa where the surface pressure is nan Pa"):
        spectral.level_pressures([2e4, 0], [0, 1], [1e5, np.nan])
    with pytest.raises(
        InputError, match=r"Level 0 is between 20000 and 10000 Pa where .* is 10000 Pa\. Give"
    ):
        spectral.level_pressures([2e4, 0], [0, 1], 1e4)
    with pytest.raises(ConfigError, match="'rain' is not a restart variable"):
        model.prognostic("rain")
    with pytest.raises(ConfigError, match=r"no product 'rain' of these equations\. There are: .*thickness"):
        model.products(["rain"])
    with pytest.raises(ConfigError, match="calm"):
        set_start(model, "calm")


def test_a_scheme_that_does_nothing():
    """Semi-implicit steps are refused for equations without gravity waves."""
    with pytest.raises(ConfigError, match="scheme semi_implicit has no effect on the barotropic equations"):
        spectral.Model("barotropic", 5, Grid.full(16), scheme="semi_implicit")
