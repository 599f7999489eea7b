"""Minimum and maximum over ranks, and the first failure. Collective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.launch.errors import all_ranks_raise

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.run.model import StepFailure


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


def raise_first(comm: MPI.Comm, failure: StepFailure) -> None:
    """Collective. Raises the first failure of all ranks (earliest step, then lowest global id), if any.
    failure: of this rank."""
    first_key = minimum(comm, failure.sort_key)
    with all_ranks_raise(comm):
        if failure.error is not None and failure.sort_key == first_key:
            raise failure.error
