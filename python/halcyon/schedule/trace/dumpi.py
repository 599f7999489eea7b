"""Reader of DUMPI traces (SST): one binary file per rank, and a meta file."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.base import InputError, read_text
from halcyon.schedule.trace.communicators import LocalCommunicators
from halcyon.schedule.trace.dumpi_file import Call, RankFile
from halcyon.schedule.trace.events import COLLECTIVES, Kind, Trace, event_array

_NULL, _WORLD, _SELF = 1, 2, 3  # communicators
_PROC_NULL = -3  # and other ranks below MPI_ANY_SOURCE
_BLOCKING_SENDS = {"send": 0, "bsend": 1, "ssend": 2, "rsend": 3}
_ONE_SIDED = ("put", "get", "accumulate")


def read_dumpi(meta: Path) -> Trace:
    """Reads the traces that a meta file describes.

    Raises InputError for missing or damaged files, and for calls that cannot be replayed."""
    options = dict(
        re.findall(r"^(\w+)=(.*)$", read_text(meta, "the meta file of DUMPI traces"), re.MULTILINE)
    )
    prefix, number = options.get("fileprefix", meta.stem), options.get("numprocs", "")
    if not number.isdecimal() or not 1 <= int(number) <= 10**6:
        raise InputError(f"{meta} has no number of ranks (numprocs=...). Give the meta file of DUMPI traces.")
    files = [meta.parent / f"{Path(prefix).name}-{rank:04}.bin" for rank in range(int(number))]
    missing = [file for file in files if not file.is_file()]
    if missing:
        raise InputError(f"{meta} describes {number} ranks, but {missing[0]} does not exist.")
    parsed = [RankFile(rank, file) for rank, file in enumerate(files)]
    communicators = LocalCommunicators(len(files), {_WORLD: None, _SELF: "self"}, str(meta))
    readers = [_Reader(file, communicators) for file in parsed]
    for reader in readers:
        reader.read_definitions()
    communicators.resolve()
    return Trace(
        str(meta), "DUMPI", [reader.events() for reader in readers], communicators.members,
        notes=["without neighbourhood collectives of MPI-3, which the format does not have"],
    )  # fmt: skip


class _Reader:
    """Turns the calls of a rank into events."""

    def __init__(self, file: RankFile, communicators: LocalCommunicators) -> None:
        self._file, self._communicators = file, communicators
        self._calls = list(file.calls())
        self._rows: list[tuple[int, ...]] = []
        self._type_bytes = dict(file.type_bytes)
        self._requests: dict[int, int] = {}  # handle: number of the active request
        self._persistent: dict[int, tuple[int, ...]] = {}
        self._wild: dict[int, int] = {}  # active requests with wildcards: communicator
        self._n_requests = 0
        if not self._calls or self._calls[-1].name != "finalize":
            names = {call.name for call in self._calls}
            if "finalize" not in names:
                raise file.fail("the program did not call MPI_Finalize, so it is cut off")

    def read_definitions(self) -> None:
        """Passes the calls that create groups and communicators on."""
        for call in self._calls:
            self._communicators.add(self._file.rank, call.name, call.values)

    def events(self) -> np.ndarray:
        last_end_ns = None
        self._communicators.begin_rank(self._file.rank)
        for call in self._calls:
            first = len(self._rows)
            self._communicators.enter(self._file.rank, call.name)
            self._define_type(call)
            handle: Callable[[Call], None] | None = getattr(self, f"_on_{call.name}", None)
            if handle is not None:
                handle(call)
            elif call.name in COLLECTIVES or call.name in ("bcast", "alltoallw"):
                self._collective(call)
            elif call.name in _ONE_SIDED:
                raise InputError(
                    f"{self._file.file}: the program uses one-sided communication "
                    f"(MPI_{call.name.capitalize()}), which cannot be replayed."
                )
            compute_ns = 0 if last_end_ns is None else max(call.begin_ns - last_end_ns, 0)
            if len(self._rows) > first:
                head = self._rows[first]
                self._rows[first] = (
                    *head[:8],
                    compute_ns + self._pending_ns,
                    max(call.end_ns - call.begin_ns, 0),
                )
                self._pending_ns = 0
            elif last_end_ns is not None:  # the time in calls without events, such as files, is computation
                inside = 0 if call.name in _POLLS else max(call.end_ns - call.begin_ns, 0)
                self._pending_ns += (0 if call.name in _POLLS else compute_ns) + inside
            last_end_ns = call.end_ns
        return event_array(self._rows)

    _pending_ns = 0

    def _size(self, count: int, type_number: int) -> int:
        if type_number not in self._type_bytes:
            raise self._file.fail(f"the size of data type {type_number} is unknown")
        return count * self._type_bytes[type_number]

    def _define_type(self, call: Call) -> None:
        values, name = call.values, call.name
        if name in ("type_contiguous",):
            self._type_bytes[values[2]] = self._size(values[0], values[1])
        elif name in ("type_vector", "type_hvector", "type_create_hvector"):
            self._type_bytes[values[4]] = self._size(values[0] * values[1], values[3])
        elif name in ("type_indexed", "type_hindexed", "type_create_hindexed"):
            self._type_bytes[values[4]] = self._size(sum(values[1]), values[3])
        elif name == "type_create_indexed_block":
            self._type_bytes[values[4]] = self._size(values[0] * values[1], values[3])
        elif name in ("type_struct", "type_create_struct"):
            sizes = (self._size(n, each) for n, each in zip(values[1], values[3], strict=False))
            self._type_bytes[values[4]] = sum(sizes)
        elif name == "type_create_subarray":
            self._type_bytes[values[6]] = self._size(int(np.prod(values[2])), values[5])
        elif name == "type_dup":
            self._type_bytes[values[1]] = self._size(1, values[0])
        elif name == "type_create_resized":
            self._type_bytes[values[3]] = self._size(1, values[0])
        elif name == "type_size":
            self._type_bytes.setdefault(values[0], values[1])

    def _peer(self, comm: int, rank: int) -> int:
        """The world rank; -1 for any source, -2 for none."""
        return rank if rank == -1 else self._communicators.world_rank(self._file.rank, comm, rank)

    def _add(
        self,
        kind: int,
        comm: int = -1,
        peer: int = -1,
        tag: int = -1,
        *,
        request: int = -1,
        size: int = 0,
        mode: int = 0,
        count: int = 0,
    ) -> None:
        number = self._communicators.number(self._file.rank, comm) if comm >= 0 else -1
        self._rows.append((kind, mode, number, peer, tag, request, count, size, 0, 0))

    def _message(self, kind: int, values: list[Any], mode: int = 0, request: int = -1) -> None:
        count, type_number, rank, tag, comm = values[:5]
        peer = self._peer(comm, rank)
        if peer >= -1:
            self._add(kind, comm, peer, tag, request=request, size=self._size(count, type_number), mode=mode)

    def _start(self, kind: int, values: list[Any], mode: int = 0) -> None:
        if self._peer(values[4], values[2]) < -1:
            return
        self._n_requests += 1
        self._requests[values[5]] = self._n_requests
        if kind == Kind.START_RECEIVE and (values[2] == -1 or values[3] == -1):
            self._wild[self._n_requests] = values[4]
        self._message(kind, values, mode, self._n_requests)

    def _complete(self, handle: int, statuses: list[tuple[int, int, int]], index: int) -> None:
        number = self._requests.pop(handle, None)
        if number is None:
            return
        peer = tag = -1
        if number in self._wild:
            if index >= len(statuses):
                raise InputError(
                    f"{self._file.file}: rank {self._file.rank} receives from any source, but the trace "
                    "has no statuses. Trace it with statuses."
                )
            _, source, tag = statuses[index]
            peer = self._peer(self._wild.pop(number), source)
        self._add(Kind.WAIT, peer=peer, tag=tag, request=number)

    def _received(self, call: Call, kind: int, values: list[Any]) -> None:
        """A receive whose source may be given by the status."""
        count, type_number, rank, tag, comm = values
        if call.statuses and (rank == -1 or tag == -1):
            rank, tag = call.statuses[0][1:] if rank == -1 else (rank, call.statuses[0][2])
        if rank == -1:
            raise self._file.fail(
                "the source of a message from any source is unknown, since it has no statuses"
            )
        self._message(kind, [count, type_number, rank, tag, comm])

    def _on_recv(self, call: Call) -> None:
        self._received(call, Kind.RECEIVE, call.values)

    def _on_irecv(self, call: Call) -> None:
        self._start(Kind.START_RECEIVE, call.values)

    def _on_sendrecv(self, call: Call) -> None:
        n, kind, target, tag, m, to_kind, source, to_tag, comm = call.values
        self._sendrecv(call, [n, kind, target, tag, comm], [m, to_kind, source, to_tag, comm])

    def _on_sendrecv_replace(self, call: Call) -> None:
        n, kind, target, tag, source, to_tag, comm = call.values
        self._sendrecv(call, [n, kind, target, tag, comm], [n, kind, source, to_tag, comm])

    def _sendrecv(self, call: Call, sent: list[int], received: list[int]) -> None:
        comm = sent[4]
        peer = self._peer(comm, sent[2])
        self._add(Kind.SENDRECV, comm, peer, sent[3], size=self._size(*sent[:2]))
        first = len(self._rows)
        if self._peer(comm, received[2]) >= -1:
            self._received(call, Kind.SENDRECV_RECEIVE, received)
        if len(self._rows) == first:
            self._add(Kind.SENDRECV_RECEIVE, comm, -2)

    def _on_wait(self, call: Call) -> None:
        self._complete(call.values[0], call.statuses, 0)

    def _on_test(self, call: Call) -> None:
        if call.values[1]:
            self._complete(call.values[0], call.statuses, 0)

    def _on_waitall(self, call: Call) -> None:
        for index, handle in enumerate(call.values[1]):
            self._complete(handle, call.statuses, index)

    def _on_testall(self, call: Call) -> None:
        if call.values[2]:
            self._on_waitall(call)

    def _on_waitany(self, call: Call) -> None:
        handles, index = call.values[1], call.values[2]
        if 0 <= index < len(handles):
            self._complete(handles[index], call.statuses, 0)

    def _on_testany(self, call: Call) -> None:
        if call.values[3]:
            self._on_waitany(call)

    def _on_waitsome(self, call: Call) -> None:
        handles, indices = call.values[1], call.values[3]
        for i, index in enumerate(indices):
            if 0 <= index < len(handles):
                self._complete(handles[index], call.statuses, i)

    _on_testsome = _on_waitsome

    def _on_probe(self, call: Call) -> None:
        source, tag, comm = call.values[:3]
        if call.statuses:
            source, tag = (source, tag) if source >= 0 and tag >= 0 else call.statuses[0][1:]
        if source >= 0:
            self._add(Kind.PROBE, comm, self._peer(comm, source), tag)

    def _on_iprobe(self, call: Call) -> None:
        if call.values[3]:
            self._on_probe(call)

    def _on_cancel(self, call: Call) -> None:
        if call.values[0] in self._requests:
            self._add(Kind.CANCEL, request=self._requests[call.values[0]])

    def _on_start(self, call: Call) -> None:
        handle = call.values[0]
        if handle in self._persistent:
            kind, mode, *values = self._persistent[handle]
            self._start(kind, [*values, handle], mode)

    def _on_startall(self, call: Call) -> None:
        for handle in call.values[1]:
            self._on_start(call._replace(values=[handle]))

    def _collective(self, call: Call) -> None:
        name, values = call.name, call.values
        operation = {"bcast": "broadcast", "alltoallw": "alltoallv"}.get(name, name)
        comm, root, blocks = values[-1], -1, []
        match name:
            case "bcast":
                size, root = self._size(*values[:2]), values[2]
            case "reduce":
                size, root, comm = self._size(*values[:2]), values[3], values[4]
            case "allreduce" | "scan" | "exscan":
                size = self._size(*values[:2])
            case "gather":
                size, root, comm = self._size(*values[1:3]), values[3], values[4]
            case "gatherv":
                size, root, comm = self._size(*values[2:4]), values[4], values[5]
            case "scatter":
                size, root, comm = self._size(*values[1:3]), values[3], values[4]
            case "scatterv":
                size, root, comm = self._size(*values[3:5]), values[5], values[6]
            case "allgather":
                size = self._size(*values[2:4])
            case "allgatherv":
                own = self._communicators.position(self._file.rank, comm)
                size = self._size(values[3][own], values[5])
            case "alltoall":
                size = self._size(*values[:2])
            case "alltoallv":
                size, blocks = 0, [self._size(n, values[3]) for n in values[1]]
            case "alltoallw":
                size, blocks = 0, [self._size(n, each) for n, each in zip(values[1], values[3], strict=False)]
            case "reduce_scatter":
                own = self._communicators.position(self._file.rank, comm)
                size = self._size(values[1][own], values[2])
            case _:
                size = 0
        number = COLLECTIVES.index(operation)
        self._add(Kind.COLLECTIVE, comm, root, number, size=size, count=len(blocks))
        for peer, block in enumerate(blocks):
            self._add(Kind.ITEM, peer=peer, tag=0, size=block)


_POLLS = ("test", "testall", "testany", "testsome", "iprobe")


def _add_message_handlers() -> None:
    """Handlers of sends and of persistent requests, which differ in their mode only."""

    def blocking(mode: int) -> Callable[[_Reader, Call], None]:
        return lambda self, call: self._message(Kind.SEND, call.values, mode)

    def starting(mode: int) -> Callable[[_Reader, Call], None]:
        return lambda self, call: self._start(Kind.START_SEND, call.values, mode)

    def persistent(kind: int, mode: int) -> Callable[[_Reader, Call], None]:
        def handle(self: _Reader, call: Call) -> None:
            self._persistent[call.values[5]] = (kind, mode, *call.values[:5])

        return handle

    for name, mode in _BLOCKING_SENDS.items():
        setattr(_Reader, f"_on_{name}", blocking(mode))
        setattr(_Reader, f"_on_i{name}", starting(mode))
        setattr(_Reader, f"_on_{name}_init", persistent(Kind.START_SEND, mode))
    setattr(_Reader, "_on_recv_init", persistent(Kind.START_RECEIVE, 0))  # noqa: B010


_add_message_handlers()
