"""What ranks do in a schedule: their operations one by one, what these amount to, and a run of all of them in
this process, which moves real data between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from halcyon._core import schedule as _core
from halcyon._core.schedule import Schedule
from halcyon.base import ConfigError


class Block(NamedTuple):
    """A range of a buffer, by its number, or `count` ranges, `stride_bytes` apart."""

    buffer: int
    offset_bytes: int
    size_bytes: int
    count: int
    stride_bytes: int


class Operation(NamedTuple):
    """One operation of a rank: `send`, `receive`, `start`, `wait`, `copy`, `combine` or `compute`. What an
    action does not use is meaningless: docs/schedule.md."""

    action: str
    stage: int
    peer: int
    round: int
    block: Block
    target: Block
    work: int
    seconds: float


class Counts(NamedTuple):
    """Sums (rank) over the operations of ranks."""

    rounds: np.ndarray
    messages: np.ndarray  # sent
    sent_bytes: np.ndarray
    received_bytes: np.ndarray
    compute_s: np.ndarray


def operations(schedule: Schedule, rank: int) -> list[Operation]:
    """All that a rank does. Raises ConfigError for a rank that is not there."""
    return [
        Operation(action, stage, peer, number, Block(*block), Block(*target), work, seconds)
        for action, stage, peer, number, block, target, work, seconds in _core.operations(schedule, rank)
    ]


def counts(schedule: Schedule, ranks: Iterable[int] | None = None) -> Counts:
    """What the operations of ranks, or of all, amount to. Raises ConfigError for ranks that are not there."""
    return Counts(*_core.counts(schedule, list(range(schedule.n_ranks) if ranks is None else ranks)))


def check(schedule: Schedule, rank: int) -> None:
    """Raises InternalError where a rank's operations break the contract of schedules: docs/schedule.md."""
    _core.check(schedule, rank)


Combine = Callable[[np.ndarray, np.ndarray], None]


def summing(dtype: DTypeLike = np.float64) -> Combine:
    """A `combine` that adds numbers."""

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
    """Runs a schedule for all of its ranks, and returns every rank's buffers by name, as bytes.

    buffers: of each rank, the arrays of those names that matter, contiguous; they are read and written in
    place. Others are made. combine(target, block) is the operator of an allreduce on bytes, changing target:
    `summing(dtype)` for one. work(rank, number) does a rank's own work.

    Raises ConfigError for buffers that do not fit, InternalError for a schedule that does not end well."""
    if len(buffers) != schedule.n_ranks:
        raise ConfigError(f"Buffers of {len(buffers)} ranks were given, the schedule has {schedule.n_ranks}.")
    memory = [_memory(schedule, rank, given) for rank, given in enumerate(buffers)]
    _core.run(schedule, memory, combine, work)
    return [dict(zip(schedule.buffers, of_rank, strict=True)) for of_rank in memory]


def _memory(schedule: Schedule, rank: int, given: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    names, sizes = schedule.buffers, schedule.buffer_bytes(rank)
    if unknown := set(given) - set(names):
        raise ConfigError(f"The schedule has no buffer '{min(unknown)}'. It has {', '.join(names)}.")
    return [
        _bytes_of(rank, name, given[name], size) if name in given else np.zeros(size, np.uint8)
        for name, size in zip(names, sizes, strict=True)
    ]


def _bytes_of(rank: int, name: str, array: np.ndarray, size: int) -> np.ndarray:
    if not array.flags.c_contiguous or not array.flags.writeable or array.nbytes < size:
        raise ConfigError(
            f"Buffer '{name}' of rank {rank} has {array.nbytes} bytes. Give a contiguous array that can be "
            f"written, of at least {size}."
        )
    return array.reshape(-1).view(np.uint8)
