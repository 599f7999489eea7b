"""Moist air: water in the density and the weight of the air."""

from datetime import datetime

import numpy as np
import pytest
from netCDF4 import Dataset

from halcyon.atmosphere import WATER_TRACERS
from halcyon.atmosphere.levels import interfaces
from halcyon.base import ConfigError, InputError
from halcyon.physics import ColumnScheme, column_scheme
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


@each_equation_set
@pytest.mark.parametrize("condensing", ["kessler", "reed_jablonowski"])
def test_budgets_of_water_and_latent_heat_close(equations, condensing):
    """Water in the air, fallen and evaporated; heat of condensation and vapour: closed to rounding."""
    rain, heat = ("", "") if condensing == "kessler" else ("large_scale_", "large_scale_")
    schemes = [column_scheme("reed_jablonowski", condensation=condensing != "kessler")]
    core = wet_wave(equations, physics=[*([column_scheme("kessler")] if not rain else []), *schemes])
    names = [row.name for row in core.integral_variables]
    before = dict(zip(names, core.integrals(), strict=True))
    now = dict(zip(names, advanced(core, 21600, 600).integrals(), strict=True))
    gain = {name: now[name] - before[name] for name in names}
    evaporated, fallen = now["evaporation_mass"], now[f"{rain}precipitation_mass"]
    assert fallen > 1e-3 * evaporated > 0
    assert abs(gain["water_mass"] + fallen - evaporated) < 1e-14 * before["water_mass"]
    condensed = evaporated - gain["water_vapour_mass"]
    latent = now[f"{heat}latent_heat_energy"]
    assert abs(latent - 2.5e6 * condensed) < 1e-12 * abs(latent) + 2.5e6 * 1e-14 * before["water_mass"]
    area = np.asarray(meshes.globe(3).area_cell) * PLANET.radius**2
    field = core.products(["evaporation"])["evaporation"]
    assert (area * field).sum() == pytest.approx(evaporated, rel=1e-12)


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
    with pytest.raises(InputError, match=r"no variable of the humidity on level .*, q, hus, .*water_vapour"):
        moist_state(reanalyses.write(tmp_path / "dry.nc", reanalyses.start(), 5.0))


def moist_state(path):
    """The arguments of `Core.set_state` on G2 from a file."""
    target = TargetMesh.of(sea_states.local_mesh(meshes.globe(2)), interfaces(COUNT, TOP))
    with open_source(path, datetime(2000, 1, 1)) as source:
        gases = AIR.gas_constant, PLANET.gravity
        return air_state(source, target, *gases, vapour_gas_constant=AIR.vapour_gas_constant)


def changed(path, change):
    with Dataset(path, "a") as file:
        change(file)
    return path


def test_a_humidity_without_known_name_needs_its_standard_name(tmp_path):
    """`qv` is a specific humidity in some models and a mixing ratio in others."""
    path = write_humid_air(tmp_path / "qv.nc", lambda lon, lat, p: 0.02)
    assert moist_state(path)["tracers"][0] == pytest.approx(0.02 / 0.98, rel=1e-12)

    def rename(file):
        file["q"].delncattr("standard_name")
        file.renameVariable("q", "qv")

    names = "standard_name specific_humidity, standard_name humidity_mixing_ratio"
    with pytest.raises(InputError, match=rf"{names}, .* such as qv, needs one of these standard names"):
        moist_state(changed(path, rename))
    path = changed(path, lambda file: file["qv"].setncattr("standard_name", "humidity_mixing_ratio"))
    assert moist_state(path)["tracers"][0] == pytest.approx(0.02, rel=1e-12)
    path = changed(path, lambda file: file.renameVariable("qv", "q"))
    assert moist_state(path)["tracers"][0] == pytest.approx(0.02, rel=1e-12)


def test_missing_humidity_is_zero_aloft_and_else_an_error(tmp_path):
    """Above the levels that have humidity the air is dry, and its temperature is that of the file."""
    path = write_humid_air(tmp_path / "top.nc", lambda lon, lat, p: 1e-3 + 0 * p)
    whole = moist_state(path)

    def remove(index):
        return lambda file: file["q"].__setitem__((0, index), np.nan)

    dry_aloft = moist_state(changed(path, remove(slice(0, 10))))  # above 500 hPa
    assert (dry_aloft["tracers"][0, :, 0] == 0).all() and (dry_aloft["tracers"][0, :, -1] > 9e-4).all()
    assert dry_aloft["temperature"] == pytest.approx(whole["temperature"], abs=0.2)
    with pytest.raises(InputError, match=r"top.nc: q has no value at level 100000 Pa, where the temperature"):
        moist_state(changed(path, remove(-1)))


def test_numbered_levels_have_the_pressure_of_a_variable(tmp_path):
    """Numbered levels with a variable of their pressure give the state of hybrid levels; without it they are
    refused."""
    path = write_humid_air(tmp_path / "levels.nc", lambda lon, lat, p: 0.015 * (p / 1e5) ** 2, hybrid=20)
    by_formula = moist_state(path)

    def number(file):
        file["level"].standard_name, file["level"].positive = "model_level_number", "down"
        file["level"].delncattr("formula_terms")

    with pytest.raises(InputError, match=r"no variable of the pressure of levels on level .*air_pressure"):
        moist_state(changed(path, number))

    def add_pressure(file):
        pressure = file.createVariable("p", "f8", file["t"].dimensions)
        pressure.standard_name, pressure.units = "air_pressure", "hPa"
        a, b = file["ap"][:][:, None, None], file["b"][:][:, None, None]
        pressure[0] = (a + b * file["sp"][0]) / 100

    found = moist_state(changed(path, add_pressure))
    for name, values in by_formula.items():
        assert found[name] == pytest.approx(values, rel=1e-6, abs=1e-5), name

    with pytest.raises(InputError, match=r"p has levels .* whose pressure does not increase downwards"):
        moist_state(changed(path, lambda file: file["level"].setncattr("positive", "up")))


def test_moist_air_does_not_keep_its_energy():
    with pytest.raises(ConfigError, match=r"Moist air does not keep its energy. Leave out moist or keep_"):
        atmosphere_states.core(
            meshes.globe(1), "hydrostatic", start="held_suarez", moist=True, keep_energy=True
        )
