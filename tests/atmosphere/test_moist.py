"""Moist air: water in the density and the weight of the air."""

from datetime import datetime

import numpy as np
import pytest

from halcyon.atmosphere import WATER_TRACERS
from halcyon.atmosphere.levels import interfaces
from halcyon.base import InputError
from halcyon.physics import ColumnScheme
from halcyon.physics.python_scheme import make_scheme
from halcyon.run.start.air import air_state
from halcyon.run.start.source import open_source
from halcyon.run.start.target import TargetMesh
from tests.atmosphere import atmosphere_states
from tests.atmosphere.atmosphere_states import AIR, PLANET, advanced, each_equation_set
from tests.atmosphere.test_start_tracers import DEEP, write_humid_air
from tests.support import meshes, reanalyses, sea_states

RATIO = AIR.vapour_gas_constant / AIR.gas_constant
VAPOUR, CLOUD, RAIN = WATER_TRACERS
PRODUCTS = ("surface_pressure", "temperature", "upward_wind", "pressure_velocity", "eastward_wind")
COUNT, TOP = 12, 5000.0


def moist_core(equations, *, temperature=280.0, vapour=0.0, cloud=0.0, surface=1e5, **settings):
    """A core at rest with uniform temperature [K] and mixing ratios of vapour and cloud."""
    core = atmosphere_states.core(
        meshes.globe(2),
        equations,
        start="held_suarez",
        count=COUNT,
        top=TOP,
        layers=3,
        moist=True,
        **settings,
    )
    shape = core.prognostic(VAPOUR).shape
    n_cells, n_edges = len(core.ground), len(core.prognostic("normal_wind"))
    waters = [np.broadcast_to(each, shape) for each in (vapour, cloud, 0.0)]
    core.set_state(
        ground=np.zeros(n_cells),
        surface=np.full(n_cells, surface),
        wind=np.zeros(n_edges * shape[1]),
        temperature=np.full(shape, temperature).ravel(),
        tracers=np.array(waters).ravel(),
    )
    return core


def test_water_gives_the_weight_of_the_column():
    """The surface pressure is that of dry air and water; the mass of water is that of its mixing ratios."""
    core = moist_core("hydrostatic", vapour=0.01, cloud=0.002)
    assert core.products(["surface_pressure"])["surface_pressure"] == pytest.approx(1e5, abs=1e-9)
    dry = (1e5 - TOP) / 1.012 + TOP
    assert core.prognostic("dry_air_surface_pressure") == pytest.approx(dry, rel=1e-14)
    names = [row.name for row in core.integral_variables]
    mass = dict(zip(names, core.integrals(), strict=True))
    assert mass["water_mass"] == pytest.approx(0.012 * mass["dry_air_mass"], rel=1e-13)
    assert mass["mass"] == pytest.approx(mass["dry_air_mass"] + mass["water_mass"], rel=1e-13)


@each_equation_set
def test_vapour_raises_and_cloud_lowers_a_column(equations):
    """The geopotential of isothermal air is R T_v ln(ps/p), T_v = T (1 + R_v/R q_v) / (1 + q_t)."""
    for vapour, cloud in ((0.02, 0.0), (0.0, 0.02)):
        core = moist_core(equations, vapour=vapour, cloud=cloud)
        virtual = 280.0 * (1 + RATIO * vapour) / (1 + vapour + cloud)
        found = core.products(["temperature", "virtual_temperature", "geopotential_height", "pressure"])
        assert found["temperature"] == pytest.approx(280.0, rel=1e-12)
        assert found["virtual_temperature"] == pytest.approx(virtual, rel=1e-12)
        dry_ps = core.prognostic("dry_air_surface_pressure")[0]
        a, b = interfaces(COUNT, TOP)
        p = np.concatenate([[TOP], TOP + np.cumsum(np.diff(a + b * dry_ps) * (1 + vapour + cloud))])
        phi = AIR.gas_constant * virtual * np.log(p[-1] / p)
        expected = (phi[1:] + phi[:-1]) / 2 / PLANET.gravity
        assert found["geopotential_height"][0] == pytest.approx(expected, rel=1e-11)


@each_equation_set
def test_moist_air_at_rest_stays_at_rest(equations):
    """Uniform air with vapour and cloud, of which both change density and weight, stays at rest for a day."""
    profile = np.linspace(0, 1, COUNT)
    core = moist_core(equations, vapour=0.02 * profile**2, cloud=0.005 * profile)
    before = core.products(["temperature", "surface_pressure"])
    advanced(core, 86400, 1200)
    assert atmosphere_states.max_wind(core) < 1e-9
    for name, values in core.products([*before]).items():
        assert abs(values / before[name] - 1).max() < 1e-11


@each_equation_set
def test_air_without_water_is_dry_air(equations):
    cores = [
        atmosphere_states.core(
            meshes.globe(2), equations, start="baroclinic_wave", layers=3, held_suarez=True, moist=is_moist
        )
        for is_moist in (False, True)
    ]
    dry, moist = (advanced(core, 86400, 1200).products([*PRODUCTS]) for core in cores)
    for name, values in dry.items():
        assert abs(moist[name] - values).max() <= 1e-9 * abs(values).max()


def wet_wave(equations, **settings):
    """The baroclinic wave with vapour that decreases upwards and polewards."""
    mesh = meshes.globe(3)
    core = atmosphere_states.core(
        mesh, equations, start="baroclinic_wave", top=2000.0, count=12, layers=3, moist=True, **settings
    )
    found = core.products(["pressure", "temperature"])
    decay = np.exp(-((np.asarray(mesh.cell_latitude)[:, None] / 0.8) ** 2))
    vapour = 0.018 * (found["pressure"] / 1e5) ** 3 * decay
    water = [vapour, 0.1 * vapour, 0.0 * vapour]
    core.set_state(
        ground=core.ground * PLANET.gravity,
        surface=np.full(len(vapour), 1e5),
        wind=core.prognostic("normal_wind").ravel().astype(float),
        temperature=(found["temperature"] * (1 + vapour * 1.1) / (1 + RATIO * vapour)).ravel(),
        tracers=np.concatenate([each.ravel() for each in water]),
    )
    return core


@each_equation_set
def test_dry_air_and_water_are_kept(equations):
    core = wet_wave(equations)
    names, before = [row.name for row in core.integral_variables], core.integrals()
    advanced(core, 3 * 86400, 1200)
    change = dict(zip(names, (core.integrals() - before) / np.maximum(abs(before), 1), strict=True))
    for name in ("mass", "dry_air_mass", "water_mass", "water_vapour_mass", "cloud_water_mass"):
        assert abs(change[name]) < 1e-13, name
    assert abs(change["energy"]) < 2e-5
    assert min(core.prognostic(name).min() for name in WATER_TRACERS) >= 0


def test_both_equation_sets_agree_in_moist_air():
    hydrostatic, nonhydrostatic = (
        advanced(wet_wave(equations), 86400, 1200).products(["surface_pressure", "temperature", VAPOUR])
        for equations in atmosphere_states.EQUATION_SETS
    )
    for name, tolerance in (("surface_pressure", 3.0), ("temperature", 0.05), (VAPOUR, 1e-5)):
        assert abs(hydrostatic[name] - nonhydrostatic[name]).max() < tolerance, name


@each_equation_set
def test_one_step_of_strong_condensation_warms_as_its_scheme_says(equations):
    """theta_m is a product of T and vapour, so that the product of both changes counts."""

    def condense(columns):
        columns.temperature_tendency = 10 / 60
        columns.tracer_tendencies[:] = 0
        columns.tracer_tendencies[0] = -4e-3 / 60
        columns.tracer_tendencies[1] = 4e-3 / 60

    runs = {}
    for name, schemes in (("with", [make_scheme(ColumnScheme, condense)]), ("without", [])):
        core = moist_core(equations, vapour=0.01, cloud=0.0, physics=schemes)
        first = core.products(["potential_temperature"])["potential_temperature"]
        advanced(core, 60, 60)
        runs[name] = core.products(["potential_temperature", "temperature", "pressure"])
    exner = runs["without"]["temperature"] / runs["without"]["potential_temperature"]
    assert runs["without"]["potential_temperature"] == pytest.approx(first, rel=1e-4)
    warming = runs["with"]["potential_temperature"] - runs["without"]["potential_temperature"]
    assert (warming * exner)[:, -1] == pytest.approx(10.0, abs=2e-3)


@each_equation_set
def test_condensation_is_felt_at_the_temperature_of_the_air(equations):
    """A scheme that turns vapour into cloud and warms the air: T, and the mass of water, as it says."""

    def condense(columns):
        columns.temperature_tendency = 1e-3
        columns.tracer_tendencies[:] = 0
        columns.tracer_tendencies[0] = -4e-7
        columns.tracer_tendencies[1] = 3e-7  # a quarter rains out

    core = moist_core(equations, vapour=0.01, cloud=0.0, physics=[make_scheme(ColumnScheme, condense)])
    names, before = [row.name for row in core.integral_variables], core.integrals()
    advanced(core, 600, 60)
    found = core.products(["temperature", VAPOUR, CLOUD, "pressure"])
    assert found[VAPOUR] == pytest.approx(0.01 - 4e-7 * 600, rel=1e-11)
    assert found[CLOUD] == pytest.approx(3e-7 * 600, rel=1e-11)
    after = dict(zip(names, core.integrals(), strict=True))
    start = dict(zip(names, before, strict=True))
    assert after["water_mass"] - start["water_mass"] == pytest.approx(
        -1e-7 * 600 * start["dry_air_mass"], rel=1e-9
    )
    # At constant pressure dT = 0.6 K; the pressure of the layers falls a little with the rain.
    assert found["temperature"].mean() == pytest.approx(280.6, abs=0.02)


def test_a_scheme_may_take_all_water():
    """Tendencies of tracers come before the transport: what takes all water leaves none."""

    def strip(columns):
        columns.tracer_tendencies[:] = -columns.tracers / columns.step

    core = wet_wave("hydrostatic", physics=[make_scheme(ColumnScheme, strip)])
    wettest = core.prognostic(VAPOUR).max()
    core.step(1200.0)
    assert wettest > 0.01 and abs(core.prognostic(VAPOUR)).max() < 1e-17


@each_equation_set
def test_humidity_of_a_file_moistens_the_air(tmp_path, equations):
    """Surface pressure, mass of vapour and virtual temperature are those of the file."""
    path = write_humid_air(tmp_path / "q.nc", lambda lon, lat, p: 0.015 * (p / 1e5) ** 2, pressures=DEEP)
    a, b = interfaces(COUNT, TOP)
    local = sea_states.local_mesh(meshes.globe(2), layers=3)
    with open_source(path, datetime(2000, 1, 1)) as source:
        target = TargetMesh.of(local, (a, b))
        constants = (AIR.gas_constant, reanalyses.GRAVITY)
        dry = air_state(source, target, *constants)
        state = air_state(source, target, *constants, vapour_gas_constant=AIR.vapour_gas_constant)
    core = atmosphere_states.core(
        meshes.globe(2), equations, start="held_suarez", count=COUNT, top=TOP, layers=3, moist=True
    )
    core.set_state(**{name: np.asarray(values).ravel() for name, values in state.items()})
    found = core.products(["surface_pressure", "atmosphere_mass_content_of_water_vapor", "temperature"])
    ps = found["surface_pressure"]
    assert ps == pytest.approx(state["surface"], rel=1e-13)
    exact = 0.015 / 3e10 * (ps**3 - TOP**3) / PLANET.gravity
    assert found["atmosphere_mass_content_of_water_vapor"] == pytest.approx(exact, rel=1e-2)
    assert found["temperature"].mean() == pytest.approx(dry["temperature"].mean(), abs=0.3)
    with pytest.raises(InputError, match="specific humidity"):
        dry_file = reanalyses.write(tmp_path / "dry.nc", reanalyses.start(), 5.0)
        with open_source(dry_file, datetime(2000, 1, 1)) as source:
            air_state(source, target, *constants, vapour_gas_constant=AIR.vapour_gas_constant)
