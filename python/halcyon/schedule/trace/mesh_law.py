"""The halo of a mesh on more ranks.

The parts of a mesh on a surface have six neighbours each if they are many: 6 - 12 / n of n parts of a sphere,
of which three meet at each corner (Euler's formula). The halo of a part is as long as its perimeter: if n
ranks become N, the bytes of a rank change by sqrt(n / N), or not at all if each rank keeps its number of
cells.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from halcyon.schedule.patches import N_NEIGHBOURS, patch_neighbours
from halcyon.schedule.trace.events import Kind, event_array
from halcyon.schedule.trace.laws import LARGEST_SPREAD, MESSAGES, NO_PEER, NoLawError, Row, peers, scaled

LEAST_RANKS = 12  # fewer parts of a mesh adjoin nearly all others
_FEWEST, _MOST = (
    0.6,
    1.25,
)  # mean number of neighbours over that of a sphere's parts: of regions; with corners
_ALONE = -1  # number of a call that has one request, not one per neighbour
_LABELS: dict[int, str] = {
    Kind.SEND: "send",
    Kind.RECEIVE: "receive",
    Kind.START_SEND: "start",
    Kind.START_RECEIVE: "start",
    Kind.SENDRECV: "sendrecv",
    Kind.SENDRECV_RECEIVE: "sendrecv",
    Kind.WAIT: "wait",
    Kind.NEIGHBORS: "neighbors",
    Kind.COLLECTIVE: "collective",
    Kind.END: "end",
}


class _Step(NamedTuple):
    """What all ranks do alike: `calls` with each neighbour (kinds), a collective (operation, root), or the
    completion of calls of former steps (step, call)."""

    label: str
    calls: tuple[int, ...] = ()
    completed: frozenset[tuple[int, int]] = frozenset()
    has_request: bool = False


class _Amounts(NamedTuple):
    """What differs between ranks: bytes of each call to all neighbours, and time before the calls."""

    bytes: list[int]
    compute_ns: int


def on_mesh(programs: Sequence[list[Row]], ranks: int, scaling: str) -> list[np.ndarray]:
    """The events of `ranks` ranks in the pattern of a mesh's halo. Raises NoLawError for another pattern."""
    n = len(programs)
    if min(n, ranks) < LEAST_RANKS:
        raise NoLawError(f"{min(n, ranks)} ranks are too few: a mesh needs {LEAST_RANKS}")
    parsed = [_Program(rows, rank) for rank, rows in enumerate(programs)]
    expected = N_NEIGHBOURS - 12 / n
    mean = sum(len(program.neighbours) for program in parsed) / n
    if not _FEWEST <= mean / expected <= _MOST or mean > 0.8 * (n - 1):
        raise NoLawError(
            f"its ranks have {mean:.1f} neighbours in the mean, those of a mesh on {n} ranks {expected:.1f}"
        )
    steps = parsed[0].steps
    for rank, program in enumerate(parsed):
        if program.steps != steps:
            raise NoLawError(f"rank {rank} does not make the calls of rank 0 with each of its neighbours")
    amounts = [_mean([program.amounts[i] for program in parsed], i) for i in range(len(steps))]
    template = event_array(list(_template(steps, amounts, n / ranks, scaling)))
    has_slot = np.isin(template["kind"], (*MESSAGES, Kind.ITEM))
    slots = template["peer"][has_slot]
    events = []
    for neighbours in patch_neighbours(ranks):
        own = template.copy()
        own["peer"][has_slot] = neighbours[slots]
        events.append(own)
    return events


class _Program:
    """The steps of a rank."""

    def __init__(self, rows: list[Row], rank: int) -> None:
        rows = [(*row[:3], peer, *row[4:]) for row, peer in zip(rows, peers(rows), strict=True)]
        rows = [row for row in rows if row[0] not in MESSAGES or row[3] != NO_PEER]
        self.neighbours = {row[3] for row in rows if row[0] in (*MESSAGES, Kind.ITEM)}
        self.steps: list[_Step] = []
        self.amounts: list[_Amounts] = []
        self._rank = rank
        self._started: dict[int, tuple[int, int]] = {}  # (request) step and call
        for (label, _), pairs in groupby(zip(self._labels(rows), rows, strict=True), key=itemgetter(0)):
            own = [row for _, row in pairs]
            step, sizes = self._step(label, own)
            self.steps.append(step)
            self.amounts.append(_Amounts(sizes, sum(row[8] for row in own)))

    def _labels(self, rows: list[Row]) -> Iterator[tuple[str, int]]:
        """The label of each row's step, and a number that differs between collectives."""
        label, head = "", 0
        for i, row in enumerate(rows):
            kind = row[0]
            if kind != Kind.ITEM:
                if kind not in _LABELS:
                    raise NoLawError(
                        f"rank {self._rank} uses {Kind(kind).name.lower()}, for which there is no law"
                    )
                label = _LABELS[kind]
                head = i if label in ("neighbors", "collective") else 0
            yield label, head

    def _step(self, label: str, rows: list[Row]) -> tuple[_Step, list[int]]:
        number, first = len(self.steps), rows[0]
        if label == "end":
            return _Step(label), []
        if label == "wait":
            done = Counter(self._started.pop(row[5]) for row in rows if row[5] in self._started)
            if any(call != _ALONE and count < len(self.neighbours) for (_, call), count in done.items()):
                raise NoLawError(f"rank {self._rank} waits for some of its neighbours alone")
            return _Step(label, completed=frozenset(done)), []
        if label in ("neighbors", "collective") and first[5] >= 0:
            self._started[first[5]] = (number, _ALONE)
        if label == "collective":
            return _Step(label, (first[4], first[3]), has_request=first[5] >= 0), [first[7]]
        calls = self._calls_by_peer(rows[1:] if label == "neighbors" else rows, label)
        for j, call in enumerate(zip(*calls, strict=True)):
            self._started |= {row[5]: (number, j) for row in call if label == "start"}
        sizes = [sum(row[7] for row in call) for call in zip(*calls, strict=True)]
        kinds = tuple(row[4] if label == "neighbors" else row[0] for row in calls[0])
        return _Step(label, kinds, has_request=label == "neighbors" and first[5] >= 0), sizes

    def _calls_by_peer(self, rows: list[Row], label: str) -> list[list[Row]]:
        """The calls with each neighbour, sorted by kind."""
        column = 4 if label == "neighbors" else 0
        calls: dict[int, list[Row]] = defaultdict(list)
        for row in rows:
            calls[row[3]].append(row)
        by_peer = [sorted(each, key=itemgetter(column)) for each in calls.values()]
        if set(calls) != self.neighbours or len({tuple(row[column] for row in each) for each in by_peer}) > 1:
            raise NoLawError(f"rank {self._rank} does not make the same calls with all of its neighbours")
        return by_peer


def _mean(amounts: list[_Amounts], step: int) -> _Amounts:
    """The mean over ranks. Raises NoLawError if sizes differ too much."""
    sizes = np.array([each.bytes for each in amounts], float)
    if np.any(sizes.max(axis=0, initial=0) > LARGEST_SPREAD * np.maximum(sizes.mean(axis=0), 1)):
        raise NoLawError(
            f"the messages of step {step + 1} have {sizes.min():.0f} to {sizes.max():.0f} bytes per rank: it "
            "is irregular"
        )
    return _Amounts(sizes.mean(axis=0).tolist(), sum(each.compute_ns for each in amounts) // len(amounts))


def _template(steps: list[_Step], amounts: list[_Amounts], factor: float, scaling: str) -> Iterator[Row]:
    """The events of a rank; the peers of messages are numbers of its neighbours. All have the same tag: the
    messages of two ranks match in their order."""
    side = math.sqrt(factor) if scaling == "strong" else 1.0
    requests: dict[tuple[int, int], list[int]] = {}
    n_requests = compute_ns = 0
    for number, (step, amount) in enumerate(zip(steps, amounts, strict=True)):
        sizes = [round(size * side / N_NEIGHBOURS) for size in amount.bytes]
        slots = range(N_NEIGHBOURS)
        own = [-1]
        if step.has_request or step.label == "start":
            for call in [_ALONE] if step.has_request else range(len(step.calls)):
                requests[number, call] = [n_requests + i for i in (slots if call >= 0 else (0,))]
                n_requests += len(requests[number, call])
            own = requests.get((number, _ALONE), own)
        rows: list[tuple[int, ...]]  # kind, peer, tag, request, count, bytes
        match step.label:
            case "end":
                rows = [(Kind.END, -1, 0, -1, 0, 0)]
            case "wait":
                done = sorted(step.completed)
                rows = [(Kind.WAIT, -1, 0, request, 0, 0) for each in done for request in requests[each]]
            case "collective":
                rows = [(Kind.COLLECTIVE, step.calls[1], step.calls[0], own[0], 0, round(amount.bytes[0]))]
            case "neighbors":
                n_items = len(step.calls) * N_NEIGHBOURS
                items = zip(step.calls, sizes, strict=True)
                rows = [(Kind.NEIGHBORS, -1, 0, own[0], n_items, 0)]
                rows += [(Kind.ITEM, slot, tag, -1, 0, size) for tag, size in items for slot in slots]
            case "sendrecv":
                calls = list(zip(step.calls, sizes, strict=True))
                rows = [(kind, slot, 0, -1, 0, size) for slot in slots for kind, size in calls]
            case _:
                rows = [
                    (kind, slot, 0, requests[number, j][slot] if step.label == "start" else -1, 0, size)
                    for j, (kind, size) in enumerate(zip(step.calls, sizes, strict=True))
                    for slot in slots
                ]
        compute_ns += amount.compute_ns
        for kind, peer, tag, request, count, size in rows:
            yield scaled((kind, 0, 0, peer, tag, request, count, size, compute_ns, 0), factor, scaling)
            compute_ns = 0
