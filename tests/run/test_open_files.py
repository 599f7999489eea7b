"""A limit of open files that is too low for mpirun or the ranks is an error before they start."""

import os
import resource
import subprocess

import pytest

from halcyon.base import RunError
from halcyon.launch.mpirun import mpirun_command, needed_open_files
from tests.run import case
from tests.support.ranks import MPI_ENVIRONMENT


@pytest.mark.parametrize(("allowed", "is_enough"), [(24, False), (143, False), (144, True), (-1, True)])
def test_mpirun_needs_files_for_each_rank(monkeypatch, allowed, is_enough):
    assert (needed_open_files(2), needed_open_files(28)) == (64, 144)
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (allowed, -1))
    if is_enough:
        assert mpirun_command("mpirun", 28, ["true"])[-1] == "true"
        return
    with pytest.raises(RunError, match=rf"is {allowed}, but a job of 28 ranks needs 144\..*ulimit -n 144"):
        mpirun_command("mpirun", 28, ["true"])


@pytest.mark.parametrize("as_rank", [False, True])
def test_a_run_ends_at_once_with_too_few_files(tmp_path, as_rank):
    """By the launcher, and as a rank of mpirun."""
    path = case.write_case(tmp_path)
    rank = {"OMPI_COMM_WORLD_RANK": "0"} if as_rank else {}
    done = subprocess.run(
        [*case.program(path), *([] if as_rank else ["-n", "2"])],
        capture_output=True,
        text=True,
        env=MPI_ENVIRONMENT | os.environ | rank,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24)),
    )
    assert done.returncode == 3
    assert done.stderr.startswith("error: The limit of open files is 24, but a job of ")
    assert done.stderr.count("\n") == 1
