"""Functions that run in a separate MPI job and return a result, for measurements."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from halcyon.base import EXIT_MISTAKE, ConfigError, InputError, RunError, exit_code, printable
from halcyon.launch.mpirun import TextsOfMpirun, find_mpirun, mpirun_command, rank_environment

if TYPE_CHECKING:
    from mpi4py import MPI

_PATIENCE_S = 2.0  # time that a failed rank waits for the other ranks


def result_of_job(
    ranks: int, program: Sequence[str], name: str, environment: Mapping[str, str] | None = None
) -> Any:
    """Runs an MPI job, and returns the last line that rank 0 prints, decoded from JSON.

    @param program arguments of python: a file or -m MODULE, and the arguments of that program
    @param name name of the job, for error texts
    @param environment additional variables of the ranks

    Raises RunError with the output of the job if the job fails, ConfigError if the job reports a mistake of
    the user."""
    completed = subprocess.run(
        mpirun_command(find_mpirun(), ranks, [sys.executable, "-P", *program], is_quiet=False),
        env=rank_environment(ranks) | dict(environment or {}),
        capture_output=True,
        text=True,
    )
    if completed.returncode != 0:
        texts = TextsOfMpirun()
        of_ranks = [line for line in completed.stderr.splitlines() if not texts.take(line)]
        output = (
            "\n".join(of_ranks).strip()
            or texts.text
            or completed.stdout.strip()
            or f"mpirun ended with exit code {completed.returncode} and printed nothing"
        )
        error = ConfigError if completed.returncode == EXIT_MISTAKE else RunError
        raise error(f"The benchmark failed ({name}): {output}")
    return json.loads(completed.stdout.splitlines()[-1])


def rank_program(work: Callable[..., Any], *arguments: Any, **options: Any) -> list[str]:
    """Returns the arguments of python with which a rank calls work(comm, *arguments, **options), a function
    of a module; rank 0 prints its result as JSON."""
    return ["-m", "halcyon.launch.measure", pickle.dumps((work, arguments, options)).hex()]


def run_on_ranks(ranks: int, name: str, work: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Calls work(comm, *arguments, **options) in a separate MPI job, and returns the result of rank 0; see
    `result_of_job`."""
    return result_of_job(ranks, rank_program(work, *arguments, **options), name)


def print_result(comm: MPI.Comm, work: Callable[[], Any]) -> None:
    """Collective. Rank 0 prints the result of `work` as JSON. An error of Halcyon that all ranks raise
    is printed once, without traceback; an error on only some ranks aborts the job."""
    own_comm = comm.Dup()
    try:
        result = work()
    except (ConfigError, InputError, RunError) as error:
        code = exit_code(error)
        if not _all_ranks_arrive(own_comm):
            print(printable(f"Rank {comm.rank}: {error}"), file=sys.stderr, flush=True)
            comm.Abort(code)
        if comm.rank == 0:
            print(printable(str(error)), file=sys.stderr)
        sys.exit(code if comm.rank == 0 else 0)
    if comm.rank == 0:
        print(json.dumps(result))


def _all_ranks_arrive(comm: MPI.Comm) -> bool:
    """Collective. Whether all ranks call this function within a time limit."""
    request, deadline = comm.Ibarrier(), time.monotonic() + _PATIENCE_S
    while not request.Test():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def _main() -> None:
    from halcyon.comm import world

    comm = world()
    work, arguments, options = pickle.loads(bytes.fromhex(sys.argv[1]))
    print_result(comm, lambda: work(comm, *arguments, **options))


if __name__ == "__main__":
    _main()
