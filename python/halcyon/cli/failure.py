"""What the user sees when a command fails."""

from __future__ import annotations

import os
import time
from pathlib import Path

_RANK_VARIABLES = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID")
_HEAD_START_S = 2.0  # for the first rank to print, before mpirun ends all for the exit code of another


def report(error: Exception) -> int:
    """Prints the error once and returns the exit code. A bug's traceback goes to a file in the cache."""
    from halcyon.launch.errors import print_failure, record_of
    from halcyon.mpi_library import WrongMpiError

    text, code, trace = record_of(error)
    if isinstance(error, WrongMpiError) and rank_of_process() > 0:
        time.sleep(_HEAD_START_S)  # every rank fails alike, and without MPI none can tell the others
        return code
    print_failure(text, code, trace, _log_file())
    return code


def rank_of_process() -> int:
    """The rank that mpirun or srun gave this process, 0 where they did not start it; asks no MPI library."""
    given = (os.environ[name] for name in _RANK_VARIABLES if name in os.environ)
    return int(next(given, "0"))


def _log_file() -> Path | None:
    from halcyon.base import cache_folder

    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder / "bugs.txt"
