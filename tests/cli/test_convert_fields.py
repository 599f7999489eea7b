"""`halcyon convert` of the fields of a run, and of the depths of a mesh, to latitude-longitude grids in
netCDF and GRIB2."""

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest
import xarray

import halcyon.mesh
from halcyon.io.field_source import Field
from halcyon.remap import Conservative, Faces, regular_grid
from halcyon.wave import wave_variables
from tests.run import case
from tests.support import sea_states
from tests.support.compliance import complaints

REGION = "100,180,0,50"
NAMES = ("significant_height", "mean_direction", "eastward_wind")
GRID = regular_grid((100, 180, 0, 50), resolution=2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The output folder of a run with two segments of one hour each."""
    path = case.write_case(tmp_path_factory.mktemp("convert"))
    options = [f"--set={change}" for change in ("time.end=2022-09-01T02:00", "output.segment=3600")]
    code, _, err, folder = case.run_on_each(path, *options, ranks=[1])[1]
    assert (code, err) == (0, "")
    return folder


@pytest.fixture(scope="module")
def files(folder):
    """The two segments."""
    found = sorted(folder.glob("fields_*.nc"))
    assert len(found) == 2
    return found


@pytest.fixture(scope="module")
def means(files):
    """The expected means (time, latitude, longitude) by name, computed by `halcyon.remap`."""
    remap = Conservative(Faces.of_mesh(sea_states.bay()), GRID)
    average = dict.fromkeys(NAMES, remap.mean) | {"mean_direction": remap.mean_direction}
    found = {name: [] for name in NAMES}
    for file in files:
        with xarray.open_dataset(file) as data:
            for name in NAMES:
                found[name] += [average[name](row) for row in data[name].values]
    return {name: np.array(rows) for name, rows in found.items()}


@pytest.fixture(scope="module")
def latlon(files, tmp_path_factory):
    """The file that `halcyon convert` makes of the segments, given in reverse order."""
    out = tmp_path_factory.mktemp("latlon") / "out.nc"
    done = convert(*files[::-1], out, "--to", "latlon", "--resolution", "2", "--region", REGION)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("on 40 x 25 boxes, 3 times as latlon\n")
    return out


def convert(*arguments):
    """Runs the command in this process, without the cost of its imports."""
    from halcyon.cli import main

    argv = ["halcyon", "convert", *map(str, arguments)]
    with (
        redirect_stdout(io.StringIO()) as out,
        redirect_stderr(io.StringIO()) as err,
        patch.object(sys, "argv", argv),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    return SimpleNamespace(returncode=ended.value.code, stdout=out.getvalue(), stderr=err.getvalue())


def test_segments_become_one_file_of_means(latlon, means):
    """The file has the records of both segments in order, with the bits of the expected means."""
    with xarray.open_dataset(latlon) as data:
        hours = np.datetime64("2022-09-01T00") + np.arange(3)
        assert np.array_equal(data.time.values, hours)
        assert np.array_equal(data.lat, GRID.latitude)
        assert np.array_equal(data.lon_bounds[:, 1], GRID.longitude_edges[1:])
        for name in NAMES:
            expected = means[name].astype(np.float32)
            assert np.array_equal(data[name].values, expected, equal_nan=True)
            assert np.isfinite(expected).sum() > 200


def test_only_directions_are_averaged_as_vectors():
    """Exactly the wave variables named `*_direction` are directions; a directional spread is
    not."""
    names = {variable.name: variable.standard_name for variable in wave_variables()}
    found = {
        n
        for n, standard_name in names.items()
        if Field(n, {"standard_name": standard_name}, has_time=True).is_direction
    }
    assert found == {n for n in names if n.endswith("_direction")}
    assert "spreading" in names and "mean_direction" in found


def test_the_integral_of_heights_stays(files, tmp_path):
    """The area integral of the wave height is conserved to 1e-6."""
    out = tmp_path / "all.nc"
    done = convert(files[0], out, "--to", "latlon", "--coverage", "0", "--variables", "significant_height")
    assert (done.returncode, done.stderr) == (0, "")
    area = np.asarray(sea_states.bay().area_cell)
    with xarray.open_dataset(files[0]) as data, xarray.open_dataset(out) as means:
        before = data.significant_height.values.astype(float) @ area
        assert set(means.data_vars) == {"significant_height", "covered_fraction", "lat_bounds", "lon_bounds"}
        boxes = np.diff(np.sin(np.radians(means.lat_bounds.values)), axis=1)
        boxes = boxes * np.diff(np.radians(means.lon_bounds.values), axis=1).T
        kept = np.nansum(means.significant_height * means.covered_fraction * boxes, axis=(1, 2))
    assert kept == pytest.approx(before, rel=1e-6)  # of 32-bit values


def test_the_file_says_what_it_holds_as_cf_wants(latlon, files):
    """The CF compliance checker has no complaints; metadata are copied, or describe the averaging."""
    assert complaints(latlon) == []
    with xarray.open_dataset(latlon) as data, xarray.open_dataset(files[0]) as source:
        height, direction = data["significant_height"], data["mean_direction"]
        assert height.attrs["cell_methods"] == "time: point area: mean"
        assert data["depth"].attrs["cell_methods"] == "area: mean"
        assert height.attrs["standard_name"] == "sea_surface_wave_significant_height"
        assert direction.attrs["comment"] == "direction of the mean of unit vectors"
        assert data.time.encoding["units"] == source.time.encoding["units"]
        assert data.attrs["title"] == source.attrs["title"]
        new, old = data.attrs["history"].splitlines()
        first = source.attrs["history"].partition(" ")[2]
        assert "averaged conservatively" in new and old.endswith(first)


def test_grib_messages_decode_to_the_means(files, means, tmp_path):
    """ecCodes decodes the messages to the expected means, within the packing error, with time, grid and
    level."""
    import eccodes

    out = tmp_path / "out.grib2"
    options = ["--resolution", "2", "--region", REGION, "--variables", ",".join(NAMES)]
    done = convert(*files, out, *options)
    assert (done.returncode, done.stderr) == (0, "")
    found = list(messages(eccodes, out))
    assert [row["shortName"] for row in found] == ["swh", "mwd", "10u"] * 3
    assert [row["validityTime"] for row in found] == [0] * 3 + [100] * 3 + [200] * 3
    for at, row in enumerate(found):
        assert (row["dataDate"], row["dataTime"], row["endStep"]) == (20220901, 0, at // 3)
        assert (row["gridType"], row["radius"], row["typeOfProcessedData"]) == ("regular_ll", 6371220.0, "fc")
        assert row["longitude"] == pytest.approx(GRID.longitude)
        assert row["latitude"] == pytest.approx(GRID.latitude[::-1])
        expected = means[NAMES[at % 3]][at // 3][::-1]
        assert np.array_equal(np.isnan(row["values"]), np.isnan(expected))
        assert np.nanmax(np.abs(row["values"] - expected)) <= 1.01 * row["packingError"]
        assert row["packingError"] < 0.006
    assert found[2]["typeOfLevel"] == "heightAboveGround" and found[2]["level"] == 10


KEYS = (
    *("shortName", "dataDate", "dataTime", "validityTime", "endStep", "gridType", "radius", "packingError"),
    *("typeOfProcessedData", "typeOfLevel", "level", "stepType", "Ni", "Nj"),
)


def messages(eccodes, path):
    """The contents of each message of a GRIB file; values (latitude, longitude) from the north."""
    with open(path, "rb") as file:
        while (message := eccodes.codes_grib_new_from_file(file)) is not None:
            row = {key: eccodes.codes_get(message, key) for key in KEYS}
            values = eccodes.codes_get_values(message)
            values[values == eccodes.codes_get(message, "missingValue")] = np.nan
            row["values"] = values.reshape(row["Nj"], row["Ni"])
            row["longitude"] = eccodes.codes_get_array(message, "distinctLongitudes")
            row["latitude"] = eccodes.codes_get_array(message, "distinctLatitudes")
            yield row
            eccodes.codes_release(message)


def test_grib_of_the_globe_and_of_half_hours(tmp_path):
    """ecCodes knows each parameter of the table. Forecast times of half hours are in minutes, and longitudes
    begin at the west side of the grid."""
    import eccodes

    from halcyon.io.field_source import Field, FieldSource
    from halcyon.io.grib_file import PARAMETERS, write_grib

    mesh = halcyon.mesh.uniform(1)
    fields = [
        Field(f"v{i}", {"standard_name": name}, has_time=i % 5 > 0) for i, name in enumerate(PARAMETERS)
    ]
    units = {"units": "hours since 2020-02-28 21:30:00", "calendar": "standard"}
    source = FieldSource(
        Faces.of_mesh(mesh), fields, {}, np.array([0, 2.5]), units, lambda field, record: mesh.cell_latitude
    )
    grid = regular_grid((-20, 340, -90, 90), shape=(12, 6))
    write_grib(tmp_path / "all.grib2", source, Conservative(source.faces, grid), fields)
    found = list(messages(eccodes, tmp_path / "all.grib2"))
    assert len(found) == 2 * len(PARAMETERS)
    assert len({row["shortName"] for row in found} - {"unknown"}) == len(PARAMETERS)
    assert [found[0]["validityTime"], found[-1]["validityTime"]] == [2130, 0]
    assert found[0]["longitude"][[0, -1]] == pytest.approx([-5, 325])
    assert np.abs(found[0]["values"]).max() <= np.pi / 2
    steps = {}
    for row in found:
        steps.setdefault((row["shortName"], row["typeOfLevel"], row["stepType"]), []).append(
            row["validityTime"]
        )
    assert [*steps.values()] == [[2130, 0]] * len(PARAMETERS)  # as cfgrib needs to show all in one dataset
    assert {row["level"] for row in found if row["typeOfLevel"] == "heightAboveGround"} == {10}


def test_the_depth_of_a_mesh(folder, tmp_path):
    done = convert(folder.parent / case.MESH, tmp_path / "depth.nc", "--to", "latlon", "--grid", "72x36")
    assert (done.returncode, done.stderr) == (0, "")
    with xarray.open_dataset(tmp_path / "depth.nc") as data:
        assert data.depth.shape == (36, 72)
        assert data.depth.min() > 0 and 3000 < data.depth.max() <= 4000
        assert "time" not in data.variables


def test_a_file_that_was_changed_is_converted_with_a_warning(files, tmp_path):
    changed = tmp_path / "changed.nc"
    data = bytearray(files[0].read_bytes())
    data[-4] ^= 1  # a byte of a value
    changed.write_bytes(data)
    done = convert(changed, tmp_path / "out.nc", "--to", "latlon", "--resolution", "4")
    assert done.returncode == 0
    assert done.stderr.startswith(f"warning: {changed} is damaged: ")
    assert done.stderr.endswith(" The file is converted as it is.\n")


def test_what_has_no_parameter_is_named_and_left_out(files, tmp_path):
    """A variable without GRIB parameter is omitted with a warning; alone, it is an error."""
    strange = renamed(files[0], tmp_path / "strange.nc", "peak_period")
    done = convert(strange, tmp_path / "out.grib2", "--variables", "significant_height,peak_period")
    assert done.returncode == 0
    assert done.stderr.endswith("warning: GRIB2 has no parameter for peak_period: left out.\n")
    done = convert(strange, tmp_path / "none.grib2", "--variables", "peak_period")
    assert (done.returncode, done.stdout) == (2, "")
    assert "GRIB2 has no parameter for peak_period. Choose others" in done.stderr
    assert not (tmp_path / "none.grib2").exists()


def test_each_grib_parameter_has_one_field():
    """A maximum over the run is not the present value, and two fields cannot have one parameter."""
    from halcyon.io.field_source import Field
    from halcyon.io.grib_file import split_by_parameter

    name = {"standard_name": "sea_surface_wave_significant_height"}
    fields = [
        Field("largest", name | {"cell_methods": "time: maximum area: mean"}, has_time=True),
        Field("first", name | {"cell_methods": "time: point"}, has_time=True),
        Field("second", name, has_time=True),
    ]
    assert split_by_parameter(fields) == ([fields[1]], ["largest", "second"])


def renamed(file, path, name):
    """A copy of a file in which the variable has an unknown standard name."""
    from netCDF4 import Dataset

    path.write_bytes(file.read_bytes())
    with Dataset(path, "a") as data:
        data[name].standard_name = "sea_surface_wave_colour"
    return path


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (["f.nc", "o.nc", "--to", "cdf5"], 2, "f.nc holds fields on cells, no MPAS or GRIST mesh"),
        (["f.nc", "o.nc", "--to", "latlon", "--variables", "colour"], 2, "no variable 'colour' on faces"),
        (["f.nc", "o.nc", "--to", "latlon", "--variables", "hs"], 2, "Did you mean 'significant_height'?"),
        (["f.nc", "o.nc", "--to", "latlon", "--region", "1,2,3"], 2, "--region 1,2,3: give west,east,south"),
        (["f.nc", "o.nc", "--to", "latlon", "--region", "9,2,3,4"], 2, "East must be above west"),
        (["f.nc", "o.nc", "--to", "latlon", "--grid", "12"], 2, "--grid 12: give the numbers"),
        (["f.nc", "o.nc", "--to", "latlon", "--grid", "4x2", "--resolution", "1"], 2, "Give one of them"),
        pytest.param(
            ["f.nc", "o.nc", "--to", "latlon", "--resolution", "-1"],
            2,
            "A resolution of -1 degrees is invalid",
            id="arguments6-2-A resolution of -1 degrees is none",
        ),
        pytest.param(
            ["f.nc", "o.nc", "--to", "latlon", "--coverage", "2"],
            2,
            "A coverage of 2 is invalid",
            id="arguments7-2-A coverage of 2 is none",
        ),
        (["f.nc", "f.nc", "o.nc", "--to", "latlon"], 2, "both have the time 0 (hours since"),
        (["f.nc", "other.nc", "o.nc", "--to", "latlon"], 2, "other.nc has another mesh than f.nc"),
        (["cut.nc", "o.nc", "--to", "latlon"], 2, "cut.nc"),
        (["f.nc", "none.nc", "o.nc", "--to", "latlon"], 2, "none.nc cannot be read"),
        (["bare.nc", "o.nc", "--to", "latlon"], 2, "bare.nc: the mesh has no depths"),
        (["bare.nc", "bare.nc", "o.nc", "--to", "latlon"], 2, "bare.nc holds no fields on faces"),
        (["bare.nc", "o.nc", "--to", "cdf5", "--region", "1,2,3,4"], 2, "--region: only for --to latlon"),
        (["bare.nc", "bare.nc", "o.nc", "--to", "cdf5"], 2, "2 files are given, but --to cdf5 takes one"),
        (["f.nc", "/proc/o.nc", "--to", "latlon"], 2, "/proc/o.nc: the folder /proc cannot be written to"),
        (["f.nc", "/proc/o.grib2"], 2, "/proc/o.grib2: the folder /proc cannot be written to"),
    ],
)
def test_mistakes_are_one_error(broken_files, monkeypatch, arguments, code, expected):
    """An invalid request prints one line with the expected text and writes no file."""
    monkeypatch.chdir(broken_files)
    done = convert(*arguments)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert done.stderr.startswith("error: ") and len(done.stderr.splitlines()) == 1
    assert expected in done.stderr
    assert not list(broken_files.glob("o.*"))


@pytest.fixture(scope="module")
def broken_files(files, tmp_path_factory):
    """A folder with a fields file f.nc, a file of another mesh, a truncated file, and a mesh without
    depths."""
    folder = tmp_path_factory.mktemp("broken")
    (folder / "f.nc").write_bytes(files[0].read_bytes())
    (folder / "cut.nc").write_bytes(files[0].read_bytes()[:-4000])
    halcyon.mesh.write_ugrid(folder / "other.nc", halcyon.mesh.uniform(1))
    halcyon.mesh.write_mpas(folder / "bare.nc", halcyon.mesh.uniform(1))
    return folder
