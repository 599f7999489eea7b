"""Checks before a time step; the result does not depend on the number of ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import ConfigError, RunError

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.spectral import Model

_NO_FAILURE = np.iinfo(np.int64).max
_TOO_FAST = {"courant_number": "winds and waves", "vertical_courant_number": "vertical mass fluxes"}
_LEVEL_BITS, _POINT_BITS = 20, 40


def require_stable_step(model: Model, comm: MPI.Comm | None, failure: Any, dt: float) -> None:
    """Collective. Raises the same error on all ranks if a step dt [s] is not possible. Reports the first of
    several failures: invalid values before violated CFL conditions, then in the order of levels and points.

    @param comm None for a single rank  @param failure failure of this rank; its `point` is -1 if there is
    none"""
    mine = _order(model, failure)
    first = mine if comm is None else _minimum(comm, mine)
    if first == _NO_FAILURE:
        return
    longest_s = model.longest_step()
    error = _error(model, failure, dt) if mine == first else None
    if comm is not None:
        longest_s = min(comm.allgather(longest_s))
        error = next(each for each in comm.allgather(error) if each is not None)
    if isinstance(error, ConfigError):
        raise ConfigError(f"{error} Give at most {_rounded_down(longest_s)} s.")
    raise error


def _order(model: Model, failure: Any) -> int:
    """Sort key of a failure: kind, level, point."""
    if failure.point < 0:
        return _NO_FAILURE
    order = (failure.variable in _TOO_FAST) << _LEVEL_BITS | failure.level
    return order << _POINT_BITS | int(model.points[failure.point])


def _minimum(comm: MPI.Comm, mine: int) -> int:
    from mpi4py import MPI

    minimum = np.array(mine)
    comm.Allreduce(MPI.IN_PLACE, minimum, op=MPI.MIN)
    return int(minimum)


def _error(model: Model, failure: Any, dt: float) -> Exception:
    longitude, latitude = model.grid.location(model.points[failure.point])
    level = f", level {failure.level}" if model.n_levels > 1 else ""
    location = f"{longitude:.2f} E {latitude:.2f} N{level}"
    if failure.variable in _TOO_FAST:
        return ConfigError(
            f"dt is {dt:g} s: {_TOO_FAST[failure.variable]} at {location} make a Courant number of"
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
