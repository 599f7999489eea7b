"""`halcyon run CASE -n N` outside MPI: checks the case, makes the mesh, and runs itself under mpirun."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from halcyon.base import EXIT_OK, EXIT_RUN_FAILED, EXIT_STOPPED, ConfigError, RunError
from halcyon.config import load_case
from halcyon.config.mesh_file import prepare_mesh
from halcyon.launch.mpirun import default_ranks, find_mpirun, mpirun_command, rank_environment
from halcyon.mpi_library import require_in_new_process
from halcyon.run.folder import LOG, folder_locked, prepare_folder, update_run_file
from halcyon.run.job import Ending, Job
from halcyon.run.prepare import (
    check_forcing,
    check_partition,
    check_record,
    ranks_of,
    remains,
)
from halcyon.run.progress import MESH_OF_LAUNCHER, run_view


def launch(
    case_file: Path,
    *,
    ranks: int | None,
    overrides: Sequence[str],
    resume: bool = False,
    record: Path | None = None,
) -> int:
    """Runs the case on `ranks` ranks (by default one a core), or goes on with it; returns the exit code."""
    if ranks is not None and ranks < 1:
        raise ConfigError(f"-n {ranks}: the number of ranks must be at least 1.")
    case = load_case(case_file, overrides)
    count = ranks_of(case, default_ranks()) if ranks is None else ranks
    if resume and not remains(case):
        return EXIT_OK
    check_forcing(case)
    check_record(case, record)
    mpirun = find_mpirun()
    require_in_new_process()
    with ExitStack() as lock:
        with run_view(sys.stdout) as view:
            mesh = prepare_mesh(case, view.step)
            check_partition(case, count, mesh)
            folder = prepare_folder(case)
            lock.enter_context(folder_locked(folder))
            program = rank_program(case.path, overrides, resume, record)
            known = {} if mesh is None else {MESH_OF_LAUNCHER: str(mesh)}
            command = mpirun_command(mpirun, count, program, names=[*known])
            environment = rank_environment(count) | known
            ending = Job(command, environment, folder / LOG, goes_on=resume).run(view)
        return conclude(ending, folder)


def conclude(ending: Ending, folder: Path) -> int:
    """Says why a job ended where its ranks could not, and gives the exit code."""
    if ending.code == EXIT_OK or ending.error_shown:
        return ending.code
    if ending.stopped:
        return EXIT_STOPPED
    if ending.interrupted_by is not None:
        _mark(folder, "interrupted", f"stopped by {ending.interrupted_by.name}")
        print(f"error: the run was stopped by {ending.interrupted_by.name}.", file=sys.stderr)
        return 128 + ending.interrupted_by
    cause = _cause(ending.code)
    _mark(folder, "failed", cause)
    print(f"error: {cause} What the ranks said is in {folder / LOG}.", file=sys.stderr)
    return EXIT_RUN_FAILED


def rank_program(
    case_file: Path, overrides: Sequence[str], resume: bool = False, record: Path | None = None
) -> list[str]:
    """What each rank executes."""
    changes = [part for override in overrides for part in ("--set", override)]
    return [
        sys.executable,
        "-m",
        "halcyon",
        "run",
        str(case_file),
        *(["--resume"] if resume else []),
        *(["--record", str(record)] if record else []),
        *changes,
    ]


def _cause(code: int) -> str:
    number = -code if code < 0 else code - 128
    if number not in set(signal.Signals):
        return f"mpirun ended with exit code {code} and no message; `halcyon doctor` tests MPI."
    hint = " (often a lack of memory)" if number == signal.SIGKILL else ""
    return f"a rank was ended by {signal.Signals(number).name}{hint}."


def _mark(folder: Path, status: str, cause: str) -> None:
    """Puts the end of the job into run.json, where the disk still allows it."""
    with suppress(RunError):
        if (folder / "run.json").exists():
            update_run_file(folder, status=status, cause=cause)
