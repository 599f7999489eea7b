"""Scores of station series against buoys: reading of NDBC files, collocation, statistics, the command."""

import gzip
import json
from datetime import datetime
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr
from typer.testing import CliRunner

from halcyon import wave
from halcyon.base import ConfigError, InputError
from halcyon.cli.app import app
from halcyon.io import StationsFile
from halcyon.io.attributes import Origin
from halcyon.score import Pairs, collocate, score
from halcyon.score.buoys import read_buoy

HEAD = """\
#YY  MM DD hh mm WDIR WSPD GST  WVHT   DPD   APD MWD   PRES  ATMP  WTMP  DEWP  VIS  TIDE
#yr  mo dy hr mn degT m/s  m/s     m   sec   sec degT   hPa  degC  degC  degC   mi    ft
"""
ROWS = """\
2022 09 01 00 50 999 99.0 99.0  2.00  8.00  6.00 350 9999.0 999.0  25.1 999.0 99.0 99.00
2022 09 01 01 50 999 99.0 99.0  4.00 10.00  7.00  10 9999.0 999.0  25.1 999.0 99.0 99.00
2022 09 01 03 20 999 99.0 99.0 99.00 99.00 99.00 999 9999.0 999.0  25.1 999.0 99.0 99.00
2022 09 01 04 00 999 99.0 99.0  3.00    MM  6.50  20 9999.0 999.0  25.1 999.0 99.0 99.00
"""
START = datetime(2022, 9, 1)


def buoy_file(folder, text=HEAD + ROWS, name="41010h2022.txt"):
    """Writes a text file of a buoy in the format of NDBC."""
    (folder / name).write_text(text)
    return folder / name


@pytest.fixture
def stations(tmp_path):
    """A station file with five hourly records at two stations: heights of 1 to 5 m and turning directions at
    the first, constant values at the second."""
    rows = {row.name: row for row in wave.wave_variables()}
    variables = [
        rows[name] for name in ("significant_height", "peak_period", "mean_period_02", "peak_direction")
    ]
    requested = [SimpleNamespace(name="41010", longitude=281.5, latitude=28.9)]
    requested.append(SimpleNamespace(name="Offshore", longitude=290.0, latitude=30.0))
    locations = np.array([(each.longitude, each.latitude) for each in requested])
    file = StationsFile(
        tmp_path, requested, locations, variables, start=START, origin=Origin("a test", "0", "none")
    )
    for hour in range(5):
        values = [[1.0 + hour, 9.0, 6.0, 350.0 + 10 * hour - 360 * (hour > 0)], [2.0, 8.0, 6.0, 90.0]]
        file.write(START.replace(hour=hour), hour, np.array(values))
    file.close()
    return tmp_path / "stations.nc"


def pairs(x, y, variable="significant_height"):
    """Pairs of measured values x and modelled values y."""
    return Pairs("a", "b", variable, np.arange(len(x)), np.array(y, float), np.array(x, float))


def test_a_text_file(tmp_path):
    """Values of NDBC's text format; 99, 999 and MM are missing values."""
    buoy = read_buoy(buoy_file(tmp_path))
    assert buoy.name == "41010"
    assert buoy.times[0] == np.datetime64("2022-09-01T00:50")
    assert buoy.values["significant_height"].tolist() == pytest.approx([2, 4, np.nan, 3], nan_ok=True)
    assert buoy.values["peak_period"].tolist() == pytest.approx([8, 10, np.nan, np.nan], nan_ok=True)
    assert buoy.values["peak_direction"].tolist() == pytest.approx([350, 10, np.nan, 20], nan_ok=True)


def test_a_packed_file(tmp_path):
    """A compressed file, as in NDBC's archive, has the values of the plain one; a truncated one is an
    error."""
    plain, packed = buoy_file(tmp_path), tmp_path / "41010h2022.txt.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    ours, theirs = read_buoy(packed), read_buoy(plain)
    assert ours.name == theirs.name == "41010"
    assert np.array_equal(ours.times, theirs.times)
    for name, values in theirs.values.items():
        assert np.array_equal(ours.values[name], values, equal_nan=True)
    packed.write_bytes(packed.read_bytes()[:-9])
    with pytest.raises(InputError, match=r"41010h2022.txt.gz cannot be read: "):
        read_buoy(packed)


def test_a_text_file_of_the_last_century(tmp_path):
    """Years with two digits, and lines without minutes."""
    text = "YY MM DD hh WD   WSPD GST  WVHT  DPD   APD  MWD  BAR    ATMP  WTMP  DEWP  VIS\n"
    text += "96 02 29 13 210  5.0  6.0   1.50  7.10  5.20 999 1015.0  20.0  21.0 999.0 99.0\n"
    buoy = read_buoy(buoy_file(tmp_path, text, "44025.txt"))
    assert buoy.times.tolist() == [datetime(1996, 2, 29, 13)]
    assert buoy.values["mean_period_02"].tolist() == [5.2]


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("YY MM DD hh WD WSPD GST WVHT DPD APD MWD", "98 08 26 13 210 5.0 6.0 1.50 7.10 5.20 999"),
        ("YYYY MM DD hh WD WSPD GST WVHT DPD APD MWD", "2003 08 26 13 210 5.0 6.0 1.50 7.10 5.20 999"),
        ("YYYY MM DD hh mm WD WSPD GST WVHT DPD APD MWD", "2005 08 26 13 00 210 5.0 6.0 1.50 7.10 5.20 999"),
        (
            "#YY MM DD hh mm WDIR WSPD GST WVHT DPD APD MWD\n#yr mo dy hr mn degT m/s m/s m sec sec degT",
            "2011 08 26 13 00 210 5.0 6.0 1.50 7.10 5.20 999",
        ),
    ],
    ids=["1998", "2003", "2005", "2011"],
)
def test_a_text_file_of_every_time(tmp_path, header, row):
    """Years with two and four digits, with and without minutes, with one and two header lines."""
    buoy = read_buoy(buoy_file(tmp_path, f"{header}\n{row}\n"))
    year = int(row.split()[0])
    assert buoy.times.tolist() == [datetime(year + 1900 * (year < 100), 8, 26, 13)]
    values = {name: array.tolist() for name, array in buoy.values.items()}
    assert values.pop("peak_direction") == pytest.approx([np.nan], nan_ok=True)
    assert values == {
        "significant_height": [1.5],
        "peak_period": [7.1],
        "mean_period_02": [5.2],
        "wind_speed": [5.0],
    }


def test_a_netcdf_file(tmp_path, stations):
    """A buoy in netCDF is read, and is paired with the nearest station by its position."""
    import xarray as xr

    times = np.datetime64("2022-09-01T00:10", "ns") + np.arange(3) * np.timedelta64(3600, "s")
    heights = xr.DataArray([[[1.5]], [[2.5]], [[99.0]]], dims=("time", "latitude", "longitude"))
    coordinates = {"time": times, "latitude": [28.9], "longitude": [-78.5]}
    xr.Dataset({"wave_height": heights}, coords=coordinates).to_netcdf(tmp_path / "buoy_of_ours.nc")
    buoy = read_buoy(tmp_path / "buoy_of_ours.nc")
    assert buoy.values["significant_height"].tolist() == pytest.approx([1.5, 2.5, np.nan], nan_ok=True)
    (found,) = collocate(stations, [str(tmp_path / "buoy_of_ours.nc")])
    assert (found.station, found.measured.tolist()) == ("41010", [1.5, 2.5])


@pytest.mark.parametrize(("dimension", "times"), [("time", [0, 1, 2]), ("depth", None)])
def test_a_netcdf_file_without_dates_or_series(tmp_path, dimension, times):
    import xarray as xr

    dates = np.datetime64("2022-09-01", "ns") + np.arange(3) * np.timedelta64(3600, "s")
    data = xr.Dataset({"wave_height": (dimension, np.ones(3))}, coords={"time": times or dates})
    data.to_netcdf(tmp_path / "b.nc")
    with pytest.raises(InputError, match=r"b.nc is not a file of NDBC: it needs time, in units like"):
        read_buoy(tmp_path / "b.nc")
    (tmp_path / "c.nc").write_text("waves")
    with pytest.raises(InputError, match=r"c.nc cannot be read as netCDF: NetCDF: Unknown file format."):
        read_buoy(tmp_path / "c.nc")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no file of NDBC's standard meteorological data"),
        ("#YY MM DD hh mm WDIR\n", "some of WVHT, DPD, APD, MWD"),
        pytest.param(
            HEAD + ROWS + "2022 09 01 05 oo 1 1 1 1 1 1 1 1 1 1 1 1 1\n",
            r"41010h2022\.txt:7: this line lacks numbers",
            id=r"text2-41010h2022\.txt:7: this line has not",
        ),
        pytest.param(
            HEAD + ROWS + "2022 09 01\n",
            r"41010h2022\.txt:7: this line lacks numbers",
            id=r"text3-41010h2022\.txt:7: this line has not",
        ),
        (HEAD + ROWS.splitlines()[2] + "\n", "holds no waves"),
    ],
)
def test_files_that_will_not_do(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read_buoy(buoy_file(tmp_path, text))


def test_nearest_measurement_within_the_window(stations, tmp_path):
    """Each modelled value is paired with the nearest measurement within half an hour, if it has one."""
    found = {each.variable: each for each in collocate(stations, [str(buoy_file(tmp_path))])}
    height = found["significant_height"]
    assert [str(time)[11:16] for time in height.times] == ["01:00", "02:00", "04:00"]
    assert height.modelled.tolist() == [2, 3, 5]
    assert height.measured.tolist() == [2, 4, 3]
    assert found["peak_direction"].measured.tolist() == [350, 10, 20]
    assert len(found["peak_period"].times) == 2


def test_mean_of_the_measurements_in_the_window(stations, tmp_path):
    """Means of the measurements within an hour; directions are averaged as vectors."""
    found = collocate(stations, [str(buoy_file(tmp_path))], window_s=3600, mean=True)
    by_name = {each.variable: dict(zip(map(str, each.times), each.measured, strict=True)) for each in found}
    assert by_name["significant_height"]["2022-09-01T01:00:00"] == 3.0
    difference = (by_name["peak_direction"]["2022-09-01T01:00:00"] + 180) % 360 - 180
    assert difference == pytest.approx(0, abs=1e-9)  # of 350 and 10


def test_statistics_of_a_line():
    """Statistics of y = 1.5 x in closed form."""
    x = np.array([1.0, 2, 3, 4])
    found = score(pairs(x, 1.5 * x))
    assert (found.n, found.mean, found.bias) == (4, 2.5, 1.25)
    assert found.rmse == pytest.approx(0.5 * np.sqrt(7.5))
    assert found.scatter_index == pytest.approx(0.5 * np.sqrt(1.25) / 2.5)
    assert (found.correlation, found.slope) == (pytest.approx(1), pytest.approx(1.5))


def test_statistics_of_noise():
    """Statistics of x plus normally distributed noise, compared with the expected values."""
    random = np.random.default_rng(5)
    x = random.uniform(1, 5, 20_000)
    found = score(pairs(x, x + random.normal(0.2, 0.5, len(x))))
    assert found.bias == pytest.approx(0.2, abs=0.02)
    assert found.scatter_index == pytest.approx(0.5 / 3, rel=0.02)
    assert found.correlation == pytest.approx((4 / 3) / np.sqrt(4 / 3 * (4 / 3 + 0.25)), rel=0.01)


def test_directions_go_the_shorter_way_round():
    """Differences of directions are between -180 and 180 degrees; slope and scatter index are not defined."""
    found = score(pairs([350, 10, 5, 355], [10, 30, 25, 15], "peak_direction"))
    assert found.bias == pytest.approx(20)
    assert found.rmse == pytest.approx(20)
    assert (found.mean + 180) % 360 - 180 == pytest.approx(0, abs=1e-6)
    assert found.correlation == pytest.approx(1)
    assert np.isnan(found.slope) and np.isnan(found.scatter_index)


def test_a_place_or_a_name_says_the_station(stations, tmp_path):
    """A buoy file is paired with the station that is named, or nearest to a given position."""
    file = buoy_file(tmp_path, name="harbour.txt")
    assert collocate(stations, [f"{file}@offshore"])[0].station == "Offshore"
    assert collocate(stations, [f"{file}@-70.1,30.2"])[0].station == "Offshore"
    (tmp_path / "us@sea").mkdir()
    moved_file = file.rename(tmp_path / "us@sea" / file.name)
    assert collocate(stations, [f"{moved_file}@offshore"])[0].station == "Offshore"
    with pytest.raises(ConfigError, match="no station is called 'harbour'"):
        collocate(stations, [str(moved_file)])
    file = moved_file.rename(file)
    with pytest.raises(ConfigError, match="no station is called 'harbour'"):
        collocate(stations, [str(file)])
    with pytest.raises(ConfigError, match=r"nearest station to 0 E 0 N, Offshore, is \d+ km away"):
        collocate(stations, [f"{file}@0,0"])


def test_nothing_to_pair(stations, tmp_path):
    file = buoy_file(tmp_path, (HEAD + ROWS).replace("2022 09", "2023 09"))
    with pytest.raises(InputError, match="Fewer than two measurements are within 30 minutes"):
        collocate(stations, [str(file)])


def invoke(*words):
    return CliRunner().invoke(app, ["score", *map(str, words)])


def test_the_command(stations, tmp_path):
    file = buoy_file(tmp_path)
    done = invoke(stations.parent, "--buoy", file, "--plot", tmp_path / "score.png")
    assert done.exit_code == 0, done.exception
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[0] == ["station", "buoy", "variable", "n", "mean", "bias", "rmse", "SI", "corr", "slope"]
    assert lines[1][:6] == ["41010", "41010", "significant_height", "3", "3.000", "0.333"]
    assert (tmp_path / "score.png").read_bytes()[:4] == b"\x89PNG"


def test_the_command_in_json(stations, tmp_path):
    done = invoke(stations, "--buoy", buoy_file(tmp_path), "--json")
    rows = {row["variable"]: row for row in json.loads(done.stdout)}
    assert rows["significant_height"]["bias"] == pytest.approx(1 / 3)
    assert rows["peak_direction"]["slope"] is None


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (" 2.00  8.00", "-5.00  8.00", "WVHT is -5 in line 3, but must be from 0 to 40 m"),
        ("  10.00  7.00".strip(), "75.00  7.00", "DPD is 75 in line 4, but must be from 0 to 60 s"),
        (" 6.00 350", " 6.00 735", "MWD is 735 in line 3, but must be from -360 to 720"),
    ],
)
def test_values_that_the_sea_has_not(tmp_path, old, new, words):
    """They are refused with the line; any of NDBC's codes of a missing value is not one of them."""
    path = buoy_file(tmp_path, HEAD + ROWS.replace(old, new))
    with pytest.raises(InputError, match=rf"41010h2022\.txt: {words}.*MM for a missing value"):
        read_buoy(path)
    codes = ROWS.replace(" 2.00  8.00  6.00 350", "999.0 9999.  999.  9999")
    values = read_buoy(buoy_file(tmp_path, HEAD + codes)).values
    assert all(np.isnan(array[0]) for array in values.values())


def test_netcdf_values_that_the_sea_has_not(tmp_path):
    """Values out of range, texts in place of numbers, and a position that is not on the earth."""
    times = np.array(["2022-09-01T00:00", "2022-09-01T01:00"], "datetime64[ns]")
    heights = {"wave_height": ("time", [2.0, -5.0])}
    path = tmp_path / "buoy.nc"
    xr.Dataset(heights, {"time": times}).to_netcdf(path)
    with pytest.raises(InputError, match=r"wave_height is -5 at 2022-09-01T01:00:00, but"):
        read_buoy(path)
    xr.Dataset({"wave_height": ("time", ["2", "3"])}, {"time": times}).to_netcdf(path)
    with pytest.raises(InputError, match=r"buoy\.nc: wave_height holds characters"):
        read_buoy(path)
    position = {"time": times, "longitude": 200.0, "latitude": 95.0}
    xr.Dataset({"wave_height": ("time", [2.0, 3.0])}, position).to_netcdf(path)
    with pytest.raises(InputError, match=r"buoy\.nc: latitude is 95 "):
        read_buoy(path)
