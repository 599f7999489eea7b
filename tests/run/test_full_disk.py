"""A full disk: the run reports the file that cannot be written, and run.json has the cause."""

import errno
import io
import json
import os
import sys

import pytest

from halcyon.base import RunError
from halcyon.io import StationsFile
from halcyon.launch.mpirun import rank_environment
from halcyon.mesh import atomic_file
from halcyon.run import folder, job
from halcyon.run.folder import start_run_file, update_run_file
from halcyon.run.job import Job
from halcyon.run.progress import PlainView
from tests.run import case

FULL = os.strerror(errno.ENOSPC)


def raise_disk_full(*_args, **_options):
    raise OSError(errno.ENOSPC, FULL)


def full_descriptor(*_args, **_options):
    """A descriptor of a file on a full disk."""
    return os.open("/dev/full", os.O_WRONLY)


def test_a_series_that_cannot_be_written(tmp_path, monkeypatch):
    """The error names the file of the station series and the cause."""
    monkeypatch.setattr(atomic_file, "descriptor_of_new", full_descriptor)
    with pytest.raises(RunError) as caught:
        StationsFile(tmp_path, [], [], [], start=None, origin=None)
    assert str(caught.value) == f"{tmp_path / 'stations.csv'} cannot be written: {FULL}."


@pytest.mark.parametrize("ranks", [1, 2])
def test_the_run_says_why(tmp_path, ranks):
    """A run that cannot write stations.csv prints one error, with the cause also in run.json."""
    path = case.write_case(tmp_path)
    folder = tmp_path / f"case.{ranks}"
    folder.mkdir()
    (folder / "stations.csv").mkdir()
    code, out, err, _ = case.run_on_each(path, ranks=[ranks])[ranks]
    expected = f"{folder / 'stations.csv'} cannot be written: {os.strerror(errno.EISDIR)}."
    assert (code, err) == (3, f"error: {expected}\n")
    assert "Traceback" not in out
    run_file = json.loads((folder / "run.json").read_text())
    assert (run_file["status"], run_file["cause"]) == ("failed", expected)


def test_run_json_is_written_over_in_place(tmp_path, monkeypatch):
    """If no new file can be created, run.json is overwritten in place with all its entries."""
    update_run_file(tmp_path, status="running", cause=None, versions={"a": "b" * 200})
    monkeypatch.setattr(folder, "_replace", raise_disk_full)
    update_run_file(tmp_path, status="failed", cause="no room")
    run_file = json.loads((tmp_path / "run.json").read_text())
    assert (run_file["status"], run_file["cause"], run_file["versions"]) == (
        "failed",
        "no room",
        {"a": "b" * 200},
    )


def test_run_json_keeps_what_matters_most(tmp_path, monkeypatch):
    """If run.json cannot grow, only status, cause and time of update are kept."""
    update_run_file(tmp_path, status="running", versions={"a": "b" * 200})
    size, write_over = (tmp_path / "run.json").stat().st_size, folder._write_in_place

    def within_allocated_blocks(path, text):
        if len(text) > size:
            raise_disk_full()
        write_over(path, text)

    monkeypatch.setattr(folder, "_replace", raise_disk_full)
    monkeypatch.setattr(folder, "_write_in_place", within_allocated_blocks)
    update_run_file(tmp_path, status="failed", cause="no room", files=["c" * 300])
    run_file = json.loads((tmp_path / "run.json").read_text())
    assert (run_file.pop("status"), run_file.pop("cause"), list(run_file)) == (
        "failed",
        "no room",
        ["updated"],
    )


def test_a_new_run_keeps_the_old_run_json_until_it_has_its_own(tmp_path, monkeypatch):
    """The start of a new run overwrites the run.json of an older run in place if no new file can be
    created."""
    update_run_file(tmp_path, status="failed", cause="of an older run", versions={"a": "b" * 2000})
    monkeypatch.setattr(folder, "_replace", raise_disk_full)
    start_run_file(tmp_path, case=tmp_path / "case.yaml", overrides=[], ranks=2)
    run_file = json.loads((tmp_path / "run.json").read_text())
    assert (run_file["status"], run_file["cause"], run_file["ranks"]) == ("running", None, 2)


def test_a_run_json_that_cannot_be_made(tmp_path, monkeypatch):
    monkeypatch.setattr(folder, "_replace", raise_disk_full)
    with pytest.raises(RunError, match=rf"run\.json cannot be written: {FULL}\."):
        update_run_file(tmp_path, status="failed")


def test_a_job_survives_its_log(tmp_path, capfd, monkeypatch):
    """If log.txt cannot be written, the job continues with a warning."""
    monkeypatch.setattr(job, "descriptor_of_new", full_descriptor)
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
    """Jobs use the MPI-IO implementation ROMIO, which reports a full disk, unless the user chose another."""
    monkeypatch.delenv("OMPI_MCA_io", raising=False)
    assert rank_environment(2)["OMPI_MCA_io"] == "romio321"
    monkeypatch.setenv("OMPI_MCA_io", "ompio")
    assert rank_environment(2)["OMPI_MCA_io"] == "ompio"
