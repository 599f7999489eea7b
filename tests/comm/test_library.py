"""Python and C++ must use the same MPI."""

import pytest

from halcyon import comm as ours
from halcyon.base import RunError
from halcyon.comm import WrongMpiError, check_library, communicator, world

OPEN_MPI = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"
MPICH = "MPICH Version:      4.3.0\nMPICH Release date: 2025"


def test_the_same_library_is_right():
    check_library(OPEN_MPI, OPEN_MPI + "\0\n")


def test_another_library_is_named_with_the_remedy():
    with pytest.raises(ImportError) as caught:
        check_library(MPICH, OPEN_MPI)
    text = str(caught.value)
    assert "mpi4py loaded MPICH Version:      4.3.0" in text
    assert "built with Open MPI v4.1.4" in text
    assert "pip uninstall mpich" in text


def test_another_library_is_refused_before_a_handle_crosses(monkeypatch):
    from mpi4py import MPI

    monkeypatch.setattr(MPI, "Get_library_version", lambda: MPICH)
    with pytest.raises(WrongMpiError, match="loaded MPICH"):
        communicator(MPI.COMM_SELF)
    assert issubclass(WrongMpiError, RunError) and issubclass(WrongMpiError, ImportError)


def test_a_new_process_tells_whether_mpi_loads(monkeypatch):
    ours.require_in_new_process()
    monkeypatch.setenv("MPI4PY_LIBMPI", "/nonexistent.so")
    with pytest.raises(WrongMpiError, match=r"mpi4py cannot be used \(.*/nonexistent.so.* MPI4PY_LIBMPI"):
        ours.require_in_new_process()


@pytest.mark.mpi
def test_a_communicator_of_ours(comm):
    made = communicator(comm)
    assert (made.rank, made.size) == (comm.rank, comm.size)


@pytest.mark.mpi
def test_the_world_has_all_ranks(comm):
    assert world().size == comm.size
