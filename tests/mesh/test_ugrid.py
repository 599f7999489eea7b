"""UGRID files: uxarray validates them, and their values equal those of the mesh."""

import os

import numpy as np
import pytest
import uxarray
from netCDF4 import Dataset

import halcyon.mesh
from halcyon.base import EARTH_RADIUS, ConfigError, RunError


@pytest.mark.parametrize("format", ["netcdf4", "cdf5"])
@pytest.mark.parametrize("name", ["g3", "varied", "part"])
def test_uxarray_finds_it_valid(name, format, request, tmp_path):
    mesh = request.getfixturevalue(name)
    halcyon.mesh.write_ugrid(tmp_path / "mesh.nc", mesh, format=format)
    assert [file.name for file in tmp_path.iterdir()] == ["mesh.nc"]
    grid = uxarray.open_grid(str(tmp_path / "mesh.nc"), engine="netcdf4")
    assert grid.validate()
    assert (grid.n_face, grid.n_node, grid.n_edge) == (mesh.n_cells, mesh.n_vertices, mesh.n_edges)
    np.testing.assert_allclose(grid.face_areas.values.sum(), np.sum(mesh.area_cell), rtol=1e-6)
    nodes = np.sort(grid.edge_node_connectivity.values, axis=1)
    assert np.array_equal(nodes, np.sort(mesh.vertices_on_edge, axis=1))


def test_the_whole_sphere_is_covered(g4, tmp_path):
    halcyon.mesh.write_ugrid(tmp_path / "mesh.nc", g4)
    assert float(uxarray.open_grid(tmp_path / "mesh.nc").face_areas.sum()) == pytest.approx(
        4 * np.pi, rel=1e-7
    )
    with Dataset(tmp_path / "mesh.nc") as file:
        assert file["cell_area"][:].sum() == pytest.approx(4 * np.pi * EARTH_RADIUS**2, rel=1e-13)
        assert "depth" not in file.variables


def test_values_are_those_of_the_mesh(part, tmp_path):
    part.bottom_depth = np.linspace(5, 5000, part.n_cells)
    halcyon.mesh.write_ugrid(tmp_path / "mesh.nc", part)
    with Dataset(tmp_path / "mesh.nc") as file:
        assert file.Conventions == "CF-1.11 UGRID-1.0"
        assert np.array_equal(file["depth"][:], part.bottom_depth)
        assert file["depth"].standard_name == "sea_floor_depth_below_sea_surface"
        np.testing.assert_allclose(file["lat"][:], np.degrees(part.cell_latitude))
        np.testing.assert_allclose(file["node_lon"][:], np.degrees(part.vertex_longitude) % 360)
        lengths = np.diff(part.cell_offsets)
        nodes = file["face_nodes"][:]
        assert np.array_equal(nodes.count(axis=1), lengths)
        assert np.array_equal(nodes.compressed(), part.vertices_on_cell)
        faces = file["edge_faces"][:].filled(-1)
        assert np.array_equal(faces, part.cells_on_edge) and (faces == -1).any()


def test_mistakes(g3, tmp_path):
    with pytest.raises(ConfigError, match=r"'cdf1' is unknown\. Choose 'cdf5' or 'netcdf4'"):
        halcyon.mesh.write_ugrid(tmp_path / "mesh.nc", g3, format="cdf1")
    for format in ("netcdf4", "cdf5"):
        with pytest.raises(RunError, match=r"Cannot write .*none/mesh\.nc: .* Check the folder"):
            halcyon.mesh.write_ugrid(tmp_path / "none/mesh.nc", g3, format=format)
    os.mkdir(tmp_path / "taken.nc")
    with pytest.raises(RunError, match=r"Cannot rename .*taken\.nc\.[0-9a-f]{16}\.part to .*taken\.nc: "):
        halcyon.mesh.write_ugrid(tmp_path / "taken.nc", g3)
    assert [file.name for file in tmp_path.iterdir()] == ["taken.nc"]
