"""MPAS files of other programs: their conventions are accepted."""

import numpy as np
import pytest

import halcyon.mesh
from tests.mesh import mpas_files

LISTS = ("cell_offsets", "cells_on_cell", "edges_on_cell", "vertices_on_cell", "cells_on_edge")
LISTS += ("vertices_on_edge", "cells_on_vertex", "edges_on_vertex")
VALUES = ("cell_points", "edge_points", "vertex_points", "area_cell", "area_triangle", "dc_edge", "dv_edge")
VALUES += ("kite_areas_on_vertex", "angle_edge")
TANGENTS = ("nEdgesOnEdge", "edgesOnEdge", "weightsOnEdge")


def assert_same_mesh(found, mesh, tolerance=1e-14):
    for name in LISTS:
        assert np.array_equal(getattr(found, name), getattr(mesh, name)), name
    for name in VALUES:
        np.testing.assert_allclose(getattr(found, name), getattr(mesh, name), rtol=tolerance, atol=tolerance)


def tangents(mesh, edges):
    """Yields the weights of the tangential velocity of each edge, by the edge that they multiply."""
    starts = mesh.edge_offsets
    for e in edges:
        row = slice(starts[e], starts[e + 1])
        yield {
            other: weight
            for other, weight in zip(mesh.edges_on_edge[row], mesh.weights_on_edge[row], strict=True)
            if other >= 0
        }


@pytest.fixture(params=["g3", "part"])
def case(request, mpas_folder):
    """A file of Halcyon and its mesh."""
    return mpas_folder / f"{request.param}.nc", request.getfixturevalue(request.param)


@pytest.mark.parametrize(
    "change",
    [
        mpas_files.pad_with_last,
        mpas_files.pad_with_garbage,
        mpas_files.mark_nothing_as_one_more,
        mpas_files.roll_lists,
        mpas_files.turn_vertices,
        mpas_files.leave_out(
            "boundaryVertex", "meshDensity", "indexToCellID", "indexToEdgeID", "gridSpacing"
        ),
    ],
)
def test_habits_change_nothing(case, tmp_path, change):
    """Other paddings, marks of missing items and orders of lists give the same bits."""
    source, mesh = case
    mpas_files.copy(source, tmp_path / "other.nc", change)
    found = halcyon.mesh.read_mpas(tmp_path / "other.nc")
    assert_same_mesh(found, mesh, 0)
    for name in ("edge_offsets", "edges_on_edge", "weights_on_edge", "mesh_density"):
        assert np.array_equal(getattr(found, name), getattr(mesh, name)), name


@pytest.mark.parametrize(
    "format", ["NETCDF4", "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"]
)
@pytest.mark.parametrize("radius", [6371229.0, 0.5])
def test_any_radius_in_any_format(case, tmp_path, radius, format):
    source, mesh = case
    mpas_files.copy(source, tmp_path / "other.nc", radius=radius, format=format)
    assert_same_mesh(halcyon.mesh.read_mpas(tmp_path / "other.nc"), mesh)


def test_single_precision(case, tmp_path):
    source, mesh = case
    mpas_files.copy(source, tmp_path / "other.nc", radius=6371220.0, reals="f4")
    found = halcyon.mesh.read_mpas(tmp_path / "other.nc")
    assert_same_mesh(found, mesh, 3e-7)
    assert np.abs(np.linalg.norm(found.cell_points, axis=1) - 1).max() < 1e-12


def test_a_time_dimension(case, tmp_path):
    """Of variables with a record dimension, the first record is read."""
    source, mesh = case
    mpas_files.copy(source, tmp_path / "other.nc", time=2)
    assert_same_mesh(halcyon.mesh.read_mpas(tmp_path / "other.nc"), mesh)


@pytest.mark.parametrize("missing", [TANGENTS, ("weightsOnEdge",), ("edgesOnEdge", "weightsOnEdge")])
def test_tangents_are_made_where_there_are_none(g3, mpas_folder, tmp_path, missing):
    """Missing weights of the tangential velocity are computed, with the same bits."""
    mpas_files.copy(mpas_folder / "g3.nc", tmp_path / "other.nc", mpas_files.leave_out(*missing))
    found = halcyon.mesh.read_mpas(tmp_path / "other.nc")
    assert np.array_equal(found.edges_on_edge, g3.edges_on_edge)
    assert np.array_equal(found.weights_on_edge, g3.weights_on_edge)


def test_tangents_of_another_order(g3, mpas_folder, tmp_path):
    """Weights in another order are read in the order of Halcyon."""
    mpas_files.copy(mpas_folder / "g3.nc", tmp_path / "other.nc", mpas_files.reorder_tangents)
    found = halcyon.mesh.read_mpas(tmp_path / "other.nc")
    assert np.array_equal(found.edges_on_edge, g3.edges_on_edge)
    assert np.array_equal(found.weights_on_edge, g3.weights_on_edge)


@pytest.mark.parametrize(
    "change",
    [mpas_files.turn_boundary, mpas_files.keep_signs_of_cut_edges, mpas_files.leave_out(*TANGENTS)],
)
def test_the_outer_boundary_of_others(part, mpas_folder, tmp_path, change):
    """Reversed boundary edges, and missing or wrong signs of weights, are corrected."""
    mpas_files.copy(mpas_folder / "part.nc", tmp_path / "other.nc", change)
    found = halcyon.mesh.read_mpas(tmp_path / "other.nc")
    assert_same_mesh(found, part)
    inner = np.flatnonzero(part.cells_on_edge[:, 1] >= 0)
    for one, other in zip(tangents(found, inner), tangents(part, inner), strict=True):
        assert one.keys() == other.keys()
        np.testing.assert_allclose(list(one.values()), [other[e] for e in one], rtol=0, atol=1e-14)
