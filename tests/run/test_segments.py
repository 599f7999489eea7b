"""Segment and restart files have unique names."""

from datetime import datetime, timedelta
from types import SimpleNamespace

import pytest
from mpi4py import MPI

from halcyon.config import atmosphere
from halcyon.config import case as wave_case
from halcyon.run.output.files import restarts_in, segment_path
from tests.run import case, runs

LONG = (
    case.CASE.replace("  segment: 10800\n", "")
    .replace("{track: track.csv}", "none")
    .replace("end: 2022-09-01T06:00", "end: 2022-09-07")
    .replace("source_step: 1800", "source_step: 43200")
)
START = datetime(2022, 9, 1)


def case_of(folder, *, start=START, interval=3600.0, segment=10800.0, end=None):
    """A mock case with these times [s] of output."""
    return SimpleNamespace(
        folder=folder,
        time=SimpleNamespace(start=start, end=end or start + timedelta(hours=6)),
        output=SimpleNamespace(interval=interval, segment_s=segment),
    )


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "fields_20220901T0000.nc"),
        ({"interval": 20.0, "segment": 20.0}, "fields_20220901T000000.nc"),
        ({"start": datetime(2022, 9, 1, 0, 0, 30)}, "fields_20220901T000030.nc"),
        ({"interval": 0.5, "segment": 0.5}, "fields_20220901T000000.000000.nc"),
    ],
)
def test_a_name_has_seconds_where_they_are_needed(tmp_path, changes, expected):
    case = case_of(tmp_path, **changes)
    assert segment_path(case, case.time.start).name == expected


@pytest.mark.parametrize("segment", [0.25, 20.0, 90.0, 60.0])
def test_every_segment_has_a_name_of_its_own(tmp_path, segment):
    """A hundred segments have a hundred names."""
    case = case_of(tmp_path, interval=segment, segment=segment)
    times = [START + timedelta(seconds=number * segment) for number in range(100)]
    assert len({segment_path(case, time) for time in times}) == 100


@pytest.mark.parametrize("output", [wave_case.Output, atmosphere.Output])
@pytest.mark.parametrize(
    ("interval", "expected"),
    [(3600, 86400), (86400, 86400), (172800, 172800), (129600, 129600), (25200, 100800), (0.1, 86400)],
)
def test_a_segment_holds_at_least_a_day_and_whole_intervals(output, interval, expected):
    assert output(interval=float(interval)).segment_s == pytest.approx(expected, rel=1e-12)
    assert output(interval=float(interval), segment=2.0 * interval).segment_s == 2 * interval


@pytest.mark.parametrize("days", [2, 3])
def test_an_interval_above_a_day_needs_no_second_option(tmp_path, days):
    """A run with records and restart files every two or three days; its case is valid without a segment."""
    path = case.write_case(tmp_path, case=LONG)
    changes = [f"output.interval={86400 * days}", f"restart.interval={86400 * days}"]
    assert runs.run(MPI.COMM_SELF, path, tmp_path / "out", *changes)
    names = [f.split("/")[-1] for f in runs.status(tmp_path / "out")["files"]]
    assert names[:-2] == [f"fields_202209{1 + day:02}T0000.nc" for day in range(0, 6, days)]
    last = 7 - days
    assert runs.restarts(tmp_path / "out") == [f"restart_202209{last:02}T0000.nc", "restart_20220907T0000.nc"]


def test_restart_files_are_those_of_our_names_by_time(tmp_path):
    """Only files named by a time are restart files, newest first."""
    ours = [
        "restart_20220902T0000.nc",
        "restart_20220901T030000.500000.nc",
        "restart_20220901T0300.nc",
        "restart_20220901T025959.nc",
    ]
    for name in [*ours, "restart_mine.nc", "restart_20220903T0000.nc.bak", "restart_20220903T0000_copy.nc"]:
        (tmp_path / name).touch()
    (tmp_path / "restart_20220901T0100.nc.part").touch()
    assert [path.name for path in restarts_in(tmp_path)] == [*ours, "restart_20220901T0100.nc"]
