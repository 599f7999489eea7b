"""Ensembles: groups of ranks run the members, and a second call runs those that are not finished."""

import json
import os
import signal
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from halcyon import plot
from halcyon.base import ConfigError, InputError, RunError, StoppedError
from halcyon.io import verify
from halcyon.io.field_source import open_fields
from halcyon.launch.errors import AgreedError, from_root
from halcyon.run.ensemble.members import Member
from halcyon.run.ensemble.plan import EnsembleArguments, Plan
from halcyon.run.ensemble.ranks import layout, run_members
from halcyon.run.folder import LOCK, RUN_FILE
from halcyon.run.input.storms import tracks_of
from halcyon.run.progress import MESH_OF_LAUNCHER
from tests.plot.test_plot import picture
from tests.run import case, jobs, runs

pytestmark = pytest.mark.ranks(2)
N = 3
STATIONS = ["stations.csv", "stations.nc"]
TEXT = case.CASE.replace(
    "pictures: false", "pictures: true\n  variables: [significant_height, mean_direction]"
)
FILES = ["ensemble.nc", "stations.nc"]


class StopAfter(runs.StopAfter):
    def close(self):
        """There is no watch for signals."""


@pytest.fixture(scope="module")
def path(comm, common_folder):
    """The case, with a short name of a folder per test."""
    return comm.bcast(case.write_case(common_folder, case=TEXT) if comm.rank == 0 else None, root=0)


def run(comm, path, folder, *changes, groups=1, stop=None, overwrite=False, drop=None):
    """Collective. Runs an ensemble; `drop`: a change of the first member that makes it fail. Returns the
    names of the members that were pending."""
    arguments = EnsembleArguments(path, [f"ensemble.members={N}", *changes], folder, None, None, overwrite)

    def begin():
        plan = Plan.of(arguments)
        with ExitStack() as lock:
            plan.begin(lock)
        pending = plan.pending(overwrite=overwrite)
        if drop is not None:
            first = plan.members[0]
            pending[0] = Member(first.name, first.folder, [*first.changes, drop])
        return plan, pending

    plan, pending = from_root(comm, begin)
    stop = stop or StopAfter()
    run_members(comm, plan, pending, groups, comm.size // groups, stop, overwrite=overwrite)
    from_root(comm, lambda: plan.conclude(lambda folder: []))
    return [member.name for member in pending]


@pytest.fixture(scope="module")
def whole(comm, path):
    """An ensemble that one group of all ranks runs."""
    folder = path.with_name("whole.ens")
    assert run(comm, path, folder) == ["001", "002", "003"]
    return folder


@pytest.mark.mpi
@pytest.mark.ranks(2, 4)  # groups of one rank, fewer and more than members
def test_statistics_do_not_depend_on_the_groups(comm, path, whole):
    """One rank per group writes the same bytes as one group; a third call runs no member again."""
    folder = path.with_name("groups.ens")
    run(comm, path, folder, groups=min(comm.size, N))

    def check():
        assert runs.differing(whole, folder, FILES) == []
        assert [file.name for file in sorted(folder.glob("member_*"))] == [
            f"member_{k:03}" for k in (1, 2, 3)
        ]
        return {file: file.stat().st_mtime_ns for file in folder.glob("member_*/*")}

    before = from_root(comm, check)
    assert run(comm, path, folder) == []
    assert from_root(comm, lambda: {f: f.stat().st_mtime_ns for f in folder.glob("member_*/*")}) == before


@pytest.mark.mpi
def test_statistics_are_those_of_the_members(comm, path, whole):
    """Mean, quantiles, probabilities and maxima, computed from the files of the members."""
    if comm.rank > 0:
        return
    from netCDF4 import Dataset

    heights = []
    for member in sorted(whole.glob("member_*")):
        files = [Dataset(file) for file in sorted(member.glob("fields_*"))]
        heights.append(np.concatenate([file["significant_height"][:] for file in files]).astype(float))
    heights = np.array(heights)
    assert heights.std(axis=0).max() > 0.1
    with Dataset(whole / "ensemble.nc") as file:
        found = {
            name: variable[:].filled(np.nan) for name, variable in file.variables.items() if variable.ndim
        }
        assert file.members == "001 002 003"
    values = {"": heights, "maximum_": heights.max(axis=1)}
    for prefix, each in values.items():
        name = f"{prefix}significant_height"
        assert found[f"{name}_mean"] == pytest.approx(each.mean(axis=0), rel=1e-6)
        assert found[f"{name}_spread"] == pytest.approx(each.std(axis=0, ddof=1), rel=1e-6, abs=1e-6)
        assert found[f"{name}_p90"] == pytest.approx(np.quantile(each, 0.9, axis=0), rel=1e-6)
        assert found[f"{name}_above_4"] == pytest.approx((each > 4).mean(axis=0), rel=1e-6)
    assert "mean_direction_p50" not in found
    with Dataset(whole / "stations.nc") as file:
        assert file["significant_height_p50"].shape == (2, 7)
        assert set(file.variables) > {"significant_height_above_6", "mean_direction_mean"}


@pytest.mark.mpi
def test_a_stopped_ensemble_is_continued(comm, path, whole):
    """The stopped member is resumed, the finished one is not run again; the bits are those of a whole one."""
    folder = path.with_name("stopped.ens")
    with pytest.raises(StoppedError, match=r"Continue with: halcyon ensemble .*case.yaml --output"):
        run(comm, path, folder, stop=StopAfter(21))  # steps and questions between the members
    statuses = from_root(comm, lambda: [m.status for m in _plan(path, folder).members])
    assert statuses == ["finished", "interrupted", ""]
    assert run(comm, path, folder) == ["002", "003"]

    def check():
        assert "Resuming from" in (folder / "member_002" / "log.txt").read_text()
        assert runs.differing(whole, folder, FILES) == []

    from_root(comm, check)


def _plan(path, folder, *changes):
    return Plan.of(EnsembleArguments(path, [f"ensemble.members={N}", *changes], folder, None, None, False))


@pytest.mark.mpi
def test_a_failing_member_is_named(comm, path, capfd):
    """The others continue, and the statistics are theirs; the next call runs the failed member again."""
    folder = path.with_name("failing.ens")
    with pytest.raises(AgreedError, match="1 of 3 members are not finished: 001"):
        run(comm, path, folder, drop="time.source_step=7", groups=min(comm.size, N))
    if comm.rank == 0:
        assert "warning: member 001 failed: " in capfd.readouterr().err
        assert "time.source_step = 7" in (folder / "member_001" / "log.txt").read_text()
        assert json.loads((folder / "ensemble.json").read_text())["files"] == ["ensemble.nc", *STATIONS]
    assert run(comm, path, folder) == ["001"]
    assert MESH_OF_LAUNCHER not in os.environ


class FailAfter(StopAfter):
    """Fails on all ranks at a question, once."""

    def received(self, comm):
        if super().received(comm):
            raise RunError("a failure")
        return False


@pytest.mark.mpi
def test_an_overwritten_member_that_fails(comm, path):
    """Finished members are replaced; one that fails in the run has the log of that run, and is resumed."""
    folder = path.with_name("overwritten.ens")
    run(comm, path, folder)
    with pytest.raises(AgreedError, match="1 of 3 members are not finished: 001"):
        run(comm, path, folder, stop=FailAfter(5), overwrite=True)
    log = folder / "member_001" / "log.txt"
    assert from_root(comm, log.read_text).endswith("error: a failure\n")
    assert run(comm, path, folder) == ["001"]


def test_figures_and_other_commands(whole, tmp_path):
    """Maps, plumes and panels have the right size and are not empty; `verify` and `convert` take the file."""
    figures = plot.draw_ensemble(whole)
    assert [file.name for file in figures] == ["mean.png", "spread.png", "probabilities.png", "stations.png"]
    plot.draw_panels(whole, tmp_path / "panels.png", every_s=7200, variable="significant_height_above_4")
    for file in (*figures, tmp_path / "panels.png"):
        size, n_colours = picture(file)
        assert size[0] == 1400
        assert n_colours > 50, file
    assert verify(str(whole / "ensemble.nc")).n_checked > 20
    with open_fields([whole / "ensemble.nc"]) as source:
        assert len(source.times) == 7
        assert {"significant_height_p10", "maximum_significant_height_mean"} <= {
            f.name for f in source.fields
        }


def write_members(path, numbers):
    """Writes winds of members as ERA5 has them: of member k 5 + 2 k + t/10 m/s to the east and 3 + t/10 m/s
    to the north in hour t."""
    shape, lat, lon = (len(numbers), 3, 29, 39), np.arange(-10.0, 61.0, 2.5), np.arange(90.0, 186.0, 2.5)
    hours = np.array([0, 3, 6])
    change = np.zeros(shape) + 0.1 * hours[:, None, None]
    eastward = 5 + 2.0 * np.array(numbers)[:, None, None, None] + change
    dimensions = ("number", "valid_time", "latitude", "longitude")
    units = {"units": "m s**-1"}
    xr.Dataset(
        {"u10": (dimensions, eastward, units), "v10": (dimensions, 3 + change, units)},
        {
            "number": [*numbers],
            "valid_time": (
                "valid_time",
                hours,
                {"units": "hours since 2022-09-01", "standard_name": "time"},
            ),
            "latitude": ("latitude", lat, {"units": "degrees_north"}),
            "longitude": ("longitude", lon, {"units": "degrees_east"}),
        },
    ).to_netcdf(path)


@pytest.mark.mpi
@pytest.mark.parametrize("files", [[(0, 1, 2)], [(0, 1), (2,)]], ids=["one file", "two files"])
def test_members_of_gridded_winds(comm, path, files):
    """The members are numbered as in the files; the statistics are those of their winds."""
    folder = path.with_name(f"gridded_{len(files)}.ens")
    if comm.rank == 0:
        for i, numbers in enumerate(files):
            write_members(path.with_name(f"members_{len(files)}_{i}.nc"), numbers)
    comm.barrier()
    changes = [
        f"forcing.wind={{files: 'members_{len(files)}_*.nc'}}",
        "output.variables=[significant_height, eastward_wind]",
    ]
    assert run(comm, path, folder, *changes) == ["000", "001", "002"]
    assert run(comm, path, folder, *changes) == []
    if comm.rank == 0:
        with xr.open_dataset(folder / "ensemble.nc") as file:
            assert file.eastward_wind_mean.values.T - 0.1 * np.arange(7) == pytest.approx(7, rel=1e-6)
            assert file.eastward_wind_spread.values == pytest.approx(2)
            assert file.eastward_wind_p90.values.T - 0.1 * np.arange(7) == pytest.approx(8.6)


def deck_line(technique, tau, latitude, wind):
    """A line of an a-deck of ATCF with the position of a storm at 150 E."""
    return (
        f"WP, 12, 2022090100, 03, {technique:>4}, {tau:3}, {latitude}N, 1500E, {wind:3}, 940, XX,  34, NEQ, 0"
    )


@pytest.fixture(scope="module")
def deck(path):
    """An a-deck of four techniques: the forecast of SHRT does not cover the run, and ../X is no name."""
    taus = {"OFCL": (0, 6), "AVNO": (0, 6), "HWRF": (0, 6), "SHRT": (0,), "../X": (0, 6), "CARQ": (0,)}
    lines = [
        deck_line(technique, tau, 220 + tau + i, 80 + i)
        for i, (technique, of_technique) in enumerate(taus.items())
        for tau in of_technique
    ]
    path.with_name("adeck.dat").write_text("\n".join(lines) + "\n")
    return "forcing.wind.track=adeck.dat"


def members(path, *changes):
    plan = Plan.of(EnsembleArguments(path, changes, path.with_name("members.ens"), None, None, False))
    return {member.name: member.changes[0] for member in plan.members}


def test_techniques_of_an_a_deck(path, deck):
    """By default all whose forecasts cover the run; requested ones must. With a technique the track is
    perturbed."""
    names = ["AVNO", "HWRF", "OFCL"]
    assert members(path, deck) == {name: f'forcing.wind.technique="{name}"' for name in names}
    assert [*members(path, deck, "ensemble.members=2")] == names[:2]
    assert [*members(path, deck, "ensemble.techniques=[OFCL, AVNO]")] == ["OFCL", "AVNO"]
    assert len(members(path, deck, "forcing.wind.technique=OFCL")) == 20
    assert members(
        path, deck, "ensemble.kind=perturbed", "forcing.wind.technique=OFCL", "ensemble.members=2"
    ) == {
        "001": "forcing.wind.perturbation.member=1",
        "002": "forcing.wind.perturbation.member=2",
    }
    with pytest.raises(InputError, match=r"case.yaml:\d+.*adeck.dat: the track covers"):
        members(path, deck, "ensemble.techniques=[OFCL, SHRT]")
    with pytest.raises(InputError, match="has no forecast of the technique 'ECMF'"):
        members(path, deck, "ensemble.techniques=[OFCL, ECMF]")
    with pytest.raises(ConfigError, match="4 members are requested, but there are 3: AVNO, HWRF, OFCL"):
        members(path, deck, "ensemble.members=4")
    with pytest.raises(ConfigError, match="needs the track of an a-deck of ATCF"):
        members(path, "ensemble.kind=techniques")


def test_several_storms_are_perturbed_together(comm, path):
    """Each storm has the number of the member; finished members are recognised."""
    two = "forcing.wind={tracks: [{track: track.csv}, {track: track.csv}]}"
    plan = Plan.of(EnsembleArguments(path, [two, "ensemble.members=2"], path.parent, None, None, False))
    names = [f"forcing.wind.tracks.{i}.perturbation.member=2" for i in (0, 1)]
    assert list(plan.members[1].changes[:2]) == names
    first, second = tracks_of(plan.case_of(plan.members[1]))
    assert first.latitude[1] != second.latitude[1]
    folder = path.with_name("storms.ens")
    assert run(comm, path, folder, two, "ensemble.members=2") == ["001", "002"]
    assert run(comm, path, folder, two, "ensemble.members=2") == []


def test_other_options_and_folders_are_refused(comm, path, whole):
    """A finished member with other options, and the folder of a run, are errors; more members are not."""
    plan = _plan(path, whole, "physics.friction=0.05")
    with pytest.raises(ConfigError, match=r"member_001 belongs to another run: physics.friction = 0.05"):
        plan.pending(overwrite=False)
    assert len(plan.pending(overwrite=True)) == N
    more = _plan(path, whole, "ensemble.members=5")
    assert [member.name for member in more.pending(overwrite=False)] == ["004", "005"]
    longer = _plan(path, whole, "time.end=2022-09-01T05:00")
    with pytest.raises(ConfigError, match=r"Give a later time.end"):
        longer.pending(overwrite=False)
    with pytest.raises(ConfigError, match="holds the results of a run"), ExitStack() as lock:
        _plan(path, whole / "member_001").begin(lock)


@pytest.mark.parametrize(
    ("ranks", "at_once", "pending", "available", "expected"),
    [
        (None, None, 20, 8, (8, 1)),
        (None, None, 3, 8, (3, 2)),
        (4, None, 20, 8, (2, 4)),
        (None, 2, 20, 8, (2, 4)),
        (16, None, 20, 8, (1, 16)),
        (2, 3, 20, 2, (3, 2)),
        (None, None, 0, 8, (1, 8)),
    ],
)
def test_groups(ranks, at_once, pending, available, expected):
    """As many members at a time as ranks, or as asked for."""
    arguments = EnsembleArguments(Path(), [], None, ranks, at_once, False)
    assert layout(arguments, pending, available) == expected


def test_a_killed_rank_costs_its_member_only(comm, path):
    """The command line: a rank is killed; its member has failed, the others end; the next call runs it."""
    folder = path.with_name("killed.ens")
    changes = ["ensemble.members=2", "output.pictures=false"]
    options = [word for change in changes for word in ("--set", change)]
    options += ["--at-once", "1", "-n", "1", "--output", str(folder)]
    command = [sys.executable, "-m", "halcyon", "ensemble", str(path), *options]
    process = jobs.start(command)
    while not (folder / "member_001" / RUN_FILE).exists():  # the set-up of the run
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    os.kill(int((folder / "member_001" / LOCK).read_text()), signal.SIGKILL)
    out, err = process.communicate()
    assert process.returncode == 3, err
    assert "warning: member 001 failed: a rank was killed by SIGKILL" in err
    assert "error: 1 of 2 members are not finished: 001." in err
    assert "member 002 is finished" in out
    assert not (folder / "ensemble.nc").exists()
    assert run(comm, path, folder, *changes) == ["001"]
    assert (folder / "ensemble.nc").exists()
