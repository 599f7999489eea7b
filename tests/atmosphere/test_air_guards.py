"""Stability limits of the time step, and detection of invalid states of the air."""

import numpy as np
import pytest

from halcyon import atmosphere
from halcyon.atmosphere.levels import interfaces
from halcyon.base import ConfigError, RunError
from tests.atmosphere import atmosphere_states
from tests.atmosphere.atmosphere_states import (
    AIR,
    AT_REST,
    DAY_S,
    PLANET,
    SMOOTH_MOUNTAINS,
    advanced,
    each_equation_set,
    max_wind,
)
from tests.support import meshes


@each_equation_set
def test_the_longest_step_is_stable_and_much_longer_ones_are_not(equations):
    """The surface pressure varies by less than 1000 Pa with the longest step, not with twice it."""

    def pressure_range(factor):
        core = atmosphere_states.core(meshes.globe(3), equations, start="baroclinic_wave")
        step_s = factor * core.longest_step()
        for _ in range(150):
            core.step(step_s, check=False)
        return np.ptp(core.products(["surface_pressure"])["surface_pressure"])

    assert pressure_range(1.0) < 1000
    assert not pressure_range(2.0) < 1000


@each_equation_set
@pytest.mark.parametrize(
    ("start", "mountains", "limit"),
    [("resting_mountain", {}, 0.03), ("mountain_waves", SMOOTH_MOUNTAINS, 90)],
    ids=["resting_mountain-ground0-0.03", "mountain_waves-ground1-90"],
)
def test_thin_layers_over_steep_ground_bear_automatic_steps(equations, start, mountains, limit):
    """The wind stays below its limit [m s-1] where orography rises by 8 km between cells under layers of
    85 m. In one step air moves by a large part of a layer's depth, over which pressure is not linear."""
    planet = atmosphere.Planet(rotation=0.0)
    options = mountains | {"height": 8000.0}
    core = atmosphere_states.core(
        meshes.globe(2), equations, start=start, options=options, count=60, top=219.4, planet=planet
    )
    assert core.ground.max() > 2500
    step_s = 0.9 * core.longest_step()
    assert step_s > 2500
    assert max_wind(advanced(core, DAY_S, step_s)) < limit


@each_equation_set
def test_a_new_start_forgets_the_trouble_of_the_last(equations):
    """A new initial state clears the failure that is recorded."""
    core = atmosphere_states.core(meshes.globe(2), equations, start="baroclinic_wave", top=219.4)
    core.step(20 * core.longest_step(), check=False)
    core.integrals()
    assert core.failure.cell != -1
    core.set("baroclinic_wave", {})
    core.integrals()
    assert core.failure.cell == -1


@each_equation_set
def test_the_level_of_a_wind_that_is_too_fast_is_named(equations):
    core = atmosphere_states.core(meshes.globe(2), equations, start="baroclinic_wave", top=219.4)
    step_s = 0.99 * core.longest_step()
    core.prognostic("normal_wind")[:, 5] *= 40
    with pytest.raises(ConfigError, match=r"level 5, the Courant number is"):
        core.step(step_s)
    assert (core.failure.variable, core.failure.level) == ("courant_number", 5)


@each_equation_set
def test_a_tracer_that_is_no_number_is_found(equations):
    core = atmosphere_states.core(
        meshes.globe(2), equations, start="baroclinic_wave", layers=3, tracers=["constant_tracer"]
    )
    core.prognostic("constant_tracer")[17, 3] = np.nan
    core.integrals()
    assert (core.failure.variable, core.failure.cell, core.failure.level) == ("constant_tracer", 17, 3)


@each_equation_set
def test_a_step_that_is_too_long_is_found(equations):
    """The failure names the Courant number, and the step at which it exceeded 1."""
    core = atmosphere_states.core(meshes.globe(3), equations, start="baroclinic_wave", top=219.4)
    core.step(0.99 * core.longest_step())
    assert core.failure.cell == -1
    too_long_s = 1.2 * core.longest_step()
    with pytest.raises(ConfigError, match="Give at most"):
        core.step(too_long_s)
    assert core.failure.variable == "courant_number"
    assert 1 < core.failure.value < 1.21
    assert core.failure.step == 1


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
@each_equation_set
def test_a_bad_number_is_found_where_it_is(equations, state, value, level):
    """A value written to one cell or edge is reported with its variable, cell, level and step."""
    mesh = meshes.globe(3)
    core = atmosphere_states.core(mesh, equations, start="baroclinic_wave")
    if state not in {row.name for row in core.variables}:
        pytest.skip("not a variable of hydrostatic air")
    core.step(600.0)
    item = cell = 17
    if state == "normal_wind":
        item = mesh.edges_on_cell[mesh.cell_offsets[cell]]
        cell = min(mesh.cells_on_edge[item])
    values = core.prognostic(state)
    values[(item,) if state == "surface_pressure" else (item, level)] = value
    with pytest.raises(RunError, match=f"^{state} is .*, level {level} after 1 steps"):
        core.step(600.0)
    failure = core.failure
    assert (failure.variable, failure.cell, failure.level, failure.step) == (state, cell, level, 1)
    assert failure.value == value or not np.isfinite(failure.value)


def test_layers_that_cross_are_found_where_they_are():
    """A surface pressure of 1000 Pa makes the mass of a layer negative; the first such layer is named."""
    core = atmosphere_states.core(meshes.globe(2), "hydrostatic", start="baroclinic_wave", top=219.4)
    core.prognostic("surface_pressure")[5] = 1000.0
    with pytest.raises(RunError, match=r"^surface_pressure is 1000 at cell 5 "):
        core.step(600.0)
    a, b = interfaces(8, 219.4)
    first_crossing = int(np.argmax(np.diff(a + b * 1000.0) <= 0))
    failure = core.failure
    assert 0 < first_crossing < 7
    assert (failure.variable, failure.cell, failure.level) == ("surface_pressure", 5, first_crossing)


@each_equation_set
def test_currents_through_interfaces_that_are_too_fast_are_found(equations):
    """Divergent wind in the lower half of a column makes the air above subside; the stable step and the
    vertical Courant number follow from the mass fluxes through interfaces."""
    mesh, cell, outward_speed, lower_half = meshes.globe(3), 40, 20.0, slice(150, 200)
    core = atmosphere_states.core(mesh, equations, **AT_REST, count=200, levels={"spacing": "height"})
    edges = mesh.edges_on_cell[mesh.cell_offsets[cell] : mesh.cell_offsets[cell + 1]]
    signs = np.where(mesh.cells_on_edge[edges, 0] == cell, 1.0, -1.0)
    core.prognostic("normal_wind")[edges, lower_half] = outward_speed * signs[:, None]

    a, b = interfaces(200, 5000.0, spacing="height")
    mass = np.diff(a + b * AIR.reference_pressure)
    rate = outward_speed * mesh.dv_edge[edges].sum() / (mesh.area_cell[cell] * PLANET.radius)
    outflow = np.where(np.arange(200) >= lower_half.start, rate * mass, 0.0)
    down = b * outflow.sum() - np.append(0, outflow.cumsum())
    flux_rate = np.maximum(abs(down[:-1]), abs(down[1:])) / mass
    longest_s = 1.6 / flux_rate.max()
    assert longest_s < 900  # sound waves alone would allow 1300 s
    assert core.longest_step() == pytest.approx(longest_s, rel=1e-6)
    core.step(0.999 * longest_s)
    assert core.failure.cell == -1

    core = atmosphere_states.core(mesh, equations, **AT_REST, count=200, levels={"spacing": "height"})
    core.prognostic("normal_wind")[edges, lower_half] = outward_speed * signs[:, None]
    with pytest.raises(ConfigError, match="with vertical mass fluxes at cell 40 "):
        core.step(1.1 * longest_s)
    failure = core.failure
    assert (failure.variable, failure.cell, failure.step) == ("vertical_courant_number", cell, 0)
    assert failure.level == flux_rate.argmax()
    assert failure.value == pytest.approx(1.1, rel=1e-6)
