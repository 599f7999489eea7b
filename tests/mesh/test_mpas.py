"""MPAS files of Halcyon: bitwise round trips, their variables, and incomplete files."""

import os
import resource
import time

import numpy as np
import pytest
from netCDF4 import Dataset

import halcyon.mesh
from halcyon._core.mesh import require_space
from halcyon.base import ConfigError, InputError, RunError
from tests.mesh import mpas_files

ARRAYS = [name for name in dir(halcyon.mesh.Mesh) if not name.startswith(("_", "n_"))]


def assert_equal(one, other):
    for name in ARRAYS:
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


@pytest.mark.parametrize("format", ["cdf5", "netcdf4"])
@pytest.mark.parametrize("name", ["g3", "varied", "part"])
def test_round_trip_is_bitwise(name, format, request, tmp_path):
    mesh = request.getfixturevalue(name)
    path = tmp_path / "mesh.nc"
    halcyon.mesh.write_mpas(path, mesh, format=format)
    assert_equal(halcyon.mesh.read_mpas(path), mesh)
    assert [file.name for file in tmp_path.iterdir()] == ["mesh.nc"]


def test_the_same_bytes_twice(g3, tmp_path):
    """Files written at different times have the same bytes."""
    for name in ("one", "two"):
        halcyon.mesh.write_mpas(tmp_path / f"{name}.cdf5", g3, format="cdf5")
        halcyon.mesh.write_mpas(tmp_path / f"{name}.netcdf4", g3, format="netcdf4")
        time.sleep(1.1 if name == "one" else 0)  # a time stamp would differ
    for format in ("cdf5", "netcdf4"):
        assert (tmp_path / f"one.{format}").read_bytes() == (tmp_path / f"two.{format}").read_bytes()


def test_depths_come_back(mpas_file, part):
    assert np.array_equal(halcyon.mesh.read_mpas(str(mpas_file)).bottom_depth, part.bottom_depth)


def test_the_file_is_cdf5_with_mpas_variables(mpas_file):
    assert mpas_file.read_bytes()[:4] == b"CDF\x05"
    with Dataset(mpas_file) as file:
        assert file.on_a_sphere == "YES" and file.sphere_radius == 1 and file.mesh_spec == "1.0"
        assert file.Conventions == "MPAS" and file.is_periodic == "NO"
        dimensions = "nCells nEdges nVertices maxEdges maxEdges2 TWO vertexDegree"
        assert " ".join(sorted(file.dimensions)) == " ".join(sorted(dimensions.split()))
        names = (
            " cellsOnCell edgesOnCell verticesOnCell nEdgesOnCell cellsOnEdge verticesOnEdge edgesOnEdge"
            " nEdgesOnEdge weightsOnEdge cellsOnVertex edgesOnVertex kiteAreasOnVertex areaCell areaTriangle"
            " dcEdge dvEdge angleEdge meshDensity boundaryVertex cellQuality gridSpacing triangleQuality"
            " obtuseTriangle bottomDepth"
        )
        for location in ("Cell", "Edge", "Vertex"):
            names += "".join(f" {name}{location}" for name in ("lat", "lon", "x", "y", "z"))
            names += f" indexTo{location}ID"
        assert set(file.variables) == set(names.split())
        n = file["nEdgesOnCell"][:].data
        columns = np.arange(file.dimensions["maxEdges"].size)
        assert (file["edgesOnCell"][:].data[columns >= n[:, None]] == 0).all()
        assert file["cellsOnCell"][:].min() == 0 and file["edgesOnCell"][:].max() == len(file["dcEdge"])
        assert set(np.unique(file["boundaryVertex"][:])) == {0, 1}


@pytest.mark.parametrize("share", [0.99, 0.5, 0.001])
def test_truncated_files_are_refused(mpas_file, share):
    os.truncate(mpas_file, int(share * mpas_file.stat().st_size))
    with pytest.raises(InputError, match="cut short"):
        halcyon.mesh.read_mpas(str(mpas_file))


def test_promised_size_of_every_classic_format(tmp_path):
    """Files of each classic netCDF format that lack their last 4 bytes are refused."""
    for format in ("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"):
        path = tmp_path / f"{format}.nc"
        with Dataset(path, "w", format=format) as file:
            file.createDimension("time", None)
            file.createDimension("x", 5)
            file.createVariable("fixed", "f8", ("x",))[:] = 1
            file.createVariable("a", "i2", ("time", "x"))[:3] = 1
            file.createVariable("b", "f4", ("time", "x"))[:3] = 1
        halcyon.mesh.require_complete(str(path))
        os.truncate(path, path.stat().st_size - 4)
        with pytest.raises(InputError, match="cut short"):
            halcyon.mesh.require_complete(str(path))


def test_files_that_are_no_meshes(tmp_path):
    with pytest.raises(InputError, match="Cannot open"):
        halcyon.mesh.read_mpas(str(tmp_path / "none.nc"))
    text = tmp_path / "text.nc"
    text.write_text("not a mesh")
    with pytest.raises(InputError, match="netCDF"):
        halcyon.mesh.read_mpas(str(text))


def test_unknown_formats(part, tmp_path):
    with pytest.raises(ConfigError, match=r"The format 'hdf5' is unknown\. Choose 'cdf5' or 'netcdf4'"):
        halcyon.mesh.write_mpas(tmp_path / "mesh.nc", part, format="hdf5")


@pytest.mark.parametrize("format", ["cdf5", "netcdf4"])
def test_unwritable_folder(part, tmp_path, format):
    with pytest.raises(RunError, match="Cannot write"):
        halcyon.mesh.write_mpas(tmp_path / "none" / "mesh.nc", part, format=format)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
@pytest.mark.parametrize("format", ["cdf5", "netcdf4"])
def test_a_full_disk_leaves_nothing(g3, tmp_path, format, share):
    path = tmp_path / "mesh.nc"
    for write in (halcyon.mesh.write_mpas, halcyon.mesh.write_ugrid):
        write(path, g3, format=format)
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        limit = int(share * path.stat().st_size)
        path.write_text("an older mesh")
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limits[1]))  # as if the disk were full there
        try:
            with pytest.raises(RunError, match=r"Cannot write .*mesh\.nc.*File too large.* free space"):
                write(path, g3, format=format)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert [file.name for file in tmp_path.iterdir()] == ["mesh.nc"]
        assert path.read_text() == "an older mesh"


def test_space_is_asked_for_first(tmp_path):
    """A file larger than the free space is refused, with both numbers of bytes."""
    require_space(str(tmp_path / "mesh.nc"), 1)
    with pytest.raises(RunError, match=rf"needs 1000000000000262144 bytes, but {tmp_path} has \d+ free"):
        require_space(str(tmp_path / "mesh.nc"), 10**18)


def test_what_each_variable_holds(mpas_file, part):
    """Derived variables against their definitions, computed from the other tables of the file."""
    with Dataset(mpas_file) as file:
        tables = {name: file[name][:].data for name in file.variables}
    edges, n = tables["edgesOnCell"] - 1, tables["nEdgesOnCell"]
    is_edge = np.arange(edges.shape[1]) < n[:, None]
    dv, dc = (np.where(is_edge, tables[name][edges], np.nan) for name in ("dvEdge", "dcEdge"))
    np.testing.assert_allclose(tables["cellQuality"], np.nanmin(dv, axis=1) / np.nanmax(dv, axis=1))
    np.testing.assert_allclose(tables["gridSpacing"], np.nanmean(dc, axis=1))
    cut_off = (tables["cellsOnVertex"] == 0).any(axis=1)
    assert np.array_equal(tables["boundaryVertex"], cut_off)
    dc = tables["dcEdge"][tables["edgesOnVertex"] - 1]
    quality = np.where(cut_off, 0, dc.min(axis=1) / dc.max(axis=1))
    np.testing.assert_allclose(tables["triangleQuality"], quality)
    assert not tables["obtuseTriangle"].any()
    np.testing.assert_allclose(tables["latEdge"], part.edge_latitude)
    np.testing.assert_allclose(tables["lonVertex"], part.vertex_longitude)
    for location, count in (("Cell", part.n_cells), ("Edge", part.n_edges), ("Vertex", part.n_vertices)):
        assert np.array_equal(tables[f"indexTo{location}ID"], np.arange(count) + 1)


@pytest.mark.parametrize("name", ["g3", "part"])
def test_graph_info(name, request, tmp_path):
    """graph.info has the number of cells and edges, and one line per cell with its neighbours, counted from
    1."""
    mesh = request.getfixturevalue(name)
    halcyon.mesh.write_graph_info(tmp_path / "graph.info", mesh)
    header, *lines = (tmp_path / "graph.info").read_text().splitlines()
    inner = np.asarray(mesh.cells_on_edge)[:, 1] >= 0
    assert header == f"{mesh.n_cells} {inner.sum()}"
    assert len(lines) == mesh.n_cells
    pairs = {(c + 1, int(word)) for c, line in enumerate(lines) for word in line.split()}
    cells = np.asarray(mesh.cells_on_edge)[inner] + 1
    assert pairs == {(a, b) for a, b in cells.tolist()} | {(b, a) for a, b in cells.tolist()}
    assert [file.name for file in tmp_path.iterdir()] == ["graph.info"]


def test_graph_info_in_no_folder(g3, tmp_path):
    with pytest.raises(RunError, match=r"Cannot write .*none/graph\.info: .* Check the folder"):
        halcyon.mesh.write_graph_info(tmp_path / "none/graph.info", g3)


def shuffle_lists(tables):
    """Lists the sides of each cell in another order, and turns every second edge."""
    random = np.random.default_rng(1)
    for cell, n in enumerate(tables["nEdgesOnCell"]):
        order = random.permutation(n)
        for name in ("cellsOnCell", "edgesOnCell"):
            tables[name][cell, :n] = tables[name][cell, order]
        tables["verticesOnCell"][cell, :n] = tables["verticesOnCell"][cell, random.permutation(n)]
    tables["verticesOnEdge"][::2] = tables["verticesOnEdge"][::2, ::-1].copy()


def test_the_least_variables(mpas_file, part, tmp_path):
    """A mesh without on_a_sphere and the lists of vertices, whose sides of cells and ends of edges have any
    order, is the mesh with them, apart from the side that each list begins with."""
    path = tmp_path / "least.nc"
    absent = ("cellsOnVertex", "edgesOnVertex", "kiteAreasOnVertex", "edgesOnEdge", "weightsOnEdge")

    def change(tables):
        mpas_files.leave_out(*absent)(tables)
        shuffle_lists(tables)

    mpas_files.copy(mpas_file, path, change)
    with mpas_files.editing(path) as file:
        file.delncattr("on_a_sphere")
    mesh = halcyon.mesh.read_mpas(str(path))
    assert np.array_equal(mesh.cells_on_edge, part.cells_on_edge)
    assert np.array_equal(mesh.vertices_on_edge, part.vertices_on_edge)
    assert np.array_equal(np.sort(mesh.cells_on_vertex), np.sort(part.cells_on_vertex))
    kites, expected = (np.sort(each.kite_areas_on_vertex) for each in (mesh, part))
    assert np.allclose(kites, expected, atol=1e-12)
    for begin, end in zip(part.cell_offsets[:-1], part.cell_offsets[1:], strict=True):
        ours, theirs = mesh.edges_on_cell[begin:end], part.edges_on_cell[begin:end]
        first = np.flatnonzero(theirs == ours[0])[0]
        assert np.array_equal(ours, np.roll(theirs, -first))
