"""Forcing and damping of the air: Held and Suarez (1994), sponge layer."""

import numpy as np
import pytest

from halcyon.atmosphere.levels import interfaces
from tests.atmosphere import atmosphere_states
from tests.atmosphere.atmosphere_states import AIR, AT_REST, DAY_S, advanced, columns, each_equation_set
from tests.support import meshes


def held_suarez_rates(mesh, pressure, surface, temperature):
    """dT/dt [K s-1] and k_v [s-1] (cell, level) of Held and Suarez (1994), as in the paper."""
    phi, ratio = mesh.cell_latitude[:, None], pressure / 1e5
    equilibrium = (315 - 60 * np.sin(phi) ** 2 - 10 * np.log(ratio) * np.cos(phi) ** 2) * ratio**AIR.kappa
    boundary_layer = np.maximum(0, (pressure / surface - 0.7) / 0.3)
    cooling = 1 / 40 + (1 / 4 - 1 / 40) * boundary_layer * np.cos(phi) ** 4
    return -cooling / DAY_S * (temperature - np.maximum(200, equilibrium)), boundary_layer / DAY_S


@each_equation_set
def test_held_suarez_heats_as_printed(equations):
    """The heating in a step of 1 s is that of the formula in the paper."""
    mesh = meshes.globe(3)
    a, b = interfaces(8, 5000.0)
    core = atmosphere_states.core(mesh, equations, **AT_REST, held_suarez=True)
    pressure, _, exner = columns(core, a, b)
    before = core.prognostic("potential_temperature").copy()
    rate, _ = held_suarez_rates(mesh, pressure, 1e5, before * exner)
    core.step(1.0)
    heating = (core.prognostic("potential_temperature") - before) * exner
    assert abs(heating - rate).max() < 1e-3 * abs(rate).max()


@each_equation_set
def test_held_suarez_rubs_as_printed(equations):
    """The friction in a step of 1 s, the difference of runs with and without forcing, is that of the
    paper."""
    a, b = interfaces(8, 5000.0)
    mesh = meshes.globe(3)
    winds = []
    for held_suarez in (False, True):
        core = atmosphere_states.core(mesh, equations, start="baroclinic_wave", held_suarez=held_suarez)
        before = core.prognostic("normal_wind").copy()
        core.step(1.0)
        winds.append(core.prognostic("normal_wind").copy())
    pressure = ((a + b * 1e5)[1:] + (a + b * 1e5)[:-1]) / 2
    expected = -np.maximum(0, (pressure / 1e5 - 0.7) / 0.3) / DAY_S * before
    assert abs(winds[1] - winds[0] - expected).max() < 2e-3 * abs(expected).max()


@each_equation_set
def test_a_sponge_brings_the_wind_back(equations):
    """The sponge damps a wind of 1 m/s, which is added to the initial wind, at the rate of each layer."""
    a, b = interfaces(8, 5000.0)
    pressure = ((a + b * 1e5)[1:] + (a + b * 1e5)[:-1]) / 2
    winds = []
    for sponge in ({}, {"sponge_pressure": 3e4, "sponge_rate": 1e-3}):
        core = atmosphere_states.core(meshes.globe(3), equations, start="baroclinic_wave", **sponge)
        core.prognostic("normal_wind")[:] += 1.0
        core.step(1.0)
        winds.append(core.prognostic("normal_wind").copy())
    depth = np.clip(np.log(3e4 / pressure) / np.log(3e4 / 5000), 0, None)
    damping = (winds[1] - winds[0]).mean(axis=0)
    assert damping == pytest.approx(-1e-3 * np.sin(np.pi / 2 * depth) ** 2, rel=5e-3, abs=1e-9)


@each_equation_set
def test_a_sponge_that_is_faster_than_a_step_only_damps(equations):
    """A sponge of 1 s in steps of 1200 s keeps the initial wind of the top layer to 0.1 m/s."""
    core = atmosphere_states.core(
        meshes.globe(3), equations, start="baroclinic_wave", sponge_pressure=3e4, sponge_rate=1.0
    )
    before = core.prognostic("normal_wind")[:, 0].copy()
    advanced(core, DAY_S / 4, 1200)
    assert abs(core.prognostic("normal_wind")[:, 0] - before).max() < 0.1
