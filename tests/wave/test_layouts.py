"""Winds in the layouts of the services: GRIB, members, forecasts, final and preliminary ERA5, Zarr stores."""

import threading

import numpy as np
import pytest
import xarray as xr

from halcyon.base import InputError
from halcyon.wave.gridded import WIND, Series, catalogue, require_change, select_period
from halcyon.wave.gridded.catalogue import vector_at
from halcyon.wave.gridded.grid_variable import GridVariable
from halcyon.wave.records import TimeInterpolation
from tests.support import grib_files
from tests.support.grib_files import REGULAR, U10, V10, message
from tests.wave import grids

START, END = np.datetime64("2022-09-01T00:00"), np.datetime64("2022-09-01T06:00")
LAT, LON = np.linspace(30, 15, 4), np.linspace(100, 125, 6)
POINTS = np.array([101.3, 112.0, 124.9]), np.array([16.0, 21.7, 29.9])


def wind_at(paths, time_s=5400.0, **options):
    """Both components of the wind at POINTS."""
    components = []
    for full in catalogue([*map(str, paths)], WIND, **options):
        selected = select_period(full, START, END)
        series = Series(selected, lambda grid: grid.interpolation(*POINTS), START)
        for record in series.records_to_read(time_s):
            series.read(record, time_s)
        components.append(series.at(time_s))
    return np.array(components)


def netcdf(values, hours=(0, 3, 6), **coordinates):
    """A dataset with both components `values` (time, ..., lat, lon) and `values` + 3."""
    dims = ("time", *coordinates, "latitude", "longitude")
    axes = {
        "time": ("time", np.array(hours, float), {"units": grids.HOURS}),
        "latitude": LAT,
        "longitude": LON,
    }
    axes |= {name: ("time" if np.ndim(v) and len(v) == 0 else name, v) for name, v in coordinates.items()}
    names = {"u10": values, "v10": values + 3}
    return xr.Dataset({k: (dims, v, {"units": "m s**-1"}) for k, v in names.items()}, coords=axes)


def winds(hours=(0, 3, 6)):
    return np.stack([grib_files.regular_values(offset=0.5 * hour) for hour in hours])


EXACT = grib_files.linear(POINTS[1], POINTS[0], offset=0.5 * 1.5) + np.array([[0.0], [3.0]])


@pytest.mark.parametrize("edition", [1, 2])
def test_grib_gives_the_bits_of_netcdf(tmp_path, edition):
    keys = {"typeOfLevel": "heightAboveGround", "level": 10} if edition == 1 else {}
    path = grib_files.write_winds(tmp_path / "w.grib", edition=edition, **keys)
    eastward, northward = catalogue([str(path)], WIND)
    stored = np.stack([record.parts[0][0].raw(record.parts[0][1]) for record in eastward.records])
    assert np.abs(stored - winds()).max() < 1e-5
    copy = netcdf(stored)
    copy["v10"].values[:] = [record.parts[0][0].raw(record.parts[0][1]) for record in northward.records]
    copy.to_netcdf(tmp_path / "w.nc", engine="netcdf4")
    assert wind_at([path]).tobytes() == wind_at([tmp_path / "w.nc"]).tobytes()
    assert wind_at([path]) == pytest.approx(EXACT, abs=1e-5)


def test_a_file_per_time_and_repeated_messages(tmp_path):
    """Files of an hour each; a time in two files with equal values counts once."""
    paths = [grib_files.write_winds(tmp_path / f"w{h}.grib2", hours=(h,)) for h in (0, 3, 6)]
    paths.append(grib_files.write_winds(tmp_path / "again.grib2", hours=(3,)))
    assert wind_at(paths) == pytest.approx(EXACT, abs=1e-5)
    grib_files.write_winds(paths[-1], hours=(3,), values=lambda offset: grib_files.regular_values(offset=9.0))
    with pytest.raises(InputError, match=r"again.*two records of 2022-09-01 03:00 UTC with other values"):
        wind_at(paths)


def test_members_and_forecasts_are_chosen_by_select(tmp_path):
    """Members of an ensemble, and forecasts of two cycles that overlap."""
    template = {"productDefinitionTemplateNumber": 1}
    with open(tmp_path / "e.grib2", "wb") as file:
        for number in (0, 7):
            for hour, values in zip((0, 3, 6), winds(), strict=True):
                for parameter, offset in ((U10, 0.0), (V10, 3.0)):
                    keys = {**REGULAR, **template, **parameter, "perturbationNumber": number, "endStep": hour}
                    file.write(message(keys, values + offset + (number > 0)))
    path = tmp_path / "e.grib2"
    assert wind_at([path], select={"number": 0}) == pytest.approx(EXACT, abs=1e-5)
    assert wind_at([path], select={"number": "7"}) == pytest.approx(EXACT + 1, abs=1e-5)
    with pytest.raises(InputError, match=r"of number 0 and 7. Choose: select: \{number: 0\}"):
        wind_at([path])
    with open(tmp_path / "c.grib2", "wb") as file:
        for time, step, shift in ((0, 0, 0), (0, 3, 0), (0, 6, 0), (300, 0, 1), (300, 3, 1)):
            for parameter, offset in ((U10, 0.0), (V10, 3.0)):
                hour = time // 100 + step
                values = grib_files.regular_values(offset=offset + 0.5 * hour + shift)
                file.write(message({**REGULAR, **parameter, "time": time, "endStep": step}, values))
    assert wind_at([tmp_path / "c.grib2"], select={"dataTime": 0}) == pytest.approx(EXACT, abs=1e-5)
    with pytest.raises(InputError, match=r"of dataTime 0 and 300. Choose: select: \{dataTime: 0\}"):
        wind_at([tmp_path / "c.grib2"])


def test_dimensions_of_netcdf(tmp_path):
    """Members along `number`, final and preliminary fields along `expver` merged, forecasts with a valid time
    of two dimensions."""
    two = np.stack([winds(), winds() + 1], axis=1)
    netcdf(two, number=[0, 4]).to_netcdf(tmp_path / "n.nc")
    assert wind_at([tmp_path / "n.nc"], select={"number": 4}) == pytest.approx(EXACT + 1)
    with pytest.raises(InputError, match=r"number of size 2 \(0, 4\). Choose one: select: \{number: 0\}"):
        wind_at([tmp_path / "n.nc"])
    with pytest.raises(InputError, match=r"number 3 of 'select' does not exist. Give one of 0, 4"):
        wind_at([tmp_path / "n.nc"], select={"number": 3})
    for member in (0, 1):  # a file for each
        netcdf(winds()[:, None] + member, number=[member]).to_netcdf(tmp_path / f"m{member}.nc")
    assert wind_at([tmp_path / "m*.nc"], select={"number": 1}) == pytest.approx(EXACT + 1)
    with pytest.raises(InputError, match=r"m0.nc: number 2 of 'select' does not exist. Give one of 0"):
        wind_at([tmp_path / "m*.nc"], select={"number": 2})
    two[:, 1] = two[:, 0]
    two[0, 1], two[1:, 0] = np.nan, np.nan
    netcdf(two, expver=[1, 5]).to_netcdf(tmp_path / "x.nc")
    assert wind_at([tmp_path / "x.nc"]) == pytest.approx(EXACT)
    values = np.stack([winds((0, 3)), winds((3, 6)) + 1])
    file = netcdf(values, hours=(0, 3), step=[0.0, 3.0])
    file["time"].attrs["standard_name"] = "forecast_reference_time"
    file["valid_time"] = ("time", "step"), np.array([[0.0, 3], [3, 6]]), {"units": grids.HOURS}
    file.to_netcdf(tmp_path / "f.nc")
    with pytest.raises(InputError, match=r"of time 2022-09-01 00:00 and .* 03:00. Choose: select: \{time:"):
        wind_at([tmp_path / "f.nc"])
    file["u10"][1] -= 1
    file["v10"][1] -= 1
    file.to_netcdf(tmp_path / "g.nc")
    assert wind_at([tmp_path / "g.nc"]) == pytest.approx(EXACT)
    with pytest.raises(InputError, match=r"is given from 2022-09-01 00:00 to 2022-09-01 03:00 UTC"):
        wind_at([tmp_path / "g.nc"], select={"time": "2022-09-01T00:00"})


def test_final_fields_come_before_preliminary_ones(tmp_path):
    """The new layout of ERA5: `expver` is a text per time."""
    file = netcdf(np.concatenate([winds((0, 3)) + 9, winds((0, 3, 6))]), hours=(0, 3, 0, 3, 6))
    file["expver"] = "time", np.array(["0005", "0005", "0001", "0001", "0005"])
    file = file.rename(time="valid_time").assign_coords(number=0)
    file.to_netcdf(tmp_path / "e.nc")
    assert wind_at([tmp_path / "e.nc"]) == pytest.approx(EXACT)
    assert wind_at([tmp_path / "e.nc"], select={"number": 0, "expver": 5}, time_s=0.0)[0][0] > EXACT[0][0] + 7
    old = np.stack([winds() + 9, winds()], axis=1)  # the old layout: a dimension, in any order
    old[2, 1] = np.nan
    old[2, 0] -= 9
    netcdf(old, expver=np.array([5, 1])).to_netcdf(tmp_path / "o.nc")
    assert wind_at([tmp_path / "o.nc"]) == pytest.approx(EXACT)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("consolidated", [True, False])
def test_zarr_stores(tmp_path, version, consolidated):
    file = netcdf(winds())
    packing = {"dtype": "int16", "scale_factor": 0.001, "add_offset": 5.0, "_FillValue": -32767}
    file.to_zarr(
        tmp_path / "w.zarr", zarr_format=version, consolidated=consolidated, encoding={"u10": packing}
    )
    assert wind_at([tmp_path / "w.zarr"]) == pytest.approx(EXACT, abs=1e-3)
    with pytest.raises(InputError, match=r"w.zarr has no variable 'a' or 'b'"):
        wind_at([tmp_path / "*.zarr"], names=["a", "b"])


def test_a_reduced_grid(tmp_path):
    """Rows of 4 N + 16 points and fewer; linear along rows and between them."""
    counts = [20, 24, 28, 32, 32, 28, 24, 20]
    sine, _ = np.polynomial.legendre.leggauss(8)
    latitudes = np.degrees(np.arcsin(sine))[::-1]
    keys = {"gridType": "reduced_gg", "Nj": 8, "N": 4, "numberOfDataPoints": sum(counts)}
    rows = [np.full(n, -0.2 * lat) for n, lat in zip(counts, latitudes, strict=True)]

    def write(handle_keys, values):
        import eccodes

        handle = eccodes.codes_grib_new_from_samples("reduced_gg_sfc_grib2")
        for key, value in {**keys, **handle_keys}.items():
            eccodes.codes_set(handle, key, value)
        eccodes.codes_set_array(handle, "pl", counts)
        eccodes.codes_set_values(handle, values)
        content = eccodes.codes_get_message(handle)
        eccodes.codes_release(handle)
        return content

    contents = [
        write({**p, "dataDate": 20220901, "dataTime": t, "bitsPerValue": 24}, np.concatenate(rows) + t / 100)
        for t in (0, 600)
        for p in (U10, V10)
    ]
    (tmp_path / "r.grib2").write_bytes(b"".join(contents))
    found = wind_at([tmp_path / "r.grib2"], time_s=0.0)
    assert found[0] == pytest.approx(-0.2 * POINTS[1], abs=1e-4)


def test_means_and_upper_levels_are_no_winds_at_10_m(tmp_path):
    upper = {"shortName": "u", "typeOfLevel": "isobaricInhPa"}
    contents = [message(REGULAR | upper | {"level": p}, np.zeros((4, 6))) for p in (850, 1000)]
    (tmp_path / "u.grib2").write_bytes(b"".join(contents))
    text = r"u.grib2 has no variable recognized as the eastward wind or the northward wind. Not at 10 m"
    with pytest.raises(InputError, match=rf"{text}.* u \(isobaricInhPa 850, 1000\)"):
        catalogue([str(tmp_path / "u.grib2")], WIND)
    file = netcdf(winds()[:, None], level=[1000.0]).rename(u10="u", v10="v")
    file["level"].attrs["units"] = "millibars"
    file["u"].attrs["standard_name"] = "eastward_wind"
    file.to_netcdf(tmp_path / "p.nc")
    with pytest.raises(InputError, match=r"Not at 10 m, or not at an instant: u \(level 1000\)"):
        catalogue([str(tmp_path / "p.nc")], WIND)


def test_winds_of_the_services(shared):
    """The 10-m winds of NAM, GFS and GFS-wave, and of ERA5, are found among hundreds of fields."""
    folder = shared / "data" / "fixtures"
    if not folder.is_dir():
        pytest.skip("the reference files are absent")
    known = {
        "grib/cfgrib_nam.t00z.awp21100.tm00.grib2": (["u10", "v10"], True),
        "grib/pygrib_gfs.t12z.pgrbf120.2p5deg.grib2": (["u10", "v10"], False),
        "grib/gribberish_gfswave.20210826.t12z.atlocn.0p16.f000.grib2": (["u", "v"], False),
        "era5/rompy_schism_era5.nc": (["u10", "v10"], False),
    }
    for path, (names, relative_to_grid) in known.items():
        found = catalogue([str(folder / path)], WIND)
        assert [each.records[0].parts[0][0].name for each in found] == names
        assert [each.relative_to_grid for each in found] == 2 * [relative_to_grid]


def test_winds_that_do_not_change_are_refused(tmp_path):
    """All records equal bit for bit: the file is not what it seems. One component that changes suffices."""
    file = netcdf(winds((0, 0, 0)))
    file.to_netcdf(tmp_path / "s.nc")
    selected = [select_period(each, START, END) for each in catalogue([str(tmp_path / "s.nc")], WIND)]
    text = r"s.nc: the wind is the same in all 3 records from 2022-09-01 00:00 to .* 06:00 UTC.*steady: true"
    with pytest.raises(InputError, match=text):
        require_change(selected)
    file["v10"][2, 1, 1] += 1e-6
    file.to_netcdf(tmp_path / "t.nc")
    require_change([select_period(each, START, END) for each in catalogue([str(tmp_path / "t.nc")], WIND)])


def test_the_next_record_is_read_in_the_background():
    """Each record is read once, the next one in another thread while the others are used; its error is raised
    when the record is due."""
    loaded, threads, done = [], [], threading.Event()

    def load(record):
        loaded.append(record)
        threads.append(threading.current_thread().name)
        if record == 2:
            done.set()
        if record == 3:
            raise InputError("record 3 is damaged")
        return np.array([10.0 * record])

    records = TimeInterpolation(np.array([0.0, 1.0, 2.0, 3.0]), load, prefetch=True)
    for record in records.records_to_read(0.5):
        records.read(record, 0.5)
    assert done.wait(10) and records.at(0.5) == 5.0
    assert loaded == [0, 1, 2] and threads[1] == "MainThread" and threads[2] == "halcyon-prefetch"
    assert records.records_to_read(1.5) == [2]
    assert records.read(2, 1.5) == 20.0 and records.at(1.5) == 15.0
    with pytest.raises(InputError, match="record 3 is damaged"):
        records.read(3, 2.5)
    assert loaded == [0, 1, 2, 3]


def test_records_around_the_run_that_differ_are_refused(tmp_path):
    """The records before the begin and after the end of a run are used, too."""
    path = grib_files.write_winds(tmp_path / "w.grib2")
    late = {**REGULAR, **U10, "time": 0, "bitsPerValue": 24}
    path.write_bytes(path.read_bytes() + message(late, grib_files.regular_values(offset=9)))
    (eastward, _), hour = catalogue([str(path)], WIND), np.timedelta64(1, "h")
    with pytest.raises(InputError, match="two records of 2022-09-01 00:00 UTC"):
        select_period(eastward, START + hour, END - hour)
    select_period(eastward, START + 4 * hour, END)  # the record of 0 h is not used


def test_members_and_categories_are_not_heights(tmp_path):
    """A dimension whose coordinate has numbers without a unit, among them 10, is not taken as the height."""
    values = np.stack([winds()] * 12, axis=1)
    file = netcdf(values, member=np.arange(12))
    file.to_netcdf(tmp_path / "m.nc")
    with pytest.raises(InputError, match=r"dimension member of size 12.*select: \{member: 0\}"):
        wind_at([tmp_path / "m.nc"])
    file = file.rename(member="height")
    file.to_netcdf(tmp_path / "h.nc")
    assert wind_at([tmp_path / "h.nc"]) == pytest.approx(EXACT)


def test_classic_netcdf_of_cfgrib_is_not_grib(tmp_path):
    """The names of its attributes, which begin with GRIB, are in its first bytes."""
    netcdf(winds()).assign_attrs(GRIB_edition=1).to_netcdf(tmp_path / "c.nc", format="NETCDF3_64BIT")
    assert b"GRIB" in (tmp_path / "c.nc").read_bytes()[:128]
    assert wind_at([tmp_path / "c.nc"]) == pytest.approx(EXACT)


def test_the_wind_at_a_time_reads_no_other_record(tmp_path, monkeypatch):
    path = grib_files.write_winds(tmp_path / "w.grib2")
    catalogues, read, threads = catalogue([str(path)], WIND), [], []
    monkeypatch.setattr(
        GridVariable, "read", lambda self, record, window: read.append(record) or np.full((4, 6), 2.0)
    )
    monkeypatch.setattr(threading.Thread, "start", threads.append)
    assert vector_at(catalogues, 1, *POINTS) == pytest.approx(np.full((2, 3), 2.0), abs=1e-3)
    assert read == [1, 1] and not threads


def test_files_that_say_their_directions_and_files_that_do_not(tmp_path):
    """GRIB's flag, and netCDF without standard names on latitudes and longitudes: to east and north."""
    grib_files.write_winds(tmp_path / "first.grib2", hours=(0,))
    netcdf(winds((3, 6)), hours=(3, 6)).to_netcdf(tmp_path / "then.nc")
    paths = [tmp_path / "first.grib2", tmp_path / "then.nc"]
    assert wind_at(paths) == pytest.approx(EXACT, abs=1e-5)


def test_absolute_times(tmp_path):
    """Dates as decimal numbers, as ICON and cdo write them."""
    file = netcdf(winds())
    units = {"units": "day as %Y%m%d.%f", "calendar": "proleptic_gregorian"}
    file["time"] = "time", 20220901 + np.array([0, 3, 6]) / 24, units
    file.to_netcdf(tmp_path / "icon.nc")
    assert wind_at([tmp_path / "icon.nc"]) == pytest.approx(EXACT)
    file["time"] = "time", np.array([20220901.0, 20221301.0, 20221302.0]), units
    file.to_netcdf(tmp_path / "invalid.nc")
    with pytest.raises(InputError, match=r"invalid.nc: time: the times \('day as %Y%m%d'\) are invalid"):
        wind_at([tmp_path / "invalid.nc"])
