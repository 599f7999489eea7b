"""Communicators. Importing this module initializes MPI, and raises WrongMpiError (an ImportError) unless
mpi4py loads the MPI library that Halcyon was built with."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import ConfigError, InputError, InternalError
from halcyon.deprecated import provide
from halcyon.mpi_library import require_matching_library
from halcyon.options import instance

require_matching_library()

from mpi4py import MPI  # noqa: E402

from halcyon._core import comm as _core  # noqa: E402

if TYPE_CHECKING:
    from halcyon._core.schedule import Schedule

__all__ = [
    "Communicator",
    "Execution",
    "Progress",
    "collective_errors",
    "communicator",
    "library",
    "methods",
    "mpi_own_progress",
    "recording",
    "thread_level",
    "world",
]

Communicator = _core.Communicator
methods, thread_level, mpi_own_progress = _core.methods, _core.thread_level, _core.mpi_own_progress


def world() -> MPI.Comm:
    """Returns the communicator of all ranks of this job. For main programs only; library functions take a
    communicator."""
    return MPI.COMM_WORLD


def communicator(comm: MPI.Comm) -> Communicator:
    """Collective on the first call. Returns a duplicate of `comm` for C++, so that a receive of Halcyon never
    matches a message of the caller. Later calls return the same duplicate; it is freed with `comm`."""
    return Communicator.from_fortran(comm.py2f())


@contextmanager
def collective_errors(comm: MPI.Comm) -> Iterator[Callable[[str, Any], None]]:
    """Collective. If the body raises an exception on any rank, all ranks raise the error of the lowest failed
    rank at the end of the body, with the number of that rank.

    The context manager returns a function same(name, value). The body calls it for values that must be equal
    on all ranks (compared by their repr); if they differ, all ranks raise ConfigError.

    The body must not contain collective calls. Without an error, the cost is one reduction."""
    instance("comm", comm, MPI.Comm)
    if comm == MPI.COMM_NULL or comm.is_inter:
        raise ConfigError("comm is null or an intercommunicator. Give an intracommunicator.")
    values: list[tuple[str, str]] = []
    failure: Exception | None = None
    try:
        yield lambda name, value: values.append((name, repr(value)))
    except Exception as error:
        failure = error
    if comm.size > 1 and _ranks_differ(comm, failure, values):
        gathered = comm.allgather((_error_record(failure), values))
        raise _common_error(
            [record for record, _ in gathered], [rank_values for _, rank_values in gathered]
        ) from failure
    if failure is not None:
        raise failure


def _ranks_differ(comm: MPI.Comm, failure: Exception | None, values: list[tuple[str, str]]) -> bool:
    """Collective. Whether any rank has failed, or the values differ between ranks."""
    checksum = zlib.crc32(repr(values).encode())
    maxima = np.array([failure is not None, checksum, -checksum], np.int64)
    comm.Allreduce(MPI.IN_PLACE, maxima, op=MPI.MAX)
    return bool(maxima[0]) or maxima[1] != -maxima[2]


def _common_error(
    records: list[tuple[type[Exception], str] | None], values: list[list[tuple[str, str]]]
) -> Exception:
    """Returns the error of the lowest failed rank; if no rank has failed, a ConfigError for the first value
    that differs between ranks.

    records: `_error_record` of each rank. values: name and repr of the values of each rank."""
    for rank, record in enumerate(records):
        if record is not None:
            error_type, text = record
            is_common = all(other == record for other in records)
            return error_type(text if is_common else f"Rank {rank}: {text}")
    for rank, rank_values in enumerate(values):
        for (name, value_0), (_, value) in zip(values[0], rank_values, strict=False):
            if value != value_0:
                return ConfigError(
                    f"Rank {rank} gives {name} {value}, but rank 0 {value_0}. Give the same on all ranks."
                )
    return InternalError("The values of all ranks are equal, but their checksums differ.")


def _error_record(error: Exception | None) -> tuple[type[Exception], str] | None:
    """Returns the type and text of the error that all ranks will raise; None without an error."""
    if error is None:
        return None
    if isinstance(error, ConfigError):
        return ConfigError, str(error)
    return InputError, str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"


def library() -> str:
    """Returns the name and version of the MPI library, in one line."""
    return MPI.Get_library_version().strip("\0 \n").splitlines()[0].split(", package")[0]


class Progress:
    """How messages in flight progress while ranks compute. Any number of exchanges may use one object.

    @param by "none": Halcyon does nothing, MPI and the network may progress messages; "poll": the computation
        calls MPI from time to time; "thread": a progress thread of Halcyon polls MPI, and sleeps while no
        messages are in flight
    @param core core of the thread: "auto", a core of the node to which no rank is bound, if there is one;
        "shared", the core of the rank; or core numbers such as "3" or "2,3", assigned cyclically to the ranks
        of a node
    @param poll_interval_s sleep of the thread between polls [s]

    Collective. Raises ConfigError, on all ranks, for other values, and for "thread" if MPI provides less than
    MPI_THREAD_MULTIPLE. The thread ends when this object and all exchanges that use it are deleted, or in
    MPI_Finalize."""

    def __init__(
        self, comm: MPI.Comm, by: str = "none", *, core: str | int = "auto", poll_interval_s: float = 200e-6
    ) -> None:
        self._core = _core.Progress(communicator(comm), by, str(core), poll_interval_s)
        self.by = by

    @property
    def description(self) -> str:
        """The mode and, for a thread, its core and polling interval; a warning if MPI has its own progress
        threads."""
        return self._core.description

    @property
    def n_polls(self) -> int:
        """Number of polls of the progress thread so far."""
        return self._core.n_polls


class Execution(_core.Execution):
    """Executes a schedule by MPI any number of times, on buffers that it allocates, for measurements. A
    compute operation sleeps for its duration, in 20 parts, and polls for progress between the parts; a
    combine operation adds float64.

    @param schedule for as many ranks as `comm` has
    @param method one of `halcyon.halo.METHODS`
    @param progress how messages progress in compute operations; None: only MPI progresses messages

    Collective. Raises ConfigError, on all ranks, for an unknown method, and for a method that does not
    support the schedule."""

    def __init__(
        self,
        comm: MPI.Comm,
        schedule: Schedule,
        method: str = "auto",
        *,
        progress: Progress | None = None,
    ) -> None:
        if schedule.n_ranks != comm.size:
            raise ConfigError(f"The schedule has {schedule.n_ranks} ranks, but the communicator {comm.size}.")
        super().__init__(communicator(comm), schedule, method, None if progress is None else progress._core)


@contextmanager
def recording(comm: MPI.Comm, path: str | os.PathLike[str]) -> Iterator[None]:
    """Records all exchanges that are created on `comm` in the body: their operations, and the time that ranks
    spend outside of exchanges. Writes the record at the end of the body, unless it raised an exception;
    `halcyon.schedule.read_record` reads it for replay.

    Collective, at the beginning and end of the body. Raises RunError, on all ranks, if the file cannot be
    written, already at the beginning if this can be seen."""
    core_comm, recorder = communicator(comm), _core.Recorder()
    _core.Recorder.require_writable(core_comm, os.fspath(path))
    core_comm.record(recorder)
    try:
        yield
    finally:
        core_comm.record(None)
    recorder.write(core_comm, os.fspath(path))


provide(__name__)
