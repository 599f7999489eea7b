"""Gridded netCDF fields at positions and times: exact for linear fields, in any order of the axes."""

import numpy as np
import pytest
from netCDF4 import Dataset

from halcyon.base import ConfigError, InputError
from halcyon.wave.gridded import CURRENT, ICE, LEVEL, WIND, Series, catalogue, select_period
from tests.wave import grids

START, END = np.datetime64("2022-09-01T00:00"), np.datetime64("2022-09-01T06:00")
LON, LAT = np.array([101.3, -175.0, 143.2, 80.0, 200.0]), np.array([-3.3, 60.0, 17.5, -10.0, 12.1])


def values_at(variable, lon, lat, time_s, *, reach=0.0, start=START):
    """Values of one variable at positions [degrees], a time [s] after the start; reach [m]: how far values
    are taken from around missing ones."""
    series = Series(variable, lambda grid: grid.interpolation(lon, lat, reach), start)
    for record in series.records_to_read(time_s):
        series.read(record, time_s)
    assert series.records_to_read(time_s) == []
    return series.at(time_s)


def read(files, time_s, *, quantities=WIND, lon=LON, lat=LAT, **options):
    """The values of all quantities at positions, from files that cover the run."""
    names, unit = options.pop("names", None), options.pop("unit", None)
    reach = options.pop("reach", 0.0)
    variables = catalogue(list(map(str, files)), quantities, names=names, unit=unit)
    selected = [select_period(variable, START, END, **options) for variable in variables]
    return [values_at(variable, lon, lat, time_s, reach=reach) for variable in selected]


WINDS = grids.winds((0, 3, 6), grids.LATITUDE, grids.LONGITUDE)


def expected(time_s, lon=LON, lat=LAT):
    """The values of `grids.winds` at positions and a time [s] after the start: both components."""
    u = 0.1 * (lon % 360) - 0.2 * lat + 0.5 * time_s / 3600
    return u, u + 3


AXES = {
    "south to north": (grids.LATITUDE, grids.LONGITUDE),
    "north to south": (grids.LATITUDE[::-1], grids.LONGITUDE),
    "east to west": (grids.LATITUDE, grids.LONGITUDE[::-1]),
    "around the globe": (grids.LATITUDE, np.arange(20.0, 380.0, 5.0)),
    "the seam twice": (grids.LATITUDE, np.arange(20.0, 381.0, 5.0)),
    "uneven": (np.array([-11.0, -3, 4, 30, 61]), np.array([79.0, 100, 101, 150, 201])),
}


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("time_s", [0.0, 5400.0, 10800.0, 21600.0])
def test_linear_fields_are_exact(tmp_path, axes, time_s):
    """Bilinear in space, linear in time: winds linear in each coordinate are exact."""
    lat, lon = AXES[axes]
    path = grids.write_grid(tmp_path / "w.nc", lat=lat, lon=lon)
    u, v = read([path], time_s)
    exact = expected(time_s)
    # On a global grid the field jumps between the last meridian and the first; no position is there.
    assert u == pytest.approx(exact[0], abs=1e-9) and v == pytest.approx(exact[1], abs=1e-9)


def test_longitudes_from_minus_180_are_the_same(tmp_path):
    """Files with longitudes from -180 to 180 give the values of files from 0 to 360."""
    lon = np.arange(-180.0, 180.0, 5.0)
    fields = grids.winds((0, 3, 6), grids.LATITUDE, lon % 360)
    path = grids.write_grid(tmp_path / "w.nc", fields, lon=lon)
    assert read([path], 3600.0)[0] == pytest.approx(expected(3600.0)[0], abs=1e-9)
    wrapped = np.where(grids.LONGITUDE > 180, grids.LONGITUDE - 360, grids.LONGITUDE)
    fields = grids.winds((0, 3, 6), grids.LATITUDE, grids.LONGITUDE)
    path = grids.write_grid(tmp_path / "x.nc", fields, lon=wrapped)
    assert read([path], 3600.0)[0] == pytest.approx(expected(3600.0)[0], abs=1e-9)


def test_files_by_time_and_by_component(tmp_path):
    """Files of one component and some hours each give the wind of one file."""
    for hours in ((0, 1), (2, 3), (4, 5, 6)):
        for name, field in grids.winds(hours, grids.LATITUDE, grids.LONGITUDE).items():
            grids.write_grid(tmp_path / f"{name}_{hours[0]}.nc", {name: field}, hours=hours)
    u, v = read([tmp_path / "u10_*.nc", tmp_path / "v10_*.nc"], 9000.0)
    assert u == pytest.approx(expected(9000.0)[0]) and v == pytest.approx(expected(9000.0)[1])


def test_packed_values_units_heights_and_names(tmp_path):
    """Packed integers, knots and km/h, the level of 10 m and named variables give the wind in m/s."""
    fields = grids.winds((0, 3, 6), grids.LATITUDE, grids.LONGITUDE)
    packed = grids.write_grid(tmp_path / "p.nc", fields, pack=(0.002, 10.0))
    assert read([packed], 7200.0)[0] == pytest.approx(expected(7200.0)[0], abs=1e-3)
    knots = {"UWND": fields["u10"] * 3600 / 1852, "VWND": fields["v10"] * 3600 / 1852}
    path = grids.write_grid(tmp_path / "k.nc", knots, units="Knots", names=("TIME", "FNOCY", "FNOCX"))
    assert read([path], 7200.0, names=["UWND", "VWND"])[1] == pytest.approx(expected(7200.0)[1])
    path = grids.write_grid(tmp_path / "h.nc", fields, extra=("height", [2.0, 10.0, 80.0], "m"))
    assert read([path], 7200.0)[0] == pytest.approx(expected(7200.0)[0] + 100)
    path = grids.write_grid(tmp_path / "n.nc", fields, units=None)
    assert read([path], 7200.0, unit="km/h")[0] == pytest.approx(expected(7200.0)[0] / 3.6)


def test_single_precision_longitudes_are_a_round(tmp_path):
    """Longitudes rounded to float32 still close the circle, with interpolation across its end."""
    lon = np.arange(0, 360, 360 / 1152).astype(np.float32).astype(float)
    path = grids.write_grid(tmp_path / "w.nc", hours=(0, 6), lon=lon)
    (eastward, _) = catalogue([str(path)], WIND)
    assert eastward.grid.is_periodic
    position = 359.9  # between the last meridian and the first
    value = values_at(select_period(eastward, START, END), np.array([position]), np.array([0.0]), 0.0)
    share = (position - lon[-1]) / (360 - lon[-1])
    assert value == pytest.approx([0.1 * lon[-1] * (1 - share)], abs=1e-6)


def test_values_depend_on_no_other_place(tmp_path):
    """The bits do not depend on the part of the grid that a rank reads."""
    rng = np.random.default_rng(1)
    fields = {"siconc": rng.uniform(0, 1, (3, 15, 72))}
    fields["siconc"][rng.uniform(0, 1, (3, 15, 72)) < 0.3] = np.nan
    path = grids.write_grid(tmp_path / "ice.nc", fields, lon=np.arange(0.0, 360.0, 5.0), units="(0 - 1)")
    (ice,) = catalogue([str(path)], [ICE])
    ice = select_period(ice, START, END)
    lon, lat = rng.uniform(-180, 540, 200), rng.uniform(-10, 60, 200)
    together = values_at(ice, lon, lat, 4000.0, reach=1.2e6)
    assert not np.isnan(together).any()
    for part in (slice(0, 1), slice(7, 9), slice(50, 120)):
        alone = values_at(ice, lon[part], lat[part], 4000.0, reach=1.2e6)
        assert alone.tobytes() == together[part].tobytes()


def test_missing_values_come_from_around_within_the_reach(tmp_path):
    """A field with one value: without reach only its own position has it, with 1.1e6 m the positions near."""
    field = np.full((3, len(grids.LATITUDE), len(grids.LONGITUDE)), np.nan)
    field[:, 5, 5] = 0.7  # 15 N 105 E
    path = grids.write_grid(tmp_path / "ssh.nc", {"zos": field}, units="m")
    lon, lat = np.array([105.0, 109.0, 114.0, 121.0]), np.array([15.0, 15.0, 15.0, 15.0])
    near = read([path], 0.0, quantities=[LEVEL], lon=lon, lat=lat)[0]
    assert near[0] == 0.7 and np.isnan(near[1:]).all()
    far = read([path], 0.0, quantities=[LEVEL], lon=lon, lat=lat, reach=1.1e6)[0]
    assert far[:3] == pytest.approx(0.7) and np.isnan(far[3])
    with pytest.raises(
        ConfigError, match=r"reach = 1.2e\+08 m is 216 steps of the grid of .*ssh.nc; at most 200"
    ):
        read([path], 0.0, quantities=[LEVEL], lon=lon, lat=lat, reach=1.2e8)


@pytest.mark.parametrize("pack", [None, (0.002, 10.0)])
@pytest.mark.parametrize("limits", [{"valid_range": (-20, 14)}, {"valid_min": -20, "valid_max": 14}])
def test_values_beyond_what_is_valid_are_missing(tmp_path, pack, limits):
    """Values outside valid_range, or valid_min to valid_max, count as missing, packed or not."""
    fields = grids.winds((0, 3, 6), grids.LATITUDE, grids.LONGITUDE)
    path = grids.write_grid(tmp_path / "w.nc", fields, pack=pack)
    scale, offset = pack or (1.0, 0.0)
    with Dataset(path, "a") as file:
        for name, limit in limits.items():
            stored = (np.array(limit) - offset) / scale
            file["u10"].setncattr(name, stored if pack is None else np.round(stored).astype("i2"))
    wind = expected(0.0)[0]
    assert (wind > 14).any() and (wind < 14).any()
    assert np.array_equal(np.isnan(read([path], 0.0)[0]), wind > 14)


def test_calendars(tmp_path):
    """Times of the noleap calendar skip 29 February; a calendar of 360 days is refused."""
    path = grids.write_grid(
        tmp_path / "w.nc", hours=(0, 24), time_units="hours since 2024-02-28 12:00", calendar="noleap"
    )
    eastward, _ = catalogue([str(path)], WIND)
    assert [str(record.time)[:10] for record in eastward.records] == ["2024-02-28", "2024-03-01"]
    path = grids.write_grid(tmp_path / "x.nc", calendar="360_day")
    with pytest.raises(InputError, match=r"x.nc: the times have the calendar '360_day'.*Convert them"):
        catalogue([str(path)], WIND)
    path = grids.write_grid(tmp_path / "d.nc", hours=(0.125, 0.25), time_units="days since 2022-09-01")
    eastward, _ = catalogue([str(path)], WIND)
    assert eastward.records[0].time == np.datetime64("2022-09-01T03:00")


def test_each_variable_has_its_own_times(tmp_path):
    """Other variables with units of time in the file, or a scalar time, do not disturb the reading."""

    path = grids.write_grid(tmp_path / "w.nc")
    with Dataset(path, "a") as file:
        file.createDimension("reftime", 1)
        file.createVariable("reftime", "f8", ("reftime",))[:] = 1000
        file["reftime"].units = grids.HOURS
        file.createVariable("lead", "f8", ("time",))[:] = [7, 8, 9]
        file["lead"].units = grids.HOURS
    assert read([path], 5400.0)[0] == pytest.approx(expected(5400.0)[0], abs=1e-9)
    for hour in (0, 6):
        with Dataset(tmp_path / f"one_{hour}.nc", "w") as file:
            for name, values in (("lat", grids.LATITUDE), ("lon", grids.LONGITUDE)):
                file.createDimension(name, len(values))
                file.createVariable(name, "f8", (name,))[:] = values
            file.createVariable("time", "f8", ())[...] = hour
            file["time"].units = grids.HOURS
            for name, field in grids.winds((hour,), grids.LATITUDE, grids.LONGITUDE).items():
                file.createVariable(name, "f8", ("lat", "lon"))[:] = field[0]
                file[name].units = "m/s"
    assert read([tmp_path / "one_*.nc"], 5400.0)[1] == pytest.approx(expected(5400.0)[1], abs=1e-9)


def test_a_forecast_s_fields_are_of_the_time_for_which_it_is_made(tmp_path):
    """Files as cfgrib writes them, one per step, with scalar reference time and valid time: the valid time
    counts."""

    for hour, fields in zip((0, 3, 6), np.moveaxis([*WINDS.values()], 1, 0), strict=True):
        with Dataset(tmp_path / f"w{hour}.nc", "w") as file:
            for name, value, standard_name in (
                ("time", -6, "forecast_reference_time"),
                ("valid_time", hour, "time"),
            ):
                file.createVariable(name, "i8", ())[...] = value
                file[name].setncatts({"units": grids.HOURS, "standard_name": standard_name})
            for name, values in (("latitude", grids.LATITUDE), ("longitude", grids.LONGITUDE)):
                file.createDimension(name, len(values))
                file.createVariable(name, "f8", (name,))[:] = values
                file[name].units = "degrees_north" if name == "latitude" else "degrees_east"
            for name, values in zip(WINDS, fields, strict=True):
                file.createVariable(name, "f8", ("latitude", "longitude"))[:] = values
                file[name].units = "m s**-1"
    u, v = read([tmp_path / "w*.nc"], 3600.0)
    assert u == pytest.approx(expected(3600.0)[0]) and v == pytest.approx(expected(3600.0)[1])


def test_currents_take_the_surface(tmp_path):
    """A current at several depths is read at the uppermost."""
    fields = {"uo": grids.linear((0, 3, 6), grids.LATITUDE, grids.LONGITUDE) / 10}
    fields["vo"] = fields["uo"] + 1
    path = grids.write_grid(tmp_path / "c.nc", fields, extra=("depth", [0.49, 1.54, 50.0], "m"))
    u, v = read([path], 0.0, quantities=CURRENT)
    assert u == pytest.approx(expected(0.0)[0] / 10) and v == pytest.approx(u + 1)


# By name: function that writes the files in a folder and returns their paths, options, text of the error.
MISTAKES = {
    "no file": (lambda d: ["none*.nc"], {}, "There is no file none"),
    "a gap": (
        lambda d: [grids.write_grid(d / "w.nc", hours=(0, 1, 2, 3, 5, 6))],
        {},
        r"w.nc: the eastward wind lacks records between 2022-09-01 03:00 and 2022-09-01 05:00 UTC.*7200 s",
    ),
    "gaps": (
        lambda d: [grids.write_grid(d / "w.nc", hours=(0, 0.5, 1, 1.5, 2.5, 5, 5.5, 6))],
        {},
        r"between 2022-09-01 02:30 and 2022-09-01 05:00 UTC, the longest of 2 gaps; the usual interval is"
        r" 1800 s. Give all files, or set longest_gap to at least 9000 s",
    ),
    "swapped": (
        lambda d: [grids.write_grid(d / "w.nc")],
        {"names": ["v10", "u10"]},
        r"v10 is the northward wind \(by its name\), but the option variables names it as the eastward wind."
        r" Mend it: set variables: {eastward: u10, northward: v10}",
    ),
    "one twice": (
        lambda d: [grids.write_grid(d / "w.nc")],
        {"names": ["u10", "u10"]},
        r"u10 is the eastward wind .* names it as the northward wind. Name two variables",
    ),
    "short": (
        lambda d: [grids.write_grid(d / "w.nc", hours=(0, 3))],
        {},
        r"w.nc: the eastward wind is given from 2022-09-01 00:00 to 2022-09-01 03:00 UTC, the run goes from",
    ),
    "twice": (
        lambda d: [
            grids.write_grid(d / "w.nc"),
            grids.write_grid(d / "x.nc", {k: v[1:] + 1 for k, v in WINDS.items()}, hours=(3, 6)),
        ],
        {},
        "w.nc and .*x.nc: the eastward wind has two records of 2022-09-01 03:00 UTC with other values",
    ),
    "units": (
        lambda d: [grids.write_grid(d / "w.nc", units="furlongs")],
        {},
        r"w.nc: u10 has the units 'furlongs', which are not units of the eastward wind",
    ),
    "no units": (lambda d: [grids.write_grid(d / "w.nc", units=None)], {}, r"w.nc: u10 has no units"),
    "no times": (
        lambda d: [grids.write_grid(d / "w.nc", time_units="hours")],
        {},
        "w.nc: u10 has no time coordinate in units such as 'hours since 2022-01-01'",
    ),
    "a folder": (lambda d: [d], {}, "There is no file"),
    "unknown names": (
        lambda d: [grids.write_grid(d / "w.nc", {"a": np.zeros((3, 15, 25))})],
        {},
        "w.nc has no variable recognized as the eastward wind or the northward wind",
    ),
    "wrong names": (
        lambda d: [grids.write_grid(d / "w.nc")],
        {"names": ["u", "v"]},
        "w.nc has no variable 'u' or 'v'",
    ),
    "one component": (
        lambda d: [grids.write_grid(d / "w.nc", {"u10": np.zeros((3, 15, 25))})],
        {},
        "w.nc has no variable recognized as the northward wind",
    ),
    "two candidates": (
        lambda d: [grids.write_grid(d / "w.nc", dict.fromkeys(("uas", "uwnd"), np.zeros((3, 15, 25))))],
        {},
        "w.nc has 2 variables that may be the eastward wind: uas, uwnd",
    ),
    "heights": (
        lambda d: [grids.write_grid(d / "w.nc", extra=("height", [80.0, 100.0], "m"))],
        {},
        r"w.nc: u10 has the dimension height of size 2, but no coordinate height \[m\] with a value near",
    ),
    "no climatology": (
        lambda d: [grids.write_grid(d / "w.nc")],
        {"climatology": True},
        "needs all months; there is no record of month 1, 2, 3",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_named(tmp_path, name):
    files, options, text = MISTAKES[name]
    with pytest.raises((InputError, ConfigError), match=text):
        read(files(tmp_path), 0.0, **options)


def test_components_are_swapped_by_standard_name(tmp_path):
    """The standard name counts more than the name."""
    path = grids.write_grid(tmp_path / "w.nc", dict(zip(("v10", "u10"), WINDS.values(), strict=True)))
    with Dataset(path, "a") as file:
        file["v10"].standard_name, file["u10"].standard_name = "eastward_wind", "northward_wind"
    assert read([path], 0.0, names=["v10", "u10"])[0] == pytest.approx(expected(0.0)[0])
    with pytest.raises(InputError, match=r"u10 is the northward wind \(its standard_name is northward"):
        read([path], 0.0, names=["u10", "v10"])


def test_a_longer_gap_may_be_allowed(tmp_path):
    """With longest_gap = 7200 s values are interpolated across two hours, which the catalogue tells."""
    path = grids.write_grid(tmp_path / "w.nc", hours=(0, 1, 2, 3, 5, 6))
    full, _ = catalogue([str(path)], WIND)
    text = (
        "interpolated over 7200 s from 2022-09-01 03:00 to 2022-09-01 05:00 UTC; the usual interval is 3600 s"
    )
    assert text in select_period(full, START, END, longest_gap=7200).gap_text
    assert not select_period(full, START, np.datetime64("2022-09-01T03:00")).gap_text
    assert read([path], 4 * 3600.0, longest_gap=7200)[0] == pytest.approx(expected(4 * 3600.0)[0])


@pytest.mark.parametrize("n_bytes", [300, -1000])
def test_a_file_that_is_cut_short_is_named(tmp_path, n_bytes):
    """Truncated in its header, or in its last record, for which the netCDF library returns zeros."""
    path = tmp_path / "w.nc"
    path.write_bytes(grids.write_grid(tmp_path / "whole.nc").read_bytes()[:n_bytes])
    with pytest.raises(
        InputError, match=r"w.nc" if n_bytes == 300 else r"w.nc was cut short: it has \d+ bytes"
    ):
        read([path], 0.0)


def test_the_metres_of_a_projection_are_no_degrees(tmp_path):
    """Axes named x and y count as longitude and latitude only in units of degrees."""
    path = grids.write_grid(tmp_path / "w.nc", names=("time", "y", "x"))
    with Dataset(path, "a") as file:
        file["x"].units = file["y"].units = "m"
    with pytest.raises(InputError, match=r"w.nc has 0 one-dimensional variables of latitude"):
        read([path], 0.0)
    with Dataset(path, "a") as file:
        file["x"].units = file["y"].units = "degrees"
    assert read([path], 0.0)[0] == pytest.approx(expected(0.0)[0])


def test_positions_that_are_all_missing_are_refused(tmp_path):
    path = tmp_path / "w.nc"
    with Dataset(path, "w") as file:
        for name, size in (("time", 2), ("y", 4), ("x", 5)):
            file.createDimension(name, size)
        file.createVariable("time", "f8", ("time",)).units = grids.HOURS
        file["time"][:] = (0, 6)
        for name, unit in (("lat", "degrees_north"), ("lon", "degrees_east")):
            file.createVariable(name, "f8", ("y", "x")).units = unit
        for name in ("u10", "v10"):
            file.createVariable(name, "f8", ("time", "y", "x")).units = "m s-1"
    with pytest.raises(
        InputError, match=r"w.nc: no point has a latitude and a longitude. Give a file that has them."
    ):
        read([path], 0.0)


def test_texts_are_no_numbers(tmp_path):
    """Digits in character variables are texts, in fields and in axes."""
    path = grids.write_grid(tmp_path / "w.nc")
    for name in ("u10", "latitude"):
        with Dataset(path) as file, Dataset(tmp_path / "text.nc", "w") as copy:
            for dimension, length in file.dimensions.items():
                copy.createDimension(dimension, len(length))
            for variable in file.variables.values():
                is_text = variable.name == name
                written = copy.createVariable(variable.name, "S1" if is_text else "f8", variable.dimensions)
                written.setncatts({k: variable.getncattr(k) for k in variable.ncattrs()})
                written[:] = np.full(variable.shape, "1", "S1") if is_text else variable[:]
        with pytest.raises(InputError, match=rf"text\.nc.*: {name} holds characters"):
            read([tmp_path / "text.nc"], 0.0)
