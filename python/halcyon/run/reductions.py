"""Minimum and maximum over ranks. Collective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from mpi4py import MPI


def minimum(comm: MPI.Comm, value: Any) -> Any:
    """The minimum over ranks."""
    from mpi4py import MPI

    return comm.allreduce(value, op=MPI.MIN)


def maximum(comm: MPI.Comm, value: Any) -> Any:
    """The maximum over ranks."""
    from mpi4py import MPI

    return comm.allreduce(value, op=MPI.MAX)


def elementwise_minimum(comm: MPI.Comm, values: np.ndarray) -> np.ndarray:
    """The minimum over ranks of each element."""
    from mpi4py import MPI

    minima = np.empty_like(values)
    comm.Allreduce(values, minima, op=MPI.MIN)
    return minima
