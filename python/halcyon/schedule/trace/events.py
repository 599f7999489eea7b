"""Traces: the MPI calls of every rank of a run, as all readers return them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from halcyon.base import InputError

EVENT = np.dtype(  # as in cpp/record/recorder.h
    [
        ("kind", "u2"),
        ("mode", "u2"),
        ("comm", "i4"),
        ("peer", "i4"),
        ("tag", "i4"),
        ("request", "i4"),
        ("count", "i4"),
        ("bytes", "i8"),
        ("compute_ns", "u8"),
        ("call_ns", "u8"),
    ]
)


class Kind(IntEnum):
    """Kinds of events, as in cpp/record/recorder.h."""

    SEND = 1
    RECEIVE = 2
    START_SEND = 3
    START_RECEIVE = 4
    WAIT = 5
    SENDRECV = 6
    SENDRECV_RECEIVE = 7
    PROBE = 8
    CANCEL = 9
    FREE = 10
    COLLECTIVE = 11
    NEIGHBORS = 12
    ITEM = 13
    COMM = 14
    UNSUPPORTED = 15
    END = 16


COLLECTIVES = (  # in the order of `enum collective`
    "barrier",
    "broadcast",
    "reduce",
    "allreduce",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "reduce_scatter_block",
    "reduce_scatter",
    "scan",
    "exscan",
)
_SENDS = (Kind.SEND, Kind.START_SEND, Kind.SENDRECV)
_LABELS = {
    Kind.SEND: "blocking sends",
    Kind.RECEIVE: "blocking receives",
    Kind.START_SEND: "nonblocking sends",
    Kind.START_RECEIVE: "nonblocking receives",
    Kind.WAIT: "completions",
    Kind.SENDRECV: "sendrecv",
    Kind.PROBE: "probes",
    Kind.NEIGHBORS: "neighbourhood collectives",
}


@dataclass(frozen=True)
class Trace:
    """The events of every rank. Communicator numbers are indices into `communicators`, world ranks of the
    members; those of an intercommunicator are the members of both groups, and have no collectives."""

    source: str  # file or folder, for texts
    format: str
    events: list[np.ndarray]  # (rank) arrays of EVENT
    communicators: list[tuple[int, ...]]
    library: str = ""  # MPI library of the run, if known
    notes: list[str] = field(default_factory=list)  # what the format does not say

    @property
    def n_ranks(self) -> int:
        return len(self.events)


@dataclass(frozen=True)
class Summary:
    """What a trace has: calls by name, messages and bytes between pairs of ranks, and times by rank [s]."""

    ranks: int
    calls: dict[str, int]
    messages: int
    bytes: int
    collective_bytes: int
    compute_s: np.ndarray  # (rank)
    call_s: np.ndarray  # (rank)


def summary(trace: Trace) -> Summary:
    """Counts the calls of a trace."""
    calls: Counter[str] = Counter()
    messages = sent = collective_bytes = 0
    for events in trace.events:
        kinds = events["kind"]
        for kind, label in _LABELS.items():
            calls[label] += int(np.count_nonzero(kinds == kind))
        collectives = events[kinds == Kind.COLLECTIVE]
        for number, count in enumerate(np.bincount(collectives["tag"], minlength=len(COLLECTIVES))):
            calls[COLLECTIVES[number]] += int(count)
        collective_bytes += int(collectives["bytes"].sum())
        is_send = np.isin(kinds, _SENDS) & (events["peer"] >= 0)
        in_list = (kinds == Kind.ITEM) & (events["peer"] >= 0) & (events["tag"] == 0)
        in_list &= _is_in_neighbors(kinds)
        messages += int(np.count_nonzero(is_send | in_list))
        sent += int(events["bytes"][is_send | in_list].sum())
    return Summary(
        ranks=trace.n_ranks,
        calls={name: count for name, count in calls.items() if count},
        messages=messages,
        bytes=sent,
        collective_bytes=collective_bytes,
        compute_s=np.array([events["compute_ns"].sum() * 1e-9 for events in trace.events]),
        call_s=np.array([events["call_ns"].sum() * 1e-9 for events in trace.events]),
    )


def _is_in_neighbors(kinds: np.ndarray) -> np.ndarray:
    """Whether each item belongs to a neighbourhood collective: to the last event that is no item."""
    last = np.maximum.accumulate(np.where(kinds != Kind.ITEM, np.arange(len(kinds)), 0))
    return kinds[last] == Kind.NEIGHBORS if len(kinds) else np.zeros(0, bool)


def event_array(rows: Sequence[tuple[int, ...]]) -> np.ndarray:
    """An array of EVENT from tuples in the order of its fields."""
    return np.array(list(rows), EVENT) if rows else np.zeros(0, EVENT)


def require_items(source: str, rank: int, events: np.ndarray) -> None:
    """Raises InputError unless each event is followed by the number of items that it states."""
    is_item = events["kind"] == Kind.ITEM
    heads = np.flatnonzero(~is_item)
    items = np.diff(np.append(heads, len(events))) - 1
    if len(events) and (is_item[0] or np.any(items != events["count"][heads])):
        raise damaged(source, rank, "the length of a list is wrong")


def damaged(source: str, rank: int, problem: str) -> InputError:
    return InputError(f"{source}: the trace of rank {rank} is damaged: {problem}. Record it again.")


class CommunicatorNumbers:
    """Numbers communicators in the same way on all ranks: those with the same members in the order in which
    the ranks create them, which is the same on all members."""

    def __init__(self) -> None:
        self.members: list[tuple[int, ...]] = []
        self._numbers: dict[tuple[object, int], int] = {}
        self._seen: Counter[object] = Counter()

    def begin_rank(self) -> None:
        self._seen.clear()

    def number(self, members: Iterable[int], remote: Iterable[int] = ()) -> int:
        """The number of the next communicator of this rank with these members; remote: those of the remote
        group of an intercommunicator."""
        local, other = tuple(members), tuple(remote)
        key: object = (local,) if not other else tuple(sorted((local, other)))
        occurrence = self._seen[key]
        self._seen[key] += 1
        if (key, occurrence) not in self._numbers:
            self._numbers[key, occurrence] = len(self.members)
            self.members.append(local + other)
        return self._numbers[key, occurrence]
