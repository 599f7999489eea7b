"""C++ communicators made from mpi4py communicators, and the names of exchange methods."""

from typing import get_args

import pytest

from halcyon import _core
from halcyon.comm import communicator, world
from halcyon.config.case import Exchange


@pytest.mark.mpi
def test_a_communicator_of_ours(comm):
    """A C++ communicator has the rank and size of its mpi4py communicator."""
    made = communicator(comm)
    assert (made.rank, made.size) == (comm.rank, comm.size)


@pytest.mark.mpi
def test_the_world_has_all_ranks(comm):
    assert world().size == comm.size


def test_the_case_knows_all_methods():
    """The case option exchange.method lists exactly the exchange methods of the C++ core."""
    assert list(get_args(Exchange.model_fields["method"].annotation)) == _core.comm.methods()
