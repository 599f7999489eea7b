"""Maps of one level of fields with many levels."""

import json
import shutil

import numpy as np
import pytest
import xarray
from mpi4py import MPI
from typer.testing import CliRunner

from halcyon.base import InputError
from halcyon.cli.app import app
from halcyon.plot.cells import levels_by_preference, on_level
from tests.support import meshes, upper_levels

PNG = b"\x89PNG"


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """One output folder per kind of levels, with the files that figures need."""
    folders_by_surfaces = {}
    for surfaces in upper_levels.OUTPUT_SURFACES:
        folder = folders_by_surfaces[surfaces] = tmp_path_factory.mktemp(surfaces)
        fields = upper_levels.write_file(
            MPI.COMM_SELF, folder / "fields_20000101T0000.nc", surfaces, mesh=meshes.globe(3)
        )
        with xarray.open_dataset(fields) as data:
            mass = xarray.Dataset({"mass": ("time", np.ones(2))}, {"time": data.time})
            mass.to_netcdf(folder / "integrals.nc")
        files = [str(fields), str(folder / "integrals.nc")]
        (folder / "run.json").write_text(json.dumps({"files": files}))
    return folders_by_surfaces


def fields_of(folder):
    return xarray.open_dataset(folder / "fields_20000101T0000.nc")


def invoke(*words):
    return CliRunner().invoke(app, ["plot", *map(str, words)])


@pytest.mark.parametrize(
    ("surfaces", "index", "words"),
    [("pressure", 0, "pressure 85000 Pa"), ("height", 1, "height 3000 m"), ("model", 5, "level 0.")],
)
def test_the_level_that_is_drawn_by_default(folders, surfaces, index, words):
    with fields_of(folders[surfaces]) as data:
        field, level_text = on_level(data, "temperature")
        assert level_text.startswith(words)
        assert field.dims == ("time", "face")
        assert np.array_equal(field.values, data.temperature.values[:, :, index], equal_nan=True)
        assert on_level(data, "surface_pressure")[1] is None


def test_a_level_by_its_value(folders):
    with fields_of(folders["pressure"]) as data:
        field, level_text = on_level(data, "temperature", 25000)
        assert level_text == "pressure 25000 Pa"
        assert np.array_equal(field.values, data.temperature.values[:, :, 2])
        with pytest.raises(InputError) as caught:
            on_level(data, "temperature", 25100)
        assert str(caught.value) == (
            "--at 25100: temperature has no such level. The levels of pressure [Pa] are 85000, 50000, 25000."
        )
        with pytest.raises(InputError, match=r"--at 25000: surface_pressure has no levels\. Omit --at"):
            on_level(data, "surface_pressure", 25000)
    with fields_of(folders["model"]) as data:
        for k, value in enumerate(data.level.values):
            field, _ = on_level(data, "temperature", float(f"{value:.5g}"))  # as the list of levels shows it
            assert np.array_equal(field.values, data.temperature.values[:, :, k])


@pytest.mark.parametrize("surfaces", upper_levels.OUTPUT_SURFACES)
def test_panels_and_pictures_of_a_run(folders, surfaces):
    folder = folders[surfaces]
    at = ("--at", "50000") if surfaces == "pressure" else ()
    done = invoke("panels", folder, "--variable", "temperature", "--every", "21600", *at)
    assert done.exit_code == 0, done.exception
    assert (folder / "panels.png").read_bytes()[:4] == PNG
    done = invoke(folder)
    assert done.exit_code == 0, done.exception
    assert (folder / "maps.png").read_bytes()[:4] == PNG


def test_pictures_of_a_folder_that_was_copied_are_of_its_own_files(folders, tmp_path):
    """A copied folder is drawn from its own files, although run.json names the old ones; without files it is
    an error."""
    whole, bare = tmp_path / "whole", tmp_path / "bare"
    shutil.copytree(folders["model"], whole)
    shutil.copytree(folders["model"], bare, ignore=shutil.ignore_patterns("*.nc"))
    file_names = json.loads((whole / "run.json").read_text())["files"]
    run_file = {"files": [file.replace(str(folders["model"]), "/gone") for file in file_names]}
    (whole / "run.json").write_text(json.dumps(run_file))
    for words in (("panels",), ()):
        done = invoke(*words, whole, *(("--variable", "temperature") if words else ()))
        assert done.exit_code == 0, done.exception
        done = invoke(*words, bare)
        assert isinstance(done.exception, InputError) and "bare has no complete fields" in str(done.exception)


def test_a_level_that_is_not_there_is_one_error(folders):
    done = invoke(
        "panels", folders["height"], "--variable", "temperature", "--every", "21600", "--at", "50000"
    )
    assert isinstance(done.exception, InputError)
    assert "The levels of height [m] are 500, 3000, 12000" in str(done.exception)


def test_colours_of_temperatures_begin_at_the_lowest():
    from halcyon.plot.maps import colour_scale

    levels, colour_map, _ = colour_scale([np.array([271.3, 288.0])], {"standard_name": "air_temperature"})
    assert levels[0] <= 271.3 < levels[1] and levels[-2] < 288 <= levels[-1]
    assert len(levels) - 1 == colour_map.N <= 14
    levels, _, _ = colour_scale([np.array([300.0, 300.0])], {})
    assert levels[0] <= 300 <= levels[-1] and len(levels) > 1


def test_levels_by_preference(folders):
    """Levels nearest to 850 hPa, or in the middle of the model levels, come first."""
    with fields_of(folders["pressure"]) as data:
        levels = levels_by_preference(data, "temperature")
        assert levels == sorted(data.pressure.values, key=lambda level: abs(level - 85000))
        assert levels_by_preference(data, "surface_pressure") == [None]
    with fields_of(folders["model"]) as data:
        levels, middle = data.level.values, data.level.size // 2
        assert levels_by_preference(data, "temperature")[:3] == [*levels[[middle, middle - 1, middle + 1]]]
