"""Invalid input to the command: one error, the same on one and on three ranks, and no hang."""

import json
import re

import numpy as np
import pytest
from mpi4py import MPI

import halcyon.mesh
from halcyon.config import load_case
from halcyon.config.mesh_file import prepare_mesh
from halcyon.launch.errors import AgreedError
from halcyon.run.model import PartTimes
from halcyon.run.models.wave import Model
from tests.run import case, jobs
from tests.support import sea_states

RANKS = 1, 3
CASE, TRACK = case.CASE, case.TRACK
# A sea that becomes unstable: strong wind, no limiter, and a far too large nonlinear transfer.
UNSTABLE_CASE = CASE.replace("interval: 3600", "interval: 1800").replace("segment: 10800", "segment: 1800")
UNSTABLE_CASE = UNSTABLE_CASE.replace("{track: track.csv}", "{constant: {speed: 50, direction: 10}}").replace(
    "{set: wam3}",
    "{set: wam3, limiter: none, drag_cap: 1, whitecapping: 0, depth_limit: 10, transfer: 1.0e9}",
)
LONG_STEP = (
    CASE.replace("step: auto", "step: 21600")
    .replace("source_step: 1800", "source_step: 21600")
    .replace("interval: 3600", "interval: 21600")
    .replace("segment: 10800", "segment: 21600")
)


def bay_with(depth):
    """A bay with this depth at one cell."""
    mesh = sea_states.bay()
    depths = np.array(mesh.bottom_depth)
    depths[150] = depth
    mesh.bottom_depth = depths
    return mesh


def bay_without_depth():
    mesh = halcyon.mesh.voronoi_mesh(sea_states.triangulation(3))
    return halcyon.mesh.cut(mesh, (mesh.cell_latitude > 0.5).astype(np.uint8))


def tiny_mesh():
    mesh = halcyon.mesh.voronoi_mesh(sea_states.triangulation(3))
    return sea_states.with_depth(halcyon.mesh.cut(mesh, (np.arange(mesh.n_cells) < 3).astype(np.uint8)), 100)


# Changes of the case, mesh or track by name of the mistake, and the expected error: before the ranks start,
# and on the ranks.
ERRORS_IN_LAUNCHER = {
    "NaN depth": ({"mesh": lambda: bay_with(np.nan)}, "mesh.nc: bottomDepth is not a number at entry 151"),
    "a key": (
        {"case": CASE.replace("forcing:", "forcng:")},
        r"case.yaml:10: unknown option 'forcng'. Did you mean 'forcing'\?",
    ),
    "a value": (
        {"case": CASE.replace("directions: 24", "directions: 2")},
        "case.yaml:4: mesh.spectrum.directions = 2 must be an integer from 8 to 360",
    ),
    "no track": ({"track": None}, "forcing.wind.track = .*track.csv does not exist"),
    "NaN pressure": (
        {"track": TRACK.replace("935", "nan")},
        "track.csv:3: pressure_hpa is 'nan'; it must be",
    ),
    "NaN position": ({"track": TRACK.replace("24.0", "nan")}, "track.csv:3: latitude is 'nan'; it must be"),
    "a short track": (
        {"track": TRACK.replace("T06:00", "T05:00")},
        "the track covers 2022-09-01T00:00:00 to 2022-09-01T05:00:00 UTC, the run .* to 2022-09-01T06:00:00",
    ),
}
ERRORS_IN_RANKS = {
    "a track elsewhere": (
        {"track": TRACK.replace("150.0", "-30").replace("146.0", "-35")},
        "the track does not come within 800 km of the region .* it stays within -35 to -30 E, 22 to 24 N",
    ),
    "a long step": (
        {"case": LONG_STEP},
        "case.yaml:8: time.step = 21600 s exceeds the CFL limit of .* Give at most 10800, or 'auto'",
    ),
    "a station on land": (
        {"case": CASE.replace("longitude: 110", "longitude: 60")},
        "case.yaml:19: station 'West' at 60 E 25 N is .* km from the nearest sea cell .* Move the station",
    ),
    "a fine ratio": (
        {"case": CASE.replace("ratio: 1.15", "ratio: 1.0001")},
        "case.yaml:4: The discrete interaction .* of ratio 1.0001, not 12. Set mesh.spectrum.ratio to 1.1.",
    ),
}
MESH_ERRORS = {
    "on land": (lambda: bay_with(-3.0), r"a depth of -3 m at cell 150 \(.* E .* N\)"),
    "none": (bay_without_depth, "has no depths: it needs the variable bottomDepth"),
}


def write_changed_case(folder, changes):
    changes = {name: value() if callable(value) else value for name, value in changes.items()}
    return case.write_case(folder, **changes)


def check(results, code, expected):
    """Checks that each run printed the same single line `error: ...`, and ended with exit code `code`."""
    texts = {err for _, _, err, _ in results.values()}
    assert len(texts) == 1, texts
    text = texts.pop()
    assert re.fullmatch(r"error: [^\n]+\n", text), text
    assert re.search(expected, text), text
    assert "rank " not in text
    assert [each[0] for each in results.values()] == [code] * len(results)
    assert all("Traceback" not in out + err for _, out, err, _ in results.values())


@pytest.mark.parametrize("name", [*ERRORS_IN_LAUNCHER, *ERRORS_IN_RANKS])
def test_a_mistake_is_one_error_on_any_ranks(tmp_path, name):
    """Runs on one and three ranks print the same error, write no fields, and note a failure on the ranks in
    run.json."""
    changes, expected = (ERRORS_IN_LAUNCHER | ERRORS_IN_RANKS)[name]
    results = case.run_on_each(write_changed_case(tmp_path, changes), ranks=RANKS)
    check(results, 2, expected)
    for *_, folder in results.values():
        assert not list(folder.glob("fields_*"))
        if name in ERRORS_IN_RANKS:
            assert json.loads((folder / "run.json").read_text())["status"] == "failed"


@pytest.mark.parametrize("name", ["a key", "a station on land"])
def test_a_mistake_is_one_error_without_the_launcher(tmp_path, name):
    changes, expected = (ERRORS_IN_LAUNCHER | ERRORS_IN_RANKS)[name]
    check(case.run_under_mpirun(write_changed_case(tmp_path, changes), ranks=RANKS), 2, expected)


@pytest.mark.parametrize("name", MESH_ERRORS)
def test_a_mesh_without_good_depths(tmp_path, name):
    """A mesh with land, or without depths, is refused by the wave model."""
    mesh, expected = MESH_ERRORS[name]
    loaded = load_case(write_changed_case(tmp_path, {"mesh": mesh}))
    with pytest.raises(AgreedError, match=expected):
        Model(loaded, prepare_mesh(loaded, print), MPI.COMM_SELF, PartTimes())


def test_more_ranks_than_cells(tmp_path):
    path = write_changed_case(tmp_path, {"mesh": tiny_mesh})
    expected = r"4 ranks are more than the mesh has cells \(3\). Start at most 3 ranks"
    check(case.run_on_each(path, ranks=[4]), 2, expected)
    check(case.run_under_mpirun(path, ranks=[4]), 2, expected)


def test_a_folder_that_cannot_be_written(tmp_path):
    path = write_changed_case(tmp_path, {})
    options = ["--set", "output.folder=/proc/nothing"]
    program = case.program(path, *options)
    results = {n: (*jobs.run_to_end([*program, "-n", str(n)]), None) for n in RANKS}
    check(results, 3, "The output folder /proc/nothing cannot be written: .* Give another folder by --output")


def test_a_sea_that_blows_up_stops_the_run(tmp_path):
    """The error names cell and time; the last complete segment is valid and has equal bits on one and three
    ranks."""
    results = case.run_on_each(write_changed_case(tmp_path, {"case": UNSTABLE_CASE}), ranks=RANKS)
    place = r"action at cell \d+ \(\d+\.\d\d E \d+\.\d\d N\)"
    check(results, 3, rf"{place} .* in source step 2, 2022-09-01 01:00 UTC")
    for *_, folder in results.values():
        run_file = json.loads((folder / "run.json").read_text())
        assert run_file["status"] == "failed"
        assert "blew up" in run_file["cause"]
        halcyon.mesh.require_complete(str(folder / "fields_20220901T0000.nc"))
        assert not (folder / "fields_20220901T0030.nc").exists()
        assert len((folder / "stations.csv").read_text().splitlines()) == 1 + 2 * 2
    files = [folder / "fields_20220901T0000.nc" for *_, folder in results.values()]
    assert case.differing(*files) == []


def test_a_blow_up_is_found_long_before_the_next_record(tmp_path):
    """The next record is months away: only a check between records ends this run in time."""
    changes = ["time.end=2023-03-01", "output.interval=15638400", "output.segment=15638400"]
    options = [word for change in changes for word in ("--set", change)]
    results = case.run_on_each(write_changed_case(tmp_path, {"case": UNSTABLE_CASE}), *options, ranks=RANKS)
    check(results, 3, r"action at cell \d+ .* in source step \d+, 2022-09-01 0\d:\d0 UTC")
