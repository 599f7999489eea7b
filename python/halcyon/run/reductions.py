"""The smallest and the largest of the ranks' values. Collective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from mpi4py import MPI


def least(comm: MPI.Comm, value: Any) -> Any:
    """The smallest of the ranks' values."""
    from mpi4py import MPI

    return comm.allreduce(value, op=MPI.MIN)


def greatest(comm: MPI.Comm, value: Any) -> Any:
    """The largest of the ranks' values."""
    from mpi4py import MPI

    return comm.allreduce(value, op=MPI.MAX)


def least_of_each(comm: MPI.Comm, values: np.ndarray) -> np.ndarray:
    """The smallest of the ranks' values, one by one."""
    from mpi4py import MPI

    found = np.empty_like(values)
    comm.Allreduce(values, found, op=MPI.MIN)
    return found
