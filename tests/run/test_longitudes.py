"""Longitudes in the files of a run are those of its case: at negative longitudes, across 0 and across 180."""

import json

import numpy as np
import pytest
import xarray as xr
from mpi4py import MPI

import halcyon.mesh
from halcyon.config import load_case
from halcyon.io.fields_file import OwnedMesh
from halcyon.run.input.cells import middle_of_longitudes
from tests.run import case, runs
from tests.support import sea_states

REGIONS = [(-98, -74), (262, 286), (-12, 12), (348, 372), (168, 192), (-180, 180), (0, 360)]


def mesh_of(west, east):
    """The cells of G4 between two longitudes and 30 S to 30 N."""
    whole = sea_states.sphere(4)
    lon, lat = np.degrees(whole.cell_longitude), np.degrees(whole.cell_latitude)
    inside = ((lon - west) % 360 <= east - west) & (np.abs(lat) < 30)
    return sea_states.with_depth(halcyon.mesh.cut(whole, inside.astype(np.uint8)), 4000.0)


def case_with(tmp_path, mesh, longitude):
    """A case with a mesh and a station at a longitude."""
    text = case.CASE.replace("file: mesh.nc", mesh).replace("{track: track.csv}", "none")
    text = text.replace("longitude: 110, latitude: 25", f"longitude: {longitude}, latitude: 0.5")
    text = "".join(line for line in text.splitlines(keepends=True) if "East" not in line)
    (tmp_path / "case.yaml").write_text(text)
    return load_case(tmp_path / "case.yaml")


def longitudes(case, mesh):
    """The longitudes of the centres and corners of cells, (cell) and (cell, corner), as in files."""
    local = sea_states.local_mesh(mesh)
    part = OwnedMesh.of(local, middle=middle_of_longitudes(case, local, MPI.COMM_SELF))
    corners = np.where(part.face_nodes < 0, part.face_nodes[:, :1], part.face_nodes)
    return part.cell_longitude, part.vertex_longitude[corners]


@pytest.mark.parametrize(("west", "east"), REGIONS)
def test_a_region_has_the_longitudes_that_the_case_gives(tmp_path, west, east):
    """Centres are between the sides of the region, and the corners of a cell are next to its centre."""
    region = f"region: {{west: {west}, east: {east}, south: -30, north: 30}}\n  level: 4"
    cells, corners = longitudes(case_with(tmp_path, region, west + 5), mesh_of(west, east))
    assert west <= cells.min() and cells.max() <= east
    if east - west < 360:
        assert np.abs(corners - cells[:, None]).max() < 6


@pytest.mark.parametrize(
    ("west", "east", "station", "expected"),
    [
        (262, 286, 265, 262),
        (262, 286, -95, -98),
        (-12, 12, 3, -12),
        (168, 192, -170, 168),
        (0, 360, 5, 0),
        (0, 360, -5, -180),
    ],
)
def test_a_mesh_file_has_no_jump_and_the_sign_of_the_stations(tmp_path, west, east, station, expected):
    cells, corners = longitudes(case_with(tmp_path, "level: 4", station), mesh_of(west, east))
    assert expected <= cells.min() and cells.max() <= expected + east - west
    if east - west < 360:
        assert np.abs(corners - cells[:, None]).max() < 6


def test_all_files_of_a_run_agree(tmp_path, capfd):
    """Stations, their cells and spectra have the longitudes of the fields. A station on land is reported."""
    halcyon.mesh.write_mpas(str(tmp_path / case.MESH), mesh_of(168, 192))
    loaded = case_with(tmp_path, "file: mesh.nc", -175)
    stations = json.dumps(
        [
            {"name": "sea", "longitude": -175, "latitude": 0.5},
            {"name": "land", "longitude": 165, "latitude": 0.5},
        ]
    )
    changes = ["time.end=2022-09-01T00:30", "output.interval=1800", "output.spectra=true"]
    assert runs.run(MPI.COMM_SELF, loaded.path, tmp_path / "out", f"output.stations={stations}", *changes)
    with (
        xr.open_dataset(tmp_path / "out" / case.SEGMENTS[0]) as fields,
        xr.open_dataset(tmp_path / "out" / "stations.nc") as series,
        xr.open_dataset(tmp_path / "out" / "spectra.nc") as spectra,
    ):
        assert fields.lon.min() >= 168 and fields.lon.max() <= 192
        assert series.lon.values == pytest.approx([185, 165])
        assert set(series.cell_lon.values) <= set(fields.lon.values)
        assert np.array_equal(series.cell_lon, spectra.longitude)
    warnings = [line for line in capfd.readouterr().out.splitlines() if line.startswith("warning: ")]
    (warning,) = warnings
    assert "station 'land' at 165 E 0.5 N is in no cell of the mesh" in warning
    assert " km away at 1" in warning
