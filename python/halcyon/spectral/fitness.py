"""Checks before a time step; the result does not depend on the number of ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import ConfigError, RunError

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.spectral import Model

_NO_FAILURE = np.iinfo(np.int64).max
_CAUSES = {"courant_number": "winds and waves", "vertical_courant_number": "vertical mass fluxes"}
_LEVEL_BITS, _POINT_BITS = 20, 40


def require_stable_step(model: Model, comm: MPI.Comm | None, failure: Any, dt: float) -> None:
    """Collective. Raises the same error on all ranks if a step dt [s] is not possible. The first failure
    is reported: invalid values before violated CFL conditions, then in the order of levels and points.

    @param comm None for a single rank
    @param failure failure of this rank; `point` is -1 without a failure"""
    own_order = _order(model, failure)
    lowest_order = own_order if comm is None else _minimum(comm, own_order)
    if lowest_order == _NO_FAILURE:
        return
    longest_s = model.longest_step()
    error = _error(model, failure, dt) if own_order == lowest_order else None
    if comm is not None:
        longest_s = min(comm.allgather(longest_s))
        error = next(found for found in comm.allgather(error) if found is not None)
    if isinstance(error, ConfigError):
        raise ConfigError(f"{error} Give at most {_rounded_down(longest_s)} s.")
    raise error


def _order(model: Model, failure: Any) -> int:
    """Returns the sort key of a failure: kind, level, point."""
    if failure.point < 0:
        return _NO_FAILURE
    order = (failure.variable in _CAUSES) << _LEVEL_BITS | failure.level
    return order << _POINT_BITS | int(model.points[failure.point])


def _minimum(comm: MPI.Comm, own_order: int) -> int:
    from mpi4py import MPI

    minimum = np.array(own_order)
    comm.Allreduce(MPI.IN_PLACE, minimum, op=MPI.MIN)
    return int(minimum)


def _error(model: Model, failure: Any, dt: float) -> Exception:
    longitude, latitude = model.grid.location(model.points[failure.point])
    level = f", level {failure.level}" if model.n_levels > 1 else ""
    location = f"{longitude:.2f} E {latitude:.2f} N{level}"
    if failure.variable in _CAUSES:
        return ConfigError(
            f"dt is {dt:g} s: with {_CAUSES[failure.variable]} at {location}, the Courant number is"
            f" {failure.value:.4g}, above 1."
        )
    return RunError(
        f"{failure.variable} is {failure.value:g} at {location} after {failure.step} steps: the state is"
        " invalid. Check the initial state, or reduce the time step."
    )


def _rounded_down(longest_s: float) -> str:
    """Formats a time with four digits, rounded down."""
    digits = 10 ** (np.floor(np.log10(longest_s)) - 3)
    return f"{np.floor(longest_s / digits) * digits:.4g}"
