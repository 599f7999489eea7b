"""The runs of an ensemble in one job: groups of ranks, each of which runs one member at a time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING, TextIO

from halcyon.base import EXIT_OK, EXIT_STOPPED, ConfigError, StoppedError
from halcyon.comm import world
from halcyon.config.mesh_file import prepare_mesh
from halcyon.io.writing import writing
from halcyon.launch.errors import AgreedError, all_ranks_raise, from_root, run_guarded
from halcyon.launch.mpirun import UNDER_LAUNCHER
from halcyon.mesh.atomic_file import open_new
from halcyon.run.earlier import has_results
from halcyon.run.ensemble.members import Member
from halcyon.run.ensemble.plan import DrawEnsemble, EnsembleArguments, Plan
from halcyon.run.folder import LOG, LOG_PART
from halcyon.run.input.storms import basin_warnings
from halcyon.run.output.files import restarts_in
from halcyon.run.progress import MESH_OF_LAUNCHER, print_on_root
from halcyon.run.rank import run_rank
from halcyon.run.stop import StopRequest

if TYPE_CHECKING:
    from mpi4py import MPI

PENDING = "HALCYON_ENSEMBLE_PENDING"  # environment variable: names of the members that the launcher requests


def run_ensemble_rank(arguments: EnsembleArguments, draw: DrawEnsemble, stop: StopRequest) -> int:
    """Collective. Runs the pending members of an ensemble on all ranks of the job; without the launcher, also
    writes the statistics. Returns the exit code, the same on all ranks."""
    comm, is_launched = world(), os.environ.pop(UNDER_LAUNCHER, None) == "1"
    with ExitStack() as lock:

        def body() -> None:
            plan, pending = from_root(comm, lambda: _plan(arguments, None if is_launched else lock))
            groups, ranks = layout(arguments, len(pending), comm.size)
            run_members(comm, plan, pending, groups, ranks, stop, overwrite=arguments.overwrite)
            if not is_launched:
                from_root(comm, lambda: plan.conclude(draw))

        return run_guarded(comm, body, log=lambda: None)


def _plan(arguments: EnsembleArguments, lock: ExitStack | None) -> tuple[Plan, list[Member]]:
    """The plan and the pending members; with `lock` also locks and prepares the folder, as without the
    launcher."""
    plan = Plan.of(arguments)
    if lock is not None:
        plan.begin(lock)
    names = os.environ.get(PENDING)
    if names is not None:
        return plan, [member for member in plan.members if member.name in names.split()]
    return plan, plan.pending(overwrite=arguments.overwrite)


def layout(arguments: EnsembleArguments, n_pending: int, available: int) -> tuple[int, int]:
    """The number of groups and of ranks in each: as given, or else as many members at a time as there are
    ranks available. Raises ConfigError if a number is below 1."""
    ranks, at_once = arguments.ranks, arguments.at_once
    for option, given in (("-n", ranks), ("--at-once", at_once)):
        if given is not None and given < 1:
            raise ConfigError(f"{option} {given}: give at least 1.")
    groups = max(1, min(n_pending, at_once or available // (ranks or 1)))
    return groups, ranks or max(1, available // groups)


def run_members(
    comm: MPI.Comm,
    plan: Plan,
    pending: Sequence[Member],
    groups: int,
    ranks: int,
    stop: StopRequest,
    *,
    overwrite: bool = False,
) -> None:
    """Collective. Runs members on groups of ranks; the members are dealt to the groups in turn, and ranks
    beyond `groups * ranks` are idle. A member that fails is named, and the others continue.

    Raises StoppedError if a signal has stopped the runs, and ConfigError if there are too few ranks."""
    from mpi4py import MPI

    if groups * ranks > comm.size:
        raise ConfigError(
            f"{groups} members at once with {ranks} ranks each need {groups * ranks} ranks, but the job has "
            f"{comm.size}. Give a smaller --at-once or -n, or start more ranks."
        )
    mesh = from_root(comm, lambda: prepare_mesh(plan.case, lambda text: print(text, flush=True)))
    for text in from_root(comm, lambda: basin_warnings(plan.case_of(plan.members[-1]))):
        print_on_root(comm, f"warning: {text}")
    group_number = comm.rank // ranks if comm.rank < groups * ranks else MPI.UNDEFINED
    group, is_stopped = comm.Split(group_number, comm.rank), False
    if group != MPI.COMM_NULL:
        with _environment({} if mesh is None else {MESH_OF_LAUNCHER: str(mesh)}):
            for member in pending[group_number::groups]:
                is_stopped = (
                    stop.received(group) or _run_member(group, plan, member, stop, overwrite) == EXIT_STOPPED
                )
                if is_stopped:
                    break
        group.Free()
    stop.close()
    if comm.allreduce(is_stopped, op=MPI.LOR):
        raise StoppedError(f"the ensemble was stopped by a signal. Continue with: {plan.command()}")


@contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    """Sets environment variables in the with-block."""
    os.environ |= variables
    try:
        yield
    finally:
        for name in variables:
            del os.environ[name]


def _run_member(group: MPI.Comm, plan: Plan, member: Member, stop: StopRequest, overwrite: bool) -> int:
    """Collective. Runs or resumes a member; its output goes to the log file in its folder. Prints a line at
    its end. Returns the exit code."""
    resume = group.bcast(not overwrite and bool(restarts_in(member.folder)), root=0)
    overrides, errors = [*plan.overrides, *member.changes], StringIO()
    try:
        with ExitStack() as redirected:
            with all_ranks_raise(group):
                if group.rank == 0:
                    log = redirected.enter_context(_open_log(member, append=resume))
                    redirected.enter_context(redirect_stdout(log))
                    errors = redirected.enter_context(redirect_stderr(_Errors(log)))
            settings = {"resume": resume, "overwrite": not resume, "stop": stop}
            code = run_rank(plan.case.path, overrides, None, comm=group, **settings)
    except AgreedError as error:  # of the log file
        code = error.code
        errors.write(error.text)
    if group.rank > 0 or code == EXIT_STOPPED:
        return code
    if (part := member.folder / LOG_PART).exists():  # of a run that failed before its first record
        part.replace(member.folder / LOG)
    if code == EXIT_OK:
        print(f"member {member.name} is finished", flush=True)
    else:
        cause = " ".join(errors.getvalue().removeprefix("error: ").split())
        print(f"warning: member {member.name} failed: {cause}", file=sys.stderr, flush=True)
    return code


def _open_log(member: Member, *, append: bool) -> TextIO:
    """Opens the log file of a member, under another name as long as the folder has the results of another
    run. Raises RunError if it cannot be written."""
    log = member.folder / (LOG if append or not has_results(member.folder) else LOG_PART)
    with writing(log):
        member.folder.mkdir(parents=True, exist_ok=True)
        return open_new(log, append=append)


class _Errors(StringIO):
    """Keeps a text, and writes it to a file at once, also if the rank then ends the job."""

    def __init__(self, file: TextIO) -> None:
        super().__init__()
        self._file = file

    def write(self, text: str) -> int:
        self._file.write(text)
        self._file.flush()
        return super().write(text)
