"""Traces as schedules: matches messages, and replaces collectives by the algorithms of an MPI library.

Messages of MPI match by communicator, tag and source; those of a schedule in the order of their sends. So a
rank posts its receives in the order in which the messages were sent, and where the program waits for a
message, it waits for the receive that gets it.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from halcyon._core import schedule as _core
from halcyon._core.schedule import Schedule
from halcyon.base import InputError
from halcyon.schedule.trace.events import COLLECTIVES, Kind, Trace
from halcyon.schedule.trace.mpi_algorithms import choose

COMPUTE, SEND, RECEIVE, WAIT, COPY, COLLECTIVE, BEGIN, END = range(8)  # ReplayStep::Kind
_MOST_BUFFERED = 16  # sends of a rank that are in flight although the program has gone on
_COLLECTIVE_ROUND = 1 << 28  # round numbers of collectives begin here
_NONBLOCKING_ROUNDS = 1 << 21  # for each pending nonblocking collective
_NEIGHBORS_TAG = -3  # of the messages of neighbourhood collectives


def replay(
    trace: Trace,
    *,
    library: str = "open_mpi",
    computation: float = 1.0,
    buffered_bytes: int = 0,
    ranks_per_node: int = 1,
    drop_unmatched: bool = False,
) -> Schedule:
    """A trace as a schedule.

    library: the MPI library whose algorithms execute the collectives (`mpi_algorithms.LIBRARIES`).
    computation: factor of computation times. buffered_bytes: sends up to this size complete at once, as MPI
    libraries buffer small messages. ranks_per_node: for two-level algorithms. drop_unmatched: ignore messages
    that are only sent or only received; by default they are an error.

    Raises InputError for messages without a partner and for collectives on which ranks disagree."""
    messages = _Messages(trace, drop_unmatched)
    collectives = _Collectives(trace, library, ranks_per_node)
    offsets, steps, seconds = [0], [], []
    for rank in range(trace.n_ranks):
        program = _Rank(rank, messages, collectives, computation, buffered_bytes)
        for event in rows(trace.events[rank]):
            program.add(event)
        program.finish()
        steps += program.steps
        seconds += program.seconds
        offsets.append(len(seconds))
    return _core.replayed(
        np.array(offsets, np.int64),
        np.array(steps, np.int64).reshape(-1, 5),
        np.array(seconds, np.float64),
        collectives.schedules,
    )


class CallEvent(NamedTuple):
    kind: int
    mode: int
    comm: int
    peer: int
    tag: int
    request: int
    count: int  # type: ignore[assignment]  # hides tuple.count
    bytes: int
    compute_ns: int
    call_ns: int
    items: list[tuple[int, int, int]]  # (peer, tag, bytes)


def rows(events: np.ndarray) -> Iterator[CallEvent]:
    """The events of a rank with their lists."""
    columns = [events[name].tolist() for name in events.dtype.names or ()]
    rows = list(zip(*columns, strict=True))
    i = 0
    while i < len(rows):
        count = rows[i][6]
        items = [(item[3], item[4], item[7]) for item in rows[i + 1 : i + 1 + count]]
        yield CallEvent._make((*rows[i], items))
        i += 1 + count


class _Transfer(NamedTuple):
    """A send or a receive, in the order of the program."""

    is_send: bool
    comm: int
    peer: int
    tag: int
    bytes: int


def _transfers(event: CallEvent, sources: dict[int, tuple[int, int]]) -> Iterator[_Transfer]:
    """The messages that an event starts. sources: actual source and tag of requests with wildcards."""
    kind = event.kind
    if kind in (Kind.SEND, Kind.START_SEND, Kind.SENDRECV) and event.peer >= 0:
        yield _Transfer(True, event.comm, event.peer, event.tag, event.bytes)
    elif kind in (Kind.RECEIVE, Kind.SENDRECV_RECEIVE) and event.peer >= 0:
        yield _Transfer(False, event.comm, event.peer, event.tag, event.bytes)
    elif kind == Kind.START_RECEIVE:
        peer, tag = sources.get(event.request, (event.peer, event.tag))
        if peer >= 0:
            yield _Transfer(False, event.comm, peer, tag, event.bytes)
    elif kind == Kind.NEIGHBORS:
        for peer, is_received, size in event.items:
            if peer >= 0:
                yield _Transfer(not is_received, event.comm, peer, _NEIGHBORS_TAG, size)


def _actual_sources(events: np.ndarray) -> dict[int, tuple[int, int]]:
    """Source and tag of the messages that requests received: those of wildcards are known when they complete;
    (-1, -1) for requests that were cancelled or never completed."""
    starts = events[events["kind"] == Kind.START_RECEIVE]
    unknown = starts[(starts["peer"] < 0) | (starts["tag"] == -1)]["request"].tolist()
    sources = dict.fromkeys(unknown, (-1, -1))
    for event in events[(events["kind"] == Kind.WAIT) & (events["peer"] >= 0)]:
        sources[int(event["request"])] = (int(event["peer"]), int(event["tag"]))
    for event in events[events["kind"] == Kind.CANCEL]:
        sources[int(event["request"])] = (-1, -1)
    return sources


class _Messages:
    """All messages of a trace. A channel is (communicator, tag, source, target); the messages of a pair of
    ranks are numbered in the order of their sends."""

    def __init__(self, trace: Trace, drop_unmatched: bool) -> None:
        self.sources = [_actual_sources(events) for events in trace.events]
        sent: Counter[tuple[int, ...]] = Counter()
        received: Counter[tuple[int, ...]] = Counter()
        order = []
        for rank, events in enumerate(trace.events):
            for event in rows(events):
                for transfer in _transfers(event, self.sources[rank]):
                    if transfer.is_send:
                        channel = (transfer.comm, transfer.tag, rank, transfer.peer)
                        sent[channel] += 1
                        order.append((channel, transfer.bytes))
                    else:
                        received[transfer.comm, transfer.tag, transfer.peer, rank] += 1
        if not drop_unmatched:
            _require_matching(trace, sent, received)
        self._matched = {channel: min(count, received[channel]) for channel, count in sent.items()}
        self.sizes: dict[tuple[int, int], list[int]] = defaultdict(list)  # of the messages of a pair
        self._numbers: dict[tuple[int, ...], list[int]] = defaultdict(
            list
        )  # in the pair, of those of a channel
        for channel, size in order:
            if len(self._numbers[channel]) < self._matched[channel]:
                pair = self.sizes[channel[2:]]
                self._numbers[channel].append(len(pair))
                pair.append(size)

    def number(self, channel: tuple[int, ...], i: int) -> int | None:
        """The number, in its pair, of the i-th message of a channel; None if it has no partner."""
        numbers = self._numbers.get(channel, [])
        return numbers[i] if i < len(numbers) else None


def _require_matching(trace: Trace, sent: Counter[Any], received: Counter[Any]) -> None:
    for channel in sorted(sent.keys() | received.keys()):
        if sent[channel] != received[channel]:
            comm, tag, source, target = channel
            kind = "a neighbourhood collective" if tag == _NEIGHBORS_TAG else f"tag {tag}"
            raise InputError(
                f"{trace.source}: rank {source} sends {sent[channel]} messages to rank {target} with {kind} "
                f"on communicator {comm}, but {received[channel]} are received. The trace is incomplete; "
                "drop_unmatched: true ignores such messages."
            )


def collective_calls(trace: Trace) -> dict[int, list[dict[int, CallEvent]]]:
    """The calls of collectives by communicator, each with the event of every rank."""
    calls: dict[int, list[dict[int, CallEvent]]] = defaultdict(list)
    for rank, events in enumerate(trace.events):
        n_calls: Counter[int] = Counter()
        for event in rows(events):
            if event.kind == Kind.COLLECTIVE:
                if n_calls[event.comm] == len(calls[event.comm]):
                    calls[event.comm].append({})
                calls[event.comm][n_calls[event.comm]][rank] = event
                n_calls[event.comm] += 1
    return calls


class _Collectives:
    """The collectives of a trace as schedules, each of which occurs once."""

    def __init__(self, trace: Trace, library: str, ranks_per_node: int) -> None:
        self.schedules: list[tuple[Schedule, list[int]]] = []
        self.members = trace.communicators
        self._positions = [{rank: i for i, rank in enumerate(members)} for members in trace.communicators]
        self._library, self._ranks_per_node, self._source = library, ranks_per_node, trace.source
        self._calls = collective_calls(trace)
        self._known: dict[tuple[Any, ...], int] = {}
        self._with_one_round: set[int] = set()
        self._indices: dict[tuple[int, int], int] = {}

    def has_one_round(self, index: int) -> bool:
        return index in self._with_one_round

    def position(self, comm: int, rank: int) -> int:
        return self._positions[comm][rank]

    def index(self, comm: int, call: int) -> int:
        """Index into `schedules` of a call, counted on each communicator; -1 if it has one rank."""
        if (comm, call) not in self._indices:
            self._indices[comm, call] = self._schedule_of(comm, call)
        return self._indices[comm, call]

    def _schedule_of(self, comm: int, call: int) -> int:
        members, events = self.members[comm], self._calls[comm][call]
        if len(members) == 1:
            return -1
        names = {COLLECTIVES[event.tag] for event in events.values()}
        roots = {event.peer for event in events.values()}
        if len(events) < len(members) or len(names) > 1 or len(roots) > 1:
            calls = f"call {', '.join(sorted(names))} with root {', '.join(map(str, sorted(roots)))}"
            raise InputError(
                f"{self._source}: {len(events)} of the {len(members)} ranks of communicator {comm} {calls} "
                f"as its collective {call + 1}. All must call the same one; the trace is incomplete or "
                "damaged."
            )
        operation, root = names.pop(), max(roots.pop(), 0)
        in_order = [events[rank] for rank in members]
        sizes, size = _sizes(operation, in_order)
        nonblocking = in_order[0].request >= 0
        algorithm = choose(
            self._library,
            operation,
            len(members),
            size,
            nonblocking=nonblocking,
            ranks_per_node=self._ranks_per_node,
        )
        short = operation.removesuffix("_block")
        if short.endswith("v"):
            short = short.removesuffix("v")
        key = (comm, short, algorithm, tuple(sizes), root)
        if key not in self._known:
            self._known[key] = len(self.schedules)
            if (short, algorithm) in (("alltoall", "linear"), ("allgather", "burst")):
                self._with_one_round.add(len(self.schedules))
            work = _core.collective(
                short, algorithm, len(members), sizes, root, 0, _item_bytes(sizes), self._ranks_per_node
            )
            self.schedules.append((work, list(members)))
        return self._known[key]


def _item_bytes(sizes: list[int]) -> int:
    return 8 if all(size % 8 == 0 for size in sizes) else 1


def _sizes(operation: str, events: list[CallEvent]) -> tuple[list[int], int]:
    """The sizes of a collective's schedule, and the size that selects its algorithm."""
    own = [event.bytes for event in events]
    if operation == "alltoallv":
        blocks = [size for event in events for _, _, size in event.items]
        return blocks, max(blocks)
    if operation in ("gatherv", "scatterv", "allgatherv", "reduce_scatter"):
        return own, sum(own) if operation == "reduce_scatter" else sum(own) // len(own)
    return [max(own)], max(own)


class _Rank:
    """The steps of one rank, from its events."""

    def __init__(
        self,
        rank: int,
        messages: _Messages,
        collectives: _Collectives,
        computation: float,
        buffered_bytes: int,
    ) -> None:
        self.steps: list[tuple[int, int, int, int, int]] = []
        self.seconds: list[float] = []
        self._rank, self._messages, self._collectives = rank, messages, collectives
        self._computation, self._buffered_bytes = computation * 1e-9, buffered_bytes
        self._free_rounds: list[int] = []
        self._n_rounds = 0
        self._slots: dict[int, list[int]] = defaultdict(
            list
        )  # (source) round of each posted receive; -1: done
        self._n_started: Counter[int] = Counter()  # (source) receives that the program has started
        self._n_in_channel: Counter[tuple[int, ...]] = Counter()
        self._requests: dict[int, list[tuple[str, Any]]] = {}
        self._buffered: deque[int] = deque()  # rounds of sends in flight
        self._n_calls: Counter[int] = Counter()  # (comm) collectives
        self._free_bases: list[int] = []
        self._pending: dict[int, int] = {}  # (comm) request of a nonblocking collective of several rounds
        self._n_bases = 0

    def add(self, event: CallEvent) -> None:
        seconds = event.compute_ns * self._computation
        if seconds > 0:
            self._step(COMPUTE, seconds=seconds)
        pending = [
            self._start(transfer) for transfer in _transfers(event, self._messages.sources[self._rank])
        ]
        match event.kind:
            case Kind.SEND | Kind.RECEIVE | Kind.NEIGHBORS if event.request < 0:
                self._finish(pending)
            case Kind.SENDRECV:  # its receive follows
                self._requests[-2] = pending
            case Kind.SENDRECV_RECEIVE:
                self._finish(pending + self._requests.pop(-2, []))
            case Kind.START_SEND | Kind.START_RECEIVE | Kind.NEIGHBORS:
                self._requests[event.request] = pending
            case Kind.WAIT:
                self._finish(self._requests.pop(event.request, []))
            case Kind.PROBE:
                self._wait_for_probed(event)
            case Kind.COLLECTIVE:
                self._collective(event)

    def finish(self) -> None:
        """Completes what the program has not waited for."""
        for pending in list(self._requests.values()):
            self._finish(pending)
        for source, slots in self._slots.items():
            for number in range(len(slots)):
                self._wait_for_message(source, number)
        while self._buffered:
            self._wait(self._buffered.popleft())

    def _step(
        self,
        kind: int,
        peer: int = 0,
        round_number: int = 0,
        index: int = 0,
        size: int = 0,
        seconds: float = 0.0,
    ) -> None:
        self.steps.append((kind, peer, round_number, index, size))
        self.seconds.append(seconds)

    def _new_round(self) -> int:
        if self._free_rounds:
            return self._free_rounds.pop()
        self._n_rounds += 1
        return self._n_rounds - 1

    def _wait(self, round_number: int) -> None:
        self._step(WAIT, round_number=round_number)
        self._free_rounds.append(round_number)

    def _start(self, transfer: _Transfer) -> tuple[str, Any]:
        """Starts a message. Returns how it completes."""
        is_send, comm, peer, tag, size = transfer
        source, target = (self._rank, peer) if is_send else (peer, self._rank)
        channel = (comm, tag, source, target)
        key = (*channel, int(is_send))
        number = self._messages.number(channel, self._n_in_channel[key])
        self._n_in_channel[key] += 1
        if number is None:
            return "nothing", None
        if source == target:
            return ("nothing", None) if is_send else ("copy", self._messages.sizes[source, target][number])
        if is_send:
            round_number = self._new_round()
            self._step(SEND, peer, round_number, size=size)
            return ("buffered" if size <= self._buffered_bytes else "send"), round_number
        self._n_started[peer] += 1
        if len(self._slots[peer]) < self._n_started[peer]:
            self._post(peer)
        return "message", (peer, number)

    def _post(self, source: int) -> None:
        """Posts the receive of the next message from a rank."""
        slots = self._slots[source]
        slots.append(self._new_round())
        size = self._messages.sizes[source, self._rank][len(slots) - 1]
        self._step(RECEIVE, source, slots[-1], size=size)

    def _wait_for_message(self, source: int, number: int) -> None:
        slots = self._slots[source]
        while len(slots) <= number:
            self._post(source)
        if slots[number] >= 0:
            self._wait(slots[number])
            slots[number] = -1

    def _finish(self, pending: list[tuple[str, Any]]) -> None:
        for kind, value in pending:
            match kind:
                case "message":
                    self._wait_for_message(*value)
                case "send":
                    self._wait(value)
                case "buffered":
                    self._buffered.append(value)
                    if len(self._buffered) > _MOST_BUFFERED:
                        self._wait(self._buffered.popleft())
                case "copy":
                    self._step(COPY, size=value)
                case "collective":
                    position, base, index = value
                    self._step(END, position, base, index)
                    self._free_bases.append(base)

    def _wait_for_probed(self, event: CallEvent) -> None:
        channel = (event.comm, event.tag, event.peer, self._rank)
        number = self._messages.number(channel, self._n_in_channel[*channel, 0])
        if number is not None and event.peer != self._rank:
            self._wait_for_message(event.peer, number)

    def _collective(self, event: CallEvent) -> None:
        comm = event.comm
        index = self._collectives.index(comm, self._n_calls[comm])
        self._n_calls[comm] += 1
        if index < 0:
            return
        self._end_pending(comm)
        position = self._collectives.position(comm, self._rank)
        if event.request < 0:
            self._step(COLLECTIVE, position, _COLLECTIVE_ROUND, index)
            return
        if not self._free_bases:
            self._n_bases += 1
            self._free_bases.append(_COLLECTIVE_ROUND + _NONBLOCKING_ROUNDS * self._n_bases)
        base = self._free_bases.pop()
        self._step(BEGIN, position, base, index)
        self._requests[event.request] = [("collective", (position, base, index))]
        if not self._collectives.has_one_round(index):
            self._pending[comm] = event.request

    def _end_pending(self, comm: int) -> None:
        """Completes the nonblocking collective of a communicator before its next one begins. Otherwise their
        messages might be started in different orders by different ranks."""
        if (request := self._pending.pop(comm, None)) in self._requests:
            self._finish(self._requests[request])
            self._requests[request] = []
