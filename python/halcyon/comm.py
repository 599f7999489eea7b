"""Communicators. Importing this starts MPI, and raises WrongMpiError (an ImportError) unless mpi4py loads the
MPI library that Halcyon was built with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from halcyon.base import ConfigError
from halcyon.mpi_library import require_our_library

require_our_library()

from mpi4py import MPI  # noqa: E402

if TYPE_CHECKING:
    import numpy as np

    from halcyon._core.comm import Communicator, Statistics
    from halcyon._core.schedule import Schedule


def world() -> MPI.Comm:
    """All ranks of this job. For the outermost level only: libraries take a communicator."""
    return MPI.COMM_WORLD


def communicator(comm: MPI.Comm) -> Communicator:
    """Collective the first time. The communicator of C++ that belongs to `comm`: a duplicate, so that no
    messages mix. Whoever asks for it again gets the same; it is freed with `comm`."""
    from halcyon._core.comm import Communicator

    return Communicator.from_fortran(comm.py2f())


class Execution:
    """A schedule by MPI with memory of its own, to be run again and again: for measurements, and for what
    asks no more than the schedule. Computations take their seconds, asleep; `combine` adds float64.

    @param schedule of as many ranks as `comm` has; method: one of `halcyon.halo.METHODS`

    Collective. Raises ConfigError, on all ranks, for a method that is none or cannot carry the schedule."""

    def __init__(self, comm: MPI.Comm, schedule: Schedule, method: str = "auto") -> None:
        from halcyon._core import comm as _core

        if schedule.n_ranks != comm.size:
            raise ConfigError(f"The schedule has {schedule.n_ranks} ranks, but the communicator {comm.size}.")
        self._core = _core.Execution(communicator(comm), schedule, method)

    def run(self) -> None:
        """Collective. Runs the whole schedule once."""
        self._core.run()

    def buffer(self, name: str) -> np.ndarray:
        """This rank's memory as bytes (uint8), to be read and written.

        Raises ConfigError for another name."""
        return self._core.buffer(name)

    @property
    def description(self) -> str:
        """The method and, where `auto` chose it, why."""
        return self._core.description

    @property
    def statistics(self) -> Statistics:
        """What the runs have cost and moved on this rank so far."""
        return self._core.statistics


@contextmanager
def recording(comm: MPI.Comm, path: str | os.PathLike[str]) -> Iterator[None]:
    """Records what the exchanges that are made meanwhile on `comm` do, and how long ranks are busy otherwise,
    and writes it at the end, unless there was an error: `halcyon.schedule.read_record` replays it.

    Collective, at both ends. Raises RunError, on all ranks, where the file cannot be written: at the
    beginning, where that can be known."""
    from halcyon._core.comm import Recorder

    ours, recorder = communicator(comm), Recorder()
    Recorder.require_writable(ours, os.fspath(path))
    ours.record(recorder)
    try:
        yield
    finally:
        ours.record(None)
    recorder.write(ours, os.fspath(path))
