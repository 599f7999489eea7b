"""Two runs in one folder: the second is refused, and the first continues."""

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
    print("locked", flush=True)
    time.sleep(1000)
"""


@pytest.fixture
def locked(tmp_path):
    """A folder that another process has locked, and that process."""
    folder = tmp_path / "locked"
    folder.mkdir()
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(folder)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "locked\n"
    yield folder, process
    process.kill()
    process.communicate()


def test_a_lock_is_let_go(tmp_path):
    """A folder can be locked again after the lock is released; the lock file has the process id."""
    for _ in range(2):
        with folder_locked(tmp_path):
            assert (tmp_path / LOCK).read_text() == f"{os.getpid()}\n"


def test_a_lock_dies_with_its_holder(locked):
    """A killed process leaves no lock."""
    folder, process = locked
    process.send_signal(signal.SIGKILL)
    process.wait()
    with folder_locked(folder):
        pass


def test_a_second_run_is_turned_away(locked, tmp_path):
    """A locked folder is refused with the process id, by the launcher and under mpirun, and gets no files."""
    folder, process = locked
    expected = f"another run (pid {process.pid}) is writing to {folder}."
    expected += " Wait for it to end, or give another folder by --output."
    with pytest.raises(RunError) as caught, folder_locked(folder):
        pass
    assert str(caught.value) == expected
    command = case.program(case.write_case(tmp_path), "--output", str(folder))
    commands = {"launcher": [*command, "-n", "2"], "mpirun": ["mpirun", "-q", "-n", "2", *command]}
    for code, _, err in case.run_all(commands).values():
        assert (code, err) == (3, f"error: {expected}\n")
    assert [file.name for file in folder.iterdir()] == [LOCK]
