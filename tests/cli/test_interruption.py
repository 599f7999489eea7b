"""Ctrl-C (SIGINT): the message and the exit code."""

import os
import subprocess
import sys

import pytest

# Programs that run a command and send SIGINT: when a module is imported, and while simulations run, during
# which the first interrupt is ignored in the wait for results.
AT_IMPORT = """\
import signal, sys
class Watch:
    def find_spec(self, name, *_):
        if name == {module!r}:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Watch())
from halcyon.cli import main
main()
"""
WHILE_SIMULATING = """\
import os, signal, time
import halcyon.simulate.many as many
def computed(*_):
    while not waits:
        time.sleep(0.05)
    time.sleep(0.2)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(600)
many.simulate_one = computed
waits, wait = [], many.wait
def ignore_interrupts(*words, **options):
    waits.append(True)
    while True:
        try:
            return wait(*words, **options)
        except KeyboardInterrupt:
            pass
many.wait = ignore_interrupts
from halcyon.cli import main
main()
"""
CASE = "workload: {type: alltoall, block_bytes: 8}\nranks: 2\ntopology: {type: crossbar, nodes: 4}\n"
GOES_ON = "error: interrupted. Completed simulations are kept; repeat the command to continue.\n"


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (AT_IMPORT.format(module="typer"), "error: interrupted.\n"),
        pytest.param(
            AT_IMPORT.format(module="yaml"),
            GOES_ON,
            id=("program1-error: interrupted. What was simulated is kept; the same command goes on.\n"),
        ),
        pytest.param(
            AT_IMPORT.format(module="xarray"),
            GOES_ON,
            id=("program2-error: interrupted. What was simulated is kept; the same command goes on.\n"),
        ),
        pytest.param(
            WHILE_SIMULATING,
            GOES_ON,
            id=("program3-error: interrupted. What was simulated is kept; the same command goes on.\n"),
        ),
    ],
)
def test_a_simulation_ends_at_once_and_says_so(tmp_path, program, message):
    """`halcyon simulate` ends with exit code 130 and one line, wherever the interrupt comes."""
    (tmp_path / "case.yaml").write_text(CASE)
    done = subprocess.run(
        [sys.executable, "-c", program, "simulate", "case.yaml", "--no-picture"],
        cwd=tmp_path,
        env=os.environ | {"HALCYON_CACHE": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (130, message)


def test_other_commands_say_that_they_were_interrupted(tmp_path):
    program = AT_IMPORT.format(module="halcyon.cli.verify")
    done = subprocess.run([sys.executable, "-c", program, "verify", "x"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "error: interrupted.\n")
