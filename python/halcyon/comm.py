"""Communicators. Importing this starts MPI, and raises WrongMpiError (an ImportError) unless mpi4py loads the
MPI library that Halcyon was built with."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import ConfigError, InputError, InternalError
from halcyon.mpi_library import require_our_library
from halcyon.options import instance

require_our_library()

from mpi4py import MPI  # noqa: E402

from halcyon._core import comm as _core  # noqa: E402

if TYPE_CHECKING:
    from halcyon._core.schedule import Schedule


Communicator = _core.Communicator
methods, thread_level, mpi_own_progress = _core.methods, _core.thread_level, _core.mpi_own_progress


def world() -> MPI.Comm:
    """All ranks of this job. For the outermost level only: libraries take a communicator."""
    return MPI.COMM_WORLD


def communicator(comm: MPI.Comm) -> Communicator:
    """Collective the first time. The communicator of C++ that belongs to `comm`: a duplicate, so that no
    messages mix. Whoever asks for it again gets the same; it is freed with `comm`."""
    return Communicator.from_fortran(comm.py2f())


@contextmanager
def together(comm: MPI.Comm) -> Iterator[Callable[[str, Any], None]]:
    """Collective. What is raised inside on some ranks is raised on all of them at the end: the mistake of the
    lowest, which is named. The function that it gives notes what must be the same on all, by name: values
    whose repr tells them apart. Raises ConfigError where they are not.

    The body must hold no collective call. Costs one reduction where all is well."""
    instance("comm", comm, MPI.Comm)
    if comm == MPI.COMM_NULL or comm.is_inter:
        raise ConfigError("comm is null or between groups. Give a communicator of the ranks.")
    noted: list[tuple[str, str]] = []
    failure: Exception | None = None
    try:
        yield lambda name, value: noted.append((name, repr(value)))
    except Exception as error:
        failure = error
    if comm.size > 1 and _told_apart(comm, failure, noted):
        found = comm.allgather((_mistake(failure), noted))
        raise _first_of([mistake for mistake, _ in found], [noted for _, noted in found]) from failure
    if failure is not None:
        raise failure


def _told_apart(comm: MPI.Comm, failure: Exception | None, noted: list[tuple[str, str]]) -> bool:
    """Collective. Whether a rank has failed, or noted something else than another."""
    mark = zlib.crc32(repr(noted).encode())
    ours = np.array([failure is not None, mark, -mark], np.int64)
    comm.Allreduce(MPI.IN_PLACE, ours, op=MPI.MAX)
    return bool(ours[0]) or ours[1] != -ours[2]


def _first_of(
    mistakes: list[tuple[type[Exception], str] | None], noted: list[list[tuple[str, str]]]
) -> Exception:
    """The mistake of the lowest rank; where there is none, what was noted differently."""
    for rank, mistake in enumerate(mistakes):
        if mistake is not None:
            kind, text = mistake
            return kind(text if all(each == mistake for each in mistakes) else f"Rank {rank}: {text}")
    for rank, theirs in enumerate(noted):
        for (name, first), (_, other) in zip(noted[0], theirs, strict=False):
            if other != first:
                return ConfigError(f"Rank {rank} gives {name} {other}, but rank 0 {first}. Give the same.")
    return InternalError("Ranks note alike what does not have the same mark.")


def _mistake(error: Exception | None) -> tuple[type[Exception], str] | None:
    if error is None:
        return None
    if isinstance(error, ConfigError):
        return ConfigError, str(error)
    return InputError, str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"


def library() -> str:
    """The MPI and its version, in a line."""
    return MPI.Get_library_version().strip("\0 \n").splitlines()[0].split(", package")[0]


class Progress:
    """How messages under way get on while their ranks compute; it may serve any number of exchanges.

    @param by "none": as the MPI and the network do by themselves; "poll": whenever the computation asks;
        "thread": by a thread of our own, which sleeps where nothing is under way
    @param core of a thread: "auto", a core of the node to which no rank is bound, if there is one; "shared",
        the one that the rank is on; or numbers such as "3" or "2,3", of the ranks of a node one after another
    @param nap_s that a thread sleeps from turn to turn [s]

    Collective. Raises ConfigError, on all ranks, for others, and for a thread where MPI was started with less
    than MPI_THREAD_MULTIPLE. A thread ends with this object and what uses it, or with MPI."""

    def __init__(
        self, comm: MPI.Comm, by: str = "none", *, core: str | int = "auto", nap_s: float = 200e-6
    ) -> None:
        self._core = _core.Progress(communicator(comm), by, str(core), nap_s)
        self.by = by

    @property
    def description(self) -> str:
        """Its name and, of a thread, core and naps; a warning where the MPI has threads of its own, too."""
        return self._core.description

    @property
    def n_turns(self) -> int:
        """How often the thread has given MPI a turn."""
        return self._core.n_turns


class Execution(_core.Execution):
    """A schedule by MPI with memory of its own, to be run again and again: for measurements, and for what
    asks no more than the schedule. Computations take their seconds, asleep, and ask for progress 19 times
    meanwhile; `combine` adds float64.

    @param schedule of as many ranks as `comm` has; method: one of `halcyon.halo.METHODS`
    @param progress while ranks compute; by default none

    Collective. Raises ConfigError, on all ranks, for a method that is none or cannot carry the schedule."""

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
    """Records what the exchanges that are made meanwhile on `comm` do, and how long ranks are busy otherwise,
    and writes it at the end, unless there was an error: `halcyon.schedule.read_record` replays it.

    Collective, at both ends. Raises RunError, on all ranks, where the file cannot be written: at the
    beginning, where that can be known."""
    ours, recorder = communicator(comm), _core.Recorder()
    _core.Recorder.require_writable(ours, os.fspath(path))
    ours.record(recorder)
    try:
        yield
    finally:
        ours.record(None)
    recorder.write(ours, os.fspath(path))
