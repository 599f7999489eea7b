"""Error output of a failed command."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

_RANK_VARIABLES = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID")
_EXIT_NO_CORE = 3  # as EXIT_RUN_FAILED of halcyon.base, which needs the compiled module
_HEAD_START_S = 2.0  # time for rank 0 to print before the exit of another rank makes mpirun kill all


def report(error: Exception) -> int:
    """Prints the error once and returns the exit code. A bug's traceback goes to a file in the cache."""
    if isinstance(error, ImportError) and error.name == "halcyon._core":  # no MPI library, or another one
        if rank_of_process() == 0:
            print(f"error: the compiled module does not load: {error}", file=sys.stderr, flush=True)
        else:
            time.sleep(_HEAD_START_S)
        return _EXIT_NO_CORE
    from halcyon.launch.errors import failure_record, print_failure
    from halcyon.launch.mpirun import OpenFilesError
    from halcyon.mpi_library import WrongMpiError

    text, code, trace = failure_record(error)
    if isinstance(error, (WrongMpiError, OpenFilesError)) and rank_of_process() > 0:
        time.sleep(_HEAD_START_S)  # all ranks fail with the same error, and cannot agree on one without MPI
        return code
    print_failure(text, code, trace, _log_file())
    return code


def rank_of_process() -> int:
    """Returns the rank that mpirun or srun sets in the environment, else 0. Does not need the MPI library.
    Invalid numbers count as 0: they are an error elsewhere (`mpirun.is_rank`)."""
    rank = next((os.environ[name] for name in _RANK_VARIABLES if name in os.environ), "0")
    return int(rank) if rank.isdecimal() and len(rank) < 10 else 0


def _log_file() -> Path | None:
    from halcyon.base import cache_folder

    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder / "bugs.txt"
