"""What ranks do in a schedule: their operations one by one, and what these amount to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from halcyon._core import schedule as _core
from halcyon._core.schedule import Schedule


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
