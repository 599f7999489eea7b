"""`halcyon ensemble CASE` outside MPI: starts one job of all groups of ranks, and writes the statistics."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime

from halcyon.base import EXIT_OK
from halcyon.config.mesh_file import prepare_mesh
from halcyon.launch.mpirun import (
    default_ranks,
    find_mpirun,
    mpirun_command,
    rank_environment,
    shared_cores_warning,
)
from halcyon.mpi_library import require_in_new_process
from halcyon.run.ensemble.members import Member
from halcyon.run.ensemble.plan import DrawEnsemble, EnsembleArguments, Plan
from halcyon.run.ensemble.ranks import PENDING, layout
from halcyon.run.folder import LOG, read_run_file, update_run_file
from halcyon.run.job import Job, JobResult
from halcyon.run.launcher import cause_of_exit, conclude
from halcyon.run.progress import run_view


def launch_ensemble(arguments: EnsembleArguments, program: Sequence[str], draw: DrawEnsemble) -> int:
    """Runs the pending members of an ensemble in one MPI job, and writes the statistics. Returns the exit
    code.

    If the job breaks off, as a rank was killed, the members that ran at that time have failed, and another
    job runs the others. program: the command line of each rank"""
    plan, mpirun = Plan.of(arguments), find_mpirun()
    require_in_new_process()
    with ExitStack() as lock:
        plan.begin(lock)
        pending = plan.pending(overwrite=arguments.overwrite)
        layout(arguments, len(pending), default_ranks())  # for its errors
        is_first = True
        while pending:
            began = datetime.now(UTC).isoformat(timespec="seconds")
            result = _run_job(plan, pending, arguments, mpirun, program, append=not is_first)
            if result.code == EXIT_OK:
                break
            running = [member for member in pending if member.status == "running"]
            if result.interrupted_by is not None or result.has_stopped or not running:
                return conclude(result, plan.folder)
            for member in running:
                cause = cause_of_exit(result.code, result.text_of_mpirun)
                update_run_file(member.folder, status="failed", cause=cause)
                print(f"warning: member {member.name} failed: {cause}", file=sys.stderr, flush=True)
            pending = [member for member in pending if not _has_ended(member, began)]
            is_first = False
        plan.conclude(draw)
    return EXIT_OK


def _run_job(
    plan: Plan,
    pending: Sequence[Member],
    arguments: EnsembleArguments,
    mpirun: str,
    program: Sequence[str],
    *,
    append: bool,
) -> JobResult:
    """Runs one MPI job of members."""
    groups, ranks = layout(arguments, len(pending), default_ranks())
    size = groups * ranks
    with run_view(sys.stdout) as view:
        prepare_mesh(plan.case, view.status)
        each = "1 rank" if ranks == 1 else f"{ranks} ranks"
        view.status(f"{len(pending)} of {len(plan.members)} members, {groups} at a time on {each} each")
        environment = rank_environment(size) | {PENDING: " ".join(member.name for member in pending)}
        command = mpirun_command(mpirun, size, program, passed_variables=[PENDING], is_quiet=False)
        note = shared_cores_warning(size)
        job = Job(
            command, environment, plan.folder / LOG, append=append, note=note, longest_step_s=float("inf")
        )
        return job.run(view)


def _has_ended(member: Member, began: str) -> bool:
    """Whether the run of a member has ended, finished or failed, since a time."""
    return member.status in ("finished", "failed") and read_run_file(member.folder)["updated"] >= began
