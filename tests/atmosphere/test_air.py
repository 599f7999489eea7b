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
    both,
    change,
    columns,
    max_wind,
)
from tests.support import meshes


@both
def test_rest_on_flat_ground_stays(equations):
    core = atmosphere_states.core(meshes.globe(3), equations, **AT_REST)
    before = {name: core.prognostic(name).copy() for name in ("surface_pressure", "potential_temperature")}
    advanced(core, DAY_S, 1200)
    assert max_wind(core) < 1e-10
    assert abs(core.products(["upward_wind"])["upward_wind"]).max() < 1e-9
    for name, values in before.items():
        assert abs(core.prognostic(name) / values - 1).max() < 1e-12


@both
def test_rest_over_a_mountain_is_nearly_kept(equations):
    """DCMIP-2012 test 2-0, two days: much smaller error than without the reference atmosphere."""

    def after(reference):
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

    found = after(True)
    assert found < 0.02
    assert found < 0.1 * after(False)


@both
def test_mass_is_kept(equations):
    core = atmosphere_states.core(meshes.globe(3), equations, start="baroclinic_wave")
    before = core.integrals()
    advanced(core, 10 * DAY_S, 1200)
    assert abs(change(core, before)[0]) < 1e-13


@both
@pytest.mark.parametrize("monotone", [True, False])
def test_tracers_are_kept_for_ten_days(equations, monotone):
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
    before = core.integrals()[1]
    return advanced(core, duration_s, step_s).integrals()[1] / before - 1


@both
def test_energy_is_kept_by_all_but_the_steps(equations):
    """With steps of 1 s, after some minutes. Without keep_energy the interface values of theta change
    energy."""
    found = []
    for is_conserving in (True, False):
        core = core_with_wave(equations, keep_energy=is_conserving)
        advanced(core, 2400, 300)
        found.append(abs(energy_change(core, 40, 1)))
    assert found[0] < 1e-12 < 1e-11 < found[1]


def test_energy_is_kept_to_the_order_of_the_steps():
    """At least second order, the order of the scheme for nonlinear terms (Wicker and Skamarock 2002)."""
    found = [
        abs(energy_change(core_with_wave("hydrostatic", keep_energy=True), DAY_S / 2, step_s))
        for step_s in (1200, 300)
    ]
    assert 1e-10 < found[1] < 1e-9
    assert found[0] / found[1] > 10


@both
def test_energy_hardly_changes_as_it_stands(equations):
    core = atmosphere_states.core(meshes.globe(3), equations, start="baroclinic_wave")
    before = core.integrals()
    assert abs(change(advanced(core, DAY_S, 1200), before)[1]) < 1e-6


@both
def test_one_potential_temperature_stays(equations):
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


@both
def test_air_over_hills_is_carried_as_its_levels_are(equations):
    """If potential temperature is a linear function of pressure, it varies along terrain-following levels.
    Fluxes of a higher order than the mass fluxes would heat the air spuriously: nonhydrostatic waves over
    ridges, which decay upwards, were a third too large."""
    a, b = interfaces(10, 5000.0, spacing="pressure", kind="sigma")
    found = []
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
        found.append(core.prognostic("potential_temperature") - before)
    second, third = found
    assert abs(second).max() > 1e-5
    assert abs(third - second).max() < 1e-3 * abs(second).max()


@pytest.mark.parametrize("levels", [{"spacing": "stretched"}, {"spacing": "pressure"}, {"spacing": "height"}])
@both
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
    found = [
        advanced(
            atmosphere_states.core(meshes.globe(3), each, start="baroclinic_wave"), 2 * DAY_S, 1200
        ).products(["surface_pressure", "eastward_wind"])
        for each in atmosphere_states.EQUATION_SETS
    ]
    pressure, wind = (abs(found[1][name] - found[0][name]).max() for name in found[0])
    assert 0 < pressure < 1.0
    assert 0 < wind < 0.01


@both
def test_32_bits_follow_64(equations):
    cores = [
        atmosphere_states.core(meshes.globe(3), equations, start="baroclinic_wave", single=single)
        for single in (False, True)
    ]
    wide, narrow = (
        advanced(core, DAY_S, 1200).products(["eastward_wind"])["eastward_wind"] for core in cores
    )
    assert 0 < abs(narrow - wide).max() < 0.1


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
