"""The air, hydrostatic and not, against closed forms and what it must conserve; guards."""

import numpy as np
import pytest

import airs
import globes
from halcyon import atmosphere
from halcyon.atmosphere.levels import interfaces
from halcyon.base import ConfigError

DAY_S = 86400
AIR = atmosphere.Air()
PLANET = atmosphere.Planet()
CALM = {"start": "held_suarez", "options": {"perturbation": 0}}  # of one temperature, at rest
HILLS = {"half_width": 3e6, "wavelength": 3e6}  # below a wind of 20 m/s
CLOSED = {"anticipation": 0.0, "vertex_energy": 0.0}

both = pytest.mark.parametrize("equations", airs.SETS)


def advanced(core, duration_s, step_s):
    for _ in range(round(duration_s / step_s)):
        core.step(step_s)
    assert core.trouble.cell == -1
    return core


def change(core, before):
    """Of the integrals, over what they were."""
    return (core.integrals() - before) / abs(before)


def fastest(core):
    return max(abs(values).max() for values in core.products(["eastward_wind", "northward_wind"]).values())


def columns(core, a, b):
    """Pressure of layers, their mass and Exner function (cell, level) of the present surface pressure."""
    at = a + b * core.prognostic("surface_pressure")[:, None]
    layer = (at[:, 1:] + at[:, :-1]) / 2
    return layer, np.diff(at, axis=1), (layer / AIR.reference_pressure) ** AIR.kappa


@both
def test_rest_on_flat_ground_stays(equations):
    core = airs.core(globes.globe(3), equations, **CALM)
    before = {name: core.prognostic(name).copy() for name in ("surface_pressure", "potential_temperature")}
    advanced(core, DAY_S, 1200)
    assert fastest(core) < 1e-10
    assert abs(core.products(["upward_wind"])["upward_wind"]).max() < 1e-9
    for name, values in before.items():
        assert abs(core.prognostic(name) / values - 1).max() < 1e-12


@both
def test_rest_over_a_mountain_is_nearly_kept(equations):
    """DCMIP-2012, test 2-0, two days: much better than by the pressure's plain gradient."""

    def after(reference):
        core = airs.core(
            globes.globe(3),
            equations,
            start="resting_mountain",
            top=20544.0,
            count=10,
            levels={"spacing": "height"},
            reference=reference,
        )
        return fastest(advanced(core, 2 * DAY_S, 1200))

    found = after(True)
    assert found < 0.02
    assert found < 0.1 * after(False)


@both
def test_mass_is_kept(equations):
    core = airs.core(globes.globe(3), equations, start="baroclinic_wave")
    before = core.integrals()
    advanced(core, 10 * DAY_S, 1200)
    assert abs(change(core, before)[0]) < 1e-13


@both
@pytest.mark.parametrize("monotone", [True, False])
def test_tracers_are_kept_for_ten_days(equations, monotone):
    core = airs.core(
        globes.globe(2), equations, start="baroclinic_wave", top=219.4, layers=3,
        scheme={"monotone": monotone}, tracers=["passive_tracer", "constant_tracer"],
    )  # fmt: skip
    before = core.integrals()
    advanced(core, 10 * DAY_S, 2400)
    changes = change(core, before)
    assert abs(changes[0]) < 1e-13
    assert abs(changes[-2:]).max() < 1e-12
    assert abs(core.prognostic("constant_tracer") - 1).max() < 1e-13
    assert np.ptp(core.prognostic("passive_tracer")) > 1e-3


def waves_over_a_mountain(equations, **air):
    """1000 Pa, in the scheme that can keep energy."""
    mesh = globes.globe(3)
    core = airs.core(
        mesh,
        equations,
        start="resting_mountain",
        scheme=CLOSED | {"transport_order": 2},
        reference=False,
        off_centring=0.5,
        **air,
    )
    wave = np.sin(mesh.cell_longitude) * np.cos(mesh.cell_latitude)
    core.prognostic("surface_pressure")[:] *= 1 + 0.01 * wave
    return core


def energy_change(core, duration_s, step_s):
    before = core.integrals()[1]
    return advanced(core, duration_s, step_s).integrals()[1] / before - 1


@both
def test_energy_is_kept_by_all_but_the_steps(equations):
    """Steps of a second, after some minutes; means of heat between layers change it."""
    found = []
    for kept in (True, False):
        core = waves_over_a_mountain(equations, keep_energy=kept)
        advanced(core, 2400, 300)
        found.append(abs(energy_change(core, 40, 1)))
    assert found[0] < 1e-12 < 1e-11 < found[1]


def test_energy_is_kept_to_the_order_of_the_steps():
    """The second that the scheme has where it is not linear (Wicker and Skamarock 2002), or more."""
    found = [
        abs(energy_change(waves_over_a_mountain("hydrostatic", keep_energy=True), DAY_S / 2, step_s))
        for step_s in (1200, 300)
    ]
    assert 1e-10 < found[1] < 1e-9
    assert found[0] / found[1] > 10


@pytest.mark.parametrize("ways", [{}, {"reference": False}, {"scheme": {"transport_order": 2}}])
def test_what_cannot_keep_energy_is_refused(ways):
    with pytest.raises(ConfigError, match="keep_energy needs reference = false and transport_order = 2"):
        airs.core(globes.globe(2), "hydrostatic", start="baroclinic_wave", keep_energy=True, **ways)


@both
def test_energy_hardly_changes_as_it_stands(equations):
    core = airs.core(globes.globe(3), equations, start="baroclinic_wave")
    before = core.integrals()
    assert abs(change(advanced(core, DAY_S, 1200), before)[1]) < 1e-6


@both
def test_one_potential_temperature_stays(equations):
    a, b = interfaces(8, 5000.0)
    core = airs.core(globes.globe(3), equations, start="baroclinic_wave")
    core.prognostic("potential_temperature")[:] = 300.0
    if equations == "nonhydrostatic":
        layer, mass, exner = columns(core, a, b)
        height = core.prognostic("geopotential_at_interfaces")
        thickness = AIR.gas_constant * 300.0 * exner * mass / layer
        height[:, :-1] = height[:, -1:] + thickness[:, ::-1].cumsum(axis=1)[:, ::-1]
    for _ in range(20):
        core.step(600.0)
    assert np.ptp(core.prognostic("surface_pressure")) > 10
    assert abs(core.prognostic("potential_temperature") / 300 - 1).max() < 1e-13


@both
def test_air_over_hills_is_carried_as_its_levels_are(equations):
    """Where potential temperature is a linear function of pressure, it differs along levels because they
    follow the ground. Fluxes of a higher order than those of mass would heat the air there: nonhydrostatic
    waves over ridges, which fade upwards, were a third too large."""
    a, b = interfaces(10, 5000.0, spacing="pressure", kind="sigma")
    found = []
    for order in (2, 3):
        core = airs.core(
            globes.globe(3),
            equations,
            start="mountain_waves",
            options=HILLS | {"height": 2000.0},
            count=10,
            levels={"spacing": "pressure", "kind": "sigma"},
            scheme={"transport_order": order},
            planet=atmosphere.Planet(rotation=0.0),
        )
        heat = core.prognostic("potential_temperature")
        heat[:] = 500 - 0.002 * columns(core, a, b)[0]
        before = heat.copy()
        advanced(core, 1.0, 1.0)
        found.append(core.prognostic("potential_temperature") - before)
    second, third = found
    assert abs(second).max() > 1e-5
    assert abs(third - second).max() < 1e-3 * abs(second).max()


@pytest.mark.parametrize("levels", [{"spacing": "stretched"}, {"spacing": "pressure"}, {"spacing": "height"}])
@both
def test_layers_however_thick_are_stable(equations, levels):
    """Steady flow (Jablonowski and Williamson 2006) below 219 Pa in ten layers: upwind fluxes of heat that
    pass the layers beside an interface would amplify the least waves a hundred times."""
    core = airs.core(
        globes.globe(3),
        equations,
        start="baroclinic_wave",
        options={"perturbation": 0},
        top=219.4,
        count=10,
        levels=levels,
    )
    advanced(core, 4 * DAY_S, 900)
    vertical = abs(core.products(["upward_wind"])["upward_wind"]).max()
    assert vertical < 0.04


def test_sets_agree_at_large_scales():
    found = [
        advanced(airs.core(globes.globe(3), each, start="baroclinic_wave"), 2 * DAY_S, 1200).products(
            ["surface_pressure", "eastward_wind"]
        )
        for each in airs.SETS
    ]
    pressure, wind = (abs(found[1][name] - found[0][name]).max() for name in found[0])
    assert 0 < pressure < 1.0
    assert 0 < wind < 0.01


def lowest_mode(top):
    """Of a column of one temperature between the ground and a surface of pressure: nu and the frequency.

    phi'' = (g^2 gamma / R T) d/dp (p^2 dphi'/dp), phi' = 0 at the ground, dphi'/dp = 0 at the top: p^(-1/2)
    sin(nu ln(ps/p)) with tan(nu X) = -2 nu, X = ln(ps/p_top), omega^2 = (g^2 gamma / R T) (nu^2 + 1/4)."""
    depth = np.log(AIR.reference_pressure / top)
    low, high = 0.5 * np.pi / depth + 1e-9, np.pi / depth
    for _ in range(60):
        nu = (low + high) / 2
        low, high = (nu, high) if np.tan(nu * depth) + 2 * nu < 0 else (low, nu)
    gamma = AIR.heat_capacity / (AIR.heat_capacity - AIR.gas_constant)
    return nu, PLANET.gravity * np.sqrt(gamma / (AIR.gas_constant * 300) * (nu**2 + 0.25))


def oscillation(off_centring, **ways):
    """Vertical wind (step, interface) of a resting column that was set going in its lowest mode, and that
    mode; a step is a fortieth of its period."""
    nu, frequency = lowest_mode(5000.0)
    a, b = interfaces(40, 5000.0, spacing="height")
    ways |= {"count": 40, "levels": {"spacing": "height"}, "off_centring": off_centring}
    core = airs.core(globes.globe(1), "nonhydrostatic", **CALM, **ways)
    pressure = a + b * AIR.reference_pressure
    mode = (pressure / AIR.reference_pressure) ** -0.5 * np.sin(
        nu * np.log(AIR.reference_pressure / pressure)
    )
    wind = core.prognostic("upward_wind_at_interfaces")
    wind[:] = 0.001 * mode
    step_s = 2 * np.pi / frequency / 40
    found = [wind[0].copy()]
    for _ in range(200):
        core.step(step_s)
        assert np.ptp(wind, axis=0).max() < 1e-12
        found.append(wind[0].copy())
    return np.array(found), mode


def test_a_column_rings_in_its_lowest_mode():
    found, mode = oscillation(0.5)
    phase = 2 * np.pi * np.arange(len(found)) / 40
    amplitude = found @ mode / (mode @ mode)
    assert np.corrcoef(amplitude, np.cos(phase))[0, 1] > 0.99
    turn = np.angle((amplitude[160:200] * np.exp(-1j * phase[160:200])).sum())
    assert abs(turn) < 0.02 * 2 * np.pi * 4.5  # its period to 2 %, after 4 to 5 of them
    assert np.ptp(amplitude[160:]) > 0.9 * np.ptp(amplitude[:40])
    rest = found - amplitude[:, None] * mode
    assert abs(rest).max() < 0.05 * abs(found).max()


def test_off_centring_and_sponge_bring_a_column_to_rest():
    def left(*args, **ways):
        found = oscillation(*args, **ways)[0]
        return np.ptp(found[-40:]) / np.ptp(found[:40])

    centred, off, damped = left(0.5), left(0.55), left(0.5, sponge_pressure=3e4, sponge_rate=0.005)
    assert centred == pytest.approx(1, abs=0.01)
    assert off == pytest.approx(np.exp(-0.05 * (2 * np.pi / 40) ** 2 * 160), rel=0.02)  # of 160 steps
    assert damped < 0.6


def held_suarez_rates(mesh, pressure, surface, temperature):
    """dT/dt [K s-1] and k_v [s-1] (cell, level) of Held and Suarez (1994), as printed."""
    phi, share = mesh.cell_latitude[:, None], pressure / 1e5
    equilibrium = (315 - 60 * np.sin(phi) ** 2 - 10 * np.log(share) * np.cos(phi) ** 2) * share**AIR.kappa
    aloft = np.maximum(0, (pressure / surface - 0.7) / 0.3)
    cooling = 1 / 40 + (1 / 4 - 1 / 40) * aloft * np.cos(phi) ** 4
    return -cooling / DAY_S * (temperature - np.maximum(200, equilibrium)), aloft / DAY_S


@both
def test_held_suarez_heats_as_printed(equations):
    mesh = globes.globe(3)
    a, b = interfaces(8, 5000.0)
    core = airs.core(mesh, equations, **CALM, held_suarez=True)
    pressure, _, exner = columns(core, a, b)
    before = core.prognostic("potential_temperature").copy()
    rate, _ = held_suarez_rates(mesh, pressure, 1e5, before * exner)
    core.step(1.0)
    found = (core.prognostic("potential_temperature") - before) * exner
    assert abs(found - rate).max() < 1e-3 * abs(rate).max()


@both
def test_held_suarez_rubs_as_printed(equations):
    a, b = interfaces(8, 5000.0)
    mesh = globes.globe(3)
    winds = []
    for held_suarez in (False, True):
        core = airs.core(mesh, equations, start="baroclinic_wave", held_suarez=held_suarez)
        before = core.prognostic("normal_wind").copy()
        core.step(1.0)
        winds.append(core.prognostic("normal_wind").copy())
    pressure = ((a + b * 1e5)[1:] + (a + b * 1e5)[:-1]) / 2
    expected = -np.maximum(0, (pressure / 1e5 - 0.7) / 0.3) / DAY_S * before
    assert abs(winds[1] - winds[0] - expected).max() < 2e-3 * abs(expected).max()


@both
def test_a_sponge_brings_the_wind_back(equations):
    a, b = interfaces(8, 5000.0)
    pressure = ((a + b * 1e5)[1:] + (a + b * 1e5)[:-1]) / 2
    winds = []
    for sponge in ({}, {"sponge_pressure": 3e4, "sponge_rate": 1e-3}):
        core = airs.core(globes.globe(3), equations, start="baroclinic_wave", **sponge)
        core.prognostic("normal_wind")[:] += 1.0
        core.step(1.0)
        winds.append(core.prognostic("normal_wind").copy())
    depth = np.clip(np.log(3e4 / pressure) / np.log(3e4 / 5000), 0, None)
    found = (winds[1] - winds[0]).mean(axis=0)
    assert found == pytest.approx(-1e-3 * np.sin(np.pi / 2 * depth) ** 2, rel=5e-3, abs=1e-9)


@both
def test_32_bits_follow_64(equations):
    cores = [
        airs.core(globes.globe(3), equations, start="baroclinic_wave", single=single)
        for single in (False, True)
    ]
    wide, narrow = (
        advanced(core, DAY_S, 1200).products(["eastward_wind"])["eastward_wind"] for core in cores
    )
    assert 0 < abs(narrow - wide).max() < 0.1


@both
def test_the_longest_step_is_stable_and_much_longer_ones_are_not(equations):
    def spread(factor):
        core = airs.core(globes.globe(3), equations, start="baroclinic_wave")
        step_s = factor * core.longest_step()
        for _ in range(150):
            core.step(step_s)
        return np.ptp(core.products(["surface_pressure"])["surface_pressure"])

    assert spread(1.0) < 1000
    assert not spread(2.0) < 1000


@both
@pytest.mark.parametrize(
    ("start", "ground", "most"), [("resting_mountain", {}, 0.03), ("mountain_waves", HILLS, 90)]
)
def test_thin_layers_over_steep_ground_bear_automatic_steps(equations, start, ground, most):
    """Ground of 8 km from cell to cell under layers of 85 m: a step takes air at the slope through much of a
    layer's depth, where the pressure of the equation of state is far from linear in it."""
    planet = atmosphere.Planet(rotation=0.0)
    options = ground | {"height": 8000.0}
    core = airs.core(
        globes.globe(2), equations, start=start, options=options, count=60, top=219.4, planet=planet
    )
    assert core.ground.max() > 2500
    step_s = 0.9 * core.longest_step()
    assert step_s > 2500
    assert fastest(advanced(core, DAY_S, step_s)) < most


@both
def test_a_new_start_forgets_the_trouble_of_the_last(equations):
    core = airs.core(globes.globe(2), equations, start="baroclinic_wave", top=219.4)
    core.step(20 * core.longest_step())
    core.integrals()
    assert core.trouble.cell != -1
    core.set("baroclinic_wave", {})
    core.integrals()
    assert core.trouble.cell == -1


@both
def test_the_level_of_a_wind_that_is_too_fast_is_named(equations):
    core = airs.core(globes.globe(2), equations, start="baroclinic_wave", top=219.4)
    step_s = 0.99 * core.longest_step()
    core.prognostic("normal_wind")[:, 5] *= 40
    core.step(step_s)
    assert (core.trouble.variable, core.trouble.level) == ("courant_number", 5)


@both
def test_a_tracer_that_is_no_number_is_found(equations):
    core = airs.core(
        globes.globe(2), equations, start="baroclinic_wave", layers=3, tracers=["constant_tracer"]
    )
    core.prognostic("constant_tracer")[17, 3] = np.nan
    core.integrals()
    assert (core.trouble.variable, core.trouble.cell, core.trouble.level) == ("constant_tracer", 17, 3)


@both
def test_a_step_that_is_too_long_is_found(equations):
    core = airs.core(globes.globe(3), equations, start="baroclinic_wave", top=219.4)
    core.step(0.99 * core.longest_step())
    assert core.trouble.cell == -1
    core.step(1.2 * core.longest_step())
    assert core.trouble.variable == "courant_number"
    assert 1 < core.trouble.value < 1.21
    assert core.trouble.step == 1


@pytest.mark.parametrize(
    ("state", "value", "level"),
    [
        ("surface_pressure", 4000.0, 7),
        ("surface_pressure", np.nan, 7),
        ("potential_temperature", -1.0, 3),
        ("potential_temperature", np.nan, 5),
        ("normal_wind", np.inf, 2),
        ("upward_wind_at_interfaces", np.nan, 4),
        ("geopotential_at_interfaces", np.inf, 0),
        ("geopotential_at_interfaces", 0.0, 3),
    ],
)
@both
def test_a_bad_number_is_found_where_it_is(equations, state, value, level):
    mesh = globes.globe(3)
    core = airs.core(mesh, equations, start="baroclinic_wave")
    if state not in {row.name for row in core.variables}:
        pytest.skip("hydrostatic air does not hold it")
    core.step(600.0)
    item = cell = 17
    if state == "normal_wind":
        item = mesh.edges_on_cell[mesh.cell_offsets[cell]]
        cell = min(mesh.cells_on_edge[item])
    values = core.prognostic(state)
    values[(item,) if state == "surface_pressure" else (item, level)] = value
    core.step(600.0)
    found = core.trouble
    assert (found.variable, found.cell, found.level, found.step) == (state, cell, level, 1)
    assert found.value == value or not np.isfinite(found.value)


def test_layers_that_cross_are_found_where_they_are():
    core = airs.core(globes.globe(2), "hydrostatic", start="baroclinic_wave", top=219.4)
    core.prognostic("surface_pressure")[5] = 1000.0
    core.step(600.0)
    a, b = interfaces(8, 219.4)
    first = int(np.argmax(np.diff(a + b * 1000.0) <= 0))
    found = core.trouble
    assert 0 < first < 7
    assert (found.variable, found.cell, found.level) == ("surface_pressure", 5, first)


@both
def test_currents_through_interfaces_that_are_too_fast_are_found(equations):
    """The lower half of a cell is blown apart, so that the air above comes down."""
    mesh, cell, outward_speed, apart = globes.globe(3), 40, 20.0, slice(150, 200)
    core = airs.core(mesh, equations, **CALM, count=200, levels={"spacing": "height"})
    edges = mesh.edges_on_cell[mesh.cell_offsets[cell] : mesh.cell_offsets[cell + 1]]
    signs = np.where(mesh.cells_on_edge[edges, 0] == cell, 1.0, -1.0)
    core.prognostic("normal_wind")[edges, apart] = outward_speed * signs[:, None]

    a, b = interfaces(200, 5000.0, spacing="height")
    mass = np.diff(a + b * AIR.reference_pressure)
    rate = outward_speed * mesh.dv_edge[edges].sum() / (mesh.area_cell[cell] * PLANET.radius)
    outflow = np.where(np.arange(200) >= apart.start, rate * mass, 0.0)
    down = b * outflow.sum() - np.append(0, outflow.cumsum())
    passing = np.maximum(abs(down[:-1]), abs(down[1:])) / mass
    longest_s = 1.6 / passing.max()
    assert longest_s < 900  # and sound would let it be 1300
    assert core.longest_step() == pytest.approx(longest_s, rel=1e-6)
    core.step(0.999 * longest_s)
    assert core.trouble.cell == -1

    core = airs.core(mesh, equations, **CALM, count=200, levels={"spacing": "height"})
    core.prognostic("normal_wind")[edges, apart] = outward_speed * signs[:, None]
    core.step(1.1 * longest_s)
    found = core.trouble
    assert (found.variable, found.cell, found.step) == ("vertical_courant_number", cell, 0)
    assert found.level == passing.argmax()
    assert found.value == pytest.approx(1.1, rel=1e-6)


@both
def test_a_sponge_that_is_faster_than_a_step_only_damps(equations):
    core = airs.core(
        globes.globe(3), equations, start="baroclinic_wave", sponge_pressure=3e4, sponge_rate=1.0
    )
    before = core.prognostic("normal_wind")[:, 0].copy()
    advanced(core, DAY_S / 4, 1200)
    assert abs(core.prognostic("normal_wind")[:, 0] - before).max() < 0.1


def test_pressure_velocity_is_that_of_the_flow():
    """omega = dp/dt + u grad(p) of hydrostatic pressure in the middle of layers, and w = -omega / rho g."""
    mesh = globes.globe(3)
    a, b = interfaces(8, 5000.0)
    core = airs.core(mesh, "hydrostatic", start="baroclinic_wave")
    surface, wind = core.prognostic("surface_pressure"), core.prognostic("normal_wind")
    surface[:] *= 1 + 0.01 * np.sin(mesh.cell_longitude) * np.cos(mesh.cell_latitude)
    pressure, mass, _ = columns(core, a, b)

    first, second = mesh.cells_on_edge.T
    flux = wind * (mass[first] + mass[second]) / 2 * mesh.dv_edge[:, None]
    along = flux * (pressure[second] - pressure[first]) / 2
    outflow, gain = np.zeros_like(mass), np.zeros_like(mass)
    for cells, sign in ((first, 1), (second, -1)):
        np.add.at(outflow, cells, sign * flux)
        np.add.at(gain, cells, along)
    area = (mesh.area_cell * PLANET.radius)[:, None]
    expected = (gain / mass - outflow.cumsum(axis=1) + outflow / 2) / area
    found = core.products(["pressure_velocity", "upward_wind", "temperature"])
    assert abs(found["pressure_velocity"] - expected).max() < 1e-10 * abs(expected).max()
    density = pressure / (AIR.gas_constant * found["temperature"])
    upward = -expected / (density * PLANET.gravity)
    assert abs(found["upward_wind"] - upward).max() < 1e-10 * abs(upward).max()
