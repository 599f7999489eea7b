"""Error for an invalid state or a time step that is too long, the same on all ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import ConfigError, RunError
from halcyon.mesh.sphere import position_text

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.spectral import Model

_NO_FAILURE = np.iinfo(np.int64).max
_CAUSES = {
    "courant_number": ("winds and waves", "Courant number"),
    "vertical_courant_number": ("vertical mass fluxes", "Courant number"),
    "deformation_number": (
        "the vorticity and divergence",
        "ratio of step x (|vorticity| + |divergence| + 2 Omega) to its limit of 2",
    ),
}
_LEVEL_BITS, _POINT_BITS = 20, 40


def require_stable_step(model: Model, comm: MPI.Comm | None, failure: Any, dt: float) -> None:
    """Collective. Raises the same error on all ranks if a step dt [s] is not possible. The error is the
    first failure of all ranks: invalid values before violated CFL conditions, then by level, then by point.

    @param comm None for a single rank
    @param failure failure of this rank; `point` is -1 without a failure"""
    local_key = _sort_key(model, failure)
    lowest_key = local_key if comm is None else _minimum(comm, local_key)
    if lowest_key == _NO_FAILURE:
        return
    longest_s = model.longest_step()
    error = _error(model, failure, dt) if local_key == lowest_key else None
    if comm is not None:
        longest_s = min(comm.allgather(longest_s))
        error = next(rank_error for rank_error in comm.allgather(error) if rank_error is not None)
    if isinstance(error, ConfigError):
        raise ConfigError(f"{error} Give at most {_rounded_down(longest_s)} s.")
    assert error is not None
    raise error


def require_complete_step(failure: Any) -> None:
    """Raises RunError if the solver of the implicit equations or a scheme of the column physics failed in a
    step."""
    if failure.variable == "implicit_gravity_waves":
        raise RunError(
            f"The solver of the implicit gravity waves did not converge in step {failure.step + 1}: the"
            f" relative residual is {failure.value:.1e}. Shorten the step, or raise the tolerance."
        )
    if failure.point < 0 or not failure.scheme:
        return
    if failure.message:
        raise RunError(f"The physics scheme '{failure.scheme}' failed: {failure.message}.")
    raise RunError(
        f"The physics scheme '{failure.scheme}' computed {failure.variable} = {failure.value:g} at level"
        f" {failure.level}. Correct the scheme."
    )


def _sort_key(model: Model, failure: Any) -> int:
    """Returns the sort key of a failure: kind, level, point."""
    if failure.point < 0:
        return _NO_FAILURE
    kind_level = (failure.variable in _CAUSES) << _LEVEL_BITS | failure.level
    return kind_level << _POINT_BITS | int(model.points[failure.point])


def _minimum(comm: MPI.Comm, local_key: int) -> int:
    from mpi4py import MPI

    minimum = np.array(local_key)
    comm.Allreduce(MPI.IN_PLACE, minimum, op=MPI.MIN)
    return int(minimum)


def _error(model: Model, failure: Any, dt: float) -> Exception:
    longitude, latitude = model.grid.location(model.points[failure.point])
    level = f", level {failure.level}" if model.n_levels > 1 else ""
    location = f"{position_text(longitude, latitude)}{level}"
    if failure.variable in _CAUSES:
        cause, number = _CAUSES[failure.variable]
        return ConfigError(
            f"dt is {dt:g} s: with {cause} at {location}, the {number} is {failure.value:.4g}, above 1."
        )
    return RunError(
        f"{failure.variable} is {failure.value:g} at {location} after {failure.step} steps: the state is"
        " invalid. Check the initial state, or reduce the time step."
    )


def _rounded_down(longest_s: float) -> str:
    """Formats a time with four digits, rounded down."""
    unit = 10 ** (np.floor(np.log10(longest_s)) - 3)
    return f"{np.floor(longest_s / unit) * unit:.4g}"
