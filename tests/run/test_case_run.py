"""A small case from the command line to its files: the same on one rank and on four."""

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
    return case.run_both(path, "--set", "output.pictures=true")


@pytest.fixture(scope="module")
def alone(runs):
    return runs[1][-1]


def test_the_run_says_what_it_did(runs):
    for ranks, (code, out, err, folder) in runs.items():
        assert (code, err) == (0, "")
        assert f"cells      {sea_states.bay().n_cells}\n" in out
        assert f"ranks      {ranks}\n" in out
        assert "exchange   none (one rank)\n" in out if ranks == 1 else "time per halo exchange [us]: " in out
        assert "2022-09-01 06:00  100 %" in out
        assert " % of wall time, " in out
        assert str(folder / "stations.csv") in out


def test_a_log_has_no_colours(runs):
    for _, out, _, folder in runs.values():
        assert "\x1b" not in out
        assert (folder / "log.txt").read_text() == out
        assert "\r" not in out


def test_the_files_are_those_that_were_said(runs):
    expected = sorted([*FILES, "stations.csv", *PICTURES, "log.txt", "run.json", ".lock"])
    for *_, folder in runs.values():
        assert sorted(file.name for file in folder.iterdir()) == expected
        assert all((folder / name).read_bytes()[:4] == b"\x89PNG" for name in PICTURES)


def test_run_json_says_finished(runs):
    for ranks, (*_, folder) in runs.items():
        found = json.loads((folder / "run.json").read_text())
        assert (found["status"], found["cause"], found["ranks"]) == ("finished", None, ranks)
        assert found["figures"]["simulated_s"] == 6 * 3600
        assert [file.rsplit("/", 1)[-1] for file in found["figures"]["files"]] == [
            *case.SEGMENTS,
            "stations.csv",
            "stations.nc",
            *PICTURES,
        ]


def differing(ours, theirs):
    return [(name, each) for name in FILES for each in case.differing(ours / name, theirs / name)]


def test_four_ranks_write_what_one_does(runs, alone):
    four = runs[4][-1]
    assert differing(alone, four) == []
    assert (alone / "stations.csv").read_bytes() == (four / "stations.csv").read_bytes()


def test_ranks_without_the_launcher_write_the_same(path, alone):
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
    assert differing(alone, folder) == []


def test_the_segments_hold_every_hour_once(alone):
    from netCDF4 import Dataset

    hours = []
    for name in case.SEGMENTS:
        halcyon.mesh.require_complete(str(alone / name))
        with Dataset(alone / name) as file:
            hours.append(file["time"][:].tolist())
            assert file["time"].units == "hours since 2022-09-01 00:00:00"
    assert hours == [[0, 1, 2], [3, 4, 5, 6]]


def test_every_file_can_be_verified(alone):
    jobs.require_complete_files(alone)


def test_the_sea_is_that_of_a_storm(alone):
    from netCDF4 import Dataset

    with Dataset(alone / case.SEGMENTS[1]) as file:
        heights, wind = file["significant_height"][:], file["eastward_wind"][:]
        assert 4 < heights.max() < 12
        assert heights.min() >= 0
        assert np.abs(wind).max() < 60


def test_stations_hold_what_the_fields_hold(alone):
    from netCDF4 import Dataset

    with Dataset(alone / "stations.nc") as stations, Dataset(alone / case.SEGMENTS[0]) as fields:
        assert stations.featureType == "timeSeries"
        names = [b"".join(row).decode() for row in np.ma.filled(stations["station_name"][:], b"")]
        assert names == ["West", "East"]
        assert len(stations["time"]) == 7
        lon, lat = fields["lon"][:], fields["lat"][:]
        for station in range(2):
            place = stations["cell_lon"][station], stations["cell_lat"][station]
            cell = int(np.argmin(np.hypot(lon - place[0], lat - place[1])))
            assert (lon[cell], lat[cell]) == place
            series = stations["significant_height"][station, :3]
            assert series.tolist() == fields["significant_height"][:, cell].tolist()


def test_segments_of_seconds_are_all_there(tmp_path):
    path = case.write_case(tmp_path)
    changes = ["time.end=2022-09-01T00:02", "time.source_step=20", "output.interval=20", "output.segment=20"]
    options = [word for change in changes for word in ("--set", change)]
    code, _, err, folder = case.run_both(path, *options, ranks=[2])[2]
    assert (code, err) == (0, "")
    names = [
        f"fields_20220901T00{minute}{second}.nc" for minute in ("00", "01") for second in ("00", "20", "40")
    ]
    assert sorted(file.name for file in folder.glob("fields_*")) == names
