"""The points of a nest, for which a run writes boundary spectra: from CSV, or boundary cells of the inner
mesh."""

import numpy as np
import pytest
from mpi4py import MPI

import halcyon.mesh
from halcyon.base import ConfigError, InputError
from halcyon.config.forcing import Nest
from halcyon.run.input.cells import nearest_cells
from halcyon.run.series.spectra import points_of_nest
from tests.run import case
from tests.support import sea_states


def test_the_sides_of_a_mesh(tmp_path):
    """The points of a mesh are the centres of boundary cells."""
    mesh = sea_states.bay()
    halcyon.mesh.write_mpas(str(tmp_path / "m.nc"), mesh)
    lon, lat = points_of_nest(Nest(name="in", mesh=tmp_path / "m.nc"), "case.yaml:1")
    open_boundary = np.flatnonzero(np.asarray(mesh.cells_on_cell) < 0)
    assert 0 < len(lon) <= len(open_boundary) and len(lon) < mesh.n_cells
    cells, centres = nearest_cells(
        lon, lat, sea_states.local_mesh(mesh), MPI.COMM_SELF, max_widths=1.0, middle=180
    )
    assert len(cells) == len(lon)  # each point is its own nearest cell
    assert centres[0] == pytest.approx(lon) and centres[1] == pytest.approx(lat)


def test_points_on_land_and_twice_are_left_out():
    """Points with the same nearest cell count once, points far from the sea not at all."""
    local = sea_states.local_mesh(sea_states.bay())
    lon, lat = np.degrees(local.mesh.cell_longitude[:2]), np.degrees(local.mesh.cell_latitude[:2])
    places = np.array([lon[1], lon[0], lon[0] + 0.1, -100.0]), np.array([lat[1], lat[0], lat[0], 0.0])
    cells, centres = nearest_cells(*places, local, MPI.COMM_SELF, max_widths=2.0, middle=180)
    assert cells == sorted(local.part.cells.to_global[:2])
    assert sorted(centres[0]) == pytest.approx(sorted(lon))


def test_blanks_and_other_columns_do_no_harm(tmp_path):
    (tmp_path / "p.csv").write_text("name, latitude, longitude\nA, 2, 1\nB, -4, 190\n")
    lon, lat = points_of_nest(Nest(name="in", points=tmp_path / "p.csv"), "case.yaml:1")
    assert lon.tolist() == [1, 190] and lat.tolist() == [2, -4]


def test_the_sides_of_a_region(tmp_path):
    """The points of a region, or of a case with a region, are along its sides."""
    region = {"west": 100, "east": 120, "south": 5, "north": 15}
    lon, lat = points_of_nest(Nest(name="in", region=region), "case.yaml:1", np.radians(1))
    on_side = (lon == 100) | (lon == 120) | (lat == 5) | (lat == 15)
    assert on_side.all() and {100, 110, 120} <= {*lon} and {5, 10, 15} <= {*lat} and len(lon) == 64
    text = case.CASE.replace("file: mesh.nc", f"spacing: {{background: 200e3}}\n  region: {region}")
    (tmp_path / "inner.yaml").write_text(text[: text.index("output:")].replace("{track: track.csv}", "none"))
    nest = Nest(name="in", case=tmp_path / "inner.yaml")
    assert np.array_equal(points_of_nest(nest, "case.yaml:1", np.radians(1)), (lon, lat))
    (tmp_path / "inner.yaml").write_text(
        (tmp_path / "inner.yaml").read_text().replace(f"region: {region}", "")
    )
    with pytest.raises(ConfigError, match=r"inner.yaml has neither mesh.region nor mesh.file, so the sides"):
        points_of_nest(nest, "case.yaml:1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            "",
            "must be CSV with the columns longitude and latitude: its first line does not name these columns",
            id=("-must be CSV with the columns longitude and latitude: its first line does not name them"),
        ),
        ("lon,lat\n1,2\n", "must be CSV with the columns longitude and latitude"),
        pytest.param(
            "longitude,latitude\n1\n",
            "has no valid longitude and latitude in row 1",
            id="longitude,latitude\n1\n-has no position in row 1",
        ),
        pytest.param(
            "longitude,latitude\n1,95\n",
            "has no valid longitude and latitude in row 1",
            id="longitude,latitude\n1,95\n-has no position in row 1",
        ),
        pytest.param(
            "longitude,latitude\n1,2\nx,3\n",
            "has no valid longitude and latitude in row 2",
            id="longitude,latitude\n1,2\nx,3\n-has no position in row 2",
        ),
    ],
)
def test_bad_points_are_named(tmp_path, text, message):
    (tmp_path / "p.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        points_of_nest(Nest(name="in", points=tmp_path / "p.csv"), "case.yaml:1")
