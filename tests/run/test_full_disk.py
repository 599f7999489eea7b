"""A full disk: the run reports it, complete files remain valid, and run.json has the cause."""

import errno
import io
import json
import os
import sys

import pytest

from halcyon.base import RunError
from halcyon.io import StationsFile
from halcyon.launch.mpirun import rank_environment
from halcyon.run import folder
from halcyon.run.folder import start_run_file, update_run_file
from halcyon.run.job import Job
from halcyon.run.progress import PlainView
from tests.run import case

FULL = os.strerror(errno.ENOSPC)


def full(*_args, **_options):
    raise OSError(errno.ENOSPC, FULL)


def test_a_series_that_cannot_be_written(tmp_path):
    (tmp_path / "stations.csv").symlink_to("/dev/full")
    with pytest.raises(RunError) as caught:
        StationsFile(tmp_path, [], [], [], start=None, origin=None)
    assert str(caught.value) == f"{tmp_path / 'stations.csv'} cannot be written: {FULL}."


@pytest.mark.parametrize("ranks", [1, 2])
def test_the_run_says_why(tmp_path, ranks):
    path = case.write_case(tmp_path)
    folder = tmp_path / f"case.{ranks}"
    folder.mkdir()
    (folder / "stations.csv").symlink_to("/dev/full")
    code, out, err, _ = case.run_on_each(path, ranks=[ranks])[ranks]
    expected = f"{folder / 'stations.csv'} cannot be written: {FULL}."
    assert (code, err) == (3, f"error: {expected}\n")
    assert "Traceback" not in out
    found = json.loads((folder / "run.json").read_text())
    assert (found["status"], found["cause"]) == ("failed", expected)


def test_run_json_is_written_over_in_place(tmp_path, monkeypatch):
    update_run_file(tmp_path, status="running", cause=None, versions={"a": "b" * 200})
    monkeypatch.setattr(folder, "_replace", full)
    update_run_file(tmp_path, status="failed", cause="no room")
    found = json.loads((tmp_path / "run.json").read_text())
    assert (found["status"], found["cause"], found["versions"]) == ("failed", "no room", {"a": "b" * 200})


def test_run_json_keeps_what_matters_most(tmp_path, monkeypatch):
    update_run_file(tmp_path, status="running", versions={"a": "b" * 200})
    size, write_over = (tmp_path / "run.json").stat().st_size, folder._write_in_place

    def within_allocated_blocks(path, text):
        if len(text) > size:
            full()
        write_over(path, text)

    monkeypatch.setattr(folder, "_replace", full)
    monkeypatch.setattr(folder, "_write_in_place", within_allocated_blocks)
    update_run_file(tmp_path, status="failed", cause="no room", files=["c" * 300])
    found = json.loads((tmp_path / "run.json").read_text())
    assert (found.pop("status"), found.pop("cause"), list(found)) == ("failed", "no room", ["updated"])


def test_a_new_run_keeps_the_old_run_json_until_it_has_its_own(tmp_path, monkeypatch):
    update_run_file(tmp_path, status="failed", cause="of an older run", versions={"a": "b" * 2000})
    monkeypatch.setattr(folder, "_replace", full)
    start_run_file(tmp_path, case=tmp_path / "case.yaml", overrides=[], ranks=2)
    found = json.loads((tmp_path / "run.json").read_text())
    assert (found["status"], found["cause"], found["ranks"]) == ("running", None, 2)


def test_a_run_json_that_cannot_be_made(tmp_path, monkeypatch):
    monkeypatch.setattr(folder, "_replace", full)
    with pytest.raises(RunError, match=rf"run\.json cannot be written: {FULL}\."):
        update_run_file(tmp_path, status="failed")


def test_a_job_survives_its_log(tmp_path, capfd):
    (tmp_path / "log.txt").symlink_to("/dev/full")
    stream = io.StringIO()
    program = "print('one', flush=True); print('two', flush=True)"
    command = [sys.executable, "-c", program]
    result = Job(command, os.environ, tmp_path / "log.txt").run(PlainView(stream))
    assert (result.code, stream.getvalue()) == (0, "one\ntwo\n")
    expected = f"warning: {tmp_path / 'log.txt'} cannot be written: {FULL}. The log ends here.\n"
    assert capfd.readouterr().err == expected


def test_a_log_that_cannot_be_begun(tmp_path):
    (tmp_path / "log.txt").mkdir()
    with pytest.raises(RunError, match=r"log\.txt cannot be written: Is a directory\."):
        Job([sys.executable, "-c", ""], os.environ, tmp_path / "log.txt").run(PlainView(io.StringIO()))


def test_files_are_written_by_what_reports_a_full_disk(monkeypatch):
    monkeypatch.delenv("OMPI_MCA_io", raising=False)
    assert rank_environment(2)["OMPI_MCA_io"] == "romio321"
    monkeypatch.setenv("OMPI_MCA_io", "ompio")
    assert rank_environment(2)["OMPI_MCA_io"] == "ompio"
