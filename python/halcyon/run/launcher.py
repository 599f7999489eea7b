"""`halcyon run CASE -n N` outside MPI: checks the case, generates the mesh, starts the ranks with mpirun."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from halcyon.base import EXIT_BUG, EXIT_OK, EXIT_RUN_FAILED, EXIT_STOPPED, ConfigError, RunError
from halcyon.config import load_case
from halcyon.config.mesh_file import prepare_mesh
from halcyon.launch.mpirun import (
    default_ranks,
    find_mpirun,
    mpirun_command,
    rank_environment,
    require_open_files,
    shared_cores_warning,
)
from halcyon.mpi_library import require_in_new_process
from halcyon.run.earlier import has_results, recover, recover_locked, require_no_results
from halcyon.run.folder import (
    LOG,
    LOG_PART,
    RUN_FILE,
    folder_locked,
    prepare_folder,
    read_run_file,
    resume_command,
    update_run_file,
)
from halcyon.run.job import Job, JobResult
from halcyon.run.prepare import (
    can_resume,
    check_forcing,
    check_partition,
    check_recording_file,
    default_rank_count,
)
from halcyon.run.progress import MESH_OF_LAUNCHER, run_view
from halcyon.run.stop import SIGNALS as STOP_SIGNALS


def launch(
    case_file: Path,
    *,
    ranks: int | None,
    overrides: Sequence[str],
    resume: bool = False,
    overwrite: bool = False,
    record: Path | None = None,
) -> int:
    """Runs or resumes the case on `ranks` ranks (by default one per core); returns the exit code.

    overwrite: whether the results of another run in the output folder are replaced; record: file for the
    messages of the run"""
    if ranks is not None and ranks < 1:
        raise ConfigError(f"-n {ranks}: the number of ranks must be at least 1.")
    case = load_case(case_file, overrides)
    n_ranks = default_rank_count(case, default_ranks()) if ranks is None else ranks
    recover(case.folder)
    if resume and not can_resume(case):
        return EXIT_OK
    check_forcing(case)
    check_recording_file(case, record)
    mpirun = find_mpirun()
    require_open_files(n_ranks)
    require_in_new_process()
    with ExitStack() as lock:
        folder = prepare_folder(case)
        lock.enter_context(folder_locked(folder))
        if not (resume or overwrite):
            require_no_results(folder)
        log = LOG_PART if overwrite and has_results(folder) else LOG
        before = read_run_file(folder)
        with run_view(sys.stdout) as view:
            mesh = prepare_mesh(case, view.status)
            check_partition(case, n_ranks, mesh)
            program = rank_program(case.path, overrides, resume, record, overwrite)
            variables = {} if mesh is None else {MESH_OF_LAUNCHER: str(mesh)}
            command = mpirun_command(mpirun, n_ranks, program, [*variables], is_quiet=False)
            environment = rank_environment(n_ranks) | variables
            note = shared_cores_warning(n_ranks)
            result = Job(command, environment, folder / log, append=resume, note=note).run(view)
        recover_locked(folder)
        has_begun = read_run_file(folder) != before
        return conclude(result, folder, folder / (LOG if has_begun else log), has_begun=has_begun)


def conclude(result: JobResult, folder: Path, log: Path | None = None, *, has_begun: bool = True) -> int:
    """Prints why a job ended, unless a rank has already printed the reason; returns the exit code.

    log: log file; has_begun: whether the run.json of the folder is that of this run"""
    log, signal_number = log or folder / LOG, result.interrupted_by
    if log.name == LOG_PART and (
        signal_number is not None or (result.error_shown and result.code != EXIT_BUG)
    ):
        log.unlink(missing_ok=True)  # a run that did not begin leaves the folder as it was
    if result.has_stopped:
        if signal_number is None or signal_number in STOP_SIGNALS:
            return EXIT_STOPPED
        return 128 + signal_number
    if result.code == EXIT_OK or result.error_shown:
        return result.code
    if signal_number is not None:
        if has_begun:
            _record_end(folder, "interrupted", f"stopped by {signal_number.name}")
        command = "" if log.name == LOG_PART else resume_command(folder)
        advice = f"Resume with: {command}" if command else "It wrote no restart file: start it again."
        print(f"error: the run was stopped by {signal_number.name}. {advice}", file=sys.stderr)
        return 128 + signal_number  # as shells do
    cause = cause_of_exit(result.code, result.text_of_mpirun)
    if has_begun:
        _record_end(folder, "failed", cause)
    print(f"error: {cause} The output of the ranks is in {log}.", file=sys.stderr)
    return EXIT_RUN_FAILED


def rank_program(
    case_file: Path,
    overrides: Sequence[str],
    resume: bool = False,
    record: Path | None = None,
    overwrite: bool = False,
) -> list[str]:
    """The command line of each rank."""
    set_arguments = [word for override in overrides for word in ("--set", override)]
    return [
        sys.executable,
        "-P",
        "-m",
        "halcyon",
        "run",
        str(case_file),
        *(["--resume"] if resume else []),
        *(["--overwrite"] if overwrite else []),
        *(["--record", str(record)] if record else []),
        *set_arguments,
    ]


def cause_of_exit(code: int, text_of_mpirun: str) -> str:
    """The meaning of an exit code of mpirun, for an error text: -n if mpirun was killed by signal n, 128 + n
    if a rank was."""
    signal_number = -code if code < 0 else code - 128
    is_failure_of_mpirun = (
        text_of_mpirun and "on signal" not in text_of_mpirun
    )  # as of a missing program: 134
    if is_failure_of_mpirun or signal_number not in set(signal.Signals):
        what = f"this message: {text_of_mpirun}" if text_of_mpirun else "no message;"
        return f"mpirun ended with exit code {code} and {what} `halcyon doctor` tests MPI."
    hint = " (often out of memory)" if signal_number == signal.SIGKILL else ""
    return f"a rank was killed by {signal.Signals(signal_number).name}{hint}."


def _record_end(folder: Path, status: str, cause: str) -> None:
    """Writes status and cause into run.json, if the disk has room."""
    with suppress(RunError):
        if (folder / RUN_FILE).exists():
            update_run_file(folder, status=status, cause=cause)
