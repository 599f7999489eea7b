"""Executes a trace by MPI, each rank its own calls, with sleeps instead of computation; prints the times [s].

live.py FOLDER RUNS FACTOR     on as many ranks as the trace has, for benchmarks/large/recorded.py; FACTOR: of
the times of computation
"""

import json
import sys
import time

import numpy as np
from mpi4py import MPI

from halcyon.schedule.trace import read_trace
from halcyon.schedule.trace.events import COLLECTIVES, Kind
from halcyon.schedule.trace.replay import collective_calls, rows

SHORTEST_SLEEP_S = 3e-4  # shorter computations are added up
NEIGHBORS_TAG = 32000


class Live:
    """The calls of this rank."""

    def __init__(self, trace, factor):
        self.compute_s = 1e-9 * factor
        self.world = MPI.COMM_WORLD
        self.trace, self.rank = trace, self.world.rank
        group = self.world.Get_group()
        self.comms = [self.world.Create(group.Incl(list(members))) for members in trace.communicators]
        self.worlds = [self.world.Dup() for _ in trace.communicators]  # for messages by world ranks
        self.events = list(rows(trace.events[self.rank]))
        largest = max((int(events["bytes"].max(initial=0)) for events in trace.events), default=0)
        self.out, self.incoming = (
            np.zeros(largest * max(8, self.world.size) + 64, np.uint8) for _ in range(2)
        )
        self.calls = collective_calls(trace)
        self.starts = {e.request: self.actual(e) for e in self.events if e.kind == Kind.START_RECEIVE}

    def actual(self, start):
        """Source and tag that a receive had; of a wildcard, those of its completion."""
        for event in self.events if start.peer < 0 or start.tag < 0 else ():
            if event.kind == Kind.WAIT and event.request == start.request:
                return event.peer, event.tag
        return start.peer, start.tag

    def run(self):
        self.world.Barrier()
        begin = time.perf_counter()
        self.debt_s, self.requests, self.n_calls = 0.0, {}, [0] * len(self.comms)
        for event in self.events:
            self.compute(event.compute_ns * self.compute_s)
            self.call(event)
        self.compute(SHORTEST_SLEEP_S)
        return self.world.allreduce(time.perf_counter() - begin, MPI.MAX)

    def compute(self, seconds):
        self.debt_s += seconds
        if self.debt_s > SHORTEST_SLEEP_S:
            begin = time.perf_counter()
            time.sleep(self.debt_s - 5e-5)
            self.debt_s -= time.perf_counter() - begin

    def send_view(self, size):
        return self.out[:size]

    def receive_view(self, size):
        return self.incoming[:size]

    def call(self, event):
        world = self.worlds[event.comm] if event.comm >= 0 else self.world
        size = event.bytes
        match event.kind:
            case Kind.SEND:
                world.Send(self.send_view(size), event.peer, event.tag)
            case Kind.START_SEND:
                self.requests[event.request] = [world.Isend(self.send_view(size), event.peer, event.tag)]
            case Kind.RECEIVE:
                world.Recv(self.receive_view(size), event.peer, event.tag)
            case Kind.START_RECEIVE:
                source, tag = self.starts[event.request]
                self.requests[event.request] = [world.Irecv(self.receive_view(size), source, tag)]
            case Kind.SENDRECV:
                self.sent = event
            case Kind.SENDRECV_RECEIVE:
                sent = self.sent
                target, source = (peer if peer >= 0 else MPI.PROC_NULL for peer in (sent.peer, event.peer))
                sent_view, view = self.send_view(sent.bytes), self.receive_view(size)
                world.Sendrecv(sent_view, target, sent.tag, view, source, max(event.tag, 0))
            case Kind.WAIT:
                MPI.Request.Waitall(self.requests.pop(event.request, []))
            case Kind.PROBE:
                world.Probe(event.peer, event.tag)
            case Kind.NEIGHBORS:
                pending = []
                for peer, is_received, block in event.items:
                    if peer >= 0 and is_received:
                        pending.append(world.Irecv(self.receive_view(block), peer, NEIGHBORS_TAG))
                    elif peer >= 0:
                        pending.append(world.Isend(self.send_view(block), peer, NEIGHBORS_TAG))
                self.complete(event, pending)
            case Kind.COLLECTIVE:
                self.collective(event)

    def complete(self, event, pending):
        if event.request < 0:
            MPI.Request.Waitall(pending)
        else:
            self.requests[event.request] = pending

    def collective(self, event):
        comm, size, root = self.comms[event.comm], event.bytes, max(event.peer, 0)
        name = COLLECTIVES[event.tag]
        letter = "I" if event.request >= 0 else ""
        kind = MPI.DOUBLE if size % 8 == 0 else MPI.SIGNED_CHAR
        sent = [self.out, size // kind.size, kind]
        received = [self.incoming, size // kind.size, kind]
        # Counts are those of one block.

        def call(method, *arguments):
            request = getattr(comm, letter + (method.lower() if letter else method))(*arguments)
            if letter:
                self.requests[event.request] = [request]

        match name:
            case "barrier":
                call("Barrier")
            case "broadcast":
                call("Bcast", sent, root)
            case "reduce":
                call("Reduce", sent, received if comm.rank == root else None, MPI.SUM, root)
            case "allreduce" | "scan" | "exscan":
                call(name.capitalize(), sent, received, MPI.SUM)
            case "gather":
                call("Gather", sent, received if comm.rank == root else None, root)
            case "scatter":
                call(
                    "Scatter",
                    sent if comm.rank == root else None,
                    received,
                    root,
                )
            case "allgather":
                call("Allgather", sent, received)
            case "alltoall":
                call("Alltoall", sent, received)
            case "alltoallv":
                counts = [self.call_of(event, rank).items for rank in self.trace.communicators[event.comm]]
                to, own = [size for _, _, size in event.items], comm.rank
                call(
                    "Alltoallv",
                    [self.out, to, MPI.BYTE],
                    [self.incoming, [c[own][2] for c in counts], MPI.BYTE],
                )
            case _:
                sizes = [self.call_of(event, rank).bytes for rank in self.trace.communicators[event.comm]]
                total = [self.out, sizes, MPI.BYTE]
                at_root = comm.rank == root
                match name:
                    case "gatherv":
                        call(
                            "Gatherv",
                            [self.out, size, MPI.BYTE],
                            [self.incoming, sizes, MPI.BYTE] if at_root else None,
                            root,
                        )
                    case "scatterv":
                        call("Scatterv", total if at_root else None, [self.incoming, size, MPI.BYTE], root)
                    case "allgatherv":
                        call("Allgatherv", [self.out, size, MPI.BYTE], [self.incoming, sizes, MPI.BYTE])
                    case "reduce_scatter":
                        counts = [each // kind.size for each in sizes]
                        call(
                            "Reduce_scatter",
                            [self.out, sum(counts), kind],
                            [self.incoming, counts[comm.rank], kind],
                            counts,
                        )
                    case "reduce_scatter_block":
                        call("Reduce_scatter_block", sent, received)
        self.n_calls[event.comm] += 1

    def call_of(self, event, rank):
        return self.calls[event.comm][self.n_calls[event.comm]][rank]


def main():
    trace = read_trace(sys.argv[1])
    live = Live(trace, float(sys.argv[3]))
    times = [live.run() for _ in range(int(sys.argv[2]))]
    if live.rank == 0:
        print(json.dumps(times))


main()
