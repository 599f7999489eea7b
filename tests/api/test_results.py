"""Results of a run: lazy fields of several files, places, animations, comparisons."""

import shutil

import numpy as np
import pytest
import xarray as xr

import halcyon as hc
from tests.run import case
from tests.support import command

CASE = case.CASE.replace("end: 2022-09-01T06:00", "end: 2022-09-01T06:00\n  bands: 1").replace(
    "{name: West, longitude: 110, latitude: 25}",
    "{name: West, longitude: 110, latitude: 25, spectrum: true}",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run with two files of fields."""
    path = case.write_case(tmp_path_factory.mktemp("results"), case=CASE)
    run = hc.Simulation(path, progress=False)
    run.run()
    return path.parent / run.save(path.with_name("whole.out"))


def test_fields_of_all_files_are_one_lazy_dataset(folder):
    results = hc.open(folder)
    assert len([*folder.glob("fields_*.nc")]) == 2
    height = results["significant_height"]
    assert height.sizes["time"] == 7 and height.variable._in_memory is False
    whole = np.concatenate(
        [xr.open_dataset(path)["significant_height"].values for path in sorted(folder.glob("fields_*.nc"))]
    )
    for key in (3, slice(None), slice(1, 6, 2), slice(5, 1, -2), [4, 0, 6, 2], -1):
        np.testing.assert_array_equal(height.isel(time=key).values, whole[key])
        np.testing.assert_array_equal(height[key, 5:9].values, whole[key, 5:9])
    assert {"lon", "lat"} <= {*height.coords}
    assert "7 records" in repr(results) and "<table>" in results._repr_html_()


def test_places(folder):
    results = hc.open(folder)
    assert [*results.stations] == ["West", "East"] and "East" in repr(results.stations)
    station = results.at("West")
    assert station["significant_height"].dims == ("time",)
    assert station.plot()._repr_png_().startswith(b"\x89PNG") and results.stations.plot().png
    cell = results.at(float(station.dataset["cell_lon"]), float(station.dataset["cell_lat"]))
    np.testing.assert_array_equal(
        cell["significant_height"].values, station["significant_height"].values.astype("float32")
    )
    assert cell.plot().png and "7 records" in repr(cell)
    with pytest.raises(hc.ConfigError, match=r"there is no station 'Wast'. Did you mean 'West'"):
        results.at("Wast")
    with pytest.raises(hc.InputError, match="km from the nearest cell"):
        results.at(300.0, -50.0)
    with pytest.raises(hc.ConfigError, match="unknown variable 'swell'"):
        station["swell"]
    assert results.spectra["efth"].sizes["time"] == 7
    with pytest.raises(hc.InputError, match="has no integrals"):
        _ = results.integrals
    with pytest.raises(hc.InputError, match="not of an ensemble"):
        _ = results.ensemble


def test_pictures_and_animations(folder, tmp_path):
    from PIL import Image

    results = hc.open(folder)
    assert results.plot().png and results.plot("peak_period", time="2022-09-01T02:10").png
    with Image.open(results.animate(tmp_path / "height.gif", every=3)) as frames:
        assert frames.n_frames == 3
    with pytest.raises(hc.ConfigError, match=r"must end in .gif or .mp4"):
        results.animate(tmp_path / "height.avi")
    if shutil.which("ffmpeg"):
        assert results.animate(tmp_path / "height.mp4", every=3).stat().st_size > 1000
    else:
        with pytest.raises(hc.ConfigError, match="needs the program ffmpeg, which is not installed"):
            results.animate(tmp_path / "height.mp4")
    with pytest.raises(hc.ConfigError, match=r"7 maps|Choose"):
        results["significant_height"].expand_dims(member=2).plot()


def test_two_runs_are_compared(folder, tmp_path):
    other = hc.Simulation(folder.parent / "case.yaml", physics={"set": "wam4"}, progress=False)
    other.run()
    other.save(tmp_path / "other.out")
    results = hc.open(folder)
    assert results.compare(folder).same_bits
    comparison = results.compare(tmp_path / "other.out")
    assert not comparison.same_bits and "rms" in repr(comparison)
    differences = {each.name: each for each in comparison.differences["fields_20220901T0000.nc"]}
    assert differences["significant_height"].largest > 0.01 and differences["depth"].same_bits


def test_it_reads_an_ensemble(tmp_path):
    path = case.write_case(tmp_path, case=CASE.replace("end: 2022-09-01T06:00", "end: 2022-09-01T01:00"))
    done = command.halcyon("ensemble", path, "--members", "2", "-n", "1")
    assert done.returncode == 0, done.stderr
    results = hc.open(tmp_path / "case.ens")
    assert len(results.ensemble) == 2 and results.fields.sizes["time"] == 2
    members = [each["significant_height"].values for each in results.ensemble.values()]
    np.testing.assert_allclose(results["significant_height_mean"], np.mean(members, axis=0), rtol=1e-5)
    assert results.stations["East"].plot().png
