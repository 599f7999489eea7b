"""Signals: the run stops in an orderly way, prints the command to resume it, and can be resumed."""

import os
import shlex
import signal
import sys
from pathlib import Path

import pytest

from halcyon.base import EXIT_STOPPED
from tests.run import case, jobs, runs


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return case.write_case(tmp_path_factory.mktemp("stop"))


@pytest.fixture(scope="module")
def whole(path):
    return jobs.whole_run(path, *jobs.LONG)[0]


def require_interrupted(process, folder):
    """Checks the message, status and restart file of a run that stopped on request."""
    code, _, err = jobs.wait_for_end(process)
    assert code == EXIT_STOPPED, err
    run_file = jobs.status(folder)
    assert err == f"stopped: {run_file['cause']}\n"
    assert run_file["status"] == "interrupted"
    assert run_file["cause"].endswith(f"Resume with: {run_file['resume']}")
    assert len(runs.restarts(folder)) == 1


def test_the_launcher_stops_in_order(path, whole):
    """SIGTERM to the launcher stops the run; resumed on one rank, it writes the bits of the whole run.
    Resumed again, it is finished."""
    folder = path.with_name("SIGTERM")
    process = jobs.start_until_first_record(jobs.command(path, folder, *jobs.LONG), folder)
    process.send_signal(signal.SIGTERM)
    require_interrupted(process, folder)
    command = f"halcyon run {path} --resume -n 2 --set time.source_step=30"
    assert jobs.status(folder)["resume"].startswith(command)
    command_words = [*jobs.command(path, folder, *jobs.LONG, ranks=1), "--resume"]
    code, out, err = jobs.run_to_end(command_words)
    assert (code, err) == (0, "")
    assert "Resuming from restart_20220901T" in out
    assert runs.differing(whole, folder) == []
    log = (folder / "log.txt").read_text()
    assert log.endswith(out)
    assert "stopped: " in log
    finished = f"The run in {folder} is finished: there is nothing to resume.\n"
    assert jobs.run_to_end(command_words) == (0, finished, "")
    code, out, err = jobs.run_to_end([*command_words, "--set", "physics.friction=0.05"])
    assert (code, out) == (2, "")
    assert err.startswith(
        f"error: {folder} belongs to another run: physics.friction = 0.05 instead of 0.038."
    )


def test_one_stop_may_come_to_all_processes_and_twice(path, whole):
    """Two signals to the launcher and to all ranks stop the run once, and it can be resumed."""
    folder = path.with_name("everyone")
    process = jobs.start_until_first_record(jobs.command(path, folder, *jobs.LONG), folder)
    for _ in range(2):
        process.send_signal(signal.SIGTERM)
        for rank in jobs.processes(folder, ranks_only=True):
            os.kill(rank, signal.SIGTERM)
    require_interrupted(process, folder)
    jobs.finish(path, folder, whole, *jobs.LONG)


def test_a_refused_resume_changes_nothing(path):
    folder = path.with_name("refused")
    process = jobs.start_until_first_record(jobs.command(path, folder, *jobs.LONG), folder)
    process.send_signal(signal.SIGUSR1)
    require_interrupted(process, folder)
    before = {
        file.name: file.read_bytes() for file in folder.iterdir() if file.name not in (".lock", "log.txt")
    }
    code, _, err = jobs.run_to_end([*jobs.command(path, folder), "--resume"])
    assert code == 2
    assert "belongs to another run: time.source_step = 1800.0 instead of 30.0" in err
    after = {
        file.name: file.read_bytes() for file in folder.iterdir() if file.name not in (".lock", "log.txt")
    }
    assert after == before


def test_a_rank_without_the_launcher_stops_all(path, whole):
    """SIGTERM to one rank under mpirun stops all ranks, and the run can be resumed."""
    folder = path.with_name("rank")
    command_words = ["mpirun", "-q", "-n", "2", *case.program(path, *jobs.LONG, "--output", str(folder))]
    process = jobs.start_until_first_record(command_words, folder)
    os.kill(jobs.processes(folder, ranks_only=True)[-1], signal.SIGTERM)
    require_interrupted(process, folder)
    jobs.finish(path, folder, whole, *jobs.LONG, ranks=3)


def test_a_signal_for_both_kinds_of_ranks(path):
    """SIGUSR1 to the launcher stops the run."""
    folder = path.with_name("SIGUSR1")
    process = jobs.start_until_first_record(jobs.command(path, folder, *jobs.LONG), folder)
    process.send_signal(signal.SIGUSR1)
    require_interrupted(process, folder)


@pytest.mark.parametrize("kind", ["launcher", "mpirun"])
def test_ctrl_c_leaves_a_restart_file_and_the_command_to_resume(path, kind):
    """Ctrl-C sends SIGINT to all processes of the terminal's group; run.json and the printed line have the
    command to resume the run, which works in any folder."""
    folder = path.with_name(f"ctrl_c_{kind}")
    command = jobs.command(path, folder, *jobs.LONG)
    if kind == "mpirun":
        # mpirun sends SIGTERM to the ranks 3 seconds after Ctrl-C, by default 1, and SIGKILL as much later;
        # the run must last longer.
        command = ["mpirun", "-q", "--mca", "odls_base_sigkill_timeout", "3", "-n", "2"]
        options = [*jobs.LONG, "--set", "time.source_step=1"]
        command += case.program(path, *options, "--output", str(folder))
    process = jobs.start_until_first_record(command, folder, start_new_session=True)
    os.killpg(process.pid, signal.SIGINT)
    code, _, err = jobs.wait_for_end(process)
    run_file = jobs.status(folder)
    assert err == f"stopped: {run_file['cause']}\n"
    assert run_file["cause"].endswith(f"Resume with: {run_file['resume']}")
    assert run_file["status"] == "interrupted"
    assert Path(run_file["restart"]).is_file()
    if kind == "launcher":
        assert code == 130
        words = [*shlex.split(run_file["resume"]), "--set", "physics.friction=0.05"]
        code, _, err = jobs.run_to_end([sys.executable, "-m", *words], folder="/")
        assert (code, f"{run_file['restart']} belongs to another run: physics.friction" in err) == (2, True)


def test_resuming_without_restart_files(path):
    folder = path.with_name("empty")
    folder.mkdir()
    expected = f"error: {folder} has no restart file, so the run cannot be resumed."
    expected += " Start the run again with --overwrite instead of --resume.\n"
    assert jobs.run_to_end([*jobs.command(path, folder), "--resume"]) == (2, "", expected)
    assert list(folder.iterdir()) == []
    folder.rmdir()
    code, _, err = jobs.run_to_end([*jobs.command(path, folder), "--resume"])
    assert (code, err.startswith(f"error: The output folder {folder} does not exist")) == (2, True)
    assert not folder.exists()
