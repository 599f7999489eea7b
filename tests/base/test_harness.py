"""The test harness ends failed runs, and reports failures that occur on one rank only."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


PYTEST = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
ON_RANKS = ["mpirun", "-n", "2", *PYTEST, "-m", "mpi"]


@pytest.fixture
def write_tests(tmp_path):
    """Returns a function that writes a test file and a copy of the harness, and returns their folder."""

    def write(text: str) -> Path:
        (tmp_path / "tests/support").mkdir(parents=True)
        for name in ("ranks.py", "journal.py"):
            shutil.copy(TESTS / "support" / name, tmp_path / "tests/support")
        shutil.copy(TESTS / "conftest.py", tmp_path)
        (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\naddopts = --color=no\n")
        (tmp_path / "test_probe.py").write_text("import os, time, pytest\n" + text)
        return tmp_path

    return write


@pytest.fixture
def run_ranks(write_tests):
    """Returns a function that runs a test file on two ranks, and returns the exit code and the output."""
    # The environment is that of Python: MPI, once initialized, adds variables that only the C library sees.

    def run(text: str) -> tuple[int, str]:
        folder = write_tests("pytestmark = pytest.mark.mpi\n" + text)
        done = subprocess.run(
            ON_RANKS,
            cwd=folder,
            env=dict(os.environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stdout + done.stderr

    return run


def until(process, text: str) -> str:
    """Reads the output of a process up to a line that contains `text`, and returns it."""
    output = ""
    for line in process.stdout:
        output += line
        if text in line:
            return output
    raise AssertionError(f"{text!r} is missing in: {output}")


PROBES = """
def test_fails(comm):
    assert comm.rank != 1, "the odd one"

@pytest.fixture
def broken(comm):
    assert comm.rank != 1

def test_set_up_fails(broken):
    pass

def test_skips_on_one(comm):
    if comm.rank == 1:
        pytest.skip("not here")

def test_skips_on_all(comm):
    pytest.skip("nowhere")

@pytest.mark.ranks(2, 4)
def test_passes(comm):
    comm.Barrier()

@pytest.mark.ranks(3)
def test_of_other_ranks(comm):
    assert False
"""


def test_failure_on_one_rank_fails_all(run_ranks):
    code, output = run_ranks(PROBES)
    assert code != 0
    assert "FAILED test_probe.py::test_fails on rank 1 of 2 - AssertionError: the odd one" in output
    assert "FAILED test_probe.py::test_set_up_fails in its setup on rank 1 of 2 - assert 1 != 1" in output
    assert "FAILED test_probe.py::test_skips_on_one on rank 0 of 2 - " in output
    assert "test_probe.py::test_fails failed on rank 1 of 2" in output
    assert "the odd one" in output
    assert "test_probe.py::test_set_up_fails failed on rank 1 of 2" in output
    assert "test_probe.py::test_skips_on_one skipped on rank 1 of 2" in output
    assert "3 failed, 1 passed, 1 skipped, 1 deselected" in output


def test_hang_after_failure_is_ended(run_ranks):
    code, output = run_ranks(
        "@pytest.mark.timeout(3 if os.environ['OMPI_COMM_WORLD_RANK'] == '1' else 500)\n"
        "def test_probe(comm):\n    assert comm.rank != 1, 'the odd one'\n    comm.Barrier()\n"
    )
    assert code != 0
    assert "test_probe.py::test_probe on rank 1 of 2 ran longer than 3 s" in output
    assert "the odd one" in output


def test_different_collections_are_refused(run_ranks):
    code, output = run_ranks(
        "def test_both():\n    pass\n"
        "if os.environ['OMPI_COMM_WORLD_RANK'] == '1':\n    raise ValueError('only here')\n"
    )
    assert code != 0
    assert "rank 1 collected other tests than rank 0: test_probe.py::test_both" in output
    assert "ValueError: only here" in output


ENDED = """
def test_fails():
    assert False, "the odd one"

def test_crashes():
    os.kill(os.getpid(), 9)

def test_waits():
    open("waits", "w").close()
    time.sleep(500)
"""


def test_failures_are_printed_as_they_happen_and_when_a_run_is_ended(write_tests):
    """Failed tests and crashed workers of a serial run are named at once. After SIGTERM the run prints its
    report, with the running test."""
    folder = write_tests(ENDED)
    process = subprocess.Popen(
        [*PYTEST, "-n", "1"],
        cwd=folder,
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    until(process, "FAILED test_probe.py::test_fails - AssertionError: the odd one")
    until(process, "FAILED test_probe.py::test_crashes - worker 'gw0' crashed while running")
    while not (folder / "waits").exists():
        time.sleep(0.05)
    process.terminate()
    rest = process.stdout.read()
    assert process.wait() == pytest.ExitCode.INTERRUPTED
    assert "test_probe.py::test_waits was running" in rest
    assert "ended by SIGTERM" in rest
    assert 'assert False, "the odd one"' in rest  # the report of pytest
    assert "2 failed" in rest


ENDED_ON_RANKS = """
pytestmark = pytest.mark.mpi

def test_fails(comm):
    assert comm.rank != 1, "the odd one"

def test_waits(comm):
    open(f"waits-{comm.rank}", "w").close()
    comm.Barrier() if comm.rank == 0 else time.sleep(500)
"""
RUNNER = """
import importlib.machinery, importlib.util, sys
path, folder, *on_ranks = sys.argv[1:]
sys.argv = [path]
loader = importlib.machinery.SourceFileLoader("runner", path)
runner = importlib.util.module_from_spec(importlib.util.spec_from_loader("runner", loader))
loader.exec_module(runner)
cases = "--test-case=harness: fails*,harness: crashes*"
runner.launches = lambda *_: {
    "C++": ["mpirun", "-n", "2", "build/release/tests/halcyon_tests", "--no-skip", cases],
    "pytest": ["env", "-C", folder, *on_ranks],
}
sys.exit(runner.main())
"""


def test_the_summary_of_tests_names_failed_and_running_tests(write_tests):
    """tools/test continues after a launch that crashed. When it gets SIGTERM it ends the next launch, and its
    summary has the failed tests of both, and the tests that ran on each rank."""
    folder = write_tests(ENDED_ON_RANKS)
    process = subprocess.Popen(
        [sys.executable, "-c", RUNNER, str(TESTS.parent / "tools/test"), str(folder), *ON_RANKS],
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    until(process, "FAILED test_probe.py::test_fails on rank 1 of 2 - AssertionError: the odd one")
    while len(list(folder.glob("waits-*"))) < 2:
        time.sleep(0.05)
    process.terminate()
    head, _, summary = process.stdout.read().rpartition("== summary\n")
    assert process.wait() == 1
    for output in (head, summary):
        assert "FAILED test_probe.py::test_fails - AssertionError: the odd one" in output
        for rank in (0, 1):
            assert f"test_probe.py::test_waits on rank {rank} of 2 was running" in output
    lines = [line.strip() for line in summary.splitlines()]
    assert re.match(r"C\+\+ +FAILED \(\d+\) ", lines[0])
    assert "FAILED harness: fails on rank 1 - rank 1 of 2" in lines
    assert "FAILED harness: crashes on rank 1 - SIGSEGV - Segmentation violation signal" in lines
    assert "harness: crashes on rank 1 on rank 1 of 2 was running" in lines
    assert re.search(r"pytest +ended ", summary)
    assert lines[-1] == "ended by SIGTERM"
