"""Whether a step may be taken: the same word on any number of ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import ConfigError, RunError

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.spectral import Model

_ALL_WELL = np.iinfo(np.int64).max
_TOO_FAST = {"courant_number": "winds and waves", "vertical_courant_number": "currents up or down"}
_LEVEL_BITS, _POINT_BITS = 20, 40


def require_fit(model: Model, comm: MPI.Comm | None, found: Any, dt: float) -> None:
    """Collective. Raises, on all ranks, what stands against a step of dt [s]: of what ranks have found the
    first, values that cannot be before motions that are too fast, then by level and point.

    @param comm none for one rank alone; found: trouble of this rank, by `point` -1 where all is well"""
    mine = _order(model, found)
    first = mine if comm is None else _least(comm, mine)
    if first == _ALL_WELL:
        return
    longest_s = model.longest_step()
    error = _error(model, found, dt) if mine == first else None
    if comm is not None:
        longest_s = min(comm.allgather(longest_s))
        error = next(each for each in comm.allgather(error) if each is not None)
    if isinstance(error, ConfigError):
        raise ConfigError(f"{error} Give at most {_below(longest_s)} s.")
    raise error


def _order(model: Model, found: Any) -> int:
    if found.point < 0:
        return _ALL_WELL
    order = (found.variable in _TOO_FAST) << _LEVEL_BITS | found.level
    return order << _POINT_BITS | int(model.points[found.point])


def _least(comm: MPI.Comm, mine: int) -> int:
    from mpi4py import MPI

    least = np.array(mine)
    comm.Allreduce(MPI.IN_PLACE, least, op=MPI.MIN)
    return int(least)


def _error(model: Model, found: Any, dt: float) -> Exception:
    longitude, latitude = model.grid.location(model.points[found.point])
    level = f", level {found.level}" if model.n_levels > 1 else ""
    place = f"{longitude:.2f} E {latitude:.2f} N{level}"
    if found.variable in _TOO_FAST:
        return ConfigError(
            f"dt is {dt:g} s: {_TOO_FAST[found.variable]} at {place} make a Courant number of"
            f" {found.value:.4g}, above 1."
        )
    return RunError(
        f"{found.variable} is {found.value:g} at {place} after {found.step} steps, and no step goes on from"
        " it. Look at what was set, or take shorter steps."
    )


def _below(longest_s: float) -> str:
    """In four digits, rounded down."""
    digits = 10 ** (np.floor(np.log10(longest_s)) - 3)
    return f"{np.floor(longest_s / digits) * digits:.4g}"
