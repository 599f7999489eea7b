"""Identities of the horizontal operators to rounding errors, for levels that share a vector register and for
single levels."""

import numpy as np
import pytest

from halcyon.base import ConfigError, InputError
from halcyon.operators import Operators
from tests.support import meshes, sea_states

LEVELS = 6  # some levels share a vector register, some are computed alone


@pytest.fixture(scope="module")
def mesh():
    return meshes.globe(4)


@pytest.fixture(scope="module")
def operators(mesh):
    return Operators(sea_states.local_mesh(mesh), meshes.PLANET.radius)


@pytest.fixture(scope="module")
def random(mesh):
    """Fields (item, level) of cells, edges and vertices."""
    generator = np.random.default_rng(8)
    sizes = {"cells": mesh.n_cells, "edges": mesh.n_edges, "vertices": mesh.n_vertices}
    return {name: generator.uniform(-1, 1, (size, LEVELS)) for name, size in sizes.items()}


def column(values):
    """Values (item) as an array with one level (item, 1)."""
    return np.asarray(values)[:, None]


def areas(mesh):
    """Returns the areas of cells, of edges (the diamonds l d) and of triangles [m2]."""
    square = meshes.PLANET.radius**2
    edges = np.asarray(mesh.dv_edge) * np.asarray(mesh.dc_edge)
    return column(mesh.area_cell) * square, column(edges) * square, column(mesh.area_triangle) * square


def check_zero(values, terms):
    """Asserts that values that should be zero are rounding errors relative to terms of their sums."""
    assert abs(values).max() < 1e-14 * abs(terms).max()


def test_gradient_and_divergence_are_adjoint(mesh, operators, random):
    """The sums of A phi div u and of l d u grad phi cancel, for any phi and u."""
    cells, edges, _ = areas(mesh)
    phi, u = random["cells"], random["edges"]
    terms = cells * phi * operators.divergence(u), edges * u * operators.gradient(phi)
    check_zero(sum(term.sum(axis=0) for term in terms), sum(abs(term).sum(axis=0) for term in terms))


def test_the_curl_of_a_gradient_is_zero(operators, random):
    gradient = operators.gradient(random["cells"])
    check_zero(operators.curl(gradient), operators.curl(abs(gradient)))


def test_winds_along_streamlines_do_not_diverge(operators, random):
    """The divergence of a wind from a stream function at vertices is zero."""
    wind = operators.tangential_gradient(random["vertices"])
    check_zero(operators.divergence(wind), operators.divergence(abs(wind)))


def test_no_wind_diverges_globally(mesh, operators, random):
    """Divergence and curl of any wind integrate to zero over the sphere."""
    cells, _, triangles = areas(mesh)
    divergence, curl = operators.divergence(random["edges"]), operators.curl(random["edges"])
    check_zero((cells * divergence).sum(axis=0), abs(cells * divergence).sum(axis=0))
    check_zero((triangles * curl).sum(axis=0), abs(triangles * curl).sum(axis=0))


def test_tangential_winds_diverge_as_those_of_the_cells_around(operators, random):
    """The curl of the tangential wind is minus the divergence interpolated to vertices, which makes
    geostrophic balance possible and potential vorticity consistent (Thuburn et al. 2009)."""
    u = random["edges"]
    curl = operators.curl(operators.tangential(u))
    divergence = operators.at_vertices(operators.divergence(u))
    check_zero(curl + divergence, curl)


def test_the_coriolis_force_does_no_work(mesh, operators, random):
    """The product of any wind and its tangential wind sums to zero."""
    _, edges, _ = areas(mesh)
    u = random["edges"]
    work = edges * u * operators.tangential(u)
    check_zero(work.sum(axis=0), abs(work).sum(axis=0))


def test_the_flux_of_potential_vorticity_does_no_work(mesh, operators, random):
    _, edges, _ = areas(mesh)
    flux = random["edges"]
    work = edges * flux * operators.vorticity_flux(flux, np.cos(3 * flux[::-1]))
    check_zero(work.sum(axis=0), abs(work).sum(axis=0))


def test_kinetic_energies_have_the_same_sum(mesh, operators, random):
    """Kinetic energy on cells, from edges or vertices in any share, has the integral of that on edges."""
    cells, edges, _ = areas(mesh)
    u = random["edges"]
    total = (edges / 2 * u**2).sum(axis=0)
    for share in (0.0, 0.375, 1.0):
        kinetic_energy = (cells * operators.kinetic_energy(u, vertex_energy=share)).sum(axis=0)
        assert kinetic_energy == pytest.approx(total, rel=1e-13)


def test_geostrophic_modes_are_stationary(operators, random):
    """On an f-plane u = -dpsi/dt balances g h = f psi at the cells, whatever psi (Thuburn et al. 2009)."""
    f, psi = 1e-4, 1e6 * random["vertices"]
    u = -operators.tangential_gradient(psi)
    coriolis, pressure = f * operators.tangential(u), operators.gradient(f * operators.at_cells(psi))
    check_zero(coriolis - pressure, abs(coriolis))
    check_zero(operators.divergence(u), operators.divergence(abs(u)))


def test_levels_are_computed_alike(operators, random):
    """A level alone has the bits of the level among others."""
    for level in range(LEVELS):
        single_level = np.ascontiguousarray(random["edges"][:, level : level + 1])
        for name in ("divergence", "curl", "vorticity", "tangential", "kinetic_energy"):
            together = getattr(operators, name)(random["edges"])[:, level]
            assert getattr(operators, name)(single_level)[:, 0].tobytes() == together.tobytes(), name


def test_solid_rotation_has_its_vorticity(mesh, operators):
    """The vorticity 2 u sin(latitude) / radius of a wind of 40 m/s, to 2 % of its maximum (rms)."""
    psi = -meshes.PLANET.radius * 40 * np.sin(mesh.vertex_latitude)
    u = -operators.tangential_gradient(column(psi))
    exact = 2 * 40 / meshes.PLANET.radius * np.sin(mesh.vertex_latitude)
    error = operators.curl(u)[:, 0] - exact
    assert np.sqrt((error**2).mean()) < 0.02 * exact.max()


def test_the_vorticity_of_any_solid_rotation_is_exact(mesh, operators):
    """Winds are means along edges; the circulation around triangles has an error of some 3 % at pentagons."""
    axis = np.array([0.3, -0.5, 0.8])
    psi = -meshes.PLANET.radius * np.asarray(mesh.vertex_points) @ axis
    u = -operators.tangential_gradient(column(psi))
    exact = 2 / meshes.PLANET.radius * np.asarray(mesh.vertex_points) @ axis
    error = {name: abs(getattr(operators, name)(u)[:, 0] - exact).max() for name in ("vorticity", "curl")}
    assert error["vorticity"] < 1e-3 * exact.max()
    assert error["curl"] > 0.02 * exact.max()


def test_solid_rotation_moves_sharp_vorticity_at_its_speed(mesh, operators):
    """Waves 8 cells long: the flux of vorticity is too small by (k d)^2 / 12 = 5 %, or with sharp vorticity
    by less than 1 %."""
    wave_number, speed = 10, 40.0
    x, y, z = np.asarray(mesh.vertex_points).T
    rotation = -operators.tangential_gradient(column(-meshes.PLANET.radius * speed * z))
    wave = -operators.tangential_gradient(column(((x + 1j * y) ** wave_number).real))
    shifted = -operators.tangential_gradient(column(((x + 1j * y) ** wave_number).imag))
    exact = operators.curl(shifted) * wave_number * speed / meshes.PLANET.radius
    right, left = np.asarray(mesh.vertices_on_edge).T
    found = {}
    for name in ("vorticity", "sharp_vorticity"):
        values = getattr(operators, name)(wave)
        tendency = operators.curl(operators.vorticity_flux(rotation, (values[right] + values[left]) / 2))
        found[name] = (tendency * exact).sum() / (exact**2).sum()
    assert found["vorticity"] < 0.97
    assert found["sharp_vorticity"] == pytest.approx(1, abs=0.01)


def test_arrays_of_another_size_are_refused(operators, random):
    with pytest.raises(InputError, match=r"u has 2562 items, the mesh 7680"):
        operators.divergence(random["cells"])


def test_a_limited_area_is_refused():
    with pytest.raises(InputError, match="whole globe"):
        Operators(sea_states.local_mesh(sea_states.bay()), meshes.PLANET.radius)


@pytest.mark.parametrize("radius", [0, -1, np.nan, np.inf])
def test_a_sphere_has_a_finite_radius_of_more_than_0(mesh, radius):
    with pytest.raises(
        ConfigError, match=rf"The radius of the sphere is {radius:g} m\. Give a finite radius"
    ):
        Operators(sea_states.local_mesh(mesh), radius)
