"""mpirun jobs: output, exit code and error text, and that no process remains."""

import io
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from halcyon.launch.mpirun import find_mpirun, mpirun_command, rank_environment
from halcyon.run import job
from halcyon.run.folder import update_run_file
from halcyon.run.job import Job
from halcyon.run.launcher import conclude
from halcyon.run.progress import PlainView

PREAMBLE = """
import os, signal, sys, time
from halcyon.base import ConfigError, RunError
from halcyon.comm import world
from halcyon.launch.errors import all_ranks_raise, run_guarded
comm = world()
"""
GUARDED = PREAMBLE + "def body():\n{body}\nsys.exit(run_guarded(comm, body, lambda: None))\n"


class FinishedJob:
    """Runs a Python program on the ranks of a job, and holds the exit code and output."""

    def __init__(self, folder: Path, program: str, ranks: int, capfd):
        stream = io.StringIO()
        command = mpirun_command(find_mpirun(), ranks, [sys.executable, "-c", program])
        result = Job(command, rank_environment(ranks), folder / "log.txt").run(PlainView(stream))
        self.code = conclude(result, folder)
        self.out = stream.getvalue()
        self.err = capfd.readouterr().err
        self.log = (folder / "log.txt").read_text()


@pytest.fixture
def run(tmp_path, capfd):
    """A function that runs a program as FinishedJob."""

    def _run(program, ranks):
        return FinishedJob(tmp_path, program, ranks, capfd)

    return _run


def body(text):
    """A program that runs this text on each rank by `run_guarded`."""
    return GUARDED.format(body=textwrap.indent(textwrap.dedent(text), "    "))


@pytest.mark.parametrize("ranks", [1, 4])
def test_an_agreed_error_is_one_text_and_one_code(run, ranks):
    """An error on one rank that all ranks learn is printed once, with its exit code."""
    job = run(
        body("with all_ranks_raise(comm):\n    if comm.rank == comm.size - 1: raise ConfigError('a: b')"),
        ranks,
    )
    assert (job.code, job.err, job.out) == (2, "error: a: b\n", "")
    assert job.log == "error: a: b\n"


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_rank_that_fails_alone_ends_all(run, ranks):
    """An error on one rank, while others wait, ends the job with the error and the rank."""
    job = run(
        body("if comm.rank == comm.size - 1: raise RunError('NaN')\ncomm.Barrier()\ntime.sleep(1000)"), ranks
    )
    assert job.code == 3
    prefix = "" if ranks == 1 else f"rank {ranks - 1}: "
    assert job.err == f"error: {prefix}NaN\n"


@pytest.mark.parametrize("is_quiet", [True, False])
def test_what_mpirun_says_is_the_cause(tmp_path, capfd, is_quiet):
    """The error of a job that mpirun cannot start has mpirun's text; so has the log."""
    command = mpirun_command(find_mpirun(), 1, ["no-such-program"], is_quiet=is_quiet)
    result = Job(command, rank_environment(1), tmp_path / "log.txt").run(PlainView(io.StringIO()))
    assert conclude(result, tmp_path) == 3
    error = capfd.readouterr().err
    assert error.count("\n") == 1
    assert ("unable to find the specified executable" in error) == (not is_quiet)
    assert ("Executable: no-such-program" in (tmp_path / "log.txt").read_text()) == (not is_quiet)


def test_an_error_of_a_rank_is_alone(tmp_path, capfd):
    """Where a rank has told its error, mpirun's texts are neither printed nor logged."""
    program = body("raise ConfigError('a: b')")
    command = mpirun_command(find_mpirun(), 2, [sys.executable, "-c", program], is_quiet=False)
    result = Job(command, rank_environment(2), tmp_path / "log.txt").run(PlainView(io.StringIO()))
    assert (conclude(result, tmp_path), capfd.readouterr().err) == (2, "error: a: b\n")
    assert (tmp_path / "log.txt").read_text() == "error: a: b\n"


def test_lines_pass_and_the_end_is_clean(run):
    job = run(body("if comm.rank == 0: print('cells 3', flush=True)"), 2)
    assert (job.code, job.err, job.out) == (0, "", "cells 3\n")


@pytest.mark.parametrize("number", ["SIGKILL", "SIGTERM"])
def test_a_rank_that_is_killed(run, tmp_path, number):
    """The error names the signal, and run.json has the status `failed`."""
    update_run_file(tmp_path, status="running")
    program = PREAMBLE + f"if comm.rank == 0: os.kill(os.getpid(), signal.{number})\ntime.sleep(1000)"
    job = run(program, 2)
    assert job.code == 3
    assert f"error: a rank was killed by {number}" in job.err
    assert "log.txt" in job.err
    assert json.loads((tmp_path / "run.json").read_text())["status"] == "failed"


def test_an_interruption_ends_everything(tmp_path, capfd, monkeypatch):
    """SIGINT to the launcher ends all ranks, with exit code 130."""
    monkeypatch.setattr(job, "FIRST_STEP_S", 0)
    # One write per line: mpirun may interleave the parts that print() writes with those of the other rank.
    program = PREAMBLE + "os.write(1, f'pid {os.getpid()}\\n'.encode())\ntime.sleep(1000)"
    command = mpirun_command(find_mpirun(), 2, [sys.executable, "-c", program])
    pids = []

    class Interrupting(PlainView):
        def message(self, text):
            pids.append(int(text.split()[1]))
            if len(pids) == 2:
                threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()

    result = Job(command, rank_environment(2), tmp_path / "log.txt").run(Interrupting(io.StringIO()))
    assert conclude(result, tmp_path) == 130
    expected = "error: the run was stopped by SIGINT. It wrote no restart file: start it again.\n"
    assert capfd.readouterr().err == expected
    assert len(pids) == 2
    assert not any(is_alive(pid) for pid in pids)


@pytest.fixture
def stopping(tmp_path, capfd):
    """A function that starts a program on two ranks and sends signals to the launcher once both have printed
    their ids. Returns the exit code, stderr, and whether a rank remains."""

    def _run(program, *numbers):
        pids = []

        class Signalling(PlainView):
            def message(self, text):
                pids.extend(int(word) for word in text.split() if word.isdecimal())
                if len(pids) == 2:
                    for delay, number in enumerate(numbers):
                        threading.Timer(0.2 + 0.3 * delay, os.kill, (os.getpid(), number)).start()

        command = mpirun_command(find_mpirun(), 2, [sys.executable, "-c", PREAMBLE + program])
        result = Job(command, rank_environment(2), tmp_path / "log.txt").run(Signalling(io.StringIO()))
        code = conclude(result, tmp_path)
        return code, capfd.readouterr().err, any(is_alive(pid) for pid in pids)

    return _run


SHOW_PID = "os.write(1, f'{os.getpid()}\\n'.encode())\n"
DEAF = "for number in signal.SIGUSR1, signal.SIGTERM: signal.signal(number, signal.SIG_IGN)\n"


def test_ranks_that_are_stuck_in_mpi_are_ended(stopping, tmp_path, monkeypatch):
    """If a rank hangs, the others never agree to stop: after a deadline all are killed, and the last restart
    file is named with the command that resumes the run."""
    monkeypatch.setattr(job, "_PATIENCE_S", 0.5)
    monkeypatch.setattr(job, "FIRST_STEP_S", 0)
    update_run_file(tmp_path, status="running", restart="restart_1.nc", resume="halcyon run x --resume")
    hang = "if comm.rank == 1: os.kill(os.getpid(), signal.SIGSTOP)\ncomm.Barrier()"
    code, err, remains = stopping(DEAF + SHOW_PID + hang, signal.SIGTERM)
    assert (code, remains) == (143, False)
    assert err == "error: the run was stopped by SIGTERM. Resume with: halcyon run x --resume\n"
    run_file = json.loads((tmp_path / "run.json").read_text())
    assert (run_file["status"], run_file["restart"]) == ("interrupted", "restart_1.nc")


def test_the_patience_with_stuck_ranks_is_short():
    """SIGTERM ends a run that is stuck within ten seconds."""
    assert job._PATIENCE_S + job._KILL_AFTER_S < 9


def test_a_second_ctrl_c_ends_everything(stopping, monkeypatch):
    monkeypatch.setattr(job, "_PATIENCE_S", 1000)
    code, _, remains = stopping(DEAF + SHOW_PID + "time.sleep(300)", signal.SIGINT, signal.SIGINT)
    assert (code, remains) == (130, False)


def test_steps_that_take_long_extend_the_deadline(stopping, monkeypatch):
    monkeypatch.setattr(job, "_PATIENCE_S", 0.1)
    monkeypatch.setattr(job, "FIRST_STEP_S", 0)
    program = """
requested = []
signal.signal(signal.SIGUSR1, lambda *_: requested.append(1))
if comm.rank == 0: os.write(1, b"@halcyon-step 1000.0\\n")
comm.Barrier()
SHOW_PID
while not requested: time.sleep(0.01)
time.sleep(1)
comm.Barrier()
if comm.rank == 0: print("stopped: x", file=sys.stderr, flush=True)
sys.exit(75)
"""
    code, err, _ = stopping(program.replace("SHOW_PID\n", SHOW_PID), signal.SIGTERM)
    assert (code, err) == (75, "stopped: x\n")


@pytest.fixture
def waiting(tmp_path):
    """A job that has not started."""
    return Job([], {}, tmp_path / "log.txt")


def marks(job, *texts):
    for text in texts:
        job._forward(f"@halcyon-{text}", False, None, None)


@pytest.mark.parametrize("mark", ["stop", "step inf"])
@pytest.mark.parametrize("mark_first", [False, True])
def test_ranks_that_write_output_have_time(waiting, mark, mark_first):
    """Once the ranks have agreed to stop, or while they write output, no deadline ends them, whether the
    signal comes first to them or to the launcher; a second signal does."""
    if mark_first:
        marks(waiting, mark)
    waiting._on_signal(signal.SIGTERM, None)
    if not mark_first:
        assert waiting._terminate_at < float("inf")
        marks(waiting, mark)
    assert waiting._terminate_at == float("inf")
    waiting._on_signal(signal.SIGINT, None)
    marks(waiting, mark)
    assert waiting._terminate_at <= time.monotonic()


def test_the_deadline_follows_the_output(waiting):
    marks(waiting, "step inf", "step 0.1")
    waiting._on_signal(signal.SIGTERM, None)
    marks(waiting, "step inf", "step 0.1")
    assert 0 < waiting._terminate_at - time.monotonic() <= job._PATIENCE_S


def test_the_set_up_has_time(waiting):
    waiting._on_signal(signal.SIGTERM, None)
    assert 30 < waiting._terminate_at - time.monotonic() <= 2 * job.FIRST_STEP_S


def test_ranks_do_not_outlive_a_killed_launcher(tmp_path):
    program = PREAMBLE + f"open({str(tmp_path)!r} + f'/pid-{{os.getpid()}}', 'w').close()\ntime.sleep(1000)"
    log = str(tmp_path / "log.txt")
    launcher = textwrap.dedent(f"""
        import pathlib, sys
        from halcyon.run.job import Job
        from halcyon.launch.mpirun import find_mpirun, mpirun_command, rank_environment
        from halcyon.run.progress import PlainView
        command = mpirun_command(find_mpirun(), 2, [sys.executable, "-c", {program!r}])
        Job(command, rank_environment(2), pathlib.Path({log!r})).run(PlainView(sys.stdout))
    """)
    environment = dict(os.environ)  # without the variables that MPI has set in this process
    process = subprocess.Popen([sys.executable, "-c", launcher], stdout=subprocess.DEVNULL, env=environment)
    started_pids = lambda: [int(path.name.removeprefix("pid-")) for path in tmp_path.glob("pid-*")]  # noqa: E731
    wait_until(lambda: len(started_pids()) == 2)
    pids = started_pids()
    process.kill()
    process.wait()
    wait_until(lambda: not any(is_alive(pid) for pid in pids))


def wait_until(condition):
    while not condition():
        time.sleep(0.1)


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
