"""Measurements in a job of MPI of their own."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from halcyon.base import EXIT_MISTAKE, ConfigError, InputError, RunError, exit_code
from halcyon.launch.mpirun import find_mpirun, mpirun_command, rank_environment

if TYPE_CHECKING:
    from mpi4py import MPI

_PATIENCE_S = 2.0


def found_by_ranks(
    ranks: int, program: Sequence[str], what: str, environment: Mapping[str, str] | None = None
) -> Any:
    """What rank 0 of a job prints last, as JSON.

    @param program words after python: a file or -m MODULE, then its arguments
    @param environment of the ranks, beside what runs have

    Raises RunError that names `what`, with what the job said, if it fails, and ConfigError if that is the
    user's mistake."""
    done = subprocess.run(
        mpirun_command(find_mpirun(), ranks, [sys.executable, *program]),
        env=rank_environment(ranks) | dict(environment or {}),
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        said = (
            done.stderr.strip()
            or done.stdout.strip()
            or f"mpirun said nothing and ended with {done.returncode}"
        )
        error = ConfigError if done.returncode == EXIT_MISTAKE else RunError
        raise error(f"The benchmark failed ({what}): {said}")
    return json.loads(done.stdout.splitlines()[-1])


def program_of(work: Callable[..., Any], *given: Any, **options: Any) -> list[str]:
    """The words after python of a rank that does `work`(comm, *given, **options), a function of a module;
    rank 0 prints what it gives, as JSON."""
    return ["-m", "halcyon.launch.measure", pickle.dumps((work, given, options)).hex()]


def on_ranks(ranks: int, what: str, work: Callable[..., Any], *given: Any, **options: Any) -> Any:
    """`work`(comm, *given, **options) in a job of its own, as `program_of` and `found_by_ranks` have it."""
    return found_by_ranks(ranks, program_of(work, *given, **options), what)


def print_found(comm: MPI.Comm, work: Callable[[], Any]) -> None:
    """Collective, in such a job: rank 0 prints what `work` finds. What all ranks refuse is said once, without
    where in the program that was; what some refuse ends the job."""
    apart = comm.Dup()
    try:
        found = work()
    except (ConfigError, InputError, RunError) as error:
        code = exit_code(error)
        if not _arrived(apart):
            print(f"Rank {comm.rank}: {error}", file=sys.stderr, flush=True)
            comm.Abort(code)
        if comm.rank == 0:
            print(error, file=sys.stderr)
        sys.exit(code if comm.rank == 0 else 0)
    if comm.rank == 0:
        print(json.dumps(found))


def _arrived(comm: MPI.Comm) -> bool:
    """Whether all ranks come here in good time."""
    request, end = comm.Ibarrier(), time.monotonic() + _PATIENCE_S
    while not request.Test():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def _main() -> None:
    from halcyon.comm import world

    comm = world()
    work, given, options = pickle.loads(bytes.fromhex(sys.argv[1]))
    print_found(comm, lambda: work(comm, *given, **options))


if __name__ == "__main__":
    _main()
