"""A small wave case from the command line to its files, on one rank and on four."""

import json

import numpy as np
import pytest

import halcyon.mesh
from tests.run import case, jobs
from tests.support import sea_states

FILES = [*case.SEGMENTS, "stations.nc"]
PICTURES = ["maximum_height.png", "stations.png"]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return case.write_case(tmp_path_factory.mktemp("case"))


@pytest.fixture(scope="module")
def runs(path):
    """The results of the runs on one and four ranks, see `case.run_on_each`."""
    return case.run_on_each(path, "--set", "output.pictures=true")


@pytest.fixture(scope="module")
def one_rank(runs):
    """The output folder of the run on one rank."""
    return runs[1][-1]


def test_the_run_says_what_it_did(runs):
    """The output has the number of cells and ranks, the progress, the time of communication, and the
    files."""
    for ranks, (code, out, err, folder) in runs.items():
        assert (code, err) == (0, "")
        assert f"cells      {sea_states.bay().n_cells}\n" in out
        assert f"ranks      {ranks}\n" in out
        assert "exchange   none (one rank)\n" in out if ranks == 1 else "time per halo exchange [us]: " in out
        assert "2022-09-01 06:00  100 %" in out
        assert " % of wall time, " in out
        assert str(folder / "stations.csv") in out


def test_a_log_has_no_colours(runs):
    """Standard output has no control codes, and log.txt holds the same text."""
    for _, out, _, folder in runs.values():
        assert "\x1b" not in out
        assert (folder / "log.txt").read_text() == out
        assert "\r" not in out


def test_the_files_are_those_that_were_said(runs):
    """The output folder has the expected files only, and the pictures are PNG."""
    expected = sorted(
        [*FILES, "stations.csv", *PICTURES, "restart_20220901T0600.nc", "log.txt", "run.json", ".lock"]
    )
    for *_, folder in runs.values():
        assert sorted(file.name for file in folder.iterdir()) == expected
        assert all((folder / name).read_bytes()[:4] == b"\x89PNG" for name in PICTURES)


def test_run_json_says_finished(runs):
    for ranks, (*_, folder) in runs.items():
        run_file = json.loads((folder / "run.json").read_text())
        assert (run_file["status"], run_file["cause"], run_file["ranks"]) == ("finished", None, ranks)
        assert run_file["figures"]["simulated_s"] == 6 * 3600
        assert [file.rsplit("/", 1)[-1] for file in run_file["figures"]["files"]] == [
            *case.SEGMENTS,
            "stations.csv",
            "stations.nc",
            *PICTURES,
        ]


def differing(ours, theirs):
    """The variables that differ between two output folders, with the file."""
    return [(name, each) for name in FILES for each in case.differing(ours / name, theirs / name)]


def test_four_ranks_write_what_one_does(runs, one_rank):
    """Four ranks write the same bits as one."""
    four_ranks = runs[4][-1]
    assert differing(one_rank, four_ranks) == []
    assert (one_rank / "stations.csv").read_bytes() == (four_ranks / "stations.csv").read_bytes()


def test_ranks_without_the_launcher_write_the_same(path, one_rank):
    """Three ranks by mpirun, with another exchange method and partition, write the same bits as one rank."""
    options = [
        "--set",
        "exchange={method: ineighbor, layers: 2}",
        "--set",
        "partition={method: recursive, seed: 9}",
    ]
    code, out, err, folder = case.run_under_mpirun(path, *options, ranks=[3])[3]
    assert (code, err) == (0, "")
    assert "2022-09-01 06:00  100 %" in out
    assert "ranks      3\nexchange   method ineighbor\n" in out
    assert differing(one_rank, folder) == []


def test_the_segments_hold_every_hour_once(one_rank):
    from netCDF4 import Dataset

    hours = []
    for name in case.SEGMENTS:
        halcyon.mesh.require_complete(str(one_rank / name))
        with Dataset(one_rank / name) as file:
            hours.append(file["time"][:].tolist())
            assert file["time"].units == "hours since 2022-09-01 00:00:00"
    assert hours == [[0, 1, 2], [3, 4, 5, 6]]


def test_every_file_can_be_verified(one_rank):
    jobs.require_complete_files(one_rank)


def test_the_sea_is_that_of_a_storm(one_rank):
    """Wave heights and winds are plausible for the storm of the track."""
    from netCDF4 import Dataset

    with Dataset(one_rank / case.SEGMENTS[1]) as file:
        heights, wind = file["significant_height"][:], file["eastward_wind"][:]
        assert 4 < heights.max() < 12
        assert heights.min() >= 0
        assert np.abs(wind).max() < 60


def test_stations_hold_what_the_fields_hold(one_rank):
    """The series of each station has the values of the fields at the station's cell."""
    from netCDF4 import Dataset

    with Dataset(one_rank / "stations.nc") as stations, Dataset(one_rank / case.SEGMENTS[0]) as fields:
        assert stations.featureType == "timeSeries"
        names = [b"".join(row).decode() for row in np.ma.filled(stations["station_name"][:], b"")]
        assert names == ["West", "East"]
        assert len(stations["time"]) == 7
        lon, lat = fields["lon"][:], fields["lat"][:]
        for station in range(2):
            centre = stations["cell_lon"][station], stations["cell_lat"][station]
            cell = int(np.argmin(np.hypot(lon - centre[0], lat - centre[1])))
            assert (lon[cell], lat[cell]) == centre
            series = stations["significant_height"][station, :3]
            assert series.tolist() == fields["significant_height"][:, cell].tolist()


def test_segments_of_seconds_are_all_there(tmp_path):
    """Segments of 20 seconds have names with seconds, so none overwrites another."""
    path = case.write_case(tmp_path)
    changes = ["time.end=2022-09-01T00:02", "time.source_step=20", "output.interval=20", "output.segment=20"]
    options = [word for change in changes for word in ("--set", change)]
    code, _, err, folder = case.run_on_each(path, *options, ranks=[2])[2]
    assert (code, err) == (0, "")
    names = [
        f"fields_20220901T00{minute}{second}.nc" for minute in ("00", "01") for second in ("00", "20", "40")
    ]
    assert sorted(file.name for file in folder.glob("fields_*")) == names
