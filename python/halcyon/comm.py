"""Communicators. Importing this starts MPI, and raises WrongMpiError (an ImportError) unless mpi4py loads the
MPI library that Halcyon was built with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halcyon.mpi_library import require_our_library

require_our_library()

from mpi4py import MPI  # noqa: E402

if TYPE_CHECKING:
    from halcyon._core.comm import Communicator


def world() -> MPI.Comm:
    """All ranks of this job. For the outermost level only: libraries take a communicator."""
    return MPI.COMM_WORLD


def communicator(comm: MPI.Comm) -> Communicator:
    """Collective the first time. The communicator of C++ that belongs to `comm`: a duplicate, so that no
    messages mix. Whoever asks for it again gets the same; it is freed with `comm`."""
    from halcyon._core.comm import Communicator

    return Communicator.from_fortran(comm.py2f())
