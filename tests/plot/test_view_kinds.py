"""The page of other kinds of runs: global meshes, grids of the spectral model, ensembles, storms."""

import json
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from halcyon.mesh.sphere import to_lonlat, to_points
from halcyon.mesh.ugrid import face_nodes
from halcyon.plot.view.page import view_page
from tests.plot.test_plot import TIMES, lattice_run
from tests.plot.test_view import document, on_page, write_run
from tests.support import meshes

CASE = Path(__file__).parents[2] / "examples" / "hinnamnor" / "case.yaml"
POINTER = "document.getElementById('pointer').textContent"
WORLD = "p=flat&c=0,0,260"


def value_at(chromium, lon, lat):
    """The value that the page of a global run shows at a point of the flat map of the world."""
    chromium.move(*on_page(chromium, lon, lat, (0.0, 0.0), 260.0, 1.0))
    return float(chromium.evaluate(POINTER).split()[0])


def test_each_point_of_a_sphere_is_in_its_cell(chromium, tmp_path):
    """On the flat map of a mesh of the whole sphere, also at the poles and the date line, the value is that
    of the nearest cell, and no pixel is without a cell."""
    grid = meshes.globe(2)
    lon, lat = to_lonlat(grid.cell_points)
    nodes = to_lonlat(grid.vertex_points)
    data = xr.Dataset(
        {
            "node_lon": ("node", nodes[0]),
            "node_lat": ("node", nodes[1]),
            "face_nodes": (("face", "max_nodes"), face_nodes(grid)),
            "lon": ("face", lon),
            "lat": ("face", lat),
            "index": (("time", "face"), np.arange(grid.n_cells, dtype="f4")[None]),
        },
        {"time": TIMES[:1]},
    )
    view_page(tmp_path / "page.html", [write_run(tmp_path / "globe.out", data)])
    chromium.open(tmp_path / "page.html", f"{WORLD}&m=Greys&r=-2000,-1000")  # all cells are dark
    picture = chromium.screenshot()
    (left, top), (right, bottom) = (
        on_page(chromium, x, y, (0, 0), 260.0, 1.0) for x, y in ((-179, 89), (179, -40))
    )
    shown = picture[round(top) + 2 : round(bottom), round(left) + 2 : round(right) - 2]
    assert shown.min(axis=2).max() < 150
    points = [(0, 89.5), (120, 88), (-170, -89), (179.5, 3), (-179.5, -4), (10, 45), (-75, -30), (60, 0)]
    for x, y in points:
        nearest = int(np.argmax(grid.cell_points @ to_points(np.array([x]), np.array([y]))[0]))
        assert value_at(chromium, x, y) == pytest.approx(nearest, abs=0.01)


@pytest.mark.parametrize("descending", [False, True])
def test_boxes_of_a_grid(chromium, tmp_path, descending):
    """The value at a point of a longitude-latitude grid is that of the box around the grid point."""
    lat, lon = np.arange(-80.0, 81.0, 20.0), np.arange(0.0, 360.0, 30.0)
    values = np.arange(len(lat) * len(lon), dtype="f4").reshape(len(lat), len(lon))
    lat = lat[::-1] if descending else lat
    data = xr.Dataset(
        {"height": (("time", "lat", "lon"), values[None])}, {"time": TIMES[:1], "lat": lat, "lon": lon}
    )
    view_page(tmp_path / "page.html", [write_run(tmp_path / "grid.out", data)])
    chromium.open(tmp_path / "page.html", WORLD)
    for x, y in ((0, 0), (14, 9), (-16, -31), (170, 85), (-179, -89)):
        row, column = abs(lat - np.clip(y, -80, 80)).argmin(), round(x / 30) % 12
        assert value_at(chromium, x, y) == pytest.approx(values[row, column], abs=0.01)


def test_members_and_probabilities_of_an_ensemble(tmp_path):
    run = lattice_run()
    height = run["significant_height"]
    threshold = {"threshold": 4.0, "units": "1"}
    statistics = run.drop_vars("significant_height").assign(
        significant_height_mean=height, significant_height_above_4=height.copy(data=height > 4).astype("f4")
    )
    statistics["significant_height_above_4"].attrs = threshold
    statistics.attrs["members"] = "001 002"
    folder = tmp_path / "small.ens"
    folder.mkdir()
    statistics.to_netcdf(folder / "ensemble.nc")
    (folder / "ensemble.json").write_text(json.dumps({"files": ["ensemble.nc"]}))
    for name in ("001", "002", "003"):  # the last has not finished: the statistics are without it
        write_run(folder / f"member_{name}", run)
    view_page(tmp_path / "page.html", [folder])
    fields = document(tmp_path / "page.html")["runs"][0]["fields"]
    shown = {(field["variable"], field["member"]): field for field in fields}
    assert [*shown] == [
        ("significant_height_mean", None),
        ("significant_height_above_4", None),
        ("significant_height", "001"),
        ("significant_height", "002"),
    ]
    probability = shown["significant_height_above_4", None]
    assert probability["map"] == "YlOrRd" and probability["range"] == [0, 1]


def test_a_storm_has_its_track_and_title(tmp_path):
    folder = write_run(tmp_path / "storm.out", lattice_run())
    entries = {"files": ["fields_20220901T0000.nc"], "case": str(CASE), "overrides": []}
    (folder / "run.json").write_text(json.dumps(entries))
    view_page(tmp_path / "page.html", [folder])
    page = document(tmp_path / "page.html")
    (track,) = page["runs"][0]["tracks"]
    assert page["title"] == "typhoon Hinnamnor (2022)"
    assert min(track["lat"]) > 15 and max(track["lon"]) < 160 and track["times"] == sorted(track["times"])
