"""What the laws of `extrapolate` share."""

from __future__ import annotations

from halcyon.base import ConfigError
from halcyon.schedule.trace.events import COLLECTIVES, Kind, Trace

MESSAGES = (
    *(Kind.SEND, Kind.RECEIVE, Kind.START_SEND, Kind.START_RECEIVE),
    *(Kind.SENDRECV, Kind.SENDRECV_RECEIVE),
)
LARGEST_SPREAD = 1.5  # largest over mean size of messages that one law describes
NO_PEER = -2  # peer of messages to MPI_PROC_NULL
_SAME_SIZE = ("barrier", "broadcast", "reduce", "allreduce", "scan", "exscan")
_PER_RANK = ("gather", "scatter", "allgather")

Row = tuple[int, ...]  # of EVENT


class NoLawError(Exception):
    """A trace does not follow a law, for the reason in the text."""


def refuse(reason: str) -> ConfigError:
    return ConfigError(
        f"The trace cannot be extrapolated: {reason}. Leave ranks out, or record it on more ranks."
    )


def program(trace: Trace, rank: int) -> list[Row]:
    """The events of a rank with communicator 0 for all ranks, without those of itself alone.

    Raises ConfigError for communicators of some ranks."""
    world = tuple(range(trace.n_ranks))
    rows = []
    keeps = True  # the last event that is no item
    for row in trace.events[rank].tolist():
        kind, comm = row[0], row[2]
        if kind == Kind.ITEM:
            if keeps:
                rows.append(row)
            continue
        keeps = True
        if kind in MESSAGES or kind in (Kind.COLLECTIVE, Kind.NEIGHBORS):
            members = trace.communicators[comm]
            if len(members) == 1:
                keeps = False
                continue
            if members != world:
                raise refuse(f"rank {rank} uses a communicator of {len(members)} of the {len(world)} ranks")
        rows.append((*row[:2], 0, *row[3:]))
    return rows


def peers(rows: list[Row]) -> list[int]:
    """The peers of the messages; of a receive from any source, that of its completion."""
    completed = {row[5]: row[3] for row in reversed(rows) if row[0] == Kind.WAIT}
    return [
        completed.get(row[5], -1) if row[0] == Kind.START_RECEIVE and row[3] == -1 else row[3] for row in rows
    ]


def scaled(row: Row, factor: float, scaling: str) -> Row:
    """Sizes of collectives and times of computation on 1 / factor times as many ranks."""
    is_strong = scaling == "strong"
    size, compute_ns = row[7], row[8]
    if row[0] == Kind.COLLECTIVE:
        name = COLLECTIVES[row[4]]
        if name == "alltoall":
            size = round(size * factor * (factor if is_strong else 1))
        elif name in _PER_RANK:
            size = round(size * (factor if is_strong else 1))
        elif name not in _SAME_SIZE:
            raise refuse(f"it has the collective {name}, for which there is no law")
    return (*row[:7], size, round(compute_ns * (factor if is_strong else 1)), row[9])
