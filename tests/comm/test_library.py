"""Python and C++ must use the same MPI."""

import pytest

from halcyon.comm import check_library, world

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


@pytest.mark.mpi
def test_the_world_has_all_ranks(comm):
    assert world().size == comm.size
