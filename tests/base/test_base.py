"""Errors and constants of `base` in Python, and the ranks of a launch."""

import pytest

from halcyon._core import base


@pytest.mark.parametrize("name", ["ConfigError", "InputError", "RunError", "InternalError"])
def test_each_error_is_an_error(name):
    """Every error type of the C++ core is a subclass of Error."""
    assert issubclass(getattr(base, name), base.Error)


def test_constants_are_the_documented_ones():
    assert base.EARTH_RADIUS == 6371220
    assert base.GRAVITY == 9.80616


@pytest.mark.mpi
def test_every_rank_takes_part(comm):
    assert comm.allgather(comm.rank) == list(range(comm.size))
