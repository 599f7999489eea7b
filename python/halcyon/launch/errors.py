"""Errors in jobs of many ranks: all ranks end with the same text and exit code, and none waits forever."""

from __future__ import annotations

import os
import sys
import time
import traceback
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from halcyon.base import (
    EXIT_BUG,
    EXIT_MISTAKE,
    EXIT_OK,
    EXIT_STOPPED,
    InputError,
    InternalError,
    exit_code,
    printable,
)
from halcyon.mesh.atomic_file import open_new

if TYPE_CHECKING:
    from mpi4py import MPI

Result = TypeVar("Result")
STOPPED = "stopped: "  # prefix of the last line of a run that stopped on request

_PATIENCE_S = 1.5  # time that a failed rank waits for the other ranks
_POLL_S = 0.002  # time between two tests of the other ranks


class FailureRecord(NamedTuple):
    """An error, as ranks send it to each other."""

    text: str
    code: int  # exit code
    trace: str  # traceback


class AgreedError(Exception):
    """An error that all ranks raise: the text, rank, exit code and traceback of the lowest failed rank."""

    def __init__(self, text: str, rank: int, code: int, trace: str) -> None:
        super().__init__(text)
        self.text, self.rank, self.code, self.trace = text, rank, code, trace


@contextmanager
def all_ranks_raise(comm: MPI.Comm) -> Iterator[None]:
    """Collective. If the body fails on any rank, all ranks raise the same AgreedError at its end.

    The body must not contain collective calls that a failed rank would miss. Costs one reduction if there is
    no error.
    """
    failure: Exception | None = None
    try:
        yield
    except AgreedError:
        raise
    except Exception as error:
        failure = error
    lowest_failed = comm.allreduce(comm.size if failure is None else comm.rank, op=_minimum())
    if lowest_failed < comm.size:
        record = comm.bcast(None if failure is None else failure_record(failure), root=lowest_failed)
        raise AgreedError(record.text, lowest_failed, record.code, record.trace) from failure


@contextmanager
def input_error_on_all_ranks(comm: MPI.Comm) -> Iterator[None]:
    """Collective. As `all_ranks_raise`, but a mistake of the user is raised as InputError, which the caller
    can handle."""
    try:
        with all_ranks_raise(comm):
            yield
    except AgreedError as error:
        if error.code != EXIT_MISTAKE:
            raise
        raise InputError(error.text) from None


def from_root(comm: MPI.Comm, work: Callable[[], Result]) -> Result:
    """Collective. Calls `work` on rank 0, and returns the result, or raises the error, on all ranks."""
    with input_error_on_all_ranks(comm):
        result = work() if comm.rank == 0 else None
    return comm.bcast(result, root=0)


def run_guarded(
    comm: MPI.Comm,
    body: Callable[[], None],
    log: Callable[[], Path | None],
    record_end: Callable[[str, int], None] = lambda text, code: None,
) -> int:
    """Collective. Calls `body` on all ranks, and returns the exit code, the same on all ranks.

    A failed rank waits a short time for the other ranks. If all ranks end, the error of the lowest failed
    rank is printed once; otherwise the failed rank prints its error and aborts the job.
    @param log returns the file to which the traceback of a bug is appended, or None
    @param record_end is called with text and exit code of the error, by the rank that prints the error
    """
    own_comm = comm.Dup()
    record: FailureRecord | None = None
    has_failed = False
    try:
        body()
    except AgreedError as error:
        record = FailureRecord(error.text, error.code, error.trace)
    except Exception as error:
        record, has_failed = failure_record(error), True
    lowest_failed = _lowest_failed_rank(own_comm, has_failed)
    if lowest_failed is None:
        assert record is not None  # of this rank, for which the others do not wait
        record_end(record.text, record.code)
        print_failure(f"rank {comm.rank}: {record.text}", record.code, record.trace, log())
        time.sleep(0.1)  # time for mpirun to forward the text
        comm.Abort(record.code)
    if lowest_failed < comm.size:
        record = own_comm.bcast(record, root=lowest_failed)
    if record is not None and comm.rank == 0:
        record_end(record.text, record.code)
        print_failure(record.text, record.code, record.trace, log())
    own_comm.Barrier()
    own_comm.Free()
    return EXIT_OK if record is None else record.code


def print_failure(text: str, code: int, trace: str, log: Path | None) -> None:
    """Prints the error of a run on stderr and, for a bug, the location of its traceback."""
    if code == EXIT_BUG:
        text = f"this is a bug in Halcyon: {text}\n{_save_traceback(trace, log)}"
    prefix = STOPPED if code == EXIT_STOPPED else "error: "
    print(f"{prefix}{printable(text)}", file=sys.stderr, flush=True)


def failure_record(error: BaseException) -> FailureRecord:
    """Returns the record of an error; the text of an unexpected error begins with the type of the error."""
    trace = "".join(traceback.format_exception(error))
    code = exit_code(error)
    is_unexpected = code == EXIT_BUG and not isinstance(error, InternalError)
    text = f"{type(error).__name__}: {error}" if is_unexpected else str(error)
    if isinstance(error, MemoryError):
        detail = f" ({error})" if str(error) else ""
        text = f"the memory of this machine does not suffice{detail}. Make the case smaller."
    return FailureRecord(text, code, trace)


def _save_traceback(trace: str, log: Path | None) -> str:
    """Appends the traceback to the log. Returns a line with its location, or the traceback in debug mode."""
    if os.environ.get("HALCYON_DEBUG") == "1":
        return trace
    try:
        if log is not None:
            with open_new(log, append=True) as file:
                file.write(trace)
            return f"Its traceback is in {log}."
    except OSError:
        pass
    return "Set HALCYON_DEBUG=1 and run again to see its traceback."


def _lowest_failed_rank(comm: MPI.Comm, has_failed: bool) -> int | None:
    """Collective. Returns the lowest failed rank, or the number of ranks if no rank failed; None if this rank
    failed and other ranks still run."""
    failed_here, lowest_failed = array("i", [comm.rank if has_failed else comm.size]), array("i", [0])
    request = comm.Iallreduce(failed_here, lowest_failed, op=_minimum())
    # The patience grows with the rank, so that of several failed ranks the lowest aborts the job.
    deadline = time.monotonic() + _PATIENCE_S + 0.1 * comm.rank
    while not request.Test():
        if has_failed and time.monotonic() > deadline:
            return None
        time.sleep(_POLL_S)
    return lowest_failed[0]


def _minimum() -> MPI.Op:
    from mpi4py import MPI

    return MPI.MIN
