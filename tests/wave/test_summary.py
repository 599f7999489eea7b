"""What Halcyon sees in files of data: gridded fields, tracks, spectra."""

from pathlib import Path

import numpy as np
import pytest
import xarray as xr
import yaml
from netCDF4 import Dataset

from halcyon.base import ConfigError, InputError
from halcyon.wave.summary import summary_of, times_text
from tests.support import grib_files

DECK = "AL, 09, 2011082506,   , {tech}, {tau}, 250N,  760W, 100,  950, HU,  34, NEQ, 100, 100, 100, 100,\n"


def write_wind(path, names=("u10", "v10"), units="m s-1"):
    with Dataset(path, "w") as file:
        for name, values, unit in (
            ("time", [0, 3], "hours since 2022-09-01"),
            ("latitude", [20, 10, 0], "degrees_north"),
            ("longitude", [350, 0, 10], "degrees_east"),
        ):
            file.createDimension(name, len(values))
            file.createVariable(name, "f8", (name,))[:] = values
            file[name].units = unit
        for name in names:
            file.createVariable(name, "f4", ("time", "latitude", "longitude"))[:] = 3
            file[name].units = units
    return path


def test_gridded_winds(tmp_path):
    summary = summary_of(write_wind(tmp_path / "w.nc"))
    (part,) = summary.parts
    assert (summary.format, part.title, part.obstacle, summary.others) == ("netCDF", "wind", "", [])
    assert part.rows["grid"] == "latitudes and longitudes, 3 x 3 points"
    assert part.rows["extent"] == "from 350 to 370 E and from 0 to 20 N"
    assert part.rows["times"] == "2, from 2022-09-01 00:00 to 2022-09-01 03:00 UTC, every 3 h"
    assert yaml.safe_load(part.lines) == {"forcing": {"wind": {"files": "w.nc"}}}


def test_a_wind_that_needs_an_option_is_named(tmp_path):
    (part,) = summary_of(write_wind(tmp_path / "w.nc", units="furlongs")).parts
    assert part.obstacle.startswith(f"{tmp_path / 'w.nc'}: u10 has the units 'furlongs'")


def test_other_variables(tmp_path):
    summary = summary_of(write_wind(tmp_path / "w.nc", names=("t2m",)))
    assert (summary.parts, summary.others) == ([], ["t2m"])


def test_tracks(tmp_path):
    """A b-deck is a track; an a-deck needs a technique, which the error lists."""
    best = "".join(
        line.replace("2011082506", f"20110825{hour}")
        for line, hour in ((DECK.format(tech="BEST", tau=0), "06"), (DECK.format(tech="BEST", tau=0), "12"))
    )
    (tmp_path / "b.dat").write_text(best)
    (part,) = summary_of(tmp_path / "b.dat").parts
    assert part.rows["records"] == "2: wind 2, pressure 2, radius of maximum wind 0"
    assert part.rows["extent"] == "from -76 to -76 E and from 25 to 25 N"
    assert yaml.safe_load(part.lines) == {"forcing": {"wind": {"track": "b.dat"}}}


def test_the_lines_choose_a_forecast(tmp_path):
    """Of several techniques and times of an a-deck the lines choose one; the choice is stated."""
    deck = "".join(DECK.format(tech=each, tau=tau) for each in ("HWRF", "OFCL") for tau in (0, 12))
    (tmp_path / "a.dat").write_text(deck + deck.replace("2011082506", "2011082512"))
    (part,) = summary_of(tmp_path / "a.dat").parts
    wind = {"track": "a.dat", "technique": "OFCL", "cycle": "2011-08-25T12:00"}
    assert yaml.safe_load(part.lines) == {"forcing": {"wind": wind}}
    assert part.rows["times"] == "2, from 2011-08-25 12:00 to 2011-08-26 00:00 UTC, every 12 h"
    assert part.rows["choice"].startswith("has no best track")
    assert "HWRF, OFCL" in part.rows["choice"]


@pytest.mark.parametrize(
    "name,n_points",
    [("interop_wavespectra/ww3file.nc", "2, "), ("interop_wavespectra/swanhot.spec", "240, ")],
    ids=["netCDF", "text"],
)
def test_spectra(shared, name, n_points):
    (part,) = summary_of(shared / "data" / name).parts
    assert (part.title, part.obstacle) == ("spectra", "")
    assert part.rows["points"].startswith(n_points)
    assert yaml.safe_load(part.lines) == {"boundary": {"files": Path(name).name}}


def test_files_that_are_none(tmp_path):
    with pytest.raises(ConfigError, match="There is no file"):
        summary_of(tmp_path / "none")
    with pytest.raises(InputError):
        summary_of(tmp_path)
    (tmp_path / "text").write_text("a,b\n1,2\n")
    (part,) = summary_of(tmp_path / "text").parts
    assert (part.lines, "lacks the column" in part.obstacle) == ("", True)


def test_times():
    assert times_text(np.array(["2022-09-01T06:00"], "datetime64[ms]")) == "2022-09-01 06:00 UTC"


def test_winds_are_no_currents(tmp_path):
    """The names u and v are those of currents, unless the standard name says that they are winds."""
    path = write_wind(tmp_path / "w.nc", names=("u", "v"))
    assert [part.title for part in summary_of(path).parts] == ["current"]
    with Dataset(path, "a") as file:
        file["u"].standard_name, file["v"].standard_name = "eastward_wind", "northward_wind"
    assert [part.title for part in summary_of(path).parts] == ["wind"]


def test_a_start_of_an_atmosphere(shared):
    path = shared / "data/fixtures/grib/pygrib_gfs.t12z.pgrbf120.2p5deg.grib2"
    titles = {part.title: part for part in summary_of(path).parts}
    assert set(titles) == {"wind", "ice", "start of an atmosphere"}
    assert titles["start of an atmosphere"].rows["levels"] == "26, from 10 to 1000 hPa"
    assert titles["start of an atmosphere"].lines == f"initial: {path.name}\n"


def test_members_are_listed_and_one_is_selected(tmp_path):
    values = np.full((4, 6), 3.0)
    keys = grib_files.REGULAR | {"productDefinitionTemplateNumber": 1}
    content = [
        grib_files.message({**keys, **parameter, "perturbationNumber": number}, values)
        for number in (1, 2)
        for parameter in (grib_files.U10, grib_files.V10)
    ]
    (tmp_path / "m.grib2").write_bytes(b"".join(content))
    (part,) = summary_of(tmp_path / "m.grib2").parts
    assert part.rows["members"] == "2 (number: 1, 2)"
    wind = yaml.safe_load(part.lines)["forcing"]["wind"]
    assert wind == {"files": "m.grib2", "select": {"number": 1}}


@pytest.mark.parametrize("name", ["scenario", "step"])
def test_the_lines_choose_one_of_several(tmp_path, name):
    """Winds on a dimension of their own, or as records of equal times, as of forecasts."""
    speed = np.array([[3.0, 4.0], [6.0, 7.0]])[:, :, None, None] + np.zeros((2, 2, 3, 3))
    axes = {"latitude": [20.0, 10.0, 0.0], "longitude": [350.0, 0.0, 10.0]}
    hours = np.array(["2022-09-01T00", "2022-09-01T03"], "datetime64[ns]")
    dimensions = ("scenario", "time", *axes)
    if name == "step":
        speed, dimensions = speed.reshape(4, 3, 3), ("time", *axes)
        coordinates = axes | {"time": np.tile(hours, 2), "step": ("time", [0, 0, 1, 1])}
    else:
        coordinates = axes | {"time": hours, "scenario": [0.0, 1.0]}
    winds = {component: (dimensions, speed, {"units": "m s-1"}) for component in ("u10", "v10")}
    xr.Dataset(winds, coordinates).to_netcdf(tmp_path / "ens.nc")
    (part,) = summary_of(tmp_path / "ens.nc").parts
    assert yaml.safe_load(part.lines)["forcing"]["wind"] == {"files": "ens.nc", "select": {name: 0}}
    assert f"{name}: 0.0" not in part.lines
    assert part.rows["times"].startswith("2, from")
    assert name in part.rows["choice"]


def test_one_component(tmp_path):
    """The other component may be in another file, as of NEMO."""
    (part,) = summary_of(write_wind(tmp_path / "u.nc", names=("u10",))).parts
    assert part.obstacle.startswith("it has one component, u10.")
    assert yaml.safe_load(part.lines)["forcing"]["wind"] == {"files": ["u.nc", "OTHER_FILE"]}


def test_directions_that_the_file_does_not_say(tmp_path):
    """Components on a curvilinear grid; the line offers both meanings."""
    y, x = np.mgrid[0:3, 0:4]
    positions = {
        name: (("y", "x"), values, {"units": unit})
        for name, values, unit in (
            ("lat", y + 0.3 * x, "degrees_north"),
            ("lon", x - 0.3 * y, "degrees_east"),
        )
    }
    winds = {name: (("time", "y", "x"), np.ones((1, 3, 4)), {"units": "m/s"}) for name in ("u10", "v10")}
    time = {"time": np.array(["2022-09-01"], "datetime64[ns]")}
    xr.Dataset(winds, positions | time).to_netcdf(tmp_path / "c.nc")
    (part,) = summary_of(tmp_path / "c.nc").parts
    assert "components: grid  # or east_north" in part.lines


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "interop_wavespectra/wavespectra.nc",
            ["files: wavespectra.nc", "directions: from  # or towards, cartesian"],
        ),
        ("storms/dorian2019/41010d2019.txt.gz", ["files: '41010?2019.txt.gz'", "position: {longitude:"]),
        ("ndbc/41010.swdir", ["files: [41010.data_spec, 41010.swdir, 41010.swdir2, 41010.swr1, 41010.swr2]"]),
    ],
    ids=["directions", "historical buoy", "buoy"],
)
def test_spectra_that_need_an_option(shared, name, lines):
    (part,) = summary_of(shared / "data" / name).parts
    assert "Set boundary." in part.obstacle
    assert all(f"\n  {line}" in part.lines for line in lines)


def test_names_with_special_characters(tmp_path):
    (part,) = summary_of(write_wind(tmp_path / "winds: 'new' #1.nc")).parts
    assert yaml.safe_load(part.lines)["forcing"]["wind"]["files"] == "winds: 'new' #1.nc"
