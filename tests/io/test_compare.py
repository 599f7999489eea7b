"""The comparison of two output files, in Python and by the command."""

import json

import numpy as np
import pytest
from netCDF4 import Dataset
from typer.testing import CliRunner

from halcyon.base import InputError
from halcyon.cli.app import app
from halcyon.io import compare as module
from halcyon.io.compare import compare
from tests.run import case, runs

CHANGES = ("restart.interval=7200", "output.spectra=true", "time.end=2022-09-01T04:00")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The output folders of two runs that differ in the fetch of their initial state."""
    from mpi4py import MPI

    path = case.write_case(tmp_path_factory.mktemp("compare"))
    found = [path.with_name(name) for name in ("first", "second")]
    assert runs.run(MPI.COMM_SELF, path, found[0], *CHANGES)
    assert runs.run(MPI.COMM_SELF, path, found[1], *CHANGES, "initial.fetch=100000")
    return found


def by_name(comparison):
    """The differences of each variable, by its name."""
    return {row.name: row for row in comparison.differences}


@pytest.mark.parametrize("name", [case.SEGMENTS[0], "stations.nc", "spectra.nc", "restart_20220901T0200.nc"])
def test_a_file_equals_itself(folders, name):
    found = compare(folders[0] / name, folders[0] / name)
    assert found.notes == []
    assert found.differences
    for row in found.differences:
        assert (row.same_bits, row.largest, row.missing, row.rms) == (True, 0, 0, 0), row.name


@pytest.mark.parametrize("block_bytes", [2**25, 500])
@pytest.mark.parametrize(
    ("name", "variable"),
    [
        (case.SEGMENTS[0], "significant_height"),
        ("stations.nc", "mean_period"),
        ("spectra.nc", "efth"),
        ("restart_20220901T0200.nc", "action"),
    ],
)
def test_differences_are_those_of_the_values(folders, name, variable, block_bytes, monkeypatch):
    """Bias, root mean square and largest difference equal those computed from the whole arrays, for any size
    of the blocks in which files are read."""
    monkeypatch.setattr(module, "_BLOCK_BYTES", block_bytes)
    found = by_name(compare(folders[0] / name, folders[1] / name, [variable]))[variable]
    values = []
    for folder in folders:
        with Dataset(folder / name) as file:
            values.append(np.ma.filled(file[variable][:].astype(float), np.nan))
    difference = values[1] - values[0]
    assert not found.same_bits
    assert found.count == np.isfinite(difference).sum()
    assert found.bias == pytest.approx(np.nanmean(difference), rel=1e-9)
    assert found.rms == pytest.approx(np.sqrt(np.nanmean(difference**2)), rel=1e-9)
    assert found.largest == np.nanmax(np.abs(difference))
    assert abs(difference[found.largest_index]) == found.largest


def test_the_place_of_the_largest_difference_in_words(folders):
    paths = [folder / case.SEGMENTS[0] for folder in folders]
    found = by_name(compare(*paths))["significant_height"]
    with Dataset(paths[0]) as file:
        lon, lat = float(file["lon"][found.largest_index[1]]), float(file["lat"][found.largest_index[1]])
    time, cell = found.largest_index
    expected = f"2022-09-01T0{time}:00:00, cell {cell} ({lon:.2f} E {lat:.2f} N)"
    assert found.largest_location == expected
    series = by_name(compare(*(folder / "stations.nc" for folder in folders)))["significant_height"]
    assert series.largest_location.split(", ")[0] in ("West", "East")


def changed(source, target, change):
    """Copies a file and modifies the copy by change(file)."""
    target.write_bytes(source.read_bytes())
    with Dataset(target, "a") as file:
        file.set_auto_mask(False)
        change(file)
    return target


def test_directions_differ_the_shorter_way_round(folders, tmp_path):
    """Directions that are turned by 350 degrees differ by -10 degrees."""
    source = folders[0] / case.SEGMENTS[0]

    def turn(file):
        file["mean_direction"][:] = np.where(
            file["mean_direction"][:] > 1e30,
            file["mean_direction"][:],
            (file["mean_direction"][:] + 350) % 360,
        )

    found = by_name(compare(source, changed(source, tmp_path / "turned.nc", turn)))["mean_direction"]
    assert found.bias == pytest.approx(-10, abs=1e-3)
    assert found.largest == pytest.approx(10, abs=1e-3)


def test_values_that_only_one_has_are_counted(folders, tmp_path):
    """Values missing in one file are counted, and exceed any tolerance."""
    source = folders[0] / case.SEGMENTS[0]

    def lose(file):
        file["significant_height"][1, :7] = file["significant_height"]._FillValue

    found = by_name(compare(source, changed(source, tmp_path / "lost.nc", lose)))["significant_height"]
    assert (found.missing, found.largest, found.same_bits) == (7, 0, False)
    assert not found.is_within(100.0)


def test_values_that_are_infinite_hide_no_difference(folders, tmp_path):
    """Equal infinite values are no difference; where only one is infinite, the largest difference is
    infinite."""
    source = folders[0] / case.SEGMENTS[0]

    def make_infinite(number):
        """Makes one value infinite and adds a number to another value."""

        def change(file):
            file["significant_height"][0, 0] = np.inf
            file["significant_height"][0, 3] += number

        return change

    first, second = (changed(source, tmp_path / f"{n}.nc", make_infinite(n)) for n in (0, 2))
    found = by_name(compare(first, second))["significant_height"]
    assert found.largest == pytest.approx(2) and not found.same_bits
    assert by_name(compare(source, first))["significant_height"].largest == np.inf


def test_only_common_times_are_compared(folders, tmp_path):
    source = folders[0] / case.SEGMENTS[0]

    def shift(file):
        file["time"][:] = file["time"][:] + 1

    found = compare(source, changed(source, tmp_path / "later.nc", shift))
    assert found.notes == ["2 times are compared; the files have 3 and 3"]
    hours = by_name(found)["significant_height"]
    with Dataset(source) as file:
        heights = file["significant_height"][:].astype(float)
    assert hours.largest == pytest.approx(np.abs(heights[:2] - heights[1:]).max())

    def shift_far(file):
        file["time"][:] = file["time"][:] + 100

    with pytest.raises(InputError, match="have no time in common"):
        compare(source, changed(source, tmp_path / "far.nc", shift_far))


def test_restarts_of_other_times_are_compared_with_a_word(folders, tmp_path):
    """Restart files of different times are compared, with a note that names the times."""
    source = folders[0] / "restart_20220901T0200.nc"

    def set_later(file):
        file.halcyon_state = json.dumps(json.loads(file.halcyon_state) | {"time": "2022-09-01T03:00:00"})

    found = compare(source, changed(source, tmp_path / "later.nc", set_later))
    assert found.notes[0].startswith("the states are of different times: 2022-09-01T02:00")
    assert by_name(found)["action"].same_bits


def test_other_meshes_kinds_and_names_are_refused(folders, tmp_path):
    fields = folders[0] / case.SEGMENTS[0]

    def move(file):
        file["lon"][5] = file["lon"][5] + 1e-9

    with pytest.raises(InputError, match="are on different meshes or positions: their 'lon'"):
        compare(fields, changed(fields, tmp_path / "moved.nc", move))
    with pytest.raises(InputError, match=r"of the kind fields, but .* of the kind stations"):
        compare(fields, folders[0] / "stations.nc")
    with pytest.raises(InputError, match=r"has no variable 'height'. It has depth, significant_height"):
        compare(fields, fields, ["height"])
    with pytest.raises(InputError, match=r"absent\.nc"):
        compare(fields, tmp_path / "absent.nc")


def invoke(*arguments):
    return CliRunner().invoke(app, ["compare", *map(str, arguments)])


def test_the_command(folders):
    """Exit codes and texts of `halcyon compare` with tolerances and a choice of variables."""
    paths = [folder / case.SEGMENTS[0] for folder in folders]
    same = invoke(paths[0], paths[0], "--tolerance", "0")
    assert same.exit_code == 0, same.exception
    assert "equal" in same.stdout and "differ" not in same.stdout
    assert invoke(*paths).exit_code == 0
    other = invoke(*paths, "--tolerance", "1000", "--tolerance", "significant_height=0.001")
    assert other.exit_code == 1
    assert "beyond the tolerance: significant_height" in other.stdout
    abbreviated = invoke(*paths, "--variables", "hs")
    assert str(abbreviated.exception).endswith("Did you mean 'significant_height'?")
    abbreviated = invoke(*paths, "--tolerance", "hs=1")
    assert str(abbreviated.exception).endswith("Did you mean 'significant_height'?")
    typo = invoke(*paths, "--tolerance", "significant_heigth=0.01")
    assert str(typo.exception).startswith(
        "--tolerance significant_heigth=0.01: the variable 'significant_heigth' is not compared"
    )
    few = invoke(*paths, "--variables", "significant_height,depth")
    assert len(few.stdout.splitlines()) == 3
    assert (
        str(invoke(*paths, "--tolerance", "x").exception) == "--tolerance x: give a number, or NAME=NUMBER."
    )
