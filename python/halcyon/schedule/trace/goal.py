"""Reader and writer of GOAL, the language of LogGOPSim (Hoefler et al. 2009, Proc. HPCC; Hoefler et al. 2010,
Proc. LSAP): for each rank sends, receives and computations [ns], and which of them requires which."""

from __future__ import annotations

import heapq
import re
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from halcyon._core.schedule import Schedule
from halcyon.base import InputError, RunError, read_text
from halcyon.schedule.inspection import operations
from halcyon.schedule.trace.events import Kind, Trace, event_array

_OPERATION = re.compile(
    r"(?:(\w+)\s*:\s*)?(?:(send|recv)\s+(\d+)b\s+(?:to|from)\s+(\d+)(?:\s+tag\s+(\d+))?|calc\s+(\d+))"
    r"(?:\s+cpu\s+\d+)?(?:\s+nic\s+\d+)?$"
)
_DEPENDENCY = re.compile(r"(\w+)\s+(i?)requires\s+(\w+)$")
# Order in which waits end, where the file leaves it open: that on a network of 1 us and 10 GB/s.
_LATENCY_NS, _BYTES_PER_NS = 1000, 10
_MOST_LABELS = 4  # that an operation requires in a written file


@dataclass
class _Task:
    """An operation of a rank."""

    kind: str  # send, recv or calc
    size: int  # bytes, or nanoseconds of a calc
    peer: int = -1
    tag: int = 0
    blockers: int = 0  # operations that it still waits for
    after_end: list[int] = field(default_factory=list)  # operations that require it
    after_start: list[int] = field(default_factory=list)  # operations that require its start
    request: int = -1


def read_goal(path: Path) -> Trace:
    """Reads a GOAL file. Where its order is partial, each rank starts all it can as early as possible.

    Raises InputError with the line of a mistake, or if the operations wait for each other."""
    ranks = _parse(path)
    return Trace(
        str(path),
        "GOAL",
        [event_array(rows) for rows in _Execution(path, ranks).run()],
        [tuple(range(len(ranks)))],
        notes=["sends and receives are nonblocking; other dependencies are waits"],
    )


def _parse(path: Path) -> list[list[_Task]]:
    text = re.sub(
        r"/\*.*?\*/", lambda match: "\n" * match[0].count("\n"), read_text(path, "a GOAL file"), flags=re.S
    )
    ranks: list[list[_Task]] = []
    labels: dict[str, int] = {}
    current: list[_Task] | None = None
    for number, line in enumerate(text.splitlines(), 1):

        def fail(problem: str, number: int = number) -> InputError:
            return InputError(f"{path}:{number}: {problem}. See the language of LogGOPSim.")

        words = line.partition("//")[0].strip().rstrip(";")
        if not words:
            continue
        if match := re.match(r"num_ranks\s+(\d+)$", words):
            if ranks or not 1 <= int(match[1]) <= 10**7:
                raise fail("num_ranks must be given once, as 1 or more")
            ranks = [[] for _ in range(int(match[1]))]
        elif match := re.match(r"rank\s+(\d+)\s*\{$", words):
            if current is not None or int(match[1]) >= len(ranks) or ranks[int(match[1])]:
                raise fail(f"rank {match[1]} cannot begin here")
            current, labels = ranks[int(match[1])], {}
        elif words == "}" and current is not None:
            current = None
        elif current is None:
            raise fail(f"'{words[:40]}' is outside a rank")
        elif match := _OPERATION.match(words):
            label, kind, size, peer, tag, time = match.groups()
            if peer is not None and int(peer) >= len(ranks):
                raise fail(f"there is no rank {peer}")
            if label:
                if label in labels:
                    raise fail(f"the label {label} is used twice")
                labels[label] = len(current)
            task = (
                _Task("calc", int(time)) if kind is None else _Task(kind, int(size), int(peer), int(tag or 0))
            )
            current.append(task)
        elif match := _DEPENDENCY.match(words):
            if match[1] not in labels or match[3] not in labels:
                raise fail(f"one of the labels {match[1]} and {match[3]} is not defined above")
            later, earlier = labels[match[1]], current[labels[match[3]]]
            (earlier.after_start if match[2] else earlier.after_end).append(later)
            current[later].blockers += 1
        else:
            raise fail(f"'{words[:40]}' is neither an operation nor a dependency")
    if not ranks or current is not None:
        raise InputError(f"{path} is cut off: {'a rank has no end' if ranks else 'num_ranks is missing'}.")
    return ranks


class _Execution:
    """Executes all ranks on a simple network, and lists the events of each in the order in which they occur.
    In this order they can be executed on any network without a deadlock."""

    def __init__(self, path: Path, ranks: list[list[_Task]]) -> None:
        self._path, self._ranks = path, ranks
        self._rows: list[list[tuple[int, ...]]] = [[] for _ in ranks]
        self._compute_ns = [0] * len(ranks)
        self._free_at = [0] * len(ranks)  # when a rank ends its computation
        self._ready: list[list[int]] = [
            [i for i, task in enumerate(tasks) if not task.blockers] for tasks in ranks
        ]
        self._ended: list[deque[int]] = [deque() for _ in ranks]  # messages that have completed
        self._n_done = [0] * len(ranks)
        self._arrived: dict[tuple[int, int, int], deque[int]] = defaultdict(deque)  # times, by channel
        self._expected: dict[tuple[int, int, int], deque[int]] = defaultdict(deque)  # receives
        self._events: list[tuple[int, int, int, tuple[int, ...]]] = []
        self._n_events = self._n_requests = 0

    def run(self) -> list[list[tuple[int, ...]]]:
        for rank in range(len(self._ranks)):
            self._push(0, rank)
        while self._events:
            now, _, rank, detail = heapq.heappop(self._events)
            if len(detail) == 1:  # a message of the rank has completed
                self._ended[rank].append(detail[0])
            elif detail:  # a message has arrived
                self._arrive(now, detail)
            if now < self._free_at[rank]:
                self._push(self._free_at[rank], rank)
            else:
                self._advance(now, rank)
        for rank, tasks in enumerate(self._ranks):
            if self._n_done[rank] < len(tasks):
                raise InputError(
                    f"{self._path}: rank {rank} completes {self._n_done[rank]} of {len(tasks)} operations; "
                    "the others wait for messages that nobody sends, or for each other."
                )
            self._add(rank, Kind.END)
        return self._rows

    def _push(self, when: int, rank: int, detail: tuple[int, ...] = ()) -> None:
        self._n_events += 1
        heapq.heappush(self._events, (when, self._n_events, rank, detail))

    def _add(self, rank: int, kind: int, task: _Task | None = None, request: int = -1) -> None:
        peer, tag, size = (task.peer, task.tag, task.size) if task and kind != Kind.WAIT else (-1, -1, 0)
        compute_ns, self._compute_ns[rank] = self._compute_ns[rank], 0
        self._rows[rank].append((kind, 0, 0, peer, tag, request, 0, size, compute_ns, 0))

    def _release(self, rank: int, indices: list[int]) -> None:
        tasks = self._ranks[rank]
        for index in indices:
            tasks[index].blockers -= 1
            if not tasks[index].blockers:
                heapq.heappush(self._ready[rank], index)

    def _arrive(self, now: int, channel: tuple[int, ...]) -> None:
        source, target, tag = channel
        key = (source, target, tag)
        if self._expected[key]:
            self._push(now, target, (self._expected[key].popleft(),))
        else:
            self._arrived[key].append(now)

    def _advance(self, now: int, rank: int) -> None:
        """Waits for completed messages, starts all that can start, and begins a computation."""
        tasks, ready = self._ranks[rank], self._ready[rank]
        computations = []
        while self._ended[rank] or ready:
            if self._ended[rank]:
                index = self._ended[rank].popleft()
                self._add(rank, Kind.WAIT, request=tasks[index].request)
                self._end(rank, index)
                continue
            index = heapq.heappop(ready)
            if tasks[index].kind == "calc":
                computations.append(index)
            else:
                self._start(now, rank, index)
        if computations:
            first, *others = computations
            for index in others:
                heapq.heappush(ready, index)
            self._release(rank, tasks[first].after_start)
            self._compute_ns[rank] += tasks[first].size
            self._free_at[rank] = now + tasks[first].size
            self._end(rank, first)
            self._push(self._free_at[rank], rank)

    def _end(self, rank: int, index: int) -> None:
        self._n_done[rank] += 1
        self._release(rank, self._ranks[rank][index].after_end)

    def _start(self, now: int, rank: int, index: int) -> None:
        task = self._ranks[rank][index]
        task.request, self._n_requests = self._n_requests, self._n_requests + 1
        is_send = task.kind == "send"
        self._add(rank, Kind.START_SEND if is_send else Kind.START_RECEIVE, task, task.request)
        self._release(rank, task.after_start)
        if is_send:
            sent = now + task.size // _BYTES_PER_NS
            self._push(sent, rank, (index,))
            self._push(sent + _LATENCY_NS, task.peer, (rank, task.peer, task.tag))
            return
        key = (task.peer, rank, task.tag)
        if self._arrived[key]:
            self._arrived[key].popleft()
            self._push(now, rank, (index,))
        else:
            self._expected[key].append(index)


def write_goal(schedule: Schedule, path: str | Path) -> None:
    """Writes a schedule as a GOAL file, without copies and combinations, whose time depends on the machine.

    Raises RunError if the file cannot be written."""
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"num_ranks {schedule.n_ranks}\n")
            for rank in range(schedule.n_ranks):
                file.write(f"\nrank {rank} {{\n")
                file.writelines(f"{line}\n" for line in _lines(schedule, rank))
                file.write("}\n")
    except OSError as error:
        raise RunError(f"{path} cannot be written ({error.strerror}).") from None


def _lines(schedule: Schedule, rank: int) -> Iterator[str]:
    """The operations of a rank: each requires the last computation, and the messages that were waited for
    since."""
    n_labels = 0
    before: list[str] = []  # labels that the next operation requires
    added: dict[int, list[str]] = defaultdict(list)
    in_flight: dict[int, list[str]] = {}
    for operation in operations(schedule, rank):
        match operation.action:
            case "send" | "receive":
                send = operation.action == "send"
                words = (
                    f"{'send' if send else 'recv'} {operation.block.size_bytes}b {'to' if send else 'from'}"
                )
                added[operation.round].append(f"{words} {operation.peer} tag 0")
            case "start":
                labels = []
                for words in added.pop(operation.round, []):
                    n_labels += 1
                    labels.append(f"l{n_labels}")
                    yield f"l{n_labels}: {words}"
                    yield from (f"l{n_labels} requires {label}" for label in before)
                in_flight[operation.round] = labels
            case "wait":
                before = list(dict.fromkeys([*before, *in_flight.pop(operation.round)]))
                if len(before) > _MOST_LABELS:  # one operation that requires them all
                    n_labels += 1
                    yield f"l{n_labels}: calc 0"
                    yield from (f"l{n_labels} requires {label}" for label in before)
                    before = [f"l{n_labels}"]
            case "compute":
                n_labels += 1
                yield f"l{n_labels}: calc {round(operation.seconds * 1e9)}"
                yield from (f"l{n_labels} requires {label}" for label in before)
                before = [f"l{n_labels}"]
