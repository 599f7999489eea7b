"""A signal to a rank ends the process in time, also if the rank waits for others in MPI."""

import subprocess
import sys

PROGRAM = """
import os, signal, sys
from mpi4py import MPI
from halcyon.run import stop
stop._PATIENCE_S = {patience}
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


def run(**texts):
    command = [sys.executable, "-c", PROGRAM.format(**texts)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    return done.returncode, done.stdout, done.stderr


def test_a_rank_that_is_stuck_in_mpi_ends():
    code, out, err = run(signal="SIGTERM", patience=0.1, body=STUCK)
    text = "error: the run was ended after SIGTERM, as not all ranks agreed to stop. See run.json.\n"
    assert (code, out, err) == (143, "", text)


def test_ranks_that_agree_have_time():
    assert run(signal="SIGUSR1", patience=100, body=AGREED) == (0, "continued\n", "")


def test_a_second_ctrl_c_ends_the_rank():
    body = "os.kill(os.getpid(), signal.SIGINT)\nprint('continued')"
    assert run(signal="SIGINT", patience=100, body=body) == (-2, "", "")
