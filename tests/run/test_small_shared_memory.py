"""Runs on a machine whose /dev/shm is too small for shared windows end, or use another exchange method."""

import os
import subprocess

import pytest

import halcyon.mesh
from tests.run import case
from tests.support import meshes
from tests.support.ranks import MPI_ENVIRONMENT

CASE = """\
model: atmosphere
mesh: {file: mesh.nc}
equations: shallow_water
time: {start: 2000-01-01T00:00, end: 2000-01-01T03:00}
initial: {type: mountain}
output: {interval: 10800, variables: [height], pictures: false}
"""
NAMESPACE = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), "sh", "-c"]
SMALL = "mount -t tmpfs -o size=4k tmpfs /dev/shm"


def run_in_namespace(path, method):
    """Runs the case with a /dev/shm of 4 kB; skips the test where mounts are not permitted."""
    trial = subprocess.run([*NAMESPACE, SMALL], capture_output=True, text=True)
    if trial.returncode != 0:
        pytest.skip(f"mount namespaces are not permitted: {trial.stderr.strip()}")
    options = ["-n", "2", "--set", f"exchange.method={method}", "--output", str(path.with_name(method))]
    return subprocess.run(
        [*NAMESPACE, f'{SMALL} && exec "$@"', "sh", *case.program(path, *options)],
        capture_output=True,
        text=True,
        env=MPI_ENVIRONMENT | os.environ,
    )


def test_a_small_shared_folder_hangs_nothing(tmp_path):
    halcyon.mesh.write_mpas(str(tmp_path / "mesh.nc"), meshes.globe(2))
    path = tmp_path / "case.yaml"
    path.write_text(CASE)
    done = run_in_namespace(path, "auto")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "not supported: shared: Shared memory of " in done.stdout
    done = run_in_namespace(path, "shared")
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.count("error: Shared memory of ") == 1
