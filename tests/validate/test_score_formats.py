"""Measurements in CSV, in netCDF of CDIP and Copernicus Marine, and in NDBC's files of spectra."""

import gzip
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from halcyon.base import InputError
from halcyon.score.anemometer import to_10_m
from halcyon.score.buoys import read_buoy

STORMS = Path(__file__).parents[2] / "examples/storms"
TIMES = np.datetime64("2022-09-01T00:00", "ns") + np.arange(4) * np.timedelta64(3600, "s")
NAN = pytest.approx(np.nan, nan_ok=True)


def csv_file(folder, text):
    (folder / "44014_here.csv").write_text(text)
    return folder / "44014_here.csv"


def values(buoy, name):
    return pytest.approx(buoy.values[name].tolist(), nan_ok=True)


def test_named_columns_with_units_and_flags(tmp_path):
    """Units in brackets are converted, flags other than 1 and 2 and missing values are left out, and times
    are sorted."""
    text = "time,Hs [ft],hs_qc,tp (s),MWD,wspd [kt],note\n"
    text += "2022-09-01 01:00:00Z,10,1,99.0,999,20,b\n2022-09-01T00:00,20,4,8,350,,a\n"
    buoy = read_buoy(csv_file(tmp_path, text))
    assert buoy.name == "44014"
    assert [str(time) for time in buoy.times] == ["2022-09-01T00:00:00", "2022-09-01T01:00:00"]
    (text,) = buoy.warnings
    assert "44014_here.csv: columns that are not read: note. Known are significant_height, wvht, hs" in text
    assert [np.nan, 3.048] == values(buoy, "significant_height")
    assert [8.0, np.nan] == values(buoy, "peak_period")
    assert [350.0, np.nan] == values(buoy, "peak_direction")
    assert [np.nan, 20 * 1852 / 3600] == values(buoy, "wind_speed")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("when,hs\n1,2\n", "the first line must name the columns: time, and some of wvht"),
        ("time,wspd\n2022-09-01,2\n", "the first line must name the columns"),
        ("time,hs\nyesterday,2\n", r"csv:2: the time is 'yesterday'; give it as 2022-09-01T06:00"),
        ("time,hs\n2022-09-01,high\n", r"csv:2: hs is 'high', but must be a number"),
        ("time,hs [inch]\n2022-09-01,2\n", "hs is in 'inch'. Supported units are m, metre"),
        ("time,hs\n2022-09-01,55\n", "hs is 55 in line 2, but must be from 0 to 40 m"),
        ("time,hs\n2022-09-01,99\n", "holds no waves: hs are all missing"),
    ],
    ids=["no_time", "no_waves", "time", "number", "unit", "range", "missing"],
)
def test_csv_that_is_refused(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read_buoy(csv_file(tmp_path, text))


def test_the_series_of_storms():
    """The buoys in examples/storms have the peaks of their descriptions."""
    buoy = read_buoy(STORMS / "katrina2005/42040_29.21N_88.21W.csv")
    height = buoy.values["significant_height"]
    assert np.nanmax(height) == 16.91
    assert str(buoy.times[np.nanargmax(height)]) == "2005-08-29T11:00:00"
    assert np.isfinite(buoy.values["wind_speed"]).sum() > 100


def test_spectra_of_ndbc(tmp_path):
    """The five files give height, periods, directions and spreading; compared with sums over the texts."""
    buoy = read_buoy(STORMS / "dorian2019/41010w2019.txt.gz")
    first = {}
    for letter in "wdj":
        with gzip.open(STORMS / f"dorian2019/41010{letter}2019.txt.gz", "rt") as file:
            lines = [line.split() for line in file]
        f = np.array(lines[0][5:], float)
        row = next(line for line in lines if line[:4] == ["2019", "09", "04", "10"])
        first[letter] = np.array(row[5:], float)
    i = list(buoy.times.astype(str)).index("2019-09-04T10:40:00")
    e, direction, r1 = first["w"], np.radians(first["d"]), first["j"] / 100
    m0 = np.trapezoid(e, f)
    assert buoy.values["significant_height"][i] == pytest.approx(4 * np.sqrt(m0), rel=2e-3)
    assert buoy.values["mean_period_02"][i] == pytest.approx(
        np.sqrt(m0 / np.trapezoid(e * f**2, f)), rel=5e-3
    )
    assert buoy.values["peak_period"][i] == pytest.approx(1 / f[e.argmax()])
    mean = np.trapezoid(e * r1 * np.exp(1j * direction), f) / m0
    assert buoy.values["mean_direction"][i] == pytest.approx(np.degrees(np.angle(mean)) % 360, abs=1)
    assert buoy.values["spreading"][i] == pytest.approx(np.degrees(np.sqrt(2 - 2 * abs(mean))), abs=1)
    assert buoy.values["peak_direction"][i] == pytest.approx(first["d"][e.argmax()], abs=1)
    (tmp_path / "41010w2019.txt").write_bytes(
        gzip.decompress((STORMS / "dorian2019/41010w2019.txt.gz").read_bytes())
    )
    with pytest.raises(InputError, match="the file of alpha1 and of alpha2 and of r1 and of r2 is missing"):
        read_buoy(tmp_path / "41010w2019.txt")


def test_copernicus_marine(tmp_path):
    """The first depth with a good flag is used; times with bad flags are left out."""
    heights = [[np.nan, 2.0], [np.nan, 3.0], [4.0, np.nan], [np.nan, 5.0]]
    data = {
        "VHM0": (("TIME", "DEPTH"), heights),
        "VHM0_QC": (("TIME", "DEPTH"), [[9, 1], [9, 4], [2, 9], [9, 1]]),
        "VMDR": ("TIME", [10.0, 20, 30, 40]),
        "TIME_QC": ("TIME", [1, 1, 1, 4]),
        "LONGITUDE": ("TIME", [-9.0, -9.0, -9.0, -9.0]),
        "LATITUDE": ("TIME", [43.0, 43.0, 43.0, 43.0]),
    }
    xr.Dataset(data, {"TIME": TIMES}).to_netcdf(tmp_path / "GL_TS_MO_6200024.nc")
    buoy = read_buoy(tmp_path / "GL_TS_MO_6200024.nc")
    assert [2.0, np.nan, 4.0, np.nan] == values(buoy, "significant_height")
    assert [10.0, 20.0, 30.0, np.nan] == values(buoy, "mean_direction")
    assert buoy.position == (-9.0, 43.0)


def test_cdip(tmp_path):
    """Values whose primary flag is not 1 (good) are left out."""
    data = {
        "waveHs": ("waveTime", [1.0, 2, 3, 4]),
        "waveTa": ("waveTime", [5.0, 6, 7, 8]),
        "waveDp": ("waveTime", [270.0, 280, 290, 300]),
        "waveFlagPrimary": ("waveTime", np.array([1, 1, 3, 9], "i1")),
        "metaDeployLatitude": ((), 36.9),
        "metaDeployLongitude": ((), -75.7),
    }
    xr.Dataset(data, {"waveTime": TIMES}).to_netcdf(tmp_path / "147p1_historic.nc")
    buoy = read_buoy(tmp_path / "147p1_historic.nc")
    assert [1.0, 2.0, np.nan, np.nan] == values(buoy, "significant_height")
    assert [5.0, 6.0, np.nan, np.nan] == values(buoy, "mean_period_01")
    assert buoy.position == (-75.7, 36.9)
    data["waveFlagPrimary"] = ("waveTime", np.array([3, 3, 3, 9], "i1"))
    xr.Dataset(data, {"waveTime": TIMES}).to_netcdf(tmp_path / "148p1_historic.nc")
    with pytest.raises(InputError, match="holds no waves: waveHs, waveTa, waveDp are all missing"):
        read_buoy(tmp_path / "148p1_historic.nc")


def test_the_wind_at_10_m():
    """U10 = U(z) (10 / z)^0.11: 7.9 % above the wind at 5 m."""
    assert to_10_m(20.0, 5.0) == pytest.approx(20 * 2**0.11)
    assert to_10_m(20.0, 10.0) == 20.0
