"""Faults during a run: the message, the integrity of the files, and the resumption. Longer tests:
tests/faults."""

import os
import signal
import time

import pytest

from tests.run import case, jobs


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return case.write_case(tmp_path_factory.mktemp("faults"))


@pytest.fixture(scope="module")
def whole(path):
    return jobs.whole_run(path, *jobs.RESTARTS)[0]


def test_a_killed_job_goes_on(path, whole):
    """After all processes are killed, run.json still says `running`, and the resumed run writes the bits of
    the whole run."""
    folder = path.with_name("killed")
    process = jobs.start_until_first_record(jobs.command(path, folder, *jobs.RESTARTS), folder)
    while not list(folder.glob("restart_*.nc")) and process.poll() is None:
        time.sleep(0.01)
    jobs.kill_all(folder)
    process.communicate()
    run_file = jobs.status(folder)
    assert (run_file["status"], run_file["cause"]) == ("running", None)
    assert "--resume" in run_file["resume"]
    jobs.finish(path, folder, whole, *jobs.RESTARTS)


def test_a_killed_rank_ends_the_job(path, whole):
    """If one rank is killed, the job ends with an error, and can be resumed."""
    folder = path.with_name("rank")
    process = jobs.start_until_first_record(jobs.command(path, folder, *jobs.RESTARTS), folder)
    os.kill(jobs.processes(folder, ranks_only=True)[-1], signal.SIGKILL)
    code, _, err = jobs.wait_for_end(process)
    assert code == 3
    assert "error: a rank was killed by SIGKILL" in err
    assert jobs.status(folder)["status"] == "failed"
    jobs.finish(path, folder, whole, *jobs.RESTARTS)


def test_a_full_disk(path, whole):
    size = sum(file.stat().st_size for file in whole.iterdir())
    jobs.run_on_full_disk(path, path.with_name("small"), whole, size // 2, *jobs.RESTARTS)


def test_a_folder_that_may_not_be_written(path):
    with jobs.small_disk(path.with_name("read_only"), "1m") as disk:
        jobs.remount(disk, "ro")
        code, _, err = jobs.run_to_end(jobs.command(path, disk / "results", *jobs.RESTARTS))
        expected = f"error: The output folder {disk / 'results'} cannot be written: Read-only file system."
        assert (code, err) == (3, f"{expected} Give another folder by --output.\n")


def test_two_runs_into_one_folder(path):
    """A second run in the folder of a running one is refused with the process id of the first."""
    folder = path.with_name("both")
    process = jobs.start_until_first_record(jobs.command(path, folder, *jobs.RESTARTS), folder)
    for rank in jobs.processes(folder, ranks_only=True):
        os.kill(rank, signal.SIGSTOP)
    code, _, err = jobs.run_to_end(jobs.command(path, folder, *jobs.RESTARTS))
    assert code == 3
    assert f"another run (pid {process.pid}) is writing to {folder}." in err
    assert process.poll() is None
    jobs.kill_all(folder)
    process.communicate()
