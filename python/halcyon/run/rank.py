"""One rank of a run: `halcyon run CASE` under mpirun or srun."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack, closing, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from halcyon.base import EXIT_STOPPED, ConfigError, RunError
from halcyon.comm import recording, world
from halcyon.config import load_case
from halcyon.config.mesh_file import prepare_mesh
from halcyon.config.run_case import RunCase
from halcyon.launch.errors import all_ranks_raise, run_guarded
from halcyon.launch.mpirun import UNDER_LAUNCHER
from halcyon.run.earlier import has_results, recover, require_no_results
from halcyon.run.folder import LOG, folder_locked, prepare_folder, start_run_file, update_run_file
from halcyon.run.loop import execute
from halcyon.run.prepare import can_resume, check_forcing, check_partition, check_recording_file
from halcyon.run.progress import MESH_OF_LAUNCHER
from halcyon.run.stop import StopRequest

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.run.loop import DrawPictures


def run_rank(
    case_file: Path,
    overrides: Sequence[str],
    ranks: int | None,
    *,
    resume: bool = False,
    overwrite: bool = False,
    record: Path | None = None,
    draw: DrawPictures | None = None,
    stop: StopRequest | None = None,
    comm: MPI.Comm | None = None,
) -> int:
    """Collective. Runs the case on all ranks of a communicator, by default of the job; returns the exit code,
    the same on all ranks.

    ranks: value of -n; overwrite: whether the results of another run in the output folder are replaced;
    record: file for the messages of the run; draw: as in `halcyon.run.loop.execute`"""
    folder: list[Path] = []  # the output folder, once the run has started
    with ExitStack() as lock:
        stop = stop or lock.enter_context(closing(StopRequest()))
        comm = comm or world()
        arguments = Arguments(case_file, overrides, ranks, resume, overwrite, record, draw)
        return run_guarded(
            comm,
            lambda: _run(arguments, comm, stop, folder, lock),
            log=lambda: folder[0] / LOG if folder else None,
            record_end=lambda text, code: _record_end(folder, text, code),
        )


@dataclass(frozen=True)
class Arguments:
    """The arguments of `run_rank`."""

    case_file: Path
    overrides: Sequence[str]
    ranks: int | None  # value of -n, which must equal the number of started ranks
    resume: bool
    overwrite: bool
    recording_file: Path | None  # file for the messages of the run
    draw: DrawPictures | None


def _run(
    arguments: Arguments, comm: MPI.Comm, stop: StopRequest, folder: list[Path], lock: ExitStack
) -> None:
    """Collective. Prepares the run on rank 0, and executes it on all ranks. Adds the output folder to
    `folder` once its run.json is that of this run."""
    prepared: tuple[RunCase, Path | None, bool] | None = None
    with all_ranks_raise(comm):
        if comm.rank == 0:
            prepared = _prepare(arguments, comm.size, lock)
    prepared = comm.bcast(prepared, root=0)
    if prepared is None:
        return
    case, mesh, has_run_file = prepared

    def on_begin() -> None:
        if comm.rank == 0:
            _start_run_file(case, arguments, comm.size, has_records=True)
        folder[:] = [case.folder]

    if has_run_file:
        folder.append(case.folder)
    file = arguments.recording_file
    with nullcontext() if file is None else recording(comm, file):
        execute(case, mesh, comm, stop, on_begin, arguments.draw, resume=arguments.resume)


def _start_run_file(case: RunCase, arguments: Arguments, size: int, *, has_records: bool) -> None:
    start_run_file(
        case.folder,
        case=case.path,
        overrides=arguments.overrides,
        ranks=size,
        has_records=has_records,
        resumed=arguments.resume,
    )


def _prepare(arguments: Arguments, size: int, lock: ExitStack) -> tuple[RunCase, Path | None, bool] | None:
    """Reads and checks the case, and prepares the mesh file and the output folder, on rank 0. Returns the
    case, the mesh file, and whether run.json is already that of this run, as nothing of an earlier run is
    lost by it; None if the run to resume is already finished.

    Unless the launcher holds the lock of the output folder, this function takes the lock and adds it to
    `lock`."""
    ranks = arguments.ranks
    if ranks is not None and ranks != size:
        raise ConfigError(f"-n {ranks} was given, but mpirun or srun started {size} ranks. Omit -n.")
    case = load_case(arguments.case_file, arguments.overrides)
    is_launched = os.environ.get(UNDER_LAUNCHER) == "1"
    if not is_launched:
        recover(case.folder)
    if arguments.resume and not can_resume(case):
        return None
    check_forcing(case)
    check_recording_file(case, arguments.recording_file)
    folder = prepare_folder(case)
    if not is_launched:
        lock.enter_context(folder_locked(folder))
    if not (arguments.resume or arguments.overwrite):
        require_no_results(folder)
    checked_mesh = os.environ.get(MESH_OF_LAUNCHER)
    mesh = Path(checked_mesh) if checked_mesh else prepare_mesh(case, lambda text: print(text, flush=True))
    check_partition(case, size, mesh)
    is_new = not (arguments.resume or has_results(folder))
    if is_new:
        _start_run_file(case, arguments, size, has_records=False)
    return case, mesh, is_new


def _record_end(folder: list[Path], text: str, code: int) -> None:
    """Writes the cause of the end into run.json, if the disk has room."""
    with suppress(RunError):
        if folder:
            status = "interrupted" if code == EXIT_STOPPED else "failed"
            update_run_file(folder[0], status=status, cause=text)
