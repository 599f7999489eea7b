"""An output folder holds one run; another one needs --overwrite, and replaces it at its first record."""

import json

import pytest

from halcyon.base import RunError
from halcyon.plot import draw_run
from halcyon.run import earlier, rank
from halcyon.run.folder import read_run_file
from halcyon.run.output.records import Recorder
from tests.run import case, jobs, runs

USERS = ["restart_mine.nc", "fields_20220901T0000.nc.bak", "nest_mine.nc", "notes.txt", "track.csv"]
FAR = "output.stations=[{name: Far, longitude: 0, latitude: -80}]"  # a mistake that the ranks find
RESULTS = ["fields_20220901T0000.nc", "restart_20220901T0100.nc", "stations.csv", "stations.nc"]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return case.write_case(tmp_path_factory.mktemp("overwrite"))


@pytest.fixture
def run(path, folder, capfd):
    """A function that runs the case to an end [hours] as a rank does. Returns exit code and stderr."""

    def _run(hours, *changes, stop=None, **options):
        overrides = [f"output.folder={json.dumps(str(folder))}", f"time.end=2022-09-01T0{hours}:00", *changes]
        capfd.readouterr()
        code = rank.run_rank(path, overrides, None, stop=stop or runs.StopAfter(), **options)
        return code, capfd.readouterr().err

    return _run


def contents(folder):
    """The contents of the files of a folder; the lock file names the last process."""
    files = (file for file in folder.iterdir() if file.is_file() and file.name != ".lock")
    return {file.name: file.read_bytes() for file in files}


def failing_flush(work):
    """A replacement of Recorder.flush that fails after the records are on the disk."""
    flush = Recorder.flush

    def fail(recorder):
        flush(recorder)
        work()
        raise RunError("no room")

    return fail


def names(folder):
    return sorted(contents(folder))


def test_another_run_needs_to_be_told_to_overwrite(run, folder):
    """Without --overwrite a folder with results is refused, and stays as it is."""
    assert run(1)[0] == 0
    before = contents(folder)
    assert names(folder) == sorted([*RESULTS, "run.json"])
    code, err = run(2)
    advice = "Give --overwrite to replace them, or another folder by --output; --resume with a later time.end"
    expected = f"{folder} holds the results of a finished run: 4 files, such as fields_20220901T0000.nc."
    assert (code, err) == (2, f"error: {expected} {advice} extends that run.\n")
    assert contents(folder) == before


def test_an_unfinished_run_can_also_be_resumed(run, folder):
    assert run(3, stop=runs.StopAfter(2))[0] == 75
    before = contents(folder)
    code, err = run(3)
    assert code == 2
    assert f"{folder} holds the results of an unfinished run (status interrupted): 3 files" in err
    assert err.endswith("or another folder by --output, or continue that run by --resume.\n")
    assert contents(folder) == before
    assert run(3, resume=True) == (0, "")


def test_a_new_run_replaces_all_files_of_the_earlier_one_and_no_others(run, folder):
    """Segments, restart files, parts and pictures of the earlier run are gone; the user's files remain."""
    assert (
        run(6, "output.segment=3600", "output.pictures=true", "restart.interval=3600", draw=draw_run)[0] == 0
    )
    for name in [*USERS, "nest_old.nc.part", "fields_20220902T0000.nc.part"]:
        (folder / name).write_text(name)
    assert len(list(folder.glob("*.png"))) == 2
    assert run(1, overwrite=True) == (0, "")
    assert names(folder) == sorted([*RESULTS, *USERS, "run.json"])
    assert all((folder / name).read_text() == name for name in USERS)
    assert not any(path.is_dir() for path in folder.iterdir())
    files = [file.rsplit("/", 1)[-1] for file in read_run_file(folder)["files"]]
    assert files == ["fields_20220901T0000.nc", "stations.csv", "stations.nc"]


@pytest.mark.parametrize("earlier_run", ["finished", "stopped"])
@pytest.mark.parametrize("mistake", ["the set-up", "the first record"])
def test_a_start_that_fails_loses_nothing(run, folder, monkeypatch, earlier_run, mistake):
    """If the new run fails before its first record is on the disk, the folder is as before."""
    assert run(4, stop=runs.StopAfter(7 if earlier_run == "stopped" else None))[0] in (0, 75)
    before, seen = contents(folder), []
    monkeypatch.setattr(Recorder, "flush", failing_flush(lambda: seen.append(names(folder))))
    changes = [FAR] if mistake == "the set-up" else []
    code, err = run(2, *changes, overwrite=True)
    assert code == (2 if changes else 3), err
    assert bool(seen) == (not changes)
    assert contents(folder) == before


def test_a_run_that_failed_before_its_first_record_has_nothing_to_lose(run, folder, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Recorder, "flush", failing_flush(lambda: None))
        assert run(1) == (3, "error: no room\n")
    assert names(folder) == ["run.json"]
    assert (read_run_file(folder)["status"], read_run_file(folder)["resume"]) == ("failed", None)
    (folder / "stations.csv").write_text("left by a killed run")
    assert run(1) == (0, "")


def test_a_run_that_is_killed_in_its_first_record_loses_nothing(run, folder):
    """The next run finds the files of the earlier one where they were set aside."""
    assert run(1)[0] == 0
    before = contents(folder)
    earlier.set_aside(folder)
    assert names(folder.parent / folder.name / earlier.ASIDE) == sorted(before)
    (folder / "fields_20220901T0000.nc.part").touch()
    assert run(2)[0] == 2
    assert contents(folder) == before


def test_resume_and_overwrite_exclude_each_other(path, folder):
    command = [*jobs.command(path, folder), "--resume", "--overwrite"]
    text = "error: --resume continues the run that --overwrite would replace. Give only one of them.\n"
    assert jobs.run_to_end(command) == (2, "", text)


def test_the_log_is_that_of_the_run_in_the_folder(run, path, folder):
    """The launcher replaces log.txt with the other files, not before."""
    assert run(1)[0] == 0
    (folder / "log.txt").write_text("of the earlier run\n")
    before = contents(folder)
    command = jobs.command(path, folder, "--set", "time.end=2022-09-01T02:00", ranks=1)
    assert jobs.run_to_end(command)[0] == 2
    code, out, err = jobs.run_to_end([*command, "--set", FAR, "--overwrite"])
    assert code == 2 and out.startswith("warning: ") and out.count("\n") == 1  # of the mesh, before the start
    assert "station 'Far'" in err
    assert contents(folder) == before
    code, out, err = jobs.run_to_end([*command, "--overwrite"])
    assert (code, err) == (0, "")
    assert (folder / "log.txt").read_text() == out
    assert names(folder) == sorted(
        [*RESULTS[:1], "restart_20220901T0200.nc", *RESULTS[2:], "log.txt", "run.json"]
    )
