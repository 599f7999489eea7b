"""Python and C++ must use the same MPI."""

import os
import subprocess
import sys

import pytest

from halcyon import mpi_library
from halcyon.base import RunError
from halcyon.mpi_library import WrongMpiError, check_library

OPEN_MPI = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"
MPICH = "MPICH Version:      4.3.0\nMPICH Release date: 2025"


def test_the_same_library_is_right():
    """Version texts that differ in trailing NUL and white space are equal."""
    check_library(OPEN_MPI, OPEN_MPI + "\0\n")


def test_another_library_is_named_with_the_remedy():
    """The error names both libraries and the command that removes the wrong one."""
    with pytest.raises(ImportError) as caught:
        check_library(MPICH, OPEN_MPI)
    text = str(caught.value)
    assert "mpi4py loaded MPICH Version:      4.3.0" in text
    assert "built with Open MPI v4.1.4" in text
    assert "pip uninstall mpich" in text


def test_another_library_is_refused_at_import():
    program = (
        "from mpi4py import MPI\n"
        f"MPI.Get_library_version = lambda: {MPICH!r}\n"
        "try:\n    import halcyon.comm\n"
        "except ImportError as error:\n    print(type(error).__name__, error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment())
    assert "WrongMpiError mpi4py loaded MPICH" in done.stdout, done.stderr
    assert issubclass(WrongMpiError, RunError) and issubclass(WrongMpiError, ImportError)


def environment(**variables):
    """The environment without the variables that MPI set in this process for other tests."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMIX_"))}
    return clean | variables


def test_a_missing_library_is_refused_at_import():
    done = subprocess.run(
        [sys.executable, "-c", "import halcyon.comm"],
        capture_output=True,
        text=True,
        env=environment(MPI4PY_LIBMPI="/nonexistent.so"),
    )
    assert done.returncode != 0
    assert "WrongMpiError: mpi4py cannot be used (" in done.stderr


def test_a_new_process_tells_whether_mpi_loads(monkeypatch):
    """require_in_new_process passes where MPI loads, and otherwise raises the error of the new process."""
    mpi_library.require_in_new_process()
    monkeypatch.setenv("MPI4PY_LIBMPI", "/nonexistent.so")
    with pytest.raises(WrongMpiError, match=r"mpi4py cannot be used \(.*/nonexistent.so.* MPI4PY_LIBMPI"):
        mpi_library.require_in_new_process()
