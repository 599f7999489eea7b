"""Communicators of C++ from those of mpi4py."""

import pytest

from halcyon.comm import communicator, world


@pytest.mark.mpi
def test_a_communicator_of_ours(comm):
    made = communicator(comm)
    assert (made.rank, made.size) == (comm.rank, comm.size)


@pytest.mark.mpi
def test_the_world_has_all_ranks(comm):
    assert world().size == comm.size
