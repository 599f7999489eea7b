"""One rank of a run: `halcyon run CASE` under mpirun or srun."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from halcyon.base import ConfigError, RunError
from halcyon.config.case import Case
from halcyon.run.errors import agreed, guarded
from halcyon.run.progress import UNDER_LAUNCHER

if TYPE_CHECKING:
    from mpi4py import MPI

LOG = "log.txt"


def is_rank() -> bool:
    """Whether this process was started by mpirun or srun."""
    if any(name in os.environ for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK")):
        return True
    return "SLURM_PROCID" in os.environ and int(os.environ.get("SLURM_STEP_NUM_TASKS", "1")) > 1


def run_rank(case_file: Path, overrides: Sequence[str], ranks: int | None) -> int:
    """Collective. Runs the case on all ranks of the job; returns the exit code, the same on all of them."""
    from halcyon.comm import world

    comm = world()
    folder: list[Path] = []
    with ExitStack() as lock:
        return guarded(
            comm,
            lambda: _run(case_file, overrides, ranks, comm, folder, lock),
            log=lambda: folder[0] / LOG if folder else None,
            note=lambda text, code: _note(folder, text),
        )


def _run(
    case_file: Path,
    overrides: Sequence[str],
    ranks: int | None,
    comm: MPI.Comm,
    folder: list[Path],
    lock: ExitStack,
) -> None:
    case: Case | None = None
    with agreed(comm):
        if comm.rank == 0:
            case = _prepared(case_file, overrides, ranks, comm.size, lock)
    case = comm.bcast(case, root=0)
    folder.append(case.folder)
    from halcyon.run.loop import execute

    execute(case, comm)


def _prepared(
    case_file: Path, overrides: Sequence[str], ranks: int | None, size: int, lock: ExitStack
) -> Case:
    """Rank 0 reads the case and sees to mesh, folder and run.json, so that the others find them.

    The folder's lock is the launcher's, or goes onto the stack `lock`."""
    from halcyon.config import load_case
    from halcyon.run.lock import folder_locked
    from halcyon.run.prepare import (
        check_forcing,
        check_ranks,
        count_cells,
        prepare_folder,
        prepare_mesh,
    )
    from halcyon.run.report import start_run_file

    if ranks is not None and ranks != size:
        raise ConfigError(f"-n {ranks} was given, but mpirun or srun started {size} ranks. Leave -n out.")
    case = load_case(case_file, overrides)
    check_forcing(case)
    check_ranks(size, count_cells(prepare_mesh(case, lambda text: print(text, flush=True))))
    folder = prepare_folder(case)
    if os.environ.get(UNDER_LAUNCHER) != "1":
        lock.enter_context(folder_locked(folder))
    start_run_file(folder, case=case.path, overrides=overrides, ranks=size)
    return case


def _note(folder: list[Path], text: str) -> None:
    """Puts the cause of a failure into run.json, where the disk still allows it."""
    from halcyon.run.report import update_run_file

    with suppress(RunError):
        if folder:
            update_run_file(folder[0], status="failed", cause=text)
