"""Reader of OTF2 archives, as Score-P writes them, by the package otf2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from halcyon.base import InputError, RunError
from halcyon.schedule.trace.events import COLLECTIVES, Kind, Trace, event_array

_COLLECTIVES = {name.upper(): number for number, name in enumerate(COLLECTIVES)} | {
    "BCAST": COLLECTIVES.index("broadcast"),
    "ALLTOALLW": COLLECTIVES.index("alltoallv"),
}
_WITH_BLOCKS = ("ALLTOALLV", "ALLTOALLW")
_ONE_SIDED = ("RmaPut", "RmaGet", "RmaAtomic")
_NO_ROOT = 2**32 - 1
_HANDLERS = {  # events: methods of _Rank
    "MpiSend": "_on_send",
    "MpiRecv": "_on_recv",
    "MpiMrecv": "_on_recv",
    "MpiIsend": "_on_isend",
    "MpiIsendComplete": "_on_isend_complete",
    "MpiIrecvRequest": "_on_irecv_request",
    "MpiImrecvRequest": "_on_irecv_request",
    "MpiIrecv": "_on_irecv",
    "MpiImrecv": "_on_irecv",
    "MpiProbe": "_on_probe",
    "MpiRequestCancelled": "_on_request_cancelled",
    "MpiCollectiveEnd": "_on_collective_end",
    "NonBlockingCollectiveRequest": "_on_nonblocking_request",
    "NonBlockingCollectiveComplete": "_on_nonblocking_complete",
}


def read_otf2(anchor: Path) -> Trace:
    """Reads the archive of an anchor file (.otf2).

    Raises RunError without the package otf2, InputError for a missing or damaged archive, and for
    communication that cannot be replayed."""
    try:
        import otf2
    except ImportError:
        raise RunError(
            f"{anchor} is an OTF2 archive, for which the Python package otf2 is needed: pip install otf2"
        ) from None
    try:
        with otf2.reader.open(str(anchor)) as archive:
            return _Archive(anchor, archive).trace()
    except InputError:
        raise
    except Exception as error:  # the package raises errors of many types
        raise InputError(
            f"{anchor} cannot be read by the package otf2 ({type(error).__name__}: {error}). The archive is "
            "incomplete or damaged; its events are in a folder of the same name."
        ) from None


_SENDRECV: dict[int, int] = {Kind.SEND: Kind.SENDRECV, Kind.RECEIVE: Kind.SENDRECV_RECEIVE}


class _Archive:
    def __init__(self, anchor: Path, archive: Any) -> None:
        self._anchor, self._archive = anchor, archive
        definitions = archive.definitions
        self._ns_per_tick = 1e9 / archive.timer_resolution
        locations = [
            list(group.members)
            for group in definitions.groups
            if str(group.group_type).endswith("COMM_LOCATIONS") and str(group.paradigm).endswith(".MPI")
        ]
        if not locations or not locations[0]:
            raise InputError(f"{anchor} has no ranks of MPI. Give the trace of an MPI program.")
        self._ranks = {location: rank for rank, location in enumerate(locations[0])}
        self._communicators: list[tuple[int, ...]] = []
        self._numbers: dict[Any, int] = {}

    def trace(self) -> Trace:
        ranks = [_Rank(rank, self) for rank in range(len(self._ranks))]
        for location, event in self._archive.events:
            rank = self._ranks.get(location)
            if rank is not None:
                ranks[rank].add(event)
        notes = [
            "sizes of collectives are from the sent and received bytes, as Score-P counts them",
            "blocks of MPI_Alltoallv are assumed equal, since OTF2 has their sum",
        ]
        events = [event_array(rank.finish()) for rank in ranks]
        return Trace(str(self._anchor), "OTF2", events, self._communicators, notes=notes)

    def ns(self, ticks: int) -> int:
        return max(round(ticks * self._ns_per_tick), 0)

    def communicator(self, comm: Any, rank: int) -> int:
        """The number of a communicator; that of a group of one process, such as MPI_COMM_SELF, by rank."""
        kind = str(comm.group.group_type)
        key = (comm, rank) if kind.endswith("COMM_SELF") else comm
        if key not in self._numbers:
            members = (
                (rank,) if kind.endswith("COMM_SELF") else tuple(self._ranks[m] for m in comm.group.members)
            )
            self._numbers[key] = len(self._communicators)
            self._communicators.append(members)
        return self._numbers[key]

    def members(self, number: int) -> tuple[int, ...]:
        return self._communicators[number]

    def fail(self, text: str) -> InputError:
        return InputError(f"{self._anchor}: {text}")


class _Rank:
    """Turns the events of a rank into those of a trace. Communication is inside regions of MPI functions; the
    time between these is computation. The first event of a region gets the computation before it."""

    def __init__(self, rank: int, archive: _Archive) -> None:
        self._rank, self._archive = rank, archive
        self._rows: list[list[int]] = []
        self._depth = 0
        self._enter_time: int | None = None
        self._last_end: int | None = None  # end of the last region of MPI with communication
        self._polled: list[tuple[int, int]] = []
        self._inside: list[list[int]] = []  # events of the current region
        self._requests: dict[int, tuple[int, list[int]]] = {}  # OTF2's number: own number, event of the start
        self._n_requests = 0
        self._blocks: dict[int, list[list[int]]] = {}  # (id of the start) of nonblocking collectives

    def add(self, event: Any) -> None:
        kind = type(event).__name__
        if kind == "Enter" and _is_mpi(event.region):
            self._depth += 1
            if self._depth == 1:
                self._enter_time, self._inside = event.time, []
        elif kind == "Leave" and _is_mpi(event.region):
            self._depth = max(self._depth - 1, 0)
            if self._depth == 0:
                self._end_region(event.region.name, event.time)
        elif kind in _ONE_SIDED:
            raise self._archive.fail("the program uses one-sided communication, which cannot be replayed.")
        elif kind in _HANDLERS:
            n_before = len(self._inside)
            getattr(self, _HANDLERS[kind])(event)
            if self._depth == 0 and len(self._inside) > n_before:  # a trace without regions
                self._enter_time = event.time
                self._end_region("", event.time)

    def _end_region(self, name: str, end: int) -> None:
        enter = self._enter_time if self._enter_time is not None else end
        if self._last_end is None:
            self._last_end = enter if name != "MPI_Init" else end
        if not self._inside:  # calls without communication, such as MPI_Comm_rank or an unsuccessful test
            if name in ("MPI_Init", "MPI_Init_thread"):
                self._last_end = end
            return
        if "endrecv" in name:
            for row in self._inside:
                row[0] = _SENDRECV.get(row[0], row[0])
            sends = [row for row in self._inside if row[0] == Kind.SENDRECV]
            receives = [row for row in self._inside if row[0] == Kind.SENDRECV_RECEIVE]
            sends = sends or [_row(Kind.SENDRECV, peer=-2)]
            receives = receives or [_row(Kind.SENDRECV_RECEIVE, peer=-2)]
            self._inside = [*sends, *receives]
        self._inside[0][8] = self._archive.ns(enter - self._last_end)
        self._inside[0][9] = self._archive.ns(end - enter)
        self._rows += self._inside
        self._inside = []
        self._last_end = end

    def _message(self, kind: int, event: Any, peer: int, request: int = -1) -> list[int]:
        comm = self._archive.communicator(event.communicator, self._rank)
        members = self._archive.members(comm)
        if not 0 <= peer < len(members):
            raise self._archive.fail(
                f"rank {self._rank} exchanges a message with rank {peer} of {len(members)}."
            )
        return _row(kind, comm, members[peer], event.msg_tag, request, event.msg_length)

    def _on_send(self, event: Any) -> None:
        self._inside.append(self._message(Kind.SEND, event, event.receiver))

    def _on_recv(self, event: Any) -> None:
        self._inside.append(self._message(Kind.RECEIVE, event, event.sender))

    def _begin_request(self, number: int, row: list[int]) -> None:
        self._n_requests += 1
        row[5] = self._n_requests
        self._requests[number] = (self._n_requests, row)
        self._inside.append(row)

    def _on_isend(self, event: Any) -> None:
        self._begin_request(event.request_id, self._message(Kind.START_SEND, event, event.receiver))

    def _on_irecv_request(self, event: Any) -> None:
        self._begin_request(event.request_id, _row(Kind.START_RECEIVE))  # source, tag: at the completion

    def _complete(self, number: int) -> list[int] | None:
        own, start = self._requests.pop(number, (None, None))
        if own is not None:
            self._inside.append(_row(Kind.WAIT, request=own))
        return start

    def _on_isend_complete(self, event: Any) -> None:
        self._complete(event.request_id)

    def _on_irecv(self, event: Any) -> None:
        start = self._complete(event.request_id)
        if start is not None:
            row = self._message(Kind.START_RECEIVE, event, event.sender, start[5])
            start[:8] = row[:8]

    def _on_probe(self, event: Any) -> None:
        self._inside.append(self._message(Kind.PROBE, event, event.sender))

    def _on_request_cancelled(self, event: Any) -> None:
        own, _ = self._requests.pop(event.request_id, (None, None))
        if own is not None:
            self._inside.append(_row(Kind.CANCEL, request=own))

    def _on_nonblocking_request(self, event: Any) -> None:
        self._begin_request(event.request_id, _row(Kind.COLLECTIVE))

    def _on_nonblocking_complete(self, event: Any) -> None:
        start = self._complete(event.request_id)
        if start is None:
            return
        row, blocks = self._collective(event)
        start[:5], start[6:8] = row[:5], row[6:8]
        self._blocks[id(start)] = blocks

    def _on_collective_end(self, event: Any) -> None:
        row, blocks = self._collective(event)
        if row[0]:
            self._inside += [row, *blocks]

    def _collective(self, event: Any) -> tuple[list[int], list[list[int]]]:
        """The event of a collective and the sizes of its blocks, from the sums of sent and received bytes."""
        name = str(event.collective_op).rpartition(".")[2]
        if name not in _COLLECTIVES:  # creation of communicators, windows and files
            return [0] * 10, []
        comm = self._archive.communicator(event.communicator, self._rank)
        members = self._archive.members(comm)
        n, me = len(members), members.index(self._rank)
        sent, received = event.size_sent, event.size_received
        root = -1 if event.root == _NO_ROOT else event.root
        match name:
            case "BCAST" | "SCATTER" | "SCATTERV":
                size = received
            case "REDUCE" | "GATHER" | "GATHERV":
                size = sent
            case "ALLREDUCE" | "ALLGATHER" | "ALLGATHERV" | "ALLTOALL" | "ALLTOALLV" | "ALLTOALLW":
                size = sent // n
            case "SCAN":
                size = received // (me + 1)
            case "EXSCAN":
                size = max(received // max(me, 1), sent // max(n - 1 - me, 1))
            case "REDUCE_SCATTER" | "REDUCE_SCATTER_BLOCK":
                size = received // n if received >= sent else received
            case _:
                size = 0
        blocks = [_row(Kind.ITEM, peer=i, tag=0, size=size) for i in range(n)] if name in _WITH_BLOCKS else []
        row = _row(Kind.COLLECTIVE, comm, root, _COLLECTIVES[name], size=0 if blocks else size)
        row[6] = len(blocks)
        return row, blocks

    def finish(self) -> list[tuple[int, ...]]:
        unknown = [row for row in self._rows if row[0] == Kind.COLLECTIVE and row[1:3] == [0, -1]]
        if unknown:
            raise self._archive.fail(f"rank {self._rank} does not complete a nonblocking collective.")
        return [tuple(each) for row in self._rows for each in (row, *self._blocks.get(id(row), ()))]


def _row(
    kind: int, comm: int = -1, peer: int = -1, tag: int = -1, request: int = -1, size: int = 0
) -> list[int]:
    return [kind, 0, comm, peer, tag, request, 0, size, 0, 0]


def _is_mpi(region: Any) -> bool:
    return region.name.startswith("MPI_") or str(region.paradigm).endswith(".MPI")
