"""Schedules of others: one after the other, again and again, with computation between, or from a record."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from halcyon._core import schedule as _core
from halcyon._core.schedule import Schedule
from halcyon.base import ConfigError


def sequence(parts: Sequence[Schedule], repetitions: int = 1) -> Schedule:
    """Schedules of the same ranks one after the other, all of it so many times. Buffers of one name are one.

    Raises ConfigError for other ranks, no parts, and more repetitions than a cursor can count."""
    return _core.sequence(list(parts), repetitions)


def repeated(schedule: Schedule, times: int) -> Schedule:
    """The same schedule so many times. Raises ConfigError as `sequence` does."""
    return _core.sequence([schedule], times)


def computation(ranks: int, seconds: ArrayLike, *, work: int = 0) -> Schedule:
    """A piece of work of every rank, without messages: its number, and the seconds that it takes, of all
    ranks or (rank). In a sequence it belongs to the stage that follows, or to the last.

    Raises ConfigError for negative seconds, and where they are not those of the ranks."""
    return _core.computation(seconds_of(ranks, seconds), work)


def seconds_of(ranks: int, seconds: ArrayLike) -> list[float]:
    """Those of each rank, from one number or (rank).

    Raises ConfigError where they are neither, or negative."""
    values = np.asarray(seconds, np.float64)
    if values.shape not in ((), (ranks,)) or not np.all(values >= 0):
        raise ConfigError(
            f"seconds have the shape {values.shape} and the least is {values.min(initial=0)}. Give one "
            f"number, or one for each of the {ranks} ranks, none below 0."
        )
    return np.broadcast_to(values, ranks).tolist()


def read_record(path: str | os.PathLike[str]) -> Schedule:
    """What a run has recorded (`halcyon.comm.recording`): its messages, and its computation as time.

    Raises InputError where there is no such file, or a line is none of a record."""
    return _core.read_record(os.fspath(path))
