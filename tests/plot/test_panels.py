"""Maps at several times in one figure, and spectra at stations."""

import numpy as np
import pytest
from mpi4py import MPI
from typer.testing import CliRunner

from halcyon.base import ConfigError, InputError
from halcyon.cli.app import app
from halcyon.plot import cells, panels
from tests.run import case, runs

PNG = b"\x89PNG"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The output folder of a run of three hours, with spectra."""
    path = case.write_case(tmp_path_factory.mktemp("panels"))
    output = path.with_name("out")
    assert runs.run(MPI.COMM_SELF, path, output, "output.spectra=true", "time.end=2022-09-01T03:00")
    return output


def invoke(*options):
    return CliRunner().invoke(app, ["plot", *map(str, options)])


def test_panels_of_a_run(folder, tmp_path):
    picture = tmp_path / "panels.png"
    done = invoke("panels", folder, "--every", "3600", "--output", picture)
    assert done.exit_code == 0, done.exception
    assert picture.read_bytes()[:4] == PNG
    assert done.stdout == f"{picture}\n"


def test_panels_of_another_variable_go_into_the_folder(folder):
    assert invoke("panels", folder, "--variable", "mean_period", "--every", "7200").exit_code == 0
    assert (folder / "panels.png").read_bytes()[:4] == PNG


def test_what_panels_cannot_draw(folder):
    for options, error, text in (
        (("--every", "0"), ConfigError, "--every 0: give seconds above 0"),
        (("--variable", "height"), InputError, "there is no variable 'height'"),
        (("--variable", "hs"), InputError, r"Did you mean 'significant_height'\?"),
        (("--variable", "depth"), InputError, "depth does not change in time: there is one map of it"),
        (("--output", folder / "a.doc"), ConfigError, "unknown picture format"),
    ):
        with pytest.raises(error, match=text):
            raise invoke("panels", folder, *options).exception


def test_pixels_have_the_value_of_their_cell(folder):
    """Random pixels lie within their cell, allowing for its curved edges; pixels on an island have no
    cell."""
    from halcyon.plot.maps import nearest_cells

    (dataset,) = cells.open_files(folder / case.SEGMENTS[0])
    found = cells.cells_of(dataset)
    box = (110.0, 160.0, 5.0, 40.0)
    image = nearest_cells(found, box, 100)
    lon = 110 + (np.arange(100) + 0.5) / 2
    lat = 5 + (np.arange(70) + 0.5) / 2
    assert image.shape == (70, 100)
    from matplotlib.path import Path

    for row, column in np.random.default_rng(1).integers(0, (70, 100), (60, 2)):
        cell = image[row, column]
        if cell >= 0 and abs(lat[row]) < 35:
            polygon = found.polygons[cell]
            middle = polygon.mean(axis=0)
            near = Path(
                middle + 1.35 * (polygon - middle)
            )  # edges are great-circle arcs; rims end at corners
            assert near.contains_point((lon[column], lat[row]))
    assert np.any(image == -1)  # the island


def test_a_map_of_the_globe_covers_all_of_it():
    """Every cell of a global mesh has a pixel, and every pixel a cell."""
    from halcyon.plot.maps import nearest_cells
    from tests.support import sea_states

    sphere = sea_states.sphere(2)
    corners = [
        np.degrees(np.column_stack([sphere.vertex_longitude[v], sphere.vertex_latitude[v]]))
        for v in np.split(sphere.vertices_on_cell, sphere.cell_offsets[1:-1])
    ]
    places = cells.Cells(corners, np.degrees(sphere.cell_longitude), np.degrees(sphere.cell_latitude))
    image = nearest_cells(places, (-180.0, 180.0, -90.0, 90.0), 120)
    assert set(np.unique(image)) == set(range(sphere.n_cells))


def test_too_many_maps_are_refused(folder, tmp_path):
    (dataset,) = cells.open_files(folder / case.SEGMENTS[0])
    many = dataset.isel(time=np.zeros(60, int))
    many["time"] = many["time"].values[0] + np.arange(60) * np.timedelta64(3600, "s")
    with pytest.raises(InputError, match="60 maps would be too many"):
        panels(tmp_path / "panels.png", [many], every_s=3600)


def test_spectra(folder, tmp_path):
    """Spectra are drawn for all stations, or for one station and time; other stations, times and files are
    errors."""
    for options in ((), ("--station", "East", "--time", "2022-09-01T02:10")):
        picture = tmp_path / f"spectra{len(options)}.png"
        done = invoke("spectra", folder, "--output", picture, *options)
        assert done.exit_code == 0, done.exception
        assert picture.read_bytes()[:4] == PNG
    with pytest.raises(ConfigError, match=r"no station 'North'. There are West, East"):
        raise invoke("spectra", folder, "--station", "North", "--output", picture).exception
    for time in ("noon", "NaT", "today"):
        with pytest.raises(ConfigError, match=f"--time {time}: give a time in UTC"):
            raise invoke("spectra", folder, "--time", time, "--output", picture).exception
    for time in ("2022-08-31T23:29", "2022-09-01T03:31"):
        with pytest.raises(ConfigError, match="spectra are from 1 Sep 2022 00:00 to 1 Sep 2022 03:00 UTC"):
            raise invoke("spectra", folder, "--time", time, "--output", picture).exception
    with cells.open_files(folder / "spectra.nc")[0] as spectra:
        del spectra["station"].attrs["names"]
        spectra.to_netcdf(tmp_path / "foreign.nc")
    with pytest.raises(InputError, match=r"foreign.nc does not name its stations"):
        raise invoke("spectra", tmp_path / "foreign.nc", "--output", picture).exception
    with pytest.raises(InputError, match="there is no variable 'efth'"):
        raise invoke("spectra", folder / "stations.nc", "--output", picture).exception


@pytest.mark.parametrize(
    ("name", "lowest", "ends"),
    [
        ("sea_surface_wave_significant_height", 0.5, (0, 4)),
        ("eastward_wind", -2.0, (-4, 4)),
        ("sea_surface_wave_from_direction", 10.0, (0, 360)),
        ("sea_surface_wave_directional_spread", 0.5, (0, 4)),
    ],
)
def test_colours_reach_from_zero_or_the_middle_or_go_round(name, lowest, ends):
    """Levels of colours begin at zero, are symmetric about zero, or cover the circle, by kind of variable."""
    from halcyon.plot.maps import colour_scale

    levels, colour_map, _ = colour_scale([np.array([lowest, np.nan, 4.0])], {"standard_name": name})
    assert (levels[0], levels[-1]) == ends and len(levels) <= 16
    assert len(levels) - 1 == colour_map.N
    if ends[0] < 0:
        assert 0 in levels


def test_land_is_drawn_where_the_mesh_ends_at_it(tmp_path):
    from halcyon.config import load_case
    from halcyon.plot.run import land_of

    text = case.CASE.replace(
        "file: mesh.nc", "region: {west: 126, east: 136, south: 30, north: 36}\n  level: 5"
    )
    text = text.replace("{track: track.csv}", "none").replace("longitude: 110", "longitude: 130")
    text = text.replace("longitude: 150", "longitude: 131").replace("latitude: 2", "latitude: 31.")
    for sea in ("true", "false"):
        (tmp_path / "case.yaml").write_text(text.replace("  spectrum", f"  sea: {sea}\n  spectrum"))
        land = land_of(load_case(tmp_path / "case.yaml"))
        assert (land is None) == (sea == "false")
    assert land_of(None) is None
