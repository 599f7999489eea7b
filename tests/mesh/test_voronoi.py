"""The Voronoi mesh: connectivity, conventions, identities and quality."""

import numpy as np
import pytest

import halcyon.mesh
from halcyon._core import mesh as core
from halcyon.base import EARTH_RADIUS, InputError
from halcyon.mesh import scvt, sphere


@pytest.fixture(params=["g3", "g4", "varied"])
def mesh(request):
    return request.getfixturevalue(request.param)


def rows(offsets, entries):
    """The list of each cell."""
    return np.split(np.asarray(entries), np.asarray(offsets)[1:-1])


def test_identities_hold_to_rounding(mesh):
    found = halcyon.mesh.identities(mesh)
    assert found.area < 1e-14
    assert found.antisymmetry < 1e-14
    assert found.divergence < 1e-14
    assert found.orthogonality < 1e-14


def test_arcs_down_to_g7_are_orthogonal_to_1e_14():
    """The arc between two cells is orthogonal to their edge, on bisected meshes, whose cells vary in size as
    much as those of converged meshes."""
    triangulation = scvt.uniform(4, tolerance=1e-3)
    for level in (5, 6, 7):
        triangulation = core.delaunay(core.bisected(triangulation))
        mesh = halcyon.mesh.voronoi_mesh(triangulation)
        assert halcyon.mesh.identities(mesh).orthogonality < 1e-14, level


def test_euler(mesh):
    """Euler's formula of the sphere: cells - edges + vertices = 2."""
    assert mesh.n_cells - mesh.n_edges + mesh.n_vertices == 2


def test_lists_agree_and_run_counter_clockwise(mesh):
    """Edge i of a cell ends at vertices i and i + 1, and is between the cell and neighbour i."""
    edges, cells = rows(mesh.cell_offsets, mesh.edges_on_cell), rows(mesh.cell_offsets, mesh.cells_on_cell)
    vertices = rows(mesh.cell_offsets, mesh.vertices_on_cell)
    for c in range(mesh.n_cells):
        ends = np.column_stack([vertices[c], np.roll(vertices[c], -1)])
        assert (np.sort(mesh.vertices_on_edge[edges[c]], axis=1) == np.sort(ends, axis=1)).all()
        pairs = np.column_stack([np.full(len(cells[c]), c), cells[c]])
        assert (np.sort(mesh.cells_on_edge[edges[c]], axis=1) == np.sort(pairs, axis=1)).all()
        a, b = mesh.vertex_points[ends[:, 0]], mesh.vertex_points[ends[:, 1]]
        assert (np.cross(a, b) @ mesh.cell_points[c] > 0).all()


def test_lists_of_vertices(mesh):
    """The cells of a vertex are counter-clockwise; edge j is between the cells j and j + 1."""
    a, b, c = np.asarray(mesh.cell_points)[mesh.cells_on_vertex].transpose(1, 0, 2)
    assert (np.einsum("ij,ij->i", a, np.cross(b, c)) > 0).all()
    for j in range(3):
        pair = mesh.cells_on_vertex[:, [j, (j + 1) % 3]]
        assert (
            np.sort(mesh.cells_on_edge[mesh.edges_on_vertex[:, j]], axis=1) == np.sort(pair, axis=1)
        ).all()


def test_tangent_is_k_cross_n(mesh):
    """The second vertex of an edge is to the left of the normal from the first to the second cell."""
    first, second = mesh.cell_points[mesh.cells_on_edge].transpose(1, 0, 2)
    right, left = mesh.vertex_points[mesh.vertices_on_edge].transpose(1, 0, 2)
    tangent = np.cross(mesh.edge_points, second - first)
    assert (np.einsum("ij,ij->i", tangent, left - right) > 0).all()


def test_edge_point_halves_the_cell_arc_and_angle_is_from_east(mesh):
    first, second = mesh.cell_points[mesh.cells_on_edge].transpose(1, 0, 2)
    np.testing.assert_allclose(mesh.edge_points, sphere.normalized(first + second), atol=1e-15)
    lon, lat = np.asarray(mesh.edge_longitude), np.asarray(mesh.edge_latitude)
    east = np.column_stack([-np.sin(lon), np.cos(lon), np.zeros(len(lon))])
    north = np.cross(mesh.edge_points, east)
    normal = np.cos(mesh.angle_edge)[:, None] * east + np.sin(mesh.angle_edge)[:, None] * north
    np.testing.assert_allclose(normal, sphere.normalized(second - first), atol=1e-13)
    assert np.abs(lat).max() <= np.pi / 2


def test_numbers_follow_the_cells(mesh):
    """Edges and vertices are numbered in the order in which the lists of the cells first name them."""
    for entries in (mesh.edges_on_cell, mesh.vertices_on_cell):
        _, first = np.unique(entries, return_index=True)
        assert (np.diff(first) > 0).all()
    assert (mesh.cells_on_edge[:, 0] < mesh.cells_on_edge[:, 1]).all()


def test_tangential_velocity_of_a_rotation(g3, g4):
    """The error of the reconstructed tangential velocity of a solid-body rotation at least halves from G3 to
    G4."""
    errors = []
    for mesh in (g3, g4):
        first, second = mesh.cell_points[mesh.cells_on_edge].transpose(1, 0, 2)
        normal = sphere.normalized(second - first)
        velocity = np.cross([0.3, 0.5, 0.8], mesh.edge_points)
        u = np.einsum("ij,ij->i", velocity, normal)
        expected = np.einsum("ij,ij->i", velocity, np.cross(mesh.edge_points, normal))
        terms = mesh.weights_on_edge * u[mesh.edges_on_edge]
        errors.append(np.abs(np.add.reduceat(terms, mesh.edge_offsets[:-1]) - expected).mean())
    assert errors[0] < 0.01
    assert errors[1] < errors[0] / 2


def test_quality_of_the_converged_g4(g4):
    """Measures of quality against published values of converged meshes (as in benchmarks/mesh_quality.py)."""
    found = halcyon.mesh.quality(g4)
    km = EARTH_RADIUS / 1000
    assert found.cell_min == pytest.approx(0.606, abs=0.002)
    assert found.cell_mean == pytest.approx(0.764, abs=0.002)
    assert found.triangle_min == pytest.approx(0.851, abs=0.002)
    assert found.dc_min * km == pytest.approx(412, abs=1)
    assert found.dc_mean * km == pytest.approx(480, abs=1)
    assert found.dc_max * km == pytest.approx(509, abs=1)
    assert found.area_ratio == pytest.approx(1.33, abs=0.01)
    assert found.n_obtuse == 0


def test_obtuse_triangles_keep_the_identities():
    """On random points, some kite areas are negative, and the identities still hold."""
    points = sphere.normalized(np.random.default_rng(7).normal(size=(400, 3)))
    mesh = halcyon.mesh.voronoi_mesh(scvt.triangulate(points))
    assert halcyon.mesh.quality(mesh).n_obtuse > 100
    assert mesh.kite_areas_on_vertex.min() < 0
    found = halcyon.mesh.identities(mesh)
    assert max(found.area, found.divergence) < 1e-14
    assert found.antisymmetry < 1e-14
    np.testing.assert_allclose(mesh.kite_areas_on_vertex.sum(axis=1), mesh.area_triangle, rtol=1e-12)


def test_orientation_and_order_of_triangles_do_not_matter(g3):
    """Triangles in reverse order, with clockwise corners, give the same mesh."""
    points = np.asarray(g3.cell_points)
    triangles = scvt.triangulate(points).corners
    turned = np.ascontiguousarray(triangles[::-1, ::-1])
    again = halcyon.mesh.voronoi_mesh(halcyon.mesh.triangulation_of(points, turned))
    assert np.array_equal(again.cells_on_edge, g3.cells_on_edge)
    assert np.array_equal(again.weights_on_edge, g3.weights_on_edge)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda p, t: (p, t[:-1]), "cannot cover the sphere"),
        (lambda p, t: (p, np.where(t == 5, 700, t)), "names generator 700"),
        (lambda p, t: (p, np.vstack([t[:-1], t[:1]])), "Three triangles meet"),
        (lambda p, t: (p * 2, t), "unit sphere"),
        (lambda p, t: (sphere.normalized(p + 0.3 * np.roll(p, 1, axis=0)), t), "Delaunay|close"),
    ],
)
def test_bad_triangulations_are_refused(g3, change, text):
    points = np.asarray(g3.cell_points)
    points, triangles = change(points, scvt.triangulate(points).corners)
    with pytest.raises(InputError, match=text):
        halcyon.mesh.voronoi_mesh(halcyon.mesh.triangulation_of(points, triangles.astype(np.int32)))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda p: np.vstack([p, p[:1]]), "coincides"),
        (lambda p: np.where(p == p[3, 1], np.nan, p), "not finite"),
        (lambda p: sphere.normalized(p * [1, 1, 0] + [1e-300, 0, 0]), "one plane"),
    ],
)
def test_bad_points_are_refused(g3, change, text):
    with pytest.raises(InputError, match=text):
        scvt.triangulate(change(np.asarray(g3.cell_points)))


@pytest.mark.parametrize("name", ["bottom_depth", "mesh_density", "cell_longitude", "area_cell"])
def test_arrays_that_would_not_change_the_mesh_cannot_be_written(name):
    mesh = halcyon.mesh.uniform(1)
    mesh.bottom_depth = np.full(mesh.n_cells, 4000.0)
    with pytest.raises(ValueError, match="read-only"):
        getattr(mesh, name)[0] = 5
