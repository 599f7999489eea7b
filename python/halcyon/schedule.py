"""What ranks do, as data: collectives, halos, lists of messages. A schedule is executed by MPI
(`halcyon.comm`), simulated (`halcyon.network`) and counted; nothing ever holds all ranks at once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from halcyon._core import schedule as core
from halcyon._core.schedule import Schedule, allreduce, alltoall, repeated
from halcyon.base import ConfigError

__all__ = [
    "Schedule",
    "allreduce",
    "alltoall",
    "gcr",
    "grid_halo",
    "message_list",
    "messages",
    "read_record",
    "repeated",
    "transposition",
    "volumes",
]


class Volumes(Protocol):
    """A sparse matrix, a row a receiver: see `halcyon.decomposition.Volumes`."""

    offsets: np.ndarray
    peers: np.ndarray
    messages: np.ndarray
    bytes: np.ndarray


def transposition(
    *,
    grid: Sequence[int],
    shape: Sequence[int],
    item_bytes: int = 8,
    algorithm: str = "ring-1",
    item_s: float = 0.0,
) -> Schedule:
    """The three all-to-alls of a spectral transform (Zheng and Marguinaud 2018, figure 3), a stage each.

    @param grid points along x, y, z; shape: ranks along x, y
    @param algorithm burst, bruck, ring or ring-K
    @param item_s computation [s] for each point that a rank holds, at each state
    @raises ConfigError for an empty grid, and more ranks along a dimension than points
    """
    return core.transposition(tuple(grid), tuple(shape), item_bytes, algorithm, item_s)


def gcr(
    n_ranks: int,
    *,
    n_iterations: int = 25,
    n_directions: int = 3,
    radix: int = 2,
    n_numbers: int = 0,
    compute_s: float = 0.0,
) -> Schedule:
    """The allreduces of a solution by GCR (the same paper, algorithm 1), two an iteration, a stage each.

    @param n_numbers doubles of each instead of the algorithm's min(i, n_directions) and 2
    @param compute_s of each rank before each
    @raises ConfigError for numbers below 1
    """
    return core.gcr(n_ranks, n_iterations, n_directions, radix, n_numbers, compute_s)


def grid_halo(
    *, grid: Sequence[int], shape: Sequence[int], width: int, item_bytes: int, order: str = "sweeps"
) -> Schedule:
    """The halo of a doubly periodic grid of columns, of any width (the same paper, figure 4b).

    @param grid columns along x, y; shape: ranks along them; item_bytes: of a column
    @param order sweeps (x, then y with the corners) or at_once
    @raises ConfigError for more ranks along a dimension than points, and another order
    """
    _require_order(order, ("sweeps", "at_once"))
    return core.grid_halo(tuple(grid), tuple(shape), width, item_bytes, order == "at_once")


def messages(received: Volumes, order: str = "at_once") -> Schedule:
    """An exchange by its volumes, such as `halcyon.decomposition.halo_volumes` counts them.

    @param order at_once, or in_order: all sends leave, then the receives, one after the other
    @raises ConfigError for another order
    """
    _require_order(order, ("at_once", "in_order"))
    lists = received.offsets, received.peers.astype(np.int32), received.messages, received.bytes
    return core.messages(*map(np.ascontiguousarray, lists), order == "at_once")


def message_list(n_ranks: int, listed: Sequence[tuple[int, int, int, int]]) -> Schedule:
    """Messages (round, source, target, bytes): of each round a rank posts its own, starts and awaits them.

    @raises ConfigError for a message to oneself, a rank that is not there, a size or round below 0
    """
    return core.message_list(n_ranks, listed)


def read_record(path: str | os.PathLike[str]) -> Schedule:
    """A run that was recorded. Raises InputError, with the line, where the file is no record."""
    return core.read_record(os.fspath(path))


def volumes(schedule: Schedule) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """What one run of a schedule brings to each rank: offsets, peers, messages and bytes of a sparse matrix,
    a row a receiver, as `halcyon.decomposition.Volumes` has them."""
    return core.volumes(schedule)


def _require_order(order: str, known: Sequence[str]) -> None:
    if order not in known:
        raise ConfigError(f"order is '{order}'. Use {' or '.join(known)}.")
