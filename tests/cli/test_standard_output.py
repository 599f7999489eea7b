"""Long-running commands whose standard output cannot be written continue, and say so in one line."""

import json
import os
import subprocess
import sys

import pytest

from tests.run import case
from tests.support.ranks import MPI_ENVIRONMENT

CASE = "workload: {type: alltoall, block_bytes: 8}\nranks: 2\ntopology: {type: crossbar, nodes: 4}\n"


@pytest.fixture(params=["full", "closed"])
def output(request):
    """A standard output on a full disk, or a pipe that nobody reads, as after `| head -1`; and the error."""
    if request.param == "full":
        with open("/dev/full", "w") as file:
            yield file, "No space left on device"
        return
    reader, writer = os.pipe()
    os.close(reader)
    yield writer, "Broken pipe"
    os.close(writer)


def run(words, output, folder):
    environment = os.environ | MPI_ENVIRONMENT | {"HALCYON_CACHE": str(folder / "cache")}
    done = subprocess.run(
        words, stdout=output, stderr=subprocess.PIPE, text=True, timeout=100, env=environment
    )
    return done.returncode, done.stderr


def warning(reason, advice):
    return f"warning: standard output cannot be written: {reason}. {advice}\n"


def test_a_run_continues(tmp_path, output):
    file, reason = output
    path, folder = case.write_case(tmp_path), tmp_path / "out"
    advice = "The run continues; its messages are in log.txt of the output folder."
    words = case.program(path, "--output", str(folder), "-n", "2", "--set", "time.end=2022-09-01T01:00")
    assert run(words, file, tmp_path) == (0, warning(reason, advice))
    assert json.loads((folder / "run.json").read_text())["status"] == "finished"
    log = (folder / "log.txt").read_text()
    assert "100 %" in log
    assert "files written:" in log


def test_a_simulation_continues(tmp_path):
    (tmp_path / "case.yaml").write_text(CASE)
    words = [sys.executable, "-m", "halcyon", "simulate", str(tmp_path / "case.yaml"), "--no-picture"]
    advice = "The results will be in the output folder."
    with open("/dev/full", "w") as file:
        assert run(words, file, tmp_path) == (0, warning("No space left on device", advice))
    assert (tmp_path / "case.out/results.nc").exists()


def test_a_validation_continues(tmp_path):
    with open("/dev/full", "w") as file:
        words = [sys.executable, "-m", "halcyon", "validate", "krylov", "--output", str(tmp_path)]
        code, err = run(words, file, tmp_path)
    report = tmp_path / "validation.html"
    assert (code, err) == (0, warning("No space left on device", f"The report will be {report}."))
    assert report.exists()


def test_a_run_survives_when_nothing_can_be_written(tmp_path):
    """Both standard output and standard error are on a full disk."""
    path, folder = case.write_case(tmp_path), tmp_path / "out"
    words = case.program(path, "--output", str(folder), "-n", "1", "--set", "time.end=2022-09-01T01:00")
    with open("/dev/full", "w") as full:
        done = subprocess.run(words, stdout=full, stderr=full, timeout=100, env=os.environ | MPI_ENVIRONMENT)
    assert done.returncode == 0
    assert json.loads((folder / "run.json").read_text())["status"] == "finished"
