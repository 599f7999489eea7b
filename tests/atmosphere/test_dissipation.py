"""The dissipation of the wind, and the heat of the kinetic energy that it takes."""

import numpy as np
import pytest

from halcyon.atmosphere import Planet
from tests.atmosphere import atmosphere_states
from tests.support import meshes

STEP_S, STRENGTH = 1.0, 0.5  # time step; hyperdiffusion [m s-1]


def signs_of_edges(mesh):
    """+1 where the normal of an edge points out of a cell (edge on cell), and where it circulates
    counter-clockwise around a vertex (edge on vertex), else -1."""
    out = np.where(mesh.cells_on_edge[mesh.edges_on_cell, 0] == cells_of(mesh), 1, -1)
    vertices = np.arange(mesh.n_vertices)[:, None]
    return out, np.where(mesh.vertices_on_edge[mesh.edges_on_vertex, 1] == vertices, 1, -1)


def cells_of(mesh):
    """The cell of each entry of edges_on_cell."""
    return np.repeat(np.arange(mesh.n_cells), np.diff(mesh.cell_offsets))


def vector_laplacian(mesh, u, radius):
    """grad(div u) + k x grad(curl u) from the definitions of Ringler et al. (2010)."""
    out, around = signs_of_edges(mesh)
    length, distance = mesh.dv_edge * radius, mesh.dc_edge * radius
    flux = out * (length * u)[mesh.edges_on_cell]
    divergence = np.bincount(cells_of(mesh), flux) / (mesh.area_cell * radius**2)
    circulation = (around * (distance * u)[mesh.edges_on_vertex]).sum(axis=1)
    curl = circulation / (mesh.area_triangle * radius**2)
    along = np.diff(divergence[mesh.cells_on_edge])[:, 0] / distance
    return along - np.diff(curl[mesh.vertices_on_edge])[:, 0] / length


def test_hyperdiffusion_is_the_laplacian_of_the_laplacian():
    """The wind that a step with hyperdiffusion has more is -dt nu_4 L(L(u))."""
    mesh, radius = meshes.globe(2), Planet().radius
    noise, winds = np.random.default_rng(1).standard_normal(mesh.n_edges), []
    for strength in (STRENGTH, 0.0):
        core = meshes.core(mesh, start="solid_rotation", scheme={"hyperdiffusion": strength})
        core.prognostic("normal_wind")[:] = noise
        core.step(STEP_S)
        winds.append(core.prognostic("normal_wind").copy())
    second = vector_laplacian(mesh, vector_laplacian(mesh, noise, radius), radius)
    expected = -STRENGTH * (mesh.dc_edge * radius) ** 3 * second
    assert (winds[0] - winds[1]) / STEP_S == pytest.approx(expected, abs=1e-3 * abs(expected).max())


@pytest.mark.parametrize("equations", atmosphere_states.EQUATION_SETS)
@pytest.mark.parametrize("moist", [False, True])
@pytest.mark.parametrize("name", ["diffusion", "hyperdiffusion", "divergence_damping"])
def test_heating_returns_the_kinetic_energy(equations, moist, name):
    """The energy that dissipation of noise takes in a step comes back as heat, but for errors of the step."""
    energies = []
    for strength, heats in ((0.0, True), (STRENGTH, False), (STRENGTH, True)):
        core = atmosphere_states.core(
            meshes.globe(2), equations, start="baroclinic_wave", moist=moist, layers=3,
            scheme={name: strength, "frictional_heating": heats},
        )  # fmt: skip
        wind = core.prognostic("normal_wind")
        wind[:] = 20 * np.random.default_rng(2).standard_normal(wind.shape)
        if moist:
            vapour = core.prognostic("water_vapour")
            vapour[:] = 0.02 * np.random.default_rng(3).random(vapour.shape)
        core.step(STEP_S)
        energies.append(core.integrals()[1])
    plain, dissipated, heated = energies
    assert plain - dissipated > 1e-9 * plain
    assert abs(heated - plain) < 2e-4 * (plain - dissipated)


def test_viscosity_does_not_heat():
    """The constant viscosity takes kinetic energy without heating the air."""
    temperatures = []
    for viscosity in (0.0, 1e5):
        core = atmosphere_states.core(
            meshes.globe(2), "nonhydrostatic", start="baroclinic_wave", layers=3,
            scheme={"viscosity": viscosity},
        )  # fmt: skip
        core.step(STEP_S)
        temperatures.append(core.prognostic("potential_temperature").copy())
    assert (temperatures[0] == temperatures[1]).all()
