"""Errors in a run of many ranks: one text, one exit code, and no rank left waiting."""

from __future__ import annotations

import os
import sys
import time
import traceback
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from halcyon.base import (
    EXIT_BUG,
    EXIT_MISTAKE,
    EXIT_OK,
    EXIT_STOPPED,
    InputError,
    InternalError,
    exit_code,
)

if TYPE_CHECKING:
    from mpi4py import MPI

Result = TypeVar("Result")
STOPPED = "stopped: "  # begins the last line of a run that stopped in order

_PATIENCE_S = 1.5
_POLL_S = 0.002


class AgreedError(Exception):
    """An error that every rank knows: the text of the lowest failing rank, its rank and its exit code."""

    def __init__(self, text: str, rank: int, code: int, trace: str) -> None:
        super().__init__(text)
        self.text, self.rank, self.code, self.trace = text, rank, code, trace


@contextmanager
def agreed(comm: MPI.Comm) -> Iterator[None]:
    """Collective. If the body fails on any rank, all ranks raise the same AgreedError at its end.

    The body must hold no collective call that a rank which failed would miss. Costs one reduction when all
    goes well.
    """
    failure: Exception | None = None
    try:
        yield
    except AgreedError:
        raise
    except Exception as error:
        failure = error
    lowest = comm.allreduce(comm.size if failure is None else comm.rank, op=_minimum())
    if lowest < comm.size:
        record = comm.bcast(None if failure is None else record_of(failure), root=lowest)
        raise AgreedError(record[0], lowest, *record[1:]) from failure


@contextmanager
def input_agreed(comm: MPI.Comm) -> Iterator[None]:
    """Collective. As `agreed`, but a mistake of the input is raised as an InputError that can be caught."""
    try:
        with agreed(comm):
            yield
    except AgreedError as error:
        if error.code != EXIT_MISTAKE:
            raise
        raise InputError(error.text) from None


def from_root(comm: MPI.Comm, work: Callable[[], Result]) -> Result:
    """Collective. What `work` gives on rank 0, on all ranks; its InputError is raised on all of them."""
    with input_agreed(comm):
        found = work() if comm.rank == 0 else None
    return comm.bcast(found, root=0)


def guarded(
    comm: MPI.Comm,
    body: Callable[[], None],
    log: Callable[[], Path | None],
    note: Callable[[str, int], None] = lambda text, code: None,
) -> int:
    """Collective. Runs `body` on every rank and returns the exit code, the same on all of them.

    A rank that fails on its own waits shortly whether the others end too: then the error of the lowest is
    printed once. If they do not, it prints its error and ends the whole job.
    @param log gives the file to which the traceback of a bug is appended, if there is one yet
    @param note is called with text and code by the one rank that prints
    """
    watch = comm.Dup()
    record: tuple[str, int, str] | None = None
    alone = False
    try:
        body()
    except AgreedError as error:
        record = error.text, error.code, error.trace
    except Exception as error:
        record, alone = record_of(error), True
    lowest = _lowest(watch, alone)
    if lowest is None:
        text, code, trace = record
        note(text, code)
        print_failure(f"rank {comm.rank}: {text}", code, trace, log())
        time.sleep(0.1)
        comm.Abort(code)
    if lowest < comm.size:
        record = watch.bcast(record, root=lowest)
    if record is not None and comm.rank == 0:
        note(*record[:2])
        print_failure(*record, log())
    watch.Barrier()
    watch.Free()
    return EXIT_OK if record is None else record[1]


def print_failure(text: str, code: int, trace: str, log: Path | None) -> None:
    """Prints why a run ended on stderr: the text alone, or for a bug also where its traceback is."""
    if code == EXIT_BUG:
        text = f"this is a bug in Halcyon: {text}\n{_keep(trace, log)}"
    head = STOPPED if code == EXIT_STOPPED else "error: "
    print(f"{head}{text}", file=sys.stderr, flush=True)


def record_of(error: BaseException) -> tuple[str, int, str]:
    """The text, the exit code and the traceback of an error."""
    trace = "".join(traceback.format_exception(error))
    code = exit_code(error)
    named = code == EXIT_BUG and not isinstance(error, InternalError)
    return f"{type(error).__name__}: {error}" if named else str(error), code, trace


def _keep(trace: str, log: Path | None) -> str:
    """Shows the traceback, or puts it into the log, and says so."""
    if os.environ.get("HALCYON_DEBUG") == "1":
        return trace
    try:
        if log is not None:
            with log.open("a", encoding="utf-8") as file:
                file.write(trace)
            return f"Its traceback is in {log}."
    except OSError:
        pass
    return "Set HALCYON_DEBUG=1 and run again to see its traceback."


def _lowest(watch: MPI.Comm, failed: bool) -> int | None:
    """The lowest rank that failed on its own, or the size. None when this one failed and others go on."""
    mine, lowest = array("i", [watch.rank if failed else watch.size]), array("i", [0])
    request = watch.Iallreduce(mine, lowest, op=_minimum())
    deadline = time.monotonic() + _PATIENCE_S + 0.1 * watch.rank
    while not request.Test():
        if failed and time.monotonic() > deadline:
            return None
        time.sleep(_POLL_S)
    return lowest[0]


def _minimum() -> MPI.Op:
    from mpi4py import MPI

    return MPI.MIN
