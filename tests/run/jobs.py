"""Whole runs as jobs of their own, met by signals and faults, and what must hold of them afterwards."""

import json
import os
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from halcyon.io import verify
from tests.run import case, runs
from tests.support.ranks import MPI_ENVIRONMENT

LIMIT_S = 50
# Long enough to be met; a restart file only where one is asked for.
LONG = ["--set", "time.source_step=30", "--set", "restart.interval=none"]
RESTARTS = ["--set", "time.source_step=30", "--set", "restart.interval=3600"]


def command(path, folder, *options, ranks=2):
    return case.program(path, *options, "--output", str(folder), "-n", str(ranks))


def ended(words):
    """Runs a command to its end: exit code, stdout, stderr."""
    return case.ended_all({0: words})[0]


def whole_run(path, *options):
    """The folder of a run that nothing happens to, and how long it took after its first record [s]."""
    folder = path.with_name("whole")
    process = running(command(path, folder, *options), folder)
    began = time.monotonic()
    code, _, err = ending(process)
    assert (code, err) == (0, "")
    return folder, time.monotonic() - began


def started(words):
    """Starts a command with the signals as a shell gives them."""
    return subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=MPI_ENVIRONMENT | os.environ,
        preexec_fn=_default_signals,
    )


def running(words, folder):
    """Starts a run and waits until it has written a record."""
    process, deadline = started(words), time.monotonic() + LIMIT_S
    while not _has_records(folder / "stations.csv"):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return process


def ending(process):
    """Waits for the end of a run: exit code, stdout, stderr."""
    try:
        out, err = process.communicate(timeout=LIMIT_S)
    finally:
        process.kill()
    return process.returncode, out, err


def processes(folder, *, ranks_only=False):
    """The processes of a run into a folder."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().decode().split("\0")
            environment = (entry / "environ").read_bytes().decode(errors="replace")
        except OSError:
            continue
        is_rank = "OMPI_COMM_WORLD_RANK" in environment
        if any(str(folder) in word for word in words) and (is_rank or not ranks_only):
            found.append(int(entry.name))
    return sorted(found)


def kill_all(folder):
    """kill -9 of every process of a run, until none is left."""
    deadline = time.monotonic() + LIMIT_S
    while found := processes(folder):
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        assert time.monotonic() < deadline
        time.sleep(0.01)


def status(folder):
    return json.loads((folder / "run.json").read_text())


def finish(path, folder, whole, *options, ranks=1):
    """Brings a run to its end, from a restart file if it has one: its bits are those of the whole. Gives
    whether it went on."""
    words = command(path, folder, *options, ranks=ranks)
    goes_on = any(folder.glob("restart_*.nc"))
    code, out, err = ended([*words, "--resume"])
    if not goes_on:
        assert code == 2
        assert "has no restart file" in err
        code, out, err = ended(words)
    assert (code, err) == (0, ""), out
    went_on = "The run goes on from restart_" in out
    assert went_on or not goes_on or "is finished: there is nothing to resume" in out
    assert runs.differing(whole, folder) == []
    return went_on


def killed_after(path, folder, whole, seconds, *options):
    """kill -9 of the whole job so long after its first record; every file with its name is whole; then it is
    brought to its end, see `finish`."""
    shutil.rmtree(folder, ignore_errors=True)
    process = running(command(path, folder, *options), folder)
    time.sleep(seconds)
    kill_all(folder)
    process.communicate()
    require_whole(folder)
    return finish(path, folder, whole, *options)


def require_whole(folder):
    """Every file of a run that has its name is whole."""
    for file in folder.glob("*.nc"):
        found = verify(str(file))
        assert found.n_checked == found.n_variables


@contextmanager
def small_disk(folder, size):
    """A file system of so many bytes; skips the test where we may not mount one."""
    folder.mkdir()
    if not _mounted("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)):
        pytest.skip("a small disk needs the right to mount tmpfs (root)")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def remount(folder, options):
    assert _mounted("-o", f"remount,{options}", str(folder))


def full_disk(path, folder, whole, size, *options):
    """A run onto a disk that is too small says which file; what it wrote is whole; with room it goes on."""
    with small_disk(folder, size) as disk:
        results = disk / "results"
        code, _, err = ended(command(path, results, *options))
        assert code == 3, err
        assert (err.startswith("error: "), err.count("\n")) == (True, 1), err
        assert f"{results}/" in err
        assert ("free" in err and "needs" in err) or "No space left on device" in err
        require_whole(results)
        remount(disk, "size=64m")
        finish(path, results, whole, *options)


def _mounted(*words):
    return subprocess.run(["mount", *words], capture_output=True).returncode == 0


def _has_records(csv):
    return csv.exists() and csv.read_text().count("\n") > 3


def _default_signals():
    for number in (signal.SIGUSR1, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
