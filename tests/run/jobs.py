"""Complete runs as separate jobs that tests interrupt by signals and faults, and checks of their results."""

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
from tests.support.command import halcyon
from tests.support.ranks import MPI_ENVIRONMENT

# Options of runs that last long enough to be interrupted; with LONG, restart files are written only on
# request.
LONG = ["--set", "time.source_step=30", "--set", "restart.interval=none"]
RESTARTS = ["--set", "time.source_step=30", "--set", "restart.interval=3600"]


def command(path, folder, *options, ranks=2):
    """The command that runs a case with this output folder."""
    return case.program(path, *options, "--output", str(folder), "-n", str(ranks))


def run_to_end(command_words, folder="."):
    """Runs a command of `halcyon` in a folder. Returns exit code, stdout and stderr."""
    assert command_words[: len(case.PROGRAM)] == case.PROGRAM
    done = halcyon(*command_words[len(case.PROGRAM) :], folder=folder)
    return done.returncode, done.stdout, done.stderr


def whole_run(path, *options):
    """Runs the case without interruption. Returns the output folder, and the wall time after the first record
    [s]."""
    folder = path.with_name("whole")
    process = start_until_first_record(command(path, folder, *options), folder)
    began = time.monotonic()
    code, _, err = wait_for_end(process)
    assert (code, err) == (0, "")
    return folder, time.monotonic() - began


def start(command_words, **options):
    """Starts a command with the default signal handlers. options: of Popen"""
    return subprocess.Popen(
        command_words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=MPI_ENVIRONMENT | os.environ,
        preexec_fn=_default_signals,
        **options,
    )


def start_until_first_record(command_words, folder, **options):
    """Starts a run, waits until stations.csv has the first records, and returns the process."""
    process = start(command_words, **options)
    while not _has_records(folder / "stations.csv"):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    return process


def wait_for_end(process):
    """Waits for the end of a run. Returns exit code, stdout and stderr."""
    try:
        out, err = process.communicate()
    finally:
        process.kill()
    return process.returncode, out, err


def processes(folder, *, ranks_only=False):
    """The ids of the processes whose command names this output folder: launcher, mpirun and ranks."""
    pids = []
    for entry in Path("/proc").iterdir():
        try:
            command_words = (entry / "cmdline").read_bytes().decode().split("\0")
            environment = (entry / "environ").read_bytes().decode(errors="replace")
        except OSError:
            continue
        is_rank = "OMPI_COMM_WORLD_RANK" in environment
        if any(str(folder) in word for word in command_words) and (is_rank or not ranks_only):
            pids.append(int(entry.name))
    return sorted(pids)


def kill_all(folder):
    """Kills every process of a run with SIGKILL."""
    while pids := processes(folder):
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        time.sleep(0.01)


def status(folder):
    return json.loads((folder / "run.json").read_text())


def finish(path, folder, whole, *options, ranks=1):
    """Completes a run, from a restart file if there is one, and checks that the output equals the bits of the
    uninterrupted run with output folder `whole`. Returns whether the run was resumed."""
    command_words = command(path, folder, *options, ranks=ranks)
    has_restart = any(folder.glob("restart_*.nc"))
    code, out, err = run_to_end([*command_words, "--resume"])
    if not has_restart:
        assert code == 2
        assert "has no restart file" in err
        code, out, err = run_to_end([*command_words, "--overwrite"])
    assert (code, err) == (0, ""), out
    was_resumed = "Resuming from restart_" in out
    assert was_resumed or not has_restart or "is finished: there is nothing to resume" in out
    assert runs.differing(whole, folder) == []
    return was_resumed


def kill_and_finish(path, folder, whole, seconds, *options):
    """Starts a run, kills all its processes `seconds` after the first record, checks that its files are
    complete, and completes the run by `finish`."""
    shutil.rmtree(folder, ignore_errors=True)
    process = start_until_first_record(command(path, folder, *options), folder)
    time.sleep(seconds)
    kill_all(folder)
    process.communicate()
    require_complete_files(folder)
    return finish(path, folder, whole, *options)


def require_complete_files(folder):
    """Checks the checksums of all variables of every netCDF file that has its final name."""
    for file in folder.glob("*.nc"):
        verified = verify(str(file))
        assert verified.n_checked == verified.n_variables


@contextmanager
def small_disk(folder, size):
    """Mounts a file system of `size` bytes in memory; skips the test if mounting is not permitted."""
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
    """Runs a case on a disk that becomes full, and checks that the error names the file, that complete files
    are valid, and that the run can be completed after the disk is enlarged."""
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


def _mounted(*command_words):
    return subprocess.run(["mount", *command_words], capture_output=True).returncode == 0


def _has_records(csv):
    return csv.exists() and csv.read_text().count("\n") > 3


def _default_signals():
    for number in (signal.SIGUSR1, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
