"""Winds that are given by their speed and direction."""

import numpy as np
import pytest
from netCDF4 import Dataset

from halcyon.base import InputError
from halcyon.wave.gridded import WIND, catalogue
from halcyon.wave.summary import summary_of
from tests.support import grib_files
from tests.wave import grids
from tests.wave.test_gridded import expected, read


def speed_and_direction(u, v, *, towards=False):
    """Speed, and direction [degrees] clockwise from north."""
    degrees = np.degrees(np.arctan2(u, v)) if towards else np.degrees(np.arctan2(-u, -v))
    return np.hypot(u, v), degrees % 360


def write(path, *, names=("WIND", "WDIR"), standard=None, towards=False, change=None):
    """Writes the winds of `grids.winds`. standard: standard names instead of known names."""
    u, v = grids.winds((0, 3, 6), grids.LATITUDE, grids.LONGITUDE).values()
    values = speed_and_direction(u, v, towards=towards)
    grids.write_grid(path, dict(zip(names, values, strict=True)))
    with Dataset(path, "a") as file:
        file[names[1]].units = "degree"
        for name, text in zip(names, standard or (), strict=False):
            file[name].standard_name = text
        if change:
            change(file)
    return path


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"names": ("si10", "wdir10")},
        {"names": ("a", "b"), "standard": ("wind_speed", "wind_from_direction")},
        {"names": ("a", "b"), "standard": ("wind_speed", "wind_to_direction"), "towards": True},
    ],
)
def test_the_components_are_interpolated(tmp_path, options):
    """Between grid points, and across north, winds are those of files of the components."""
    path = write(tmp_path / "w.nc", **options)
    for time_s in (0.0, 5400.0, 21600.0):
        exact = expected(time_s)
        for ours, value in zip(read([path], time_s), exact, strict=True):
            assert ours == pytest.approx(value, abs=1e-9)
    (part,) = summary_of(path).parts
    assert part.rows["variables"] == " and ".join(options.get("names", ("WIND", "WDIR")))
    assert part.lines == "forcing:\n  wind:\n    files: w.nc\n" and not part.obstacle


def test_grib(tmp_path):
    """Speed and direction at 10 m of ecCodes."""
    u, v = (grib_files.regular_values(offset=offset) for offset in (-13.0, 3.0))
    with open(tmp_path / "w.grib2", "wb") as file:
        for hour in (0, 3, 6):
            values = speed_and_direction(u + hour, v)
            for name, field in zip(("10si", "10wdir"), values, strict=True):
                keys = {**grib_files.REGULAR, "shortName": name, "time": 100 * hour, "bitsPerValue": 32}
                file.write(grib_files.message(keys, field))
    lon, lat = np.array([105.0, 110.0]), np.array([25.0, 20.0])
    ours = read([tmp_path / "w.grib2"], 10800.0, lon=lon, lat=lat)
    assert ours[0] == pytest.approx(grib_files.linear(lat, lon, offset=-10.0), abs=1e-5)
    assert ours[1] == pytest.approx(grib_files.linear(lat, lon, offset=3.0), abs=1e-5)


def test_a_calm_needs_no_direction(tmp_path):
    def change(file):
        file["WIND"][:] = 0
        file["WDIR"].missing_value = -999.0
        file["WDIR"][:] = -999.0

    assert not np.any(read([write(tmp_path / "w.nc", change=change)], 0.0))


def test_an_invalid_direction_is_found(tmp_path):
    """A direction that is no direction makes the wind infinite, which runs refuse."""

    def change(file):
        file["WDIR"][:] = 9999.0

    assert np.isinf(read([write(tmp_path / "w.nc", change=change)], 0.0)).all()


def test_one_of_both_is_no_wind(tmp_path):
    path = write(tmp_path / "w.nc", names=("WIND", "height"))
    with pytest.raises(InputError, match=r"no variable recognized as the eastward wind or the northward"):
        catalogue([str(path)], WIND)
