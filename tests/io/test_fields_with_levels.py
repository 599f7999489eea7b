"""Files of fields on pressure surfaces, height surfaces or model levels."""

import re

import numpy as np
import pytest
import xarray
from mpi4py import MPI
from netCDF4 import Dataset

from halcyon.base import InputError, InternalError
from halcyon.io.compare import compare
from tests.run import case
from tests.support import meshes, upper_levels
from tests.support.compliance import complaints


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A file per vertical axis, by the name of the axis."""
    folder = tmp_path_factory.mktemp("levels")
    mesh = meshes.globe(3)
    return {
        surfaces: upper_levels.write_file(MPI.COMM_SELF, folder / f"{surfaces}.nc", surfaces, mesh=mesh)
        for surfaces in upper_levels.OUTPUT_SURFACES
    }


@pytest.mark.mpi
@pytest.mark.parametrize("surfaces", upper_levels.OUTPUT_SURFACES)
def test_all_ranks_write_what_one_writes(comm, common_folder, surfaces):
    """The file of all ranks has the variables and bits of the file of one rank."""
    together = upper_levels.write_file(
        comm, common_folder / f"together_{surfaces}.nc", surfaces, mesh=meshes.globe(3)
    )
    if comm.rank == 0:
        alone = upper_levels.write_file(
            MPI.COMM_SELF, common_folder / f"alone_{surfaces}.nc", surfaces, mesh=meshes.globe(3)
        )
        assert case.differing(together, alone) == []


@pytest.mark.parametrize("surfaces", upper_levels.OUTPUT_SURFACES)
def test_files_follow_cf(files, surfaces):
    """Except for what the checker does not know: UGRID's roles, our checksums, formula terms of bounds
    (CF-1.11, section 7.1), and coordinates with other names than their standard name."""
    unknown = ("cf_role", "checksum", "'level_bounds' has attr 'formula_terms'", "found: 'altitude'")
    assert [text for text in complaints(files[surfaces]) if not any(word in text for word in unknown)] == []


@pytest.mark.parametrize("surfaces", upper_levels.OUTPUT_SURFACES)
def test_variables_have_their_axis(files, surfaces):
    """Dimensions, `axis` and `positive` of the vertical axes."""
    with Dataset(files[surfaces]) as file:
        axis = {"model": "level"}.get(surfaces, surfaces)
        assert file["temperature"].dimensions == ("time", "face", axis)
        assert file["surface_pressure"].dimensions == ("time", "face")
        assert file["topography"].dimensions == ("face",)
        assert file[axis].axis == "Z"
        assert file[axis].positive == ("up" if surfaces == "height" else "down")


def test_pressure_surfaces_have_their_values_or_none_below_the_ground(files):
    """Temperatures equal the analytic profile, linear in ln p; they are missing where the
    pressure surface is below the ground."""
    with xarray.open_dataset(files["pressure"]) as found:
        assert found.pressure.values.tolist() == [85000, 50000, 25000]
        assert found.pressure.attrs["units"] == "Pa"
        for i, hour in enumerate(upper_levels.HOURS):
            ps = upper_levels.surface_pressure(found.lon.values % 360, found.lat.values, hour)
            for k, p in enumerate(found.pressure.values):
                values = found.temperature.values[i, :, k]
                expected = upper_levels.temperature(p, found.lon.values, hour)
                is_valid = np.isfinite(values)
                assert values[is_valid] == pytest.approx(expected[is_valid], rel=1e-6)
                assert not is_valid[ps < p].any() and is_valid[ps > 1.1 * p].all()
        assert 5 < np.isnan(found.temperature.values[0, :, 0]).sum() < 300


def test_missing_values_are_the_fill_of_the_file(files):
    """The file has the fill value where values are missing, and no NaN."""
    with Dataset(files["pressure"]) as file:
        file.set_auto_mask(False)
        assert np.isfinite(file["temperature"][:]).all()
        assert (file["temperature"][:] == file["temperature"]._FillValue).any()


def test_heights_have_their_values(files):
    """Temperatures on height surfaces equal the analytic profile."""
    with xarray.open_dataset(files["height"]) as found:
        assert found.height.values.tolist() == [500, 3000, 12000.5]
        pressure = 1e5 * np.exp(-found.height.values / upper_levels.SCALE_HEIGHT)
        expected = upper_levels.temperature(pressure, found.lon.values[:, None], 0)
        is_valid = np.isfinite(found.temperature.values[0])
        assert is_valid[:, 1:].sum() > 1000
        assert found.temperature.values[0][is_valid] == pytest.approx(expected[is_valid], rel=1e-6)


def test_model_levels_are_where_their_formula_says(files):
    """`formula_terms` and `bounds` give the pressures at which the analytic profile has the temperatures
    written."""
    a, b = upper_levels.COEFFICIENTS
    with xarray.open_dataset(files["model"]) as found:
        terms = found.level.attrs["formula_terms"].split()
        assert dict(zip(terms[::2], terms[1::2], strict=True)) == {
            "ap:": "ap",
            "b:": "b",
            "ps:": "surface_pressure",
        }
        pressure = found.ap.values + found.b.values * found.surface_pressure.values[..., None]
        hours = np.array(upper_levels.HOURS)[:, None, None]
        expected = upper_levels.temperature(pressure, found.lon.values[:, None], hours)
        assert found.temperature.values == pytest.approx(expected, rel=1e-6)
        assert np.array_equal(found.ap_bounds.values, np.stack([a[:-1], a[1:]], 1))
        assert np.array_equal(found.b_bounds.values[:, 1], b[1:])
        assert np.all(np.diff(found.level.values) > 0) and found.level.values[-1] < 1


def test_a_file_without_levels_has_no_axis(tmp_path):
    path = upper_levels.write_file(
        MPI.COMM_SELF, tmp_path / "flat.nc", "model", mesh=meshes.globe(3), names=("surface_pressure",)
    )
    with Dataset(path) as file:
        assert not {"level", "ap", "bounds"} & {*file.dimensions, *file.variables}


def test_levels_need_an_axis(tmp_path):
    from halcyon.io import FieldsFile

    row = upper_levels.vertical_interpolation("model").variables[1]
    with pytest.raises(InternalError, match="temperature have levels, but no vertical axis"):
        FieldsFile(None, tmp_path / "x.nc", None, [row], None, start=None, origin=None, n_records=1)


@pytest.mark.parametrize("surfaces", upper_levels.OUTPUT_SURFACES)
def test_differences_are_found_on_their_level(files, surfaces, tmp_path):
    """A change of 0.5 K is found, and the text of the largest difference names the level."""
    other = upper_levels.write_file(
        MPI.COMM_SELF, tmp_path / "b.nc", surfaces, mesh=meshes.globe(3), change=0.5
    )
    found = {each.name: each for each in compare(files[surfaces], other).differences}
    assert set(found) == {"topography", *upper_levels.NAMES}
    assert found["eastward_wind"].same_bits
    assert found["temperature"].bias == pytest.approx(0.5, abs=1e-5)
    assert found["temperature"].missing == 0
    named = {"pressure": r"pressure \d+ Pa", "height": r"height [\d.]+ m", "model": r"level 0?\.?\d+"}[
        surfaces
    ]
    assert re.fullmatch(
        rf"2000-01-01T\d\d:00:00, cell \d+ \(.*\), {named}", found["temperature"].largest_location
    )


def test_other_levels_are_refused(files, tmp_path):
    with pytest.raises(InputError, match=r"different levels: pressure 85000, 50000, 25000, and height 500,"):
        compare(files["pressure"], files["height"])
    changed = tmp_path / "changed.nc"
    changed.write_bytes(files["model"].read_bytes())
    with Dataset(changed, "a") as file:
        file["b"][3] = 0.5
    with pytest.raises(InputError, match="different levels"):
        compare(files["model"], changed)
