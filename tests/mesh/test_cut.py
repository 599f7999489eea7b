"""Limited areas: kept cells, reversed edges, missing neighbours."""

from itertools import pairwise

import numpy as np
import pytest

import halcyon.mesh
from halcyon.base import InputError


@pytest.fixture
def kept(g4):
    """Whether each cell of G4 is in `part`."""
    return g4.cell_latitude > np.radians(20)


def edge_of(mesh):
    """Maps the point of an edge to its index in a mesh."""
    return {tuple(point): e for e, point in enumerate(np.asarray(mesh.edge_points))}


def test_cells_keep_their_order_and_size(g4, part, kept):
    assert np.array_equal(part.cell_points, g4.cell_points[kept])
    assert np.array_equal(part.area_cell, g4.area_cell[kept])
    assert np.array_equal(np.diff(part.cell_offsets), np.diff(g4.cell_offsets)[kept])


def test_boundary_edges_have_their_cell_first(part):
    """The missing cell of a boundary edge is second, and its vertices have the kept cell on the left."""
    assert (part.cells_on_edge[:, 0] >= 0).all()
    assert (part.cells_on_edge[:, 1] == -1).sum() == (part.cells_on_cell == -1).sum() > 0
    centre = part.cell_points[part.cells_on_edge[:, 0]]
    right, left = part.vertex_points[part.vertices_on_edge].transpose(1, 0, 2)
    assert (np.einsum("ij,ij->i", centre, np.cross(right, left)) > 0).all()


def test_lists_stay_counter_clockwise(part):
    """Edge i of a cell runs from its vertex i to i + 1; for the second cell of the edge, in reverse."""
    for c in range(part.n_cells):
        row = slice(part.cell_offsets[c], part.cell_offsets[c + 1])
        start, end = part.vertices_on_cell[row], np.roll(part.vertices_on_cell[row], -1)
        for e, a, b in zip(part.edges_on_cell[row], start, end, strict=True):
            is_first = part.cells_on_edge[e, 0] == c
            assert tuple(part.vertices_on_edge[e]) == ((a, b) if is_first else (b, a))


def test_normals_point_out_of_the_first_cell(part):
    """`angle_edge` gives a normal that points from the first cell of an edge to the second."""
    lon = np.asarray(part.edge_longitude)
    east = np.column_stack([-np.sin(lon), np.cos(lon), np.zeros(len(lon))])
    north = np.cross(part.edge_points, east)
    normal = np.cos(part.angle_edge)[:, None] * east + np.sin(part.angle_edge)[:, None] * north
    outward = part.edge_points - part.cell_points[part.cells_on_edge[:, 0]]
    assert (np.einsum("ij,ij->i", normal, outward) > 0).all()
    assert np.abs(part.angle_edge).max() <= np.pi


def test_tangential_velocity_is_that_of_the_whole_mesh(g4, part):
    """Equal on edges whose neighbours are all in the part, apart from the sign of reversed edges."""
    index = edge_of(g4)
    whole = np.array([index[tuple(point)] for point in np.asarray(part.edge_points)])
    sign = np.where(np.cos(part.angle_edge - g4.angle_edge[whole]) > 0, 1.0, -1.0)  # -1: reversed edge
    assert (sign < 0).any()
    u = np.sin(np.arange(g4.n_edges))
    complete = np.array([(part.edges_on_edge[s:e] >= 0).all() for s, e in pairwise(part.edge_offsets)])
    assert complete.sum() > 0.8 * part.n_edges
    expected = tangential(g4, u)[whole] * sign
    found = tangential(part, u[whole] * sign)
    np.testing.assert_allclose(found[complete], expected[complete], atol=1e-14)


def tangential(mesh, u):
    """The tangential velocity of each edge, reconstructed from the normal velocities u."""
    terms = np.where(mesh.edges_on_edge >= 0, mesh.weights_on_edge * u[mesh.edges_on_edge], 0)
    return np.add.reduceat(terms, mesh.edge_offsets[:-1])


def test_edges_of_the_first_cell_come_first_in_edges_on_edge(part):
    for e in range(part.n_edges):
        cell = part.cells_on_edge[e, 0]
        row = slice(part.cell_offsets[cell], part.cell_offsets[cell + 1])
        edges = list(part.edges_on_cell[row])
        position = edges.index(e)
        n = len(edges) - 1
        begin = part.edge_offsets[e]
        assert list(part.edges_on_edge[begin : begin + n]) == (edges[position + 1 :] + edges[:position])


def test_vertices_at_the_rim(part):
    """Missing cells of boundary vertices have kites of area 0; the kites of other vertices fill their
    triangle."""
    on_boundary = (part.cells_on_vertex == -1).any(axis=1)
    assert on_boundary.any()
    assert (part.kite_areas_on_vertex[part.cells_on_vertex == -1] == 0).all()
    assert (part.edges_on_vertex[~on_boundary] >= 0).all()
    np.testing.assert_allclose(
        part.kite_areas_on_vertex[~on_boundary].sum(axis=1), part.area_triangle[~on_boundary], rtol=1e-13
    )


def test_cutting_nothing_changes_nothing(g4):
    same = halcyon.mesh.cut(g4, np.ones(g4.n_cells, np.uint8))
    for name in ("cells_on_cell", "edges_on_cell", "vertices_on_edge", "weights_on_edge", "angle_edge"):
        assert np.array_equal(getattr(same, name), getattr(g4, name)), name


def test_only_the_largest_sea_is_kept(g3):
    """Of two separate areas, clean_selection keeps the larger."""
    keep = np.abs(g3.cell_latitude) > np.radians(40)
    keep &= ~((g3.cell_latitude > 0) & (g3.cell_latitude < np.radians(50)))
    kept = halcyon.mesh.clean_selection(g3, keep.astype(np.uint8))
    assert (g3.cell_latitude[kept == 1] < 0).all()
    assert kept.sum() == (g3.cell_latitude < -np.radians(40)).sum()


def test_mistakes(g4):
    with pytest.raises(InputError, match="No cell"):
        halcyon.mesh.cut(g4, np.zeros(g4.n_cells, np.uint8))
    with pytest.raises(InputError, match="3 entries"):
        halcyon.mesh.cut(g4, np.ones(3, np.uint8))
    with pytest.raises(InputError, match="3 entries"):
        halcyon.mesh.clean_selection(g4, np.ones(3, np.uint8))
