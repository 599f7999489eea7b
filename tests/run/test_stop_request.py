"""A signal to a rank ends the process in time, also if the rank waits for others in MPI."""

import subprocess
import sys

import pytest

PROGRAM = """
import os, signal, sys
from mpi4py import MPI
from halcyon.run import stop
stop._PATIENCE_S, stop.FIRST_STEP_S = {patience}, 0
request = stop.StopRequest()
comm = MPI.COMM_WORLD
os.kill(os.getpid(), signal.{signal})
{body}
"""
STUCK = "comm.recv(source=0)"  # never sent
AGREED = """
import time
for i in range(2):
    assert request.received(comm)
time.sleep(0.3)
print("continued")
"""
IN_OUTPUT = """
import time
with request.suspended(comm):
    time.sleep(0.5)
request.suspend(comm)
time.sleep(0.5)
print("continued")
"""
AFTER_OUTPUT = """
with request.suspended(comm):
    pass
comm.recv(source=0)
"""
LONG_STEPS = """
import time
request.add_step(comm, 100)
request.add_step(comm, 0)
time.sleep(0.5)
print("continued")
"""


def run(**texts):
    command = [sys.executable, "-c", PROGRAM.format(**texts)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("body", [STUCK, AFTER_OUTPUT])
def test_a_rank_that_is_stuck_in_mpi_ends(body):
    code, out, err = run(signal="SIGTERM", patience=0.3, body=body)
    text = "error: the run was ended after SIGTERM, as not all ranks agreed to stop. See run.json.\n"
    assert (code, out, err) == (143, "", text)


def test_ranks_that_agree_have_time():
    assert run(signal="SIGUSR1", patience=100, body=AGREED) == (0, "continued\n", "")


@pytest.mark.parametrize("body", [IN_OUTPUT, LONG_STEPS])
def test_long_output_and_long_steps_have_time(body):
    assert run(signal="SIGTERM", patience=0.3, body=body) == (0, "continued\n", "")


def test_the_launcher_learns_of_output_and_of_long_steps(monkeypatch):
    """It has no deadline during output, and a longer one for long steps; inner output changes nothing."""
    program = """
request.add_step(comm, 3)
with request.suspended(comm), request.suspended(comm):
    pass
request.add_step(comm, 2)
request.suspend(comm)
"""
    monkeypatch.setenv("HALCYON_LAUNCHER", "1")
    code, out, err = run(signal="SIGTERM", patience=100, body=program)
    assert (code, err) == (0, "")
    steps = [line.removeprefix("@halcyon-step ") for line in out.splitlines()]
    assert steps == ["3.0", "inf", "inf", "3.0", "inf"]


def test_a_closed_request_has_no_thread():
    body = "import threading\nrequest.close()\n[t.join() for t in threading.enumerate()[1:]]\nprint('end')"
    assert run(signal="SIGCONT", patience=100, body=body) == (0, "end\n", "")


def test_a_second_ctrl_c_ends_the_rank():
    body = "os.kill(os.getpid(), signal.SIGINT)\nprint('continued')"
    assert run(signal="SIGINT", patience=100, body=body) == (-2, "", "")
