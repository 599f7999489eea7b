"""One rank of a run: `halcyon run CASE` under mpirun or srun."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from halcyon.base import EXIT_STOPPED, ConfigError, RunError
from halcyon.comm import recording, world
from halcyon.config import load_case
from halcyon.config.mesh_file import prepare_mesh
from halcyon.config.run_case import RunCase
from halcyon.launch.errors import agreed, guarded
from halcyon.launch.mpirun import UNDER_LAUNCHER
from halcyon.run.folder import LOG, folder_locked, prepare_folder, start_run_file, update_run_file
from halcyon.run.loop import execute
from halcyon.run.prepare import check_forcing, check_partition, check_record, remains
from halcyon.run.progress import MESH_OF_LAUNCHER
from halcyon.run.stop import Stop

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.run.loop import Draw


def run_rank(
    case_file: Path,
    overrides: Sequence[str],
    ranks: int | None,
    *,
    resume: bool = False,
    record: Path | None = None,
    draw: Draw | None = None,
    stop: Stop | None = None,
) -> int:
    """Collective. Runs the case on all ranks of the job; returns the exit code, the same on all of them."""
    stop, comm = stop or Stop(), world()
    folder: list[Path] = []  # of the run, from where it has begun
    with ExitStack() as lock:
        request = Request(case_file, overrides, ranks, resume, record, draw)
        return guarded(
            comm,
            lambda: _run(request, comm, stop, folder, lock),
            log=lambda: folder[0] / LOG if folder else None,
            note=lambda text, code: _note(folder, text, code),
        )


@dataclass(frozen=True)
class Request:
    """What the command line asks for. `ranks`: of -n, which must be those that there are; `record`: the file
    of what the run exchanges; `draw`: as of `halcyon.run.loop.execute`."""

    case_file: Path
    overrides: Sequence[str]
    ranks: int | None
    resume: bool
    record: Path | None
    draw: Draw | None


def _run(request: Request, comm: MPI.Comm, stop: Stop, folder: list[Path], lock: ExitStack) -> None:
    prepared: tuple[RunCase, Path | None] | None = None
    with agreed(comm):
        if comm.rank == 0:
            prepared = _prepared(request, comm.size, lock)
    prepared = comm.bcast(prepared, root=0)
    if prepared is None:
        return
    case, mesh = prepared

    def resumed() -> None:
        folder.append(case.folder)
        if comm.rank == 0:
            _start_run_file(case, request, comm.size)

    if not request.resume:
        folder.append(case.folder)
    with nullcontext() if request.record is None else recording(comm, request.record):
        execute(case, mesh, comm, stop, resumed if request.resume else None, request.draw)


def _start_run_file(case: RunCase, request: Request, size: int) -> None:
    start_run_file(case.folder, case=case.path, overrides=request.overrides, ranks=size)


def _prepared(request: Request, size: int, lock: ExitStack) -> tuple[RunCase, Path | None] | None:
    """Rank 0 reads the case and sees to mesh and folder, so that the others find them. Gives the case and the
    file of its mesh; None where there is nothing left to do.

    The folder's lock is the launcher's, or goes onto the stack `lock`."""
    ranks = request.ranks
    if ranks is not None and ranks != size:
        raise ConfigError(f"-n {ranks} was given, but mpirun or srun started {size} ranks. Leave -n out.")
    case = load_case(request.case_file, request.overrides)
    if request.resume and not remains(case):
        return None
    check_forcing(case)
    check_record(case, request.record)
    checked = os.environ.get(MESH_OF_LAUNCHER)
    mesh = Path(checked) if checked else prepare_mesh(case, lambda text: print(text, flush=True))
    check_partition(case, size, mesh)
    folder = prepare_folder(case)
    if os.environ.get(UNDER_LAUNCHER) != "1":
        lock.enter_context(folder_locked(folder))
    if not request.resume:
        _start_run_file(case, request, size)
    return case, mesh


def _note(folder: list[Path], text: str, code: int) -> None:
    """Puts why the run ended into run.json, where the disk still allows it."""
    with suppress(RunError):
        if folder:
            status = "interrupted" if code == EXIT_STOPPED else "failed"
            update_run_file(folder[0], status=status, cause=text)
