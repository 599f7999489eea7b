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


def test_an_interruption_ends_everything(tmp_path, capfd):
    """SIGINT to the launcher ends all ranks, with exit code 130."""
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
    assert capfd.readouterr().err == "error: the run was stopped by SIGINT.\n"
    assert len(pids) == 2
    assert not any(is_alive(pid) for pid in pids)


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
