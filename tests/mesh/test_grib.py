"""GRIB files as datasets: every order of the points, the grids of the weather services, times, several fields
in a message, missing values, selection, and damaged files."""

import contextlib
import itertools

import eccodes
import numpy as np
import pytest
import xarray as xr

from halcyon.base import InputError
from halcyon.mesh import cf_file, file_reader
from halcyon.mesh.data_file import grib, open_data
from halcyon.mesh.data_file.grib_grid import axes_of
from tests.support import grib_files
from tests.support.grib_files import REGULAR, U10, V10, linear, message


def write(path, *messages):
    path.write_bytes(b"".join(messages))
    return path


def positions(variable, file):
    """Latitudes and longitudes of all points of a variable, in its shape."""
    latitude, longitude = (file[name].values for name in ("latitude", "longitude"))
    return np.meshgrid(latitude, longitude, indexing="ij") if latitude.ndim == 1 else (latitude, longitude)


@pytest.mark.parametrize("edition", [1, 2])
def test_every_order_of_points(tmp_path, edition):
    """Values in each scanning mode (FM 92 GRIB, flag table 3.4), written point by point, are those of their
    positions."""
    for west, north, by_column, alternating in itertools.product((0, 1), repeat=4):
        lat = np.linspace(30, 15, 4)[:: -1 if north else 1]
        lon = np.linspace(100, 125, 6)[:: -1 if west else 1]
        outer, inner = (lon, lat) if by_column else (lat, lon)
        values = []
        for k, first in enumerate(outer):
            for second in inner[::-1] if alternating and k % 2 else inner:
                values.append(linear(second, first) if by_column else linear(first, second))
        ends = {
            **{"latitudeOfFirstGridPointInDegrees": lat[0], "latitudeOfLastGridPointInDegrees": lat[-1]},
            **{"longitudeOfFirstGridPointInDegrees": lon[0], "longitudeOfLastGridPointInDegrees": lon[-1]},
            **{"iScansNegatively": west, "jScansPositively": north, "jPointsAreConsecutive": by_column},
        }
        keys = {**REGULAR, **U10, **ends} | ({"alternativeRowScanning": alternating} if edition == 2 else {})
        if edition == 1 and alternating:
            continue
        file = open_data(write(tmp_path / "x.grib", message(keys, values, edition=edition)))
        found = file["u10"].values[0]
        assert found == pytest.approx(linear(*positions(file["u10"], file)), abs=1e-5)
        assert file["u10"].dims == ("time", "latitude", "longitude") and found.shape == (4, 6)


SPHERE = {"shapeOfTheEarth": 6}
FIRST = {"latitudeOfFirstGridPointInDegrees": 20, "longitudeOfFirstGridPointInDegrees": 100}
METRES = {"Nx": 5, "Ny": 4, "DxInMetres": 200000, "DyInMetres": 150000}
LAMBERT = {**SPHERE, "gridType": "lambert", **METRES, "LoVInDegrees": 110, **FIRST, "LaDInDegrees": 30}
SOUTH = {"latitudeOfFirstGridPointInDegrees": -45}
STEREOGRAPHIC = {
    **{"gridType": "polar_stereographic", **METRES, "LaDInDegrees": 60, "orientationOfTheGridInDegrees": 110},
    **{**SPHERE, **FIRST},
}
GRIDS = {
    "lambert": LAMBERT | {"Latin1InDegrees": 30, "Latin2InDegrees": 45},
    "lambert, south": LAMBERT | SOUTH | {"Latin1InDegrees": -30, "Latin2InDegrees": -50, "LaDInDegrees": -40},
    "polar stereographic": STEREOGRAPHIC,
    "polar stereographic, south": STEREOGRAPHIC | SOUTH | {"projectionCentreFlag": 128, "LaDInDegrees": -60},
    "mercator": {
        **{"gridType": "mercator", "Ni": 5, "Nj": 4, **FIRST, "LaDInDegrees": 20, **SPHERE},
        **{"latitudeOfLastGridPointInDegrees": 24, "longitudeOfLastGridPointInDegrees": 107.2},
        **{"DiInMetres": 187838, "DjInMetres": 150000},
    },
    "rotated": {
        **{"gridType": "rotated_ll", **REGULAR, "latitudeOfSouthernPoleInDegrees": -39.25},
        **{"longitudeOfSouthernPoleInDegrees": 18, "angleOfRotationInDegrees": 0},
        **{"longitudeOfFirstGridPointInDegrees": 350, "longitudeOfLastGridPointInDegrees": 15},
    },
}


@pytest.mark.parametrize("name", GRIDS)
def test_projected_and_rotated_grids(tmp_path, name):
    """The points of a grid scanned from the south west are those of ecCodes. Scanned from the north east,
    with the first point there, they are the same in reverse order."""
    shape = (4, 6) if name == "rotated" else (4, 5)
    from_south = GRIDS[name] | {"jScansPositively": 1}
    if name == "rotated":
        from_south = GRIDS[name]
    content = message(U10 | from_south, np.zeros(shape))
    file = open_data(write(tmp_path / "a.grib2", content))
    handle = eccodes.codes_new_from_message(content)
    known = [eccodes.codes_get_array(handle, key).reshape(shape) for key in ("latitudes", "longitudes")]
    eccodes.codes_release(handle)
    found = [file[key].values for key in ("latitude", "longitude")]
    assert file["u10"].dims == ("time", "y", "x")
    assert found[0] == pytest.approx(known[0], abs=2e-5)
    assert (found[1] - known[1] + 180) % 360 - 180 == pytest.approx(0, abs=2e-5)
    if name in ("mercator", "rotated"):
        return
    corner = {
        "latitudeOfFirstGridPointInDegrees": known[0][-1, -1],
        "longitudeOfFirstGridPointInDegrees": known[1][-1, -1],
    }
    reverse = from_south | corner | {"iScansNegatively": 1, "jScansPositively": 0}
    file = open_data(write(tmp_path / "b.grib2", message(U10 | reverse, np.zeros(shape))))
    assert file["latitude"].values[::-1, ::-1] == pytest.approx(known[0], abs=2e-5)


def test_gaussian_and_global_axes(tmp_path):
    """A Gaussian grid has the zeros of the Legendre polynomial; the longitudes of a global grid close the
    circle, though the last is rounded to a thousandth of a degree."""
    n = 16
    zeros = np.degrees(np.arcsin(np.polynomial.legendre.leggauss(2 * n)[0]))[::-1]
    grid = {
        **{"gridType": "regular_gg", "Ni": 4 * n, "Nj": 2 * n, "N": n},
        **{"latitudeOfFirstGridPointInDegrees": zeros[0], "latitudeOfLastGridPointInDegrees": zeros[-1]},
        **{"longitudeOfFirstGridPointInDegrees": 0, "longitudeOfLastGridPointInDegrees": 354.375},
        **{"iDirectionIncrementInDegrees": 5.625},
    }
    file = open_data(write(tmp_path / "g.grib2", message(U10 | grid, np.zeros((2 * n, 4 * n)))))
    assert file["latitude"].values == pytest.approx(zeros, abs=1e-6)
    ends = {"latitudeOfFirstGridPointInDegrees": 10, "latitudeOfLastGridPointInDegrees": 0, "Ni": 7, "Nj": 2}
    ends |= {"longitudeOfFirstGridPointInDegrees": 180, "longitudeOfLastGridPointInDegrees": 128.571}
    _, longitude = axes_of(ends | {"iScansNegatively": 0})
    assert longitude == pytest.approx(180 + 360 / 7 * np.arange(7), abs=1e-12)


def test_times_and_steps(tmp_path):
    """Valid times of steps in minutes, hours and days, in both editions and both centuries."""
    given = [
        ({"date": 19991231, "time": 1200, "stepUnits": 0, "endStep": 15}, 2, "1999-12-31T12:15"),
        ({"date": 20000228, "time": 600, "stepUnits": 1, "endStep": 66}, 1, "2000-03-02T00:00"),
        ({"date": 20220901, "time": 30, "stepUnits": 2, "endStep": 2}, 2, "2022-09-03T00:30"),
        ({"date": 19790101, "time": 0}, 1, "1979-01-01T00:00"),
    ]
    for keys, edition, text in given:
        content = message(REGULAR | U10 | keys, grib_files.regular_values(), edition=edition)
        time = open_data(write(tmp_path / "t.grib", content))["time"]
        assert str(np.datetime64("1970-01-01T00:00") + np.timedelta64(time.item(), "s")) == f"{text}:00"


def test_fields_in_one_message_share_a_bitmap(tmp_path):
    """A message with both components, as NCEP writes it, among bytes that are no message; messages whose
    headers differ by their times only are indexed alike."""
    values = grib_files.regular_values()
    values[1, 2] = np.nan
    contents = [
        grib_files.joined(*(message(REGULAR | p | {"time": t}, values + k) for k, p in enumerate((U10, V10))))
        for t in (0, 600)
    ]
    parts = b"\r\r\nHTXX01 EDZW\r\r\n", contents[0], b"\0" * 9, contents[1]
    file = open_data(write(tmp_path / "m.grib2", *parts))
    for k, name in enumerate(("u10", "v10")):
        assert file[name].shape == (2, 4, 6)
        assert np.isnan(file[name].values).sum() == 2 and np.isnan(file[name].values[1, 1, 2])
        assert np.nanmax(np.abs(file[name].values - values - k)) < 1e-5
    assert file["v10"][1, 1:3, ::-2].values == pytest.approx(values[1:3, ::-2] + 1, abs=1e-5, nan_ok=True)


def test_variables_differ_by_level_step_and_parameter(tmp_path):
    """Levels are a dimension. Records that lack a level, and repeated messages, are records of their own.
    Fields at an instant have the plain name, means over intervals not."""
    zeros = np.zeros((4, 6))
    keys = REGULAR | {"shortName": "u", "typeOfLevel": "isobaricInhPa"}
    full = [message(keys | {"level": p, "time": t}, zeros + p) for t in (0, 600) for p in (850, 500)]
    interval = {"productDefinitionTemplateNumber": 8, "typeOfStatisticalProcessing": 0, "stepRange": "0-6"}
    mean = message(REGULAR | U10 | interval, zeros)
    file = open_data(write(tmp_path / "a.grib2", *full, message(REGULAR | U10, zeros), mean))
    assert file["u"].dims == ("time", "isobaricInhPa", "latitude", "longitude")
    assert file["isobaricInhPa"].values.tolist() == [500, 850]
    assert file["isobaricInhPa"].attrs["units"] == "hPa"
    assert file["u"][1, :, 0, 0].values.tolist() == [500, 850]
    kinds = {v.attrs["GRIB_stepType"]: name for name, v in file.variables.items() if "10" in str(name)}
    assert kinds.pop("instant") == "u10" and len(kinds) == 1
    ragged = open_data(write(tmp_path / "b.grib2", *full[:3], full[0]))
    assert ragged["u"].dims == ("time", "latitude", "longitude")
    assert ragged["level"].values.tolist() == [500, 850, 850, 850]
    assert ragged["u"][:, 0, 0].values.tolist() == [500, 850, 850, 850]


def ensemble(tmp_path):
    keys = REGULAR | {"productDefinitionTemplateNumber": 1, **U10}
    contents = [
        message(keys | {"perturbationNumber": k, "stepUnits": 1, "endStep": h}, np.full((4, 6), 10 * k + h))
        for k in (1, 2)
        for h in (0, 6)
    ]
    return write(tmp_path / "e.grib2", *contents)


def test_messages_are_selected_by_keys(tmp_path):
    path = ensemble(tmp_path)
    assert sorted(open_data(path)["number"].values.tolist()) == [1, 1, 2, 2]
    file = open_data(path, {"number": 2})
    assert file["u10"][:, 0, 0].values.tolist() == [20, 26]
    assert open_data(path, {"number": "1", "step": 6, "dataDate": 20220901})["u10"].values.ravel()[0] == 16
    assert open_data(path, {"perturbationNumber": 2})["u10"].shape[0] == 2
    with pytest.raises(InputError, match=r"number 7 of 'select' does not exist. Give one of 1, 2"):
        open_data(path, {"number": 7})
    with pytest.raises(InputError, match=r"no message has the key member of 'select'.*number, step"):
        open_data(path, {"member": 7})


def test_the_length_of_large_messages(tmp_path):
    """Edition 1 stores it in units of 120 bytes (ECMWF's convention), the rest in section 4. Below 16
    megabytes it may be stored as it is."""
    values = np.linspace(0, 1, 24)
    large = bytearray(message(REGULAR | U10, values, edition=1))
    data = 8 + int.from_bytes(large[8:11], "big")
    data += int.from_bytes(large[data : data + 3], "big")
    units = len(large) // 120 + 1
    large[4:7] = (0x800000 + units).to_bytes(3, "big")
    large[data : data + 3] = (120 * units + 4 - len(large)).to_bytes(3, "big")
    file = open_data(write(tmp_path / "l.grib", large, large, message(REGULAR | U10, values, edition=1)))
    assert file["u10"].shape[0] == 3
    assert file["u10"].values[1].ravel() == pytest.approx(values, abs=1e-6)
    n = 3000
    content = message(
        REGULAR | U10 | {"Ni": n, "Nj": n, "bitsPerValue": 8}, np.arange(n * n) % 200, edition=1
    )
    assert len(content) > 1 << 23
    assert open_data(write(tmp_path / "m.grib", content))["u10"].values[0, -1, -1] == (n * n - 1) % 200


def test_damaged_files_are_one_error(tmp_path):
    """Whatever byte changes, the file is read or refused; it does not take memory that its message claims."""
    content = message(REGULAR | U10, grib_files.regular_values())
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(60):
        damaged = bytearray(content)
        for position in rng.integers(8, 190, 2):
            damaged[position] = rng.integers(256)
        try:
            file = open_data(write(tmp_path / "d.grib2", bytes(damaged)))
            for variable in file.variables.values():
                np.asarray(variable.values)
        except InputError as error:
            assert "d.grib2" in str(error)
            refused += 1
    assert refused > 10
    with pytest.raises(InputError, match=r"d.grib2 cannot be read as GRIB: the message at byte 0 was cut"):
        open_data(write(tmp_path / "d.grib2", content[:-20]))
    large = bytearray(message(REGULAR | U10 | {"bitsPerValue": 0}, np.zeros((4, 6))))
    grid, product = (large.find(part) for part in (bytes([0, 0, 0, 72, 3]), bytes([0, 0, 0, 21, 5])))
    for position in (grid + 6, product + 5):
        large[position : position + 4] = (1 << 31).to_bytes(4, "big")
    large[grid + 30 : grid + 38] = (1 << 16).to_bytes(4, "big") + (1 << 15).to_bytes(4, "big")
    with pytest.raises(InputError, match="its values need more memory than this machine has"):
        open_data(write(tmp_path / "d.grib2", bytes(large)))["u10"].values.sum()


def test_the_points_of_an_unstructured_grid(tmp_path):
    """Latitudes and longitudes are fields of the file, as DWD distributes them."""
    rng = np.random.default_rng(2)
    lat, lon = rng.uniform(-90, 90, 24), rng.uniform(0, 360, 24)
    grid = {"gridType": "unstructured_grid", "numberOfDataPoints": 24}
    coordinate = {"discipline": 0, "parameterCategory": 191, "typeOfFirstFixedSurface": 1}
    contents = [message(grid | coordinate | {"parameterNumber": k}, v) for k, v in ((1, lat), (2, lon))]
    file = open_data(write(tmp_path / "i.grib2", *contents, message(grid | U10, linear(lat, lon))))
    assert file["u10"].dims == ("time", "point") and file["latitude"].dims == ("point",)
    found = linear(file["latitude"].values, file["longitude"].values)
    assert file["u10"].values[0] == pytest.approx(found, abs=1e-3)


def test_files_of_the_services(shared):
    """Each field of the centres' files is decoded as by ecCodes, which reads messages with several fields; a
    reduced grid has the points of its rows."""
    folder = shared / "data" / "fixtures" / "grib"
    if not folder.is_dir():
        pytest.skip("the reference files are absent")
    file = open_data(folder / "cfgrib_nam.t00z.awp21100.tm00.grib2")
    eccodes.codes_grib_multi_support_on()
    with open(folder / "cfgrib_nam.t00z.awp21100.tm00.grib2", "rb") as content:
        while (handle := eccodes.codes_grib_new_from_file(content)) is not None:
            name, kind = (eccodes.codes_get(handle, key) for key in ("cfVarName", "typeOfLevel"))
            if name in ("u", "u10", "v10") and kind != "pressureFromGroundLayer":
                values = eccodes.codes_get_values(handle).reshape(65, 93)
                variable = file[name] if name in file else file[f"{name}_{kind}"]
                if kind in variable.dims:
                    levels = variable[kind].values.tolist()
                    variable = variable[:, levels.index(eccodes.codes_get(handle, "level"))]
                assert np.array_equal(variable.values[0], values)
            eccodes.codes_release(handle)
    eccodes.codes_grib_multi_support_off()
    assert file["u10"].attrs["GRIB_uvRelativeToGrid"] == 1
    reduced = open_data(folder / "pygrib_reduced_latlon_surface.grib2")
    assert reduced.sizes["point"] == 313362
    gfs = open_data(folder / "gribberish_gfswave.20210826.t12z.atlocn.0p16.f000.grib2")
    speed = np.hypot(gfs["u"].values, gfs["v"].values)
    assert np.nanmax(np.abs(speed - gfs["ws"].values)) < 0.02


def test_the_process_ends_a_decoder_that_hangs(tmp_path, monkeypatch):
    """As for other files: within the limit of processor time, with the library named."""
    reader = file_reader._Reader()
    monkeypatch.setattr(file_reader, "_READER", reader)
    program = tmp_path / "stub.py"
    program.write_text(
        "import pickle, signal, sys\npickle.load(sys.stdin.buffer)\n"
        "signal.setitimer(signal.ITIMER_PROF, float(sys.argv[1]))\nwhile True: pass\n"
    )
    monkeypatch.setattr(file_reader, "_PROGRAM", program)
    monkeypatch.setenv(file_reader.LIMIT, "0.2")
    with pytest.raises(InputError, match=r"ecCodes did not finish within 0.2 s"):
        open_data(write(tmp_path / "x.grib2", message(REGULAR | U10, np.zeros((4, 6)))))
    reader.stop()


@pytest.mark.parametrize("keys", [REGULAR, LAMBERT])
def test_grids_that_are_too_large_or_damaged(tmp_path, keys):
    """The positions of the points of a damaged grid take no memory."""
    content = message(keys | U10, np.zeros((4, 5 if keys is LAMBERT else 6)))
    grid = content.find(bytes([0, 0, 0, 81 if keys is LAMBERT else 72, 3]))
    large = bytearray(content)
    large[grid + 6 : grid + 10] = ((1 << 28) * 13).to_bytes(4, "big")
    large[grid + 30 : grid + 38] = (1 << 28).to_bytes(4, "big") + (13).to_bytes(4, "big")
    with pytest.raises(InputError, match=r"d.grib2: its grid of \d+ positions takes about"):
        open_data(write(tmp_path / "d.grib2", bytes(large)))
    for position in range(grid + 10, grid + 72, 3):
        damaged = bytearray(content)
        damaged[position : position + 4] = bytes([255] * 4)
        with contextlib.suppress(InputError):
            open_data(write(tmp_path / "d.grib2", bytes(damaged)))


def test_files_with_too_many_variables_or_times(tmp_path, monkeypatch):
    path = write(tmp_path / "v.grib2", *(message(REGULAR | p, np.zeros((4, 6))) for p in (U10, V10)))
    monkeypatch.setattr(grib, "MOST_VARIABLES", 1)
    with pytest.raises(InputError, match=r"v.grib2 has 2 variables; at most 1 are supported"):
        open_data(path)
    monkeypatch.setattr(cf_file, "MOST_TIMES", 1)
    time = xr.DataArray([0.0, 1.0], name="time", attrs={"units": "hours since 2022-09-01"})
    with pytest.raises(InputError, match=r"t.nc: time has 2 times. At most 1 are supported"):
        cf_file.times_of("t.nc", time)
