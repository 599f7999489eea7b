"""Complete runs as separate jobs, interrupted by signals and faults, and checks of their results."""

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
# Long enough to be interrupted; LONG writes restart files only on request.
LONG = ["--set", "time.source_step=30", "--set", "restart.interval=none"]
RESTARTS = ["--set", "time.source_step=30", "--set", "restart.interval=3600"]


def command(path, folder, *options, ranks=2):
    return case.program(path, *options, "--output", str(folder), "-n", str(ranks))


def run_to_end(words):
    """Runs a command: exit code, stdout, stderr."""
    return case.run_all({0: words})[0]


def whole_run(path, *options):
    """The output folder of an uninterrupted run, and its wall time after the first record [s]."""
    folder = path.with_name("whole")
    process = start_until_first_record(command(path, folder, *options), folder)
    began = time.monotonic()
    code, _, err = wait_for_end(process)
    assert (code, err) == (0, "")
    return folder, time.monotonic() - began


def start(words):
    """Starts a command with the default signal handlers."""
    return subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=MPI_ENVIRONMENT | os.environ,
        preexec_fn=_default_signals,
    )


def start_until_first_record(words, folder):
    """Starts a run and waits for its first record."""
    process, deadline = start(words), time.monotonic() + LIMIT_S
    while not _has_records(folder / "stations.csv"):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return process


def wait_for_end(process):
    """Waits for the end of a run: exit code, stdout, stderr."""
    try:
        out, err = process.communicate(timeout=LIMIT_S)
    finally:
        process.kill()
    return process.returncode, out, err


def processes(folder, *, ranks_only=False):
    """The process ids of a run with this output folder."""
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
    """Kills every process of a run with SIGKILL."""
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
    """Completes a run, from a restart file if there is one, and checks that its bits equal those of the
    uninterrupted run `whole`. Returns whether it was resumed."""
    words = command(path, folder, *options, ranks=ranks)
    has_restart = any(folder.glob("restart_*.nc"))
    code, out, err = run_to_end([*words, "--resume"])
    if not has_restart:
        assert code == 2
        assert "has no restart file" in err
        code, out, err = run_to_end(words)
    assert (code, err) == (0, ""), out
    was_resumed = "Resuming from restart_" in out
    assert was_resumed or not has_restart or "is finished: there is nothing to resume" in out
    assert runs.differing(whole, folder) == []
    return was_resumed


def kill_and_finish(path, folder, whole, seconds, *options):
    """Kills all processes `seconds` after the first record, checks that its files are complete, and completes
    the run, see `finish`."""
    shutil.rmtree(folder, ignore_errors=True)
    process = start_until_first_record(command(path, folder, *options), folder)
    time.sleep(seconds)
    kill_all(folder)
    process.communicate()
    require_complete_files(folder)
    return finish(path, folder, whole, *options)


def require_complete_files(folder):
    """Checks that every file with its final name is complete."""
    for file in folder.glob("*.nc"):
        found = verify(str(file))
        assert found.n_checked == found.n_variables


@contextmanager
def small_disk(folder, size):
    """A file system of `size` bytes; skips the test if mounting is not permitted."""
    folder.mkdir()
    if not _mounted("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)):
        pytest.skip("a small disk needs the right to mount tmpfs (root)")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def remount(folder, options):
    assert _mounted("-o", f"remount,{options}", str(folder))


def run_on_full_disk(path, folder, whole, size, *options):
    """On a full disk a run names the file, its complete files are valid, and it can be resumed with more
    space."""
    with small_disk(folder, size) as disk:
        results = disk / "results"
        code, _, err = run_to_end(command(path, results, *options))
        assert code == 3, err
        assert (err.startswith("error: "), err.count("\n")) == (True, 1), err
        assert f"{results}/" in err
        assert ("free" in err and "needs" in err) or "No space left on device" in err
        require_complete_files(results)
        remount(disk, "size=64m")
        finish(path, results, whole, *options)


def _mounted(*words):
    return subprocess.run(["mount", *words], capture_output=True).returncode == 0


def _has_records(csv):
    return csv.exists() and csv.read_text().count("\n") > 3


def _default_signals():
    for number in (signal.SIGUSR1, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
