"""The open sides of a region: which points serve which cells, and what is refused or said."""

from dataclasses import replace

import numpy as np
import pytest
from mpi4py import MPI

from halcyon.base import EARTH_RADIUS, InputError
from halcyon.config import load_case
from halcyon.config.mesh import Region
from halcyon.mesh.sphere import to_points
from halcyon.run.input import boundary_source
from halcyon.run.input.boundary import OpenBoundary
from halcyon.run.input.open_cells import SIDES, automatic_distance, distance_text, open_cells
from tests.support import sea_states
from tests.wave import grids
from tests.wave.test_spectra_kinds import write_swan_text
from tests.wave.test_spectra_source import DIRECTION, FREQUENCY, swell

BAY = Region(west=100, east=175, south=0, north=50)
CASE = """\
model: wave
mesh:
  spacing: {background: 500e3}
  region: {west: 100, east: 175, south: 0, north: 50}
  spectrum: {frequencies: 12, first_frequency: 0.045, ratio: 1.15, directions: 24}
time: {start: 2022-09-01T00:00, end: 2022-09-01T06:00, step: auto, source_step: 1800}
forcing: {wind: none}
initial: {type: calm}
"""
SWELL = swell(FREQUENCY, DIRECTION, towards=90.0)


def boundary(tmp_path, *, lon=(100.0, 100.0, 100.0), lat=(5.0, 20.0, 35.0), factor=(1.0, 2.0), **options):
    """The open boundary of the bay with a swell at points, times `factor` [(point)] at each time."""
    factor = np.broadcast_to(np.array(factor, float).reshape(len(factor), -1), (len(factor), len(lon)))
    hours = np.linspace(0, 6, len(factor))
    density = factor[..., None, None] * SWELL
    bins = {"frequency": FREQUENCY, "direction": DIRECTION}
    grids.write_spectra(tmp_path / "s.nc", density, hours=hours, lon=lon, lat=lat, **bins)
    return opened(tmp_path, "s.nc", **options)


def opened(tmp_path, file, **options):
    texts = "".join(f", {name}: {value}" for name, value in options.items())
    (tmp_path / "case.yaml").write_text(CASE + f"boundary: {{files: {file}{texts}}}\n")
    grid = sea_states.spectral_grid()
    local = sea_states.local_mesh(sea_states.bay())
    return OpenBoundary(load_case(tmp_path / "case.yaml"), local, grid, MPI.COMM_SELF)


def heights(result, time_s):
    """Hs of the open cells by the spectra of the files."""
    result._read(time_s)
    records, weights = result._records[0], result._weights
    values = records.moments.variance(records.moments_at(time_s))
    return 4 * np.sqrt(weights.combine(values))


def test_cells_belong_to_the_side_where_neighbours_lack():
    mesh = sea_states.bay()
    found = open_cells(sea_states.local_mesh(mesh), BAY)
    lon, lat = (np.degrees(x)[found.cells] for x in (mesh.cell_longitude, mesh.cell_latitude))
    sides = np.array(SIDES)[found.sides]
    assert {*sides} == {*SIDES}
    assert lon[sides == "west"].max() < 110 and lon[sides == "east"].min() > 165
    assert lat[sides == "south"].max() < 8 and lat[sides == "north"].min() > 42
    assert len(found.cells) < len(open_cells(sea_states.local_mesh(mesh), None).cells)  # the island's coast


def test_far_cells_are_closed_and_said(tmp_path, capsys):
    """Three points in the west, 15 degrees apart, serve cells up to 1.5 times as far."""
    result = boundary(tmp_path)
    text = capsys.readouterr().out
    assert "no waves enter there. Give points there, or set boundary.distance" in text
    assert result.table()[0].startswith(f"{len(result.cells)} cells at the open sides within 2502 km of the")
    assert result.report.parts[0].side in SIDES
    assert max(part.distance_m for part in result.report.parts) < 1.5 * 15 * 111.2e3
    everywhere = boundary(tmp_path, distance=1e7)
    assert len(everywhere.cells) > len(result.cells) and capsys.readouterr().out == ""


def test_points_on_land_are_left_out(tmp_path):
    """Cells nearest to a point without spectra are served by the next one."""
    points = {"lon": (100.0, 100.0, 100.0), "lat": (5.0, 20.0, 35.0)}
    result = boundary(tmp_path, factor=[[1, np.nan, 4], [1, np.nan, 4]], **points)
    assert {part.latitude for part in result.report.parts} == {5, 35}
    between = heights(result, 3600.0)
    assert between.min() >= 2 * (1 - 1e-3) and between.max() <= 4 * (1 + 1e-3)


def test_spectra_that_do_not_change_are_said(tmp_path, capsys):
    boundary(tmp_path, factor=(1, 1, 1), distance=1e7)
    assert "s.nc do not change during the run" in capsys.readouterr().out


def test_warnings_of_files_are_printed(tmp_path, capsys, monkeypatch):
    opened_sources = boundary_source.open_sources

    def doubtful(*arguments, **options):
        return [replace(source, warnings=("doubtful",)) for source in opened_sources(*arguments, **options)]

    monkeypatch.setattr(boundary_source, "open_sources", doubtful)
    boundary(tmp_path, distance=1e7)
    assert capsys.readouterr().out.startswith(f"warning: {tmp_path}/case.yaml:9: doubtful")


def test_a_stationary_file_is_for_the_whole_run(tmp_path, capsys):
    write_swan_text(tmp_path / "s.spec")
    result = opened(tmp_path, "s.spec")
    assert "do not change during the run" in capsys.readouterr().out
    assert heights(result, 0) == pytest.approx(2, rel=5e-3)
    assert np.array_equal(heights(result, 0), heights(result, 12345.0))


def test_a_file_of_one_time_of_the_run_is_for_the_whole_run(tmp_path, capsys):
    """As a restart file of SWAN."""
    result = boundary(tmp_path, factor=(1,), distance=1e7)
    assert "do not change during the run" in capsys.readouterr().out
    assert np.array_equal(heights(result, 0), heights(result, 12345.0))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        pytest.param({"factor": (0, 0, 0)}, "s.nc have no energy at the first, the middle", id="zeros"),
        pytest.param(
            {"lon": (10.0, 10.0), "lat": (5.0, 6.0)},
            r"case.yaml:\d+: no cell .* within .* km of the points of .*s.nc: the nearest is 9\d{3} km away",
            id="far",
        ),
        pytest.param({"lon": (20.0,), "lat": (-40.0,)}, "the nearest is .* km away", id="a far buoy"),
        pytest.param({"factor": [[np.nan] * 3] * 2}, "s.nc: none of these points has spectra", id="land"),
    ],
)
def test_mistakes_are_named(tmp_path, options, text):
    with pytest.raises(InputError, match=text):
        boundary(tmp_path, **options)


def test_the_automatic_distance():
    points = to_points(np.array([0.0, 1, 2, 2]), np.array([0.0, 0, 0, 0]))  # a point given twice counts once
    degree = EARTH_RADIUS * np.pi / 180
    assert automatic_distance(points, BAY, 1e3) == pytest.approx(1.5 * degree, rel=1e-3)
    assert automatic_distance(points, None, 1e3) == pytest.approx(0.75 * degree, rel=1e-3)
    assert automatic_distance(points, None, 1e5) == 2e5
    assert 75 * degree < automatic_distance(points[:1], BAY, 1e3) < 100 * degree
    assert [distance_text(x) for x in (10, 83200, 2.5e6)] == ["10 m", "83.2 km", "2500 km"]
