"""Constant viscosity of deviations from the initial state."""

import numpy as np
import pytest

from halcyon.atmosphere import Planet
from halcyon.atmosphere.levels import interfaces
from halcyon.base import ConfigError
from halcyon.physics import column_scheme
from tests.atmosphere import atmosphere_states
from tests.atmosphere.atmosphere_states import AIR, advanced
from tests.support import meshes

SMALL = Planet(radius=1e5, rotation=0.0)
COUNT, TOP, TRACER = 10, 2e4, "constant_tracer"
UNIFORM = {"spacing": "height"}  # levels of equal depth, in isothermal air


def still_air(scheme, tracers=(TRACER,), **settings):
    """Isothermal air at rest on a small planet."""
    return atmosphere_states.core(
        meshes.globe(3), "nonhydrostatic", **atmosphere_states.AT_REST, planet=SMALL, scheme=scheme,
        tracers=list(tracers), layers=3, count=COUNT, top=TOP, levels=UNIFORM, **settings,
    )  # fmt: skip


def test_a_wave_along_the_levels_decays_at_its_rate():
    """A spherical harmonic of degree 1 decays by the rate 2 nu / a^2."""
    core, nu = still_air({"scalar_viscosity": 2e4}), 2e4
    mode = np.sin(np.asarray(meshes.globe(3).cell_latitude))[:, None]
    core.prognostic(TRACER)[:] = 1 + 0.1 * mode
    advanced(core, 3000, 20)
    found = (core.prognostic(TRACER) - 1) / (0.1 * np.exp(-2 * nu / SMALL.radius**2 * 3000))
    assert abs(found - mode).max() < 0.01 and abs(mode).max() > 0.99


def test_solid_rotation_decays_at_its_rate():
    """The wind of solid rotation decays along the levels by the rate 2 nu / a^2."""
    core, nu, mesh = still_air({"viscosity": 2e5}), 2e5, meshes.globe(3)
    rotation = 1e-3 * np.cos(mesh.edge_latitude) * np.cos(mesh.angle_edge)
    wind = core.prognostic("normal_wind")
    wind[:] = rotation[:, None]
    core.keep_initial_state()
    advanced(core, 3000, 15)
    left = rotation @ wind / (rotation @ rotation)
    assert left == pytest.approx(np.exp(-2 * nu / SMALL.radius**2 * 3000), rel=0.01)


def test_a_column_diffuses_implicitly():
    """A step solves m (y - x) = dt [r dy/dk], r = nu m / dz^2."""
    core, nu, step_s = still_air({"scalar_viscosity": 3e4}), 3e4, 20.0
    x = 1 + 0.2 * np.random.default_rng(4).random(COUNT)
    core.prognostic(TRACER)[:] = x
    a, b = interfaces(COUNT, TOP, **UNIFORM)
    mass = np.diff(a + b * 1e5)
    dz = AIR.gas_constant * 300 * np.log(1e5 / TOP) / COUNT / SMALL.gravity
    rate = np.concatenate([[0], nu * step_s * (mass[1:] + mass[:-1]) / 2 / dz**2, [0]])
    matrix = np.diag(mass + rate[1:] + rate[:-1]) - np.diag(rate[1:-1], 1) - np.diag(rate[1:-1], -1)
    expected = np.linalg.solve(matrix, mass * x)  # the initial value, 1, is a solution
    core.step(step_s)
    assert abs(core.prognostic(TRACER) - expected).max() < 1e-7 < 0.01 < abs(expected - x).max()


def test_the_initial_state_stays_and_mass_is_kept():
    """Without deviations nothing changes; with them tracers keep their mass, and theta decays."""
    scheme = {"viscosity": 1e4, "scalar_viscosity": 3e4}
    core, plain = still_air(scheme), still_air({})
    for each in (core, plain):
        advanced(each, 600, 20)
    for name in ("potential_temperature", "surface_pressure"):
        assert core.prognostic(name) == pytest.approx(plain.prognostic(name), rel=1e-12)
    pattern = 1 + 0.5 * np.sin(9 * np.asarray(meshes.globe(3).cell_longitude))[:, None]
    core.prognostic(TRACER)[:] = pattern
    core.keep_initial_state()
    core.step(20.0)
    assert abs(core.prognostic(TRACER) - pattern).max() < 1e-9
    noise = np.random.default_rng(5).random(core.prognostic(TRACER).shape)
    core.prognostic(TRACER)[:] = noise
    before = core.integrals()[-1]
    core.step(20.0)
    assert core.integrals()[-1] == pytest.approx(before, rel=1e-13)
    assert np.ptp(core.prognostic(TRACER)) < 0.97 * np.ptp(noise)


def test_the_initial_shear_stays_and_a_deviation_decays():
    """Viscosity mixes only the deviation of a sheared wind from the initial wind."""
    shear, deviation = 1e-3 * (np.arange(COUNT) % 2), 1e-3 * (np.arange(COUNT) == 4)
    winds = []
    for initial, added in ((0, deviation), (shear, deviation), (0, shear)):
        core = still_air({"viscosity": 1e5})
        wind = core.prognostic("normal_wind")
        wind[:] = initial
        core.keep_initial_state()
        wind += added
        core.step(1.0)
        winds.append(wind.mean(axis=0))
    kept, mixed = ((winds[1] - winds[0]) / 1e-3)[1::2], (winds[2] / 1e-3)[1::2]
    assert np.ptp(kept) < 0.01 and kept.min() > 0.95
    assert np.ptp(mixed) > 0.03 and mixed.max() < 0.97
    assert winds[0][3] > 0.03 * winds[0][4]


@pytest.mark.parametrize("name", ["viscosity", "scalar_viscosity"])
def test_hydrostatic_air_has_none(name):
    text = "Only nonhydrostatic air has constant viscosity, but the equations are "
    with pytest.raises(ConfigError, match=f"{text}'hydrostatic'"):
        atmosphere_states.core(
            meshes.globe(1), "hydrostatic", **atmosphere_states.AT_REST, scheme={name: 1.0}
        )
    with pytest.raises(ConfigError, match=f"{text}'shallow_water'"):
        meshes.core(meshes.globe(1), scheme={name: 1.0})
    for value in (-1.0, np.nan):
        with pytest.raises(ConfigError, match=f"A viscosity is {value:g} m2 s-1. Give 0 or more."):
            still_air({name: value})


def test_long_steps_stay_stable_in_thin_layers():
    """Steps in which viscosity mixes the thin layers near the surface, and sound waves cross them often."""
    core = atmosphere_states.core(
        meshes.globe(2), "nonhydrostatic", start="moist_baroclinic_wave", count=12, top=219.4, layers=3,
        moist=True, physics=[column_scheme("kessler")], sponge_pressure=5000.0, sponge_rate=1e-5,
        scheme={"viscosity": 1e5, "scalar_viscosity": 1e5},
    )  # fmt: skip
    advanced(core, 86400, 1200)
    assert 10 < atmosphere_states.max_wind(core) < 60
