"""`halcyon run CASE -n N` outside MPI: checks the case, makes the mesh, and runs itself under mpirun."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from halcyon.base import EXIT_OK, EXIT_RUN_FAILED, EXIT_STOPPED, ConfigError, RunError
from halcyon.config import load_case
from halcyon.mpi_library import require_in_new_process
from halcyon.run.job import Ending, Job
from halcyon.run.lock import folder_locked
from halcyon.run.prepare import (
    check_forcing,
    check_partition,
    check_record,
    prepare_folder,
    prepare_mesh,
    ranks_of,
    remains,
)
from halcyon.run.progress import MESH_OF_LAUNCHER, UNDER_LAUNCHER
from halcyon.run.rank import LOG
from halcyon.run.report import usable_cores
from halcyon.run.run_file import update_run_file
from halcyon.run.view import run_view

_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


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


def mpirun_command(mpirun: str, ranks: int, program: Sequence[str], names: Sequence[str] = ()) -> list[str]:
    """The command that runs `program` on `ranks` ranks, also with fewer cores and for root.

    names: of the environment, for ranks on other hosts"""
    command = [mpirun, "-q", "-n", str(ranks), "--oversubscribe"]
    command += ["--bind-to", "core" if ranks == usable_cores() else "none"]
    if os.geteuid() == 0:
        command.append("--allow-run-as-root")
    for name in (*_ONE_THREAD, UNDER_LAUNCHER, *names):
        command += ["-x", name]
    return [*command, *program]


def rank_environment(ranks: int) -> dict[str, str]:
    """The environment of mpirun for so many ranks: one thread each.

    Where they are more than there are cores for, ranks that wait give theirs away, unless the user chose
    otherwise. Else that is left to Open MPI, whose ranks poll: to give a core away costs time at every poll.
    Files are written by ROMIO unless the user chose otherwise: OMPIO reports success on a full disk. Long
    messages by TCP go as sends, unless the user chose otherwise: Open MPI's puts take longer. The event loop
    of mpirun goes without epoll, of which it warns at times when a job ends by itself.
    """
    given = dict.fromkeys(_ONE_THREAD, "1") | {UNDER_LAUNCHER: "1"}
    yielding = {"OMPI_MCA_mpi_yield_when_idle": "1"} if ranks > default_ranks() else {}
    chosen = {"OMPI_MCA_io": "romio321", "OMPI_MCA_btl_tcp_flags": "1", "EVENT_NOEPOLL": "1"} | yielding
    return {**chosen, **os.environ, **given}


def find_mpirun() -> str:
    """The mpirun of Open MPI. Raises RunError when there is none."""
    found = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
    if found is None:
        raise RunError("mpirun was not found. Install Open MPI (Debian: apt install openmpi-bin).")
    return found


def default_ranks() -> int:
    """As many ranks as Slurm grants, or one a core."""
    granted = os.environ.get("SLURM_NTASKS", "")
    return int(granted) if granted.isdecimal() else usable_cores()


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
