"""The points of a nest: from CSV, or the sides of its mesh."""

import numpy as np
import pytest
from mpi4py import MPI

import halcyon.mesh
import seas
from halcyon.base import InputError
from halcyon.config.boundary import Nest
from halcyon.io.nest_file import NestFile
from halcyon.run.nests import points_of_nest
from halcyon.run.places import nearest_cells


def test_the_sides_of_a_mesh(tmp_path):
    mesh = seas.bay()
    halcyon.mesh.write_mpas(str(tmp_path / "m.nc"), mesh)
    lon, lat = points_of_nest(Nest(name="in", mesh=tmp_path / "m.nc"), "case.yaml:1")
    lacking = np.flatnonzero(np.asarray(mesh.cells_on_cell) < 0)
    assert 0 < len(lon) <= len(lacking) and len(lon) < mesh.n_cells
    cells, centres = nearest_cells(lon, lat, seas.local_mesh(mesh), MPI.COMM_SELF, within=1.0)
    assert len(cells) == len(lon)  # each stands for itself
    assert centres[0] == pytest.approx(lon) and centres[1] == pytest.approx(lat)


def test_points_on_land_and_twice_are_left_out():
    local = seas.local_mesh(seas.bay())
    lon, lat = np.degrees(local.mesh.cell_longitude[:2]), np.degrees(local.mesh.cell_latitude[:2])
    places = np.array([lon[1], lon[0], lon[0] + 0.1, -100.0]), np.array([lat[1], lat[0], lat[0], 0.0])
    cells, centres = nearest_cells(*places, local, MPI.COMM_SELF, within=2.0)
    assert cells == sorted(local.part.cells.to_global[:2])
    assert sorted(centres[0]) == pytest.approx(sorted(lon))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("lon,lat\n1,2\n", "must be CSV with the columns longitude and latitude"),
        ("longitude,latitude\n1,95\n", "has no position in row 1"),
        ("longitude,latitude\n1,2\nx,3\n", "has no position in row 2"),
    ],
)
def test_bad_points_are_named(tmp_path, text, says):
    (tmp_path / "p.csv").write_text(text)
    with pytest.raises(InputError, match=says):
        points_of_nest(Nest(name="in", points=tmp_path / "p.csv"), "case.yaml:1")


def test_a_file_that_is_gone_or_short_is_not_gone_on_from(tmp_path):
    path = tmp_path / "nest.nc"
    with pytest.raises(InputError, match=r"nest.nc is gone: its first 3 records cannot be gone on from"):
        NestFile(path, n_records=3).go_on()
    file = NestFile(path)
    bins = {"frequency": [0.1, 0.2], "direction": np.radians([0.0, 90, 180, 270])}
    file.begin(**bins, longitude=[1.0], latitude=[2.0], title="a nest")
    file.write(np.datetime64("2022-09-01T00:00"), np.ones((1, 2, 4)))
    file.close()
    with pytest.raises(InputError, match=r"nest.nc.part has 1 records, but 3 were written"):
        NestFile(path, n_records=3).go_on()
