"""The test harness ends failed runs, and reports failures that occur on one rank only."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


@pytest.fixture
def run_ranks(tmp_path):
    """Returns a function that runs a test file on two ranks with a copy of the harness, and returns the exit
    code and the output."""

    def run(text: str, limit_s: int = 30) -> tuple[int, str]:
        (tmp_path / "tests/support").mkdir(parents=True)
        shutil.copy(TESTS / "support/ranks.py", tmp_path / "tests/support")
        shutil.copy(TESTS / "conftest.py", tmp_path)
        (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\naddopts = --color=no\n")
        (tmp_path / "test_probe.py").write_text("import pytest\npytestmark = pytest.mark.mpi\n" + text)
        launch = ["mpirun", "-n", "2", sys.executable, "-m", "pytest", "-m", "mpi", "-p", "no:cacheprovider"]
        done = subprocess.run(
            launch,
            cwd=tmp_path,
            env=os.environ | {"HALCYON_TEST_TIMEOUT": str(limit_s)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=50,
        )
        return done.returncode, done.stdout + done.stderr

    return run


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

def test_passes(comm):
    comm.Barrier()
"""


def test_failure_on_one_rank_fails_all(run_ranks):
    code, output = run_ranks(PROBES)
    assert code != 0
    assert "test_probe.py::test_fails failed on rank 1 of 2" in output
    assert "the odd one" in output
    assert "test_probe.py::test_set_up_fails failed on rank 1 of 2" in output
    assert "test_probe.py::test_skips_on_one skipped on rank 1 of 2" in output
    assert "3 failed, 1 passed, 1 skipped" in output


def test_hang_after_failure_is_ended(run_ranks):
    code, output = run_ranks(
        "def test_probe(comm):\n    assert comm.rank != 1, 'the odd one'\n    comm.Barrier()\n", limit_s=3
    )
    assert code != 0
    assert "test_probe.py::test_probe on rank 1 of 2 ran longer than 3 s" in output
    assert "the odd one" in output


def test_different_collections_are_refused(run_ranks):
    code, output = run_ranks(
        "import os\ndef test_both():\n    pass\n"
        "if os.environ['OMPI_COMM_WORLD_RANK'] == '1':\n    raise ValueError('only here')\n"
    )
    assert code != 0
    assert "rank 1 collected other tests than rank 0: test_probe.py::test_both" in output
    assert "ValueError: only here" in output
