"""`halcyon convert` of fields with levels to latitude-longitude grids."""

import numpy as np
import pytest
import xarray
from mpi4py import MPI
from typer.testing import CliRunner

from halcyon.base import InputError
from halcyon.cli.app import app
from halcyon.io.field_source import open_fields
from halcyon.remap import Conservative, Faces, regular_grid
from tests.support import meshes, upper_levels
from tests.support.compliance import complaints

GRID = regular_grid((-180, 180, -90, 90), shape=(24, 12))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Fields files on pressure, height and model levels, by kind of levels."""
    folder = tmp_path_factory.mktemp("convert_levels")
    mesh = meshes.globe(3)
    return {
        surfaces: upper_levels.write_file(MPI.COMM_SELF, folder / f"{surfaces}.nc", surfaces, mesh=mesh)
        for surfaces in upper_levels.OUTPUT_SURFACES
    }


def convert(*words):
    """The result of the command with a grid of 24 x 12 boxes."""
    words = [*map(str, words), "--grid", "24x12", "--region=-180,180,-90,90"]
    return CliRunner().invoke(app, ["convert", *words])


@pytest.mark.parametrize("surfaces", upper_levels.OUTPUT_SURFACES)
def test_every_level_is_averaged(files, surfaces, tmp_path):
    """Each level has the bits of the means of `halcyon.remap`, and the file has the vertical axis."""
    done = convert(files[surfaces], tmp_path / "out.nc", "--to", "latlon", "--variables", "temperature")
    assert done.exit_code == 0, done.exception
    remap = Conservative(Faces.of_mesh(meshes.globe(3)), GRID)
    axis = {"model": "level"}.get(surfaces, surfaces)
    with (
        xarray.open_dataset(files[surfaces]) as source,
        xarray.open_dataset(tmp_path / "out.nc") as converted,
    ):
        assert converted.temperature.dims == ("time", axis, "lat", "lon")
        assert np.array_equal(converted[axis].values, source[axis].values)
        assert converted[axis].attrs["positive"] == source[axis].attrs["positive"]
        assert ("surface_pressure" in converted) == (surfaces == "model")
        for record in range(2):
            for level in range(converted.sizes[axis]):
                means = remap.mean(source.temperature.values[record, :, level]).astype(np.float32)
                shown = converted.temperature.values[record, level]
                assert np.array_equal(shown, means, equal_nan=True)
        assert np.isfinite(converted.temperature.values[:, 1]).mean() > 0.9
    assert [text for text in complaints(tmp_path / "out.nc") if not is_known(text)] == []


def is_known(text):
    """Whether a complaint is about an attribute that the checker does not support (see
    tests/io/test_fields_with_levels.py)."""
    return "'level_bounds' has attr 'formula_terms'" in text or "found: 'altitude'" in text


def test_fields_come_by_face_whatever_the_order_of_dimensions(files, tmp_path):
    """Values are (face, level) also if the file stores them as (level, face)."""
    with xarray.open_dataset(files["pressure"]) as source:
        source.transpose("time", "pressure", "face", ...).to_netcdf(tmp_path / "turned.nc")
    with open_fields([files["pressure"]]) as ours, open_fields([tmp_path / "turned.nc"]) as theirs:
        for source in (ours, theirs):
            fields = {field.name: field for field in source.fields}
            assert {name for name, field in fields.items() if field.axis} == {"temperature", "eastward_wind"}
        pairs = [source.values(source.select(["temperature"])[0], 1) for source in (ours, theirs)]
        assert pairs[0].shape == (642, 3)
        assert np.array_equal(*pairs, equal_nan=True)


def test_files_on_other_levels_do_not_go_together(files, tmp_path):
    with xarray.open_dataset(files["pressure"]) as source:
        source.assign_coords(pressure=source.pressure - 1, time=source.time + 1).to_netcdf(tmp_path / "x.nc")
    with pytest.raises(InputError, match="has temperature on other levels than"):
        raise convert(files["pressure"], tmp_path / "x.nc", tmp_path / "out.nc", "--to", "latlon").exception


@pytest.mark.parametrize(("surfaces", "kind"), [("pressure", "isobaricInhPa"), ("height", "heightAboveSea")])
def test_grib_has_a_message_a_level(files, surfaces, kind, tmp_path):
    """Each level is a GRIB message with the kind and value of the level and the expected means."""
    import eccodes

    done = convert(files[surfaces], tmp_path / "out.grib2", "--to", "grib2")
    assert done.exit_code == 0, done.exception
    assert "no parameter for topography" in done.output
    rows = list(messages(eccodes, tmp_path / "out.grib2"))
    with xarray.open_dataset(files[surfaces]) as source:
        remap = Conservative(Faces.of_mesh(meshes.globe(3)), GRID)
        means = [remap.mean(source.temperature.values[0, :, k])[::-1] for k in range(3)]
        levels = source[surfaces].values
    names = ["sp", *["t"] * 3, *["u"] * 3]
    assert [row["shortName"] for row in rows] == names * 2
    assert rows[0]["typeOfLevel"] == "surface"
    for k, row in enumerate(rows[1:4]):
        assert row["typeOfLevel"] == kind
        assert row["indicator"] == {"pressure": 100, "height": 102}[surfaces]
        assert row["value"] * 10.0 ** -row["factor"] == levels[k]
        assert np.array_equal(np.isnan(row["values"]), np.isnan(means[k]))
        assert np.nanmax(np.abs(row["values"] - means[k])) < 0.01


def messages(eccodes, path):
    """The shortName, level and values (latitude, longitude) of each message."""
    keys = {
        "shortName": ("shortName", str),
        "typeOfLevel": ("typeOfLevel", str),
        "indicator": ("typeOfFirstFixedSurface", int),
        "value": ("scaledValueOfFirstFixedSurface", int),
        "factor": ("scaleFactorOfFirstFixedSurface", int),
    }
    with open(path, "rb") as file:
        while (message := eccodes.codes_grib_new_from_file(file)) is not None:
            row = {name: eccodes.codes_get(message, *key) for name, key in keys.items()}
            values = eccodes.codes_get_values(message)
            values[values == eccodes.codes_get(message, "missingValue")] = np.nan
            yield row | {"values": values.reshape(12, 24)}
            eccodes.codes_release(message)


def test_levels_that_cfgrib_does_not_show_together():
    from halcyon.io.field_source import Field
    from halcyon.io.grib_file import is_shown_whole
    from halcyon.io.vertical_axis import height_axis, pressure_axis

    axes = (pressure_axis([50.0, 80.0]), pressure_axis([100.0, 5e4]), height_axis([50.0, 5e4]), None)
    assert all(is_shown_whole([Field("t", {}, True, axis)]) for axis in axes)
    for pressures in ([50.0, 5e4], [85000.0, 85050.0]):
        assert not is_shown_whole([Field("t", {}, True, pressure_axis(pressures))])


def test_grib_of_model_levels_is_refused(files, tmp_path):
    with pytest.raises(InputError, match="temperature is on levels of the model: GRIB2 is written on"):
        raise convert(files["model"], tmp_path / "out.grib2", "--to", "grib2").exception


def test_every_parameter_on_levels_is_known_to_eccodes(tmp_path):
    import eccodes

    from halcyon.io.field_source import Field, FieldSource
    from halcyon.io.grib_file import PARAMETERS_ON_LEVELS, write_grib
    from halcyon.io.vertical_axis import pressure_axis

    mesh = meshes.globe(3)
    axis = pressure_axis([50000.0])
    fields = [Field(name, {"standard_name": name}, True, axis) for name in PARAMETERS_ON_LEVELS]
    units = {"units": "hours since 2020-02-28 21:30:00", "calendar": "standard"}
    values = np.asarray(mesh.cell_latitude)[:, None]
    source = FieldSource(Faces.of_mesh(mesh), fields, {}, np.array([0]), units, lambda *_: values)
    write_grib(tmp_path / "all.grib2", source, Conservative(source.faces, GRID), fields)
    converted = [row["shortName"] for row in messages(eccodes, tmp_path / "all.grib2")]
    assert converted == ["t", "pt", "q", "u", "v", "wz", "vo", "d", "pres", "gh"]
