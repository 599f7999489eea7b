"""Two runs in one folder: the second is turned away, and the first goes on."""

import os
import signal
import subprocess
import sys

import pytest

from halcyon.base import RunError
from halcyon.run.folder import LOCK, folder_locked
from tests.run import case

HOLDER = """
import pathlib, sys, time
from halcyon.run.folder import folder_locked
with folder_locked(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def held(tmp_path):
    """A folder that another process holds, and that process."""
    folder = tmp_path / "held"
    folder.mkdir()
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(folder)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    yield folder, process
    process.kill()
    process.communicate()


def test_a_lock_is_let_go(tmp_path):
    for _ in range(2):
        with folder_locked(tmp_path):
            assert (tmp_path / LOCK).read_text() == f"{os.getpid()}\n"


def test_a_lock_dies_with_its_holder(held):
    folder, process = held
    process.send_signal(signal.SIGKILL)
    process.wait()
    with folder_locked(folder):
        pass


def test_a_second_run_is_turned_away(held, tmp_path):
    folder, process = held
    said = f"another run (pid {process.pid}) writes to {folder}."
    said += " Wait for it, or give another folder by --output."
    with pytest.raises(RunError) as caught, folder_locked(folder):
        pass
    assert str(caught.value) == said
    command = case.program(case.write_case(tmp_path), "--output", str(folder))
    ways = {"launcher": [*command, "-n", "2"], "mpirun": ["mpirun", "-q", "-n", "2", *command]}
    for code, _, err in case.ended_all(ways).values():
        assert (code, err) == (3, f"error: {said}\n")
    assert [file.name for file in folder.iterdir()] == [LOCK]
