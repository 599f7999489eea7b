"""Inspection of schedules: their operations, sums over operations, and execution of all ranks in this process
with real data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from halcyon._core import schedule as _core
from halcyon._core.schedule import Schedule
from halcyon.base import ConfigError


class Block(NamedTuple):
    """A range of a buffer, given by the buffer's index, or `count` ranges, `stride_bytes` apart."""

    buffer: int
    offset_bytes: int
    size_bytes: int
    count: int  # type: ignore[assignment]  # hides tuple.count
    stride_bytes: int


class Operation(NamedTuple):
    """One operation of a rank. Members that an action does not use are undefined. See docs/schedule.md."""

    action: str  # `send`, `receive`, `start`, `wait`, `copy`, `combine` or `compute`
    stage: int  # index of the part of a sequence to which the operation belongs
    peer: int  # the other rank of a message
    round: int  # number of the round to which a message belongs, or that starts or is waited for
    block: Block  # the message, or the source of a copy or combination
    target: Block  # the target of a copy or combination
    work: int  # number of the piece of work that is computed
    seconds: float  # duration of the computation


class Counts(NamedTuple):
    """Sums over the operations of each rank; arrays (rank)."""

    rounds: np.ndarray
    messages: np.ndarray  # number of sent messages
    sent_bytes: np.ndarray
    received_bytes: np.ndarray
    compute_s: np.ndarray


def operations(schedule: Schedule, rank: int) -> list[Operation]:
    """Returns all operations of a rank. Raises ConfigError for an invalid rank."""
    return [
        Operation(action, stage, peer, round_number, Block(*block), Block(*target), work, seconds)
        for action, stage, peer, round_number, block, target, work, seconds in _core.operations(
            schedule, rank
        )
    ]


def counts(schedule: Schedule, ranks: Iterable[int] | None = None) -> Counts:
    """Returns sums over the operations of each of the given ranks, by default all ranks. Raises ConfigError
    for an invalid rank."""
    return Counts(*_core.counts(schedule, list(range(schedule.n_ranks) if ranks is None else ranks)))


def check(schedule: Schedule, rank: int) -> None:
    """Raises InternalError if a rank's operations violate the rules of schedules (docs/schedule.md)."""
    _core.check(schedule, rank)


Combine = Callable[[np.ndarray, np.ndarray], None]


def summing(dtype: DTypeLike = np.float64) -> Combine:
    """Returns a `combine` callback that adds numbers."""

    def add(target: np.ndarray, block: np.ndarray) -> None:
        target.view(dtype)[:] += block.view(dtype)

    return add


def run(
    schedule: Schedule,
    buffers: Sequence[Mapping[str, np.ndarray]],
    *,
    combine: Combine | None = None,
    work: Callable[[int, int], None] | None = None,
) -> list[dict[str, np.ndarray]]:
    """Runs a schedule for all of its ranks in this process, and returns every rank's buffers by name, as
    bytes.

    buffers: for each rank, contiguous arrays by buffer name, read and written in place. Missing buffers are
    allocated. combine(target, block) combines arrays of bytes with the operator of an allreduce and writes
    the result to target: see `summing`. work(rank, number) executes a rank's piece of work.

    Raises ConfigError for unsuitable buffers, InternalError for a schedule that does not complete."""
    if len(buffers) != schedule.n_ranks:
        raise ConfigError(
            f"Buffers of {len(buffers)} ranks were given, but the schedule has "
            f"{schedule.n_ranks} ranks. Give the buffers of every rank."
        )
    buffers_of_ranks = [_buffers_of(schedule, rank, arrays) for rank, arrays in enumerate(buffers)]
    _core.run(schedule, buffers_of_ranks, combine, work)
    return [dict(zip(schedule.buffers, arrays, strict=True)) for arrays in buffers_of_ranks]


def _buffers_of(schedule: Schedule, rank: int, arrays: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    names, sizes = schedule.buffers, schedule.buffer_bytes(rank)
    if unknown := set(arrays) - set(names):
        raise ConfigError(f"The schedule has no buffer '{min(unknown)}'. It has {', '.join(names)}.")
    return [
        _bytes_of(rank, name, arrays[name], size) if name in arrays else np.zeros(size, np.uint8)
        for name, size in zip(names, sizes, strict=True)
    ]


def _bytes_of(rank: int, name: str, array: np.ndarray, size: int) -> np.ndarray:
    if not array.flags.c_contiguous or not array.flags.writeable or array.nbytes < size:
        raise ConfigError(
            f"Buffer '{name}' of rank {rank} has {array.nbytes} bytes. Give a contiguous, writable array "
            f"of at least {size} bytes."
        )
    return array.reshape(-1).view(np.uint8)
