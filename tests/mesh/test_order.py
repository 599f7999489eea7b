"""Meshes with reordered cells, and parts of them."""

import numpy as np
import pytest

import halcyon.mesh
from halcyon import graph
from halcyon.base import ConfigError, InputError
from halcyon.mesh import scvt

LISTS = (
    "cell_offsets",
    "cells_on_cell",
    "edges_on_cell",
    "vertices_on_cell",
    "edge_offsets",
    "edges_on_edge",
)
TABLES = ("cells_on_edge", "vertices_on_edge", "cells_on_vertex", "edges_on_vertex")
CELL_VALUES = ("cell_points", "area_cell", "mesh_density", "bottom_depth")
EDGE_VALUES = ("edge_points", "dc_edge", "dv_edge", "angle_edge")
VERTEX_VALUES = ("vertex_points", "area_triangle", "kite_areas_on_vertex")
ALL = (*LISTS, *TABLES, *CELL_VALUES, *EDGE_VALUES, *VERTEX_VALUES, "weights_on_edge")


@pytest.fixture(scope="module")
def deep(g4):
    """G4 with a different depth and density in every cell."""
    mesh = halcyon.mesh.select(g4, np.arange(g4.n_cells, dtype=np.int32))
    mesh.bottom_depth = np.linspace(1, 9, mesh.n_cells)
    mesh.mesh_density = np.linspace(2, 3, mesh.n_cells)
    return mesh


@pytest.fixture(scope="module")
def shuffle(deep):
    """A random order of the cells."""
    return np.random.default_rng(3).permutation(deep.n_cells).astype(np.int32)


@pytest.fixture(scope="module")
def shuffled(deep, shuffle):
    return halcyon.mesh.select(deep, shuffle)


def assert_same(one, other, names=ALL):
    """Asserts that arrays of two meshes have the same bytes."""
    for name in names:
        a, b = np.asarray(getattr(one, name)), np.asarray(getattr(other, name))
        assert a.tobytes() == b.tobytes(), name


def indices_of(points, selected):
    """Returns the index in `points` of each selected point."""
    index = {tuple(point): i for i, point in enumerate(np.asarray(points).tolist())}
    return np.array([index[tuple(point)] for point in np.asarray(selected).tolist()])


def test_the_inverse_order_gives_the_same_bytes(deep, shuffle, shuffled):
    assert_same(halcyon.mesh.select(shuffled, np.argsort(shuffle).astype(np.int32)), deep)


def test_values_follow_their_cells_edges_and_vertices(deep, shuffle, shuffled):
    """Values and lists of a shuffled mesh are those of the original at the same points."""
    for name in CELL_VALUES:
        assert np.array_equal(getattr(shuffled, name), getattr(deep, name)[shuffle]), name
    edges = indices_of(deep.edge_points, shuffled.edge_points)
    vertices = indices_of(deep.vertex_points, shuffled.vertex_points)
    assert len(set(edges)) == deep.n_edges and len(set(vertices)) == deep.n_vertices
    for name in ("dc_edge", "dv_edge"):
        assert np.array_equal(getattr(shuffled, name), getattr(deep, name)[edges]), name
    for name in VERTEX_VALUES:
        assert np.array_equal(getattr(shuffled, name), getattr(deep, name)[vertices]), name
    assert np.array_equal(shuffle[shuffled.cells_on_vertex], deep.cells_on_vertex[vertices])
    assert np.array_equal(edges[shuffled.edges_on_vertex], deep.edges_on_vertex[vertices])


def test_lists_of_a_cell_keep_their_turn(deep, shuffle, shuffled):
    """The lists of a cell begin with the same neighbour, edge and vertex, and keep their order."""
    edges = indices_of(deep.edge_points, shuffled.edge_points)
    vertices = indices_of(deep.vertex_points, shuffled.vertex_points)
    for new, old in enumerate(shuffle):
        new_list = slice(shuffled.cell_offsets[new], shuffled.cell_offsets[new + 1])
        old_list = slice(deep.cell_offsets[old], deep.cell_offsets[old + 1])
        assert np.array_equal(shuffle[shuffled.cells_on_cell[new_list]], deep.cells_on_cell[old_list])
        assert np.array_equal(edges[shuffled.edges_on_cell[new_list]], deep.edges_on_cell[old_list])
        assert np.array_equal(vertices[shuffled.vertices_on_cell[new_list]], deep.vertices_on_cell[old_list])


def test_it_is_the_mesh_of_the_points_in_that_order(deep, shuffle, shuffled):
    """A mesh in another order is the Voronoi mesh of its points, except for the first entry of lists and the
    rounding of sums of kites."""
    points = np.asarray(deep.cell_points)[shuffle]
    made = halcyon.mesh.voronoi_mesh(scvt.triangulate(points))
    edges = indices_of(made.edge_points, shuffled.edge_points)
    for name in ("cells_on_edge", "angle_edge", "dc_edge"):
        assert np.array_equal(getattr(shuffled, name), getattr(made, name)[edges]), name
    np.testing.assert_allclose(shuffled.area_cell, made.area_cell, rtol=1e-14)


def test_numbers_follow_the_cells(shuffled):
    """Edges and vertices are numbered in the order in which the lists of the cells first name them."""
    for entries in (shuffled.edges_on_cell, shuffled.vertices_on_cell):
        _, first = np.unique(entries, return_index=True)
        assert (np.diff(first) > 0).all()
    assert (shuffled.cells_on_edge[:, 0] < shuffled.cells_on_edge[:, 1]).all()


@pytest.mark.parametrize("order", graph.ORDERS)
def test_quality_and_identities_stay(deep, order):
    """Every order keeps the measures of quality and the discrete identities of the mesh."""
    mesh = halcyon.mesh.ordered(deep, order)
    assert np.array_equal(np.sort(mesh.bottom_depth), deep.bottom_depth)
    found, whole = halcyon.mesh.quality(mesh), halcyon.mesh.quality(deep)
    for name in ("cell_min", "triangle_min", "dc_min", "dc_max", "area_ratio", "n_obtuse"):
        assert getattr(found, name) == getattr(whole, name), name
    for name in ("cell_mean", "triangle_mean", "dc_mean"):
        assert getattr(found, name) == pytest.approx(getattr(whole, name), rel=1e-13)
    found = halcyon.mesh.identities(mesh)
    assert max(found.area, found.antisymmetry, found.divergence, found.orthogonality) < 1e-14


def test_orders_are_those_of_the_graph(deep, shuffled):
    """A mesh in an order is the selection of its cells in the order of the graph; neighbours have closer
    indices than in a random order."""
    distance = {}
    for order in graph.ORDERS:
        mesh = halcyon.mesh.ordered(shuffled, order)
        distance[order] = np.abs(np.diff(mesh.cells_on_edge, axis=1)).mean()
    lists = shuffled.cell_offsets, shuffled.cells_on_cell
    assert_same(halcyon.mesh.ordered(shuffled, "natural"), shuffled)
    assert_same(halcyon.mesh.ordered(shuffled, "rcm"), halcyon.mesh.select(shuffled, graph.rcm_order(*lists)))
    assert_same(
        halcyon.mesh.ordered(shuffled, "grist_hilbert"),
        halcyon.mesh.select(shuffled, graph.grist_hilbert_order(*lists)),
    )
    points = np.asarray(shuffled.cell_points)
    assert_same(
        halcyon.mesh.ordered(shuffled, "morton"), halcyon.mesh.select(shuffled, graph.morton_order(points))
    )
    assert max(distance[order] for order in graph.ORDERS if order != "natural") < distance["natural"] / 8


def test_the_order_of_cut_and_order_does_not_matter(deep, shuffled):
    """A mesh that is cut and then ordered equals the mesh that is ordered and then cut."""

    def north(mesh):
        return halcyon.mesh.cut(mesh, (mesh.cell_latitude > np.radians(20)).astype(np.uint8))

    one = halcyon.mesh.ordered(north(shuffled), "hilbert")
    other = north(halcyon.mesh.ordered(deep, "hilbert"))
    assert_same(one, other, names=(*TABLES, *CELL_VALUES, *EDGE_VALUES, "area_triangle"))
    again = halcyon.mesh.select(one, np.arange(one.n_cells, dtype=np.int32))
    assert_same(again, one)


def test_a_part_in_any_order(deep, shuffle):
    """Selected cells are in the order given; apart from it, they are the cells that `cut` keeps."""
    few = shuffle[:200]
    part = halcyon.mesh.select(deep, few)
    assert np.array_equal(part.cell_points, deep.cell_points[few])
    assert (part.cells_on_edge[:, 0] >= 0).all()
    inner = part.cells_on_edge[:, 1] >= 0
    assert 0 < inner.sum() < part.n_edges
    assert (part.cells_on_edge[inner, 0] < part.cells_on_edge[inner, 1]).all()
    keep = np.isin(np.arange(deep.n_cells), few).astype(np.uint8)
    rank = np.argsort(np.argsort(few))
    assert_same(
        halcyon.mesh.select(halcyon.mesh.cut(deep, keep), rank.astype(np.int32)),
        part,
        (*CELL_VALUES, *TABLES[:2]),
    )


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        ([], "No cell"),
        pytest.param([3, 1, 3], "Cell 3 is requested twice", id="cells1-Cell 3 is asked for twice"),
        ([2562], r"Cell 2562 .* the cells 0\.\.2561"),
        ([-1], "Cell -1"),
    ],
)
def test_cells_that_are_not_there(g4, cells, text):
    with pytest.raises(InputError, match=text):
        halcyon.mesh.select(g4, np.array(cells, np.int32))


def test_an_order_that_is_not_there(g3):
    with pytest.raises(ConfigError, match=r"no order 'hilber'\. Use natural, bfs, rcm, hilbert, morton"):
        halcyon.mesh.ordered(g3, "hilber")
