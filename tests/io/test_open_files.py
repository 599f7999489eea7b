"""Output files follow UGRID and CF: xarray, uxarray, xugrid and iris open them."""

import math
import shutil

import numpy as np
import pytest
import xarray
from netCDF4 import Dataset

from halcyon import wave
from tests.run import case
from tests.support import sea_states
from tests.support.compliance import complaints


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The output folder of a run of one hour."""
    path = case.write_case(tmp_path_factory.mktemp("open"))
    code, _, err, folder = case.run_on_each(path, "--set", "time.end=2022-09-01T01:00", ranks=[1])[1]
    assert (code, err) == (0, "")
    return folder


@pytest.fixture(scope="module")
def fields(folder):
    with xarray.open_dataset(folder / case.SEGMENTS[0]) as data:
        yield data


def test_the_file_says_what_it_is(fields):
    """Global attributes and the time axis follow CF and UGRID."""
    assert fields.attrs["Conventions"] == "CF-1.11 UGRID-1.0"
    assert all(fields.attrs[name] for name in ("title", "institution", "source", "history", "references"))
    assert fields.time.values[1] == np.datetime64("2022-09-01T01:00")
    assert fields.time.encoding["calendar"] == "standard"


def test_the_mesh_is_described_as_ugrid_wants(fields):
    topology = fields["mesh"].attrs
    assert (topology["cf_role"], topology["topology_dimension"]) == ("mesh_topology", 2)
    assert topology["node_coordinates"] == "node_lon node_lat"
    assert topology["face_coordinates"] == "lon lat"
    assert topology["face_dimension"] == "face"
    faces = fields[topology["face_node_connectivity"]]
    assert faces.attrs["start_index"] == 0
    assert faces.encoding["_FillValue"] == -1
    assert faces.encoding["dtype"] == np.int32
    for name in ("lon", "lat", "node_lon", "node_lat", "time"):
        assert "_FillValue" not in fields[name].encoding


def test_data_say_what_they_are_and_where(fields):
    """Variables have the names and units of the table of variables, and the location on the mesh."""
    table = {variable.name: variable for variable in wave.wave_variables()}
    data = [name for name in fields.data_vars if name in table and name != "depth"]
    assert "significant_height" in data
    for name in data:
        assert fields[name].dims == ("time", "face")
        for key in ("standard_name", "long_name", "units"):
            assert fields[name].attrs.get(key, "") == getattr(table[name], key)
        assert (fields[name].attrs["mesh"], fields[name].attrs["location"]) == ("mesh", "face")
        assert fields[name].encoding["coordinates"] == "lon lat"


def test_depths_are_those_of_the_mesh(fields):
    """The variable `depth` has the depths of the mesh of the run."""
    assert fields.depth.values == pytest.approx(sea_states.bay().bottom_depth, rel=1e-6)


def test_uxarray_finds_faces_that_fill_the_sea(folder):
    uxarray = pytest.importorskip("uxarray")
    grid = uxarray.open_grid(folder / case.SEGMENTS[0])
    assert grid.validate()
    areas = grid.face_areas.values
    mesh = sea_states.bay()
    assert areas.min() > 0
    assert areas.sum() == pytest.approx(mesh.area_cell.sum(), rel=1e-4)
    assert areas == pytest.approx(mesh.area_cell, rel=1e-3)
    data = uxarray.open_dataset(folder / case.SEGMENTS[0], folder / case.SEGMENTS[0])
    assert data["significant_height"].shape == (2, mesh.n_cells)


def test_the_segments_open_together(folder, tmp_path):
    """`xarray.open_mfdataset` and `uxarray.open_mfdataset` need no arguments: the mesh has no time."""
    uxarray = pytest.importorskip("uxarray")
    segments = [tmp_path / name for name in case.SEGMENTS]
    for segment in segments:
        shutil.copy(folder / case.SEGMENTS[0], segment)
    with Dataset(segments[1], "a") as file:
        file["time"][:] += 2
    static = {"node_lon", "node_lat", "face_nodes", "lon", "lat", "depth"}
    for new_defaults in (False, True):
        with (
            xarray.set_options(use_new_combine_kwarg_defaults=new_defaults),
            xarray.open_mfdataset(str(tmp_path / "fields_*.nc")) as data,
        ):
            assert data.sizes["time"] == 4 and {*static} <= {*data.coords}
            assert not any("time" in data[name].dims for name in static)
            assert data["significant_height"].dims == ("time", "face")
    data = uxarray.open_mfdataset(segments[0], segments)
    assert data["significant_height"].sizes == {"time": 4, "n_face": sea_states.bay().n_cells}
    assert data.uxgrid.validate()


def test_xugrid_finds_the_mesh_and_its_values(folder, fields):
    xugrid = pytest.importorskip("xugrid")
    data = xugrid.open_dataset(folder / case.SEGMENTS[0])
    grid, mesh = data.ugrid.grid, sea_states.bay()
    assert (grid.n_face, grid.n_node) == (mesh.n_cells, mesh.n_vertices)
    assert np.array_equal(grid.node_x, np.degrees(mesh.vertex_longitude))
    heights = data["significant_height"]
    assert heights.ugrid.grid is grid
    assert np.array_equal(heights.values, fields["significant_height"].values)


def test_iris_finds_the_mesh_and_its_values(folder, fields):
    iris = pytest.importorskip("iris")
    cube = iris.load_cube(folder / case.SEGMENTS[0], "sea_surface_wave_significant_height")
    assert (cube.location, cube.units, cube.mesh_dim()) == ("face", "m", 1)
    assert cube.mesh.face_node_connectivity.indices.shape == fields["face_nodes"].shape
    assert np.array_equal(cube.coord("latitude").points, fields.lat.values)
    assert np.array_equal(cube.data, fields["significant_height"].values)
    assert str(cube.coord("time").cell(1).point) == "2022-09-01 01:00:00"


def test_faces_go_counter_clockwise_with_fill_last(fields):
    """The corners of each face, seen from outside, run counter-clockwise; fill values follow them."""
    nodes = fields.face_nodes.values
    lon, lat = np.radians(fields.node_lon.values), np.radians(fields.node_lat.values)
    points = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)
    for row in np.where(np.isnan(nodes), -1, nodes).astype(int):
        n = int((row >= 0).sum())
        assert (row[:n] >= 0).all()
        corners = points[row[:n]]
        turn = np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)
        assert turn @ corners.sum(axis=0) > 0


def test_stations_are_a_time_series(folder):
    """stations.nc is a CF time series, with the heights of stations.csv."""
    with xarray.open_dataset(folder / "stations.nc") as data:
        assert data.attrs["featureType"] == "timeSeries"
        assert data["significant_height"].dims == ("station", "time")
        assert data["station_name"].attrs["cf_role"] == "timeseries_id"
        assert (data.sizes["time"], data.sizes["station"]) == (2, 2)
        heights = data["significant_height"].values.T
    rows = (folder / "stations.csv").read_text().splitlines()
    column = next(i for i, name in enumerate(rows[0].split(",")) if name.startswith("significant_height"))
    in_csv = [float(row.split(",")[column]) for row in rows[1:]]
    assert all(math.isclose(a, b, rel_tol=1e-5) for a, b in zip(in_csv, heights.ravel(), strict=True))


@pytest.mark.parametrize("name", [case.SEGMENTS[0], "stations.nc"])
def test_the_compliance_checker_agrees(folder, name):
    """Except for the values of cf_role that UGRID defines, not CF."""
    assert [text for text in complaints(folder / name) if "cf_role" not in text] == []
