"""Hydrostatic and nonhydrostatic cores: analytic solutions and conservation."""

import numpy as np
import pytest

from halcyon import atmosphere
from halcyon.atmosphere.levels import interfaces
from tests.atmosphere import atmosphere_states
from tests.atmosphere.atmosphere_states import (
    AIR,
    AT_REST,
    DAY_S,
    PLANET,
    SMOOTH_MOUNTAINS,
    advanced,
    change,
    columns,
    each_equation_set,
    max_wind,
)
from tests.support import meshes


@each_equation_set
def test_rest_on_flat_ground_stays(equations):
    """Isothermal air without orography keeps its state to rounding for a day."""
    core = atmosphere_states.core(meshes.globe(3), equations, **AT_REST)
    before = {name: core.prognostic(name).copy() for name in ("surface_pressure", "potential_temperature")}
    advanced(core, DAY_S, 1200)
    assert max_wind(core) < 1e-10
    assert abs(core.products(["upward_wind"])["upward_wind"]).max() < 1e-9
    for name, values in before.items():
        assert abs(core.prognostic(name) / values - 1).max() < 1e-12


@each_equation_set
def test_rest_over_a_mountain_is_nearly_kept(equations):
    """DCMIP-2012 test 2-0, two days: much smaller error than without the reference atmosphere."""

    def wind_after_two_days(reference):
        core = atmosphere_states.core(
            meshes.globe(3),
            equations,
            start="resting_mountain",
            top=20544.0,
            count=10,
            levels={"spacing": "height"},
            reference=reference,
        )
        return max_wind(advanced(core, 2 * DAY_S, 1200))

    wind = wind_after_two_days(True)
    assert wind < 0.02
    assert wind < 0.1 * wind_after_two_days(False)


@pytest.mark.parametrize("lapse_rate", [0.0, 0.003])
@each_equation_set
def test_rest_is_kept_with_any_lapse_rate(equations, lapse_rate):
    """The reference atmosphere is fitted to the air: wind stays below 1e-3 m/s for two days (with the
    profile of 6.4 K/km it reaches .08 m/s in hydrostatic air of 3 K/km, .17 m/s in isothermal air)."""
    core = atmosphere_states.core(
        meshes.globe(3), equations, start="resting_mountain", top=20544.0, count=10,
        levels={"spacing": "height"}, options={"lapse_rate": lapse_rate},
    )  # fmt: skip
    assert max_wind(advanced(core, 2 * DAY_S, 1200)) < 1e-3


def test_the_reference_temperature_is_that_of_the_air():
    """T_r(ln p) of isothermal air, and of air with 6.5 K/km; it can be set, and is 0 if it is not used."""

    def reference(lapse_rate, **air):
        core = atmosphere_states.core(
            meshes.globe(2), "hydrostatic", start="resting_mountain", top=20544.0, count=10,
            options={"lapse_rate": lapse_rate}, **air,
        )  # fmt: skip
        core.set_reference_temperature(core.reference_temperature)
        return np.array(core.reference_temperature)

    assert reference(0.0) == pytest.approx([300, 0, 0, 0, 0], abs=1e-6)
    x = np.log(np.array([0.3, 0.5, 0.9]))
    expected = 300 * np.exp(AIR.gas_constant * 0.0065 / PLANET.gravity * x)
    assert np.polynomial.polynomial.polyval(x, reference(0.0065)) == pytest.approx(expected, abs=0.05)
    assert not reference(0.0065, reference=False).any()


@each_equation_set
def test_mass_is_kept(equations):
    """Mass changes by rounding errors only in ten days of the baroclinic wave."""
    core = atmosphere_states.core(meshes.globe(3), equations, start="baroclinic_wave")
    before = core.integrals()
    advanced(core, 10 * DAY_S, 1200)
    assert abs(change(core, before)[0]) < 1e-13


@each_equation_set
@pytest.mark.parametrize("monotone", [True, False])
def test_tracers_are_kept_for_ten_days(equations, monotone):
    """Integrals of tracers are constant; a constant tracer stays constant, another varies."""
    core = atmosphere_states.core(
        meshes.globe(2), equations, start="baroclinic_wave", top=219.4, layers=3,
        scheme={"monotone": monotone}, tracers=["passive_tracer", "constant_tracer"],
    )  # fmt: skip
    before = core.integrals()
    advanced(core, 10 * DAY_S, 2400)
    changes = change(core, before)
    assert abs(changes[0]) < 1e-13
    assert abs(changes[-2:]).max() < 1e-12
    assert abs(core.prognostic("constant_tracer") - 1).max() < 1e-13
    assert np.ptp(core.prognostic("passive_tracer")) > 1e-3


def core_with_wave(equations, **air):
    """A core with a 1000 Pa wave and the options that allow energy conservation."""
    mesh = meshes.globe(3)
    core = atmosphere_states.core(
        mesh,
        equations,
        start="resting_mountain",
        scheme={"vertex_energy": 0.0},
        off_centring=0.5,
        **air,
    )
    wave = np.sin(mesh.cell_longitude) * np.cos(mesh.cell_latitude)
    core.prognostic("surface_pressure")[:] *= 1 + 0.01 * wave
    return core


def energy_change(core, duration_s, step_s):
    """Relative change of total energy over a duration."""
    before = core.integrals()[1]
    return advanced(core, duration_s, step_s).integrals()[1] / before - 1


@each_equation_set
def test_energy_is_kept_by_all_but_the_steps(equations):
    """With keep_energy, energy changes only by the errors of time steps, which are small for steps of 1 s.
    Without keep_energy the values of theta at interfaces change energy."""
    changes = []
    for is_conserving in (True, False):
        core = core_with_wave(equations, keep_energy=is_conserving)
        advanced(core, 2400, 300)
        changes.append(abs(energy_change(core, 40, 1)))
    assert changes[0] < 1e-12 < 1e-11 < changes[1]


def test_energy_is_kept_to_the_order_of_the_steps():
    """At least second order, the order of the scheme for nonlinear terms (Wicker and Skamarock 2002)."""
    changes = [
        abs(energy_change(core_with_wave("hydrostatic", keep_energy=True), DAY_S / 2, step_s))
        for step_s in (1200, 300)
    ]
    assert 1e-10 < changes[1] < 1e-9
    assert changes[0] / changes[1] > 10


@each_equation_set
def test_energy_hardly_changes_as_it_stands(equations):
    """With default options energy changes by less than 1e-6 in a day of the baroclinic wave."""
    core = atmosphere_states.core(meshes.globe(3), equations, start="baroclinic_wave")
    before = core.integrals()
    assert abs(change(advanced(core, DAY_S, 1200), before)[1]) < 1e-6


@each_equation_set
def test_one_potential_temperature_stays(equations):
    """A uniform potential temperature stays uniform to rounding while the flow changes."""
    a, b = interfaces(8, 5000.0)
    core = atmosphere_states.core(meshes.globe(3), equations, start="baroclinic_wave")
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


@each_equation_set
def test_air_over_hills_is_carried_as_its_levels_are(equations):
    """Potential temperature that is linear in pressure varies along terrain-following levels. Its fluxes of
    third order must then equal those of second order, the order of the mass fluxes, or the air over ridges
    would be heated spuriously."""
    a, b = interfaces(10, 5000.0, spacing="pressure", kind="sigma")
    changes = []
    for order in (2, 3):
        core = atmosphere_states.core(
            meshes.globe(3),
            equations,
            start="mountain_waves",
            options=SMOOTH_MOUNTAINS | {"height": 2000.0},
            count=10,
            levels={"spacing": "pressure", "kind": "sigma"},
            scheme={"transport_order": order},
            planet=atmosphere.Planet(rotation=0.0),
        )
        theta = core.prognostic("potential_temperature")
        theta[:] = 500 - 0.002 * columns(core, a, b)[0]
        before = theta.copy()
        advanced(core, 1.0, 1.0)
        changes.append(core.prognostic("potential_temperature") - before)
    second, third = changes
    assert abs(second).max() > 1e-5
    assert abs(third - second).max() < 1e-3 * abs(second).max()


@pytest.mark.parametrize("levels", [{"spacing": "stretched"}, {"spacing": "pressure"}, {"spacing": "height"}])
@each_equation_set
def test_layers_however_thick_are_stable(equations, levels):
    """Steady flow (Jablonowski and Williamson 2006), top at 219 Pa, ten layers: interface values of theta
    outside the range of the adjacent layers would amplify small waves by a factor of 100."""
    core = atmosphere_states.core(
        meshes.globe(3),
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
    """After two days of the baroclinic wave both sets of equations agree to 1 Pa and 0.01 m/s."""
    results = [
        advanced(
            atmosphere_states.core(meshes.globe(3), equations, start="baroclinic_wave"), 2 * DAY_S, 1200
        ).products(["surface_pressure", "eastward_wind"])
        for equations in atmosphere_states.EQUATION_SETS
    ]
    pressure, wind = (abs(results[1][name] - results[0][name]).max() for name in results[0])
    assert 0 < pressure < 1.0
    assert 0 < wind < 0.01


@each_equation_set
def test_32_bits_follow_64(equations):
    """After a day in single precision the wind differs by less than 0.1 m/s."""
    cores = [
        atmosphere_states.core(meshes.globe(3), equations, start="baroclinic_wave", single=single)
        for single in (False, True)
    ]
    double, single = (
        advanced(core, DAY_S, 1200).products(["eastward_wind"])["eastward_wind"] for core in cores
    )
    assert 0 < abs(single - double).max() < 0.1


def test_pressure_velocity_is_that_of_the_flow():
    """omega = dp/dt + u grad(p) of hydrostatic pressure at layer midpoints, and w = -omega / (rho g)."""
    mesh = meshes.globe(3)
    a, b = interfaces(8, 5000.0)
    core = atmosphere_states.core(mesh, "hydrostatic", start="baroclinic_wave")
    surface, wind = core.prognostic("surface_pressure"), core.prognostic("normal_wind")
    surface[:] *= 1 + 0.01 * np.sin(mesh.cell_longitude) * np.cos(mesh.cell_latitude)
    pressure, mass, _ = columns(core, a, b)

    first, second = mesh.cells_on_edge.T
    flux = wind * (mass[first] + mass[second]) / 2 * mesh.dv_edge[:, None]
    pressure_advection = flux * (pressure[second] - pressure[first]) / 2
    outflow, advection = np.zeros_like(mass), np.zeros_like(mass)
    for cells, sign in ((first, 1), (second, -1)):
        np.add.at(outflow, cells, sign * flux)
        np.add.at(advection, cells, pressure_advection)
    area = (mesh.area_cell * PLANET.radius)[:, None]
    expected = (advection / mass - outflow.cumsum(axis=1) + outflow / 2) / area
    result = core.products(["pressure_velocity", "upward_wind", "temperature"])
    assert abs(result["pressure_velocity"] - expected).max() < 1e-10 * abs(expected).max()
    density = pressure / (AIR.gas_constant * result["temperature"])
    upward = -expected / (density * PLANET.gravity)
    assert abs(result["upward_wind"] - upward).max() < 1e-10 * abs(upward).max()
