"""Figures are written, have the right size and are not empty."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from PIL import Image
from shapely.geometry import MultiPolygon, box

from halcyon import plot
from halcyon.base import InputError
from halcyon.plot.cells import cells_of
from halcyon.plot.chart import land_patches
from halcyon.plot.style import round_levels
from halcyon.wave.track import read_track

HINNAMNOR = Path(__file__).parents[2] / "examples" / "hinnamnor" / "track.csv"
TIMES = np.datetime64("2022-09-01T00", "ns") + np.arange(9) * np.timedelta64(12, "h")


def lattice_run(west=118.0, south=18.0, n=24):
    """Fields of a run on a square lattice of n x n cells of one degree."""
    x, y = (west + np.arange(n + 1) + 180) % 360 - 180, south + np.arange(n + 1.0)
    node_lat, node_lon = (a.ravel() for a in np.meshgrid(y, x, indexing="ij"))
    i, j = (a.ravel() for a in np.mgrid[:n, :n])
    corner = i * (n + 1) + j
    face_nodes = np.stack([corner, corner + 1, corner + n + 2, corner + n + 1, 0 * corner - 1], axis=1)
    lon, lat = (west + j + 0.5 + 180) % 360 - 180, south + i + 0.5
    height = np.exp(-((i - 12) ** 2 + (j - 8) ** 2) / 40) * np.linspace(3, 11, len(TIMES))[:, None]
    return xr.Dataset(
        {
            "node_lon": ("node", node_lon),
            "node_lat": ("node", node_lat),
            "face_nodes": (("face", "max_nodes"), face_nodes),
            "lon": ("face", lon),
            "lat": ("face", lat),
            "significant_height": (("time", "face"), height.astype("f4")),
        },
        coords={"time": TIMES},
    )


def series(n=3):
    """Series at n stations."""
    wave = 2 + np.sin(np.arange(len(TIMES))[:, None] + np.arange(n))
    names = ["significant_height", "peak_period", "mean_period", "eastward_wind", "northward_wind"]
    values = {name: (("time", "station"), wave * (k + 1)) for k, name in enumerate(names)}
    values["mean_direction"] = (("time", "station"), 90 * wave)
    values["station_name"] = ("station", [f"Station {k}" for k in range(n)])
    return xr.Dataset(values, coords={"time": TIMES})


def picture(path):
    """Size and number of distinct colours of an image."""
    image = Image.open(path).convert("RGB")
    return image.size, len(image.getcolors(1 << 24))


def test_map_of_the_maximum_height(tmp_path):
    """Maps of several files, without and with land and track, have the right width and many colours."""
    run = lattice_run()
    files = [tmp_path / "fields_1.nc", tmp_path / "fields_2.nc"]
    run.isel(time=slice(0, 5)).to_netcdf(files[0])
    run.isel(time=slice(5, None)).to_netcdf(files[1])
    land = MultiPolygon([box(118, 35, 124, 42), box(130, 30, 132, 34)])
    plot.maximum_height(tmp_path / "bare.png", files)
    plot.maximum_height(tmp_path / "full.png", files, land=land, track=read_track(HINNAMNOR), title="A storm")
    size, n_bare = picture(tmp_path / "bare.png")
    assert size[0] == 1400 and size[1] > 900 and n_bare > 100
    assert picture(tmp_path / "full.png")[1] != n_bare


def test_map_of_the_wind(tmp_path):
    run = lattice_run()
    u, v = run.lat.values - 30, 125 - run.lon.values
    plot.wind(tmp_path / "wind.png", run, u, v, time="2022-09-01T12:00")
    size, n_colours = picture(tmp_path / "wind.png")
    assert size[0] == 1400 and n_colours > 100


def test_calm_and_one_time_are_drawn(tmp_path):
    run = lattice_run().isel(time=slice(0, 1)) * 1.0
    run["face_nodes"] = run.face_nodes.astype(int)
    run["significant_height"] = run.significant_height * 0
    plot.maximum_height(tmp_path / "calm.png", run)
    plot.wind(tmp_path / "wind.png", run, 0 * run.lat.values, 0 * run.lat.values)
    plot.stations(tmp_path / "one.png", series().isel(time=slice(0, 1)))
    assert all(picture(tmp_path / name)[0][0] == 1400 for name in ("calm.png", "wind.png", "one.png"))


def test_stations(tmp_path):
    series().to_netcdf(tmp_path / "stations.nc")
    plot.stations(tmp_path / "four.png", tmp_path / "stations.nc")
    plot.stations(tmp_path / "one.png", series(12)[["station_name", "significant_height"]])
    four, n_colours = picture(tmp_path / "four.png")
    assert four[0] == 1400 and n_colours > 100
    assert picture(tmp_path / "one.png")[0][1] < four[1] / 2


@pytest.mark.parametrize("west", [-110, -12, 168, 250, 348])
def test_land_is_where_the_cells_are(west):
    """The coast of a case is drawn over cells whose file has other longitudes, also across 0 and 180 E."""
    cells = cells_of(lattice_run(west=float(west)))
    middle = cells.longitude.mean()
    for shift in (-720, -360, 0, 360):
        patches = land_patches(box(middle + shift - 1, 22, middle + shift + 4, 27), cells.box)
        (path,) = patches.get_paths()
        assert path.get_extents().bounds == pytest.approx((middle - 1, 22, 5, 5))


def test_land_is_on_both_sides_of_a_global_map():
    paths = land_patches(box(-170, 0, 170, 10), (0, 360, -90, 90)).get_paths()
    assert sorted(path.get_extents().x0 for path in paths) == [-170, 190]


def test_cells_keep_the_longitudes_of_the_file():
    """Cells are at the longitudes of the file, in 0..360 or -180..180, if these do not jump."""
    run = lattice_run(west=-110.0)
    assert cells_of(run).box[:2] == (-109.5, -86.5)
    assert cells_of(run.assign(lon=run.lon + 360)).box[:2] == (250.5, 273.5)


def test_cells_across_the_date_line_stay_whole():
    cells = cells_of(lattice_run(west=170.0))
    assert max(np.ptp(polygon[:, 0]) for polygon in cells.polygons) == pytest.approx(1)
    assert np.ptp(cells.longitude) == pytest.approx(23) and len(cells.polygons[0]) == 4


def test_levels_are_round():
    """Levels of colours are round numbers that cover the maximum."""
    assert round_levels(17.9, most=18).tolist() == list(range(19))
    assert round_levels(3.2, most=14)[-1] >= 3.2 and len(round_levels(3.2, most=14)) <= 15
    assert round_levels(0.0).tolist() == [0, 1] and round_levels(float("nan")).tolist() == [0, 1]


def test_what_is_missing_is_named(tmp_path):
    """Missing variables and files are errors that name them."""
    with pytest.raises(InputError, match="no variable 'significant_height'"):
        plot.maximum_height(tmp_path / "a.png", lattice_run().drop_vars("significant_height"))
    with pytest.raises(InputError, match=r"nowhere.nc cannot be read as netCDF: No such file"):
        plot.stations(tmp_path / "a.png", tmp_path / "nowhere.nc")
    with pytest.raises(InputError, match="no variable to plot"):
        plot.stations(tmp_path / "a.png", series()[["station_name"]])


def test_importing_costs_no_matplotlib():
    code = "import sys, halcyon.plot; sys.exit('matplotlib' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
