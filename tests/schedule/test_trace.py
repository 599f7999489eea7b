"""Traces as schedules: matching of messages, collectives, and readers of all formats."""

import gzip
import re
import struct
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from halcyon import network, schedule
from halcyon.base import ConfigError, InputError, RunError
from halcyon.schedule.trace import is_trace, otf2_archive, read_trace, replay, summary, write_goal
from halcyon.schedule.trace.events import COLLECTIVES, EVENT, Kind, Trace, event_array
from halcyon.schedule.trace.mpi_algorithms import LIBRARIES, choose


def event(kind, peer=-1, tag=0, size=0, *, comm=0, request=-1, compute_ns=0, count=0):
    return (kind, 0, comm, peer, tag, request, count, size, compute_ns, 0)


def trace_of(*ranks, communicators=None):
    communicators = communicators or [tuple(range(len(ranks)))]
    return Trace("run", "test", [event_array(rows) for rows in ranks], communicators)


def executed(trace, **options):
    """The replay of a trace after its execution in this process, which checks the order of messages."""
    work = replay(trace, **options)
    for rank in range(work.n_ranks):
        schedule.check(work, rank)
    schedule.run(work, [{}] * work.n_ranks, combine=lambda target, block: None)
    return work


def simulated_s(work, **machine):
    topology = network.HyperX([1], work.n_ranks)
    routing = network.make_routing(topology, "minimal")
    placement = network.linear_placement(topology, work.n_ranks)
    speeds = network.machine(**machine)
    return network.simulate(work, topology, routing, speeds, placement, network.options()).time_s


def collective(name, size, root=-1, **options):
    return event(Kind.COLLECTIVE, root, COLLECTIVES.index(name), size, **options)


def test_messages_with_tags_match_as_in_mpi():
    """Received in another order than sent: each rank posts receives in the order of the sends, and waits for
    the message that the program waits for."""
    sender = [event(Kind.SEND, 1, tag, 100 * tag) for tag in (1, 2, 3)]
    receiver = [
        event(Kind.START_RECEIVE, 0, 3, 999, request=0),
        event(Kind.START_RECEIVE, 0, 1, 999, request=1),
        event(Kind.WAIT, request=0),
        event(Kind.RECEIVE, 0, 2, 999, compute_ns=10**6),
        event(Kind.WAIT, request=1),
    ]
    operations = schedule.operations(executed(trace_of(sender, receiver)), 1)
    posted = {o.round: o.block.size_bytes for o in operations if o.action == "receive"}
    waited = [
        posted[o.round] if o.action == "wait" else "compute"
        for o in operations
        if o.action in ("wait", "compute")
    ]
    assert list(posted.values()) == [100, 200, 300]
    assert waited == [300, "compute", 200, 100]


def test_a_wildcard_gets_the_source_of_its_completion():
    sender = [event(Kind.SEND, 0, 7, 8)]
    receiver = [
        event(Kind.START_RECEIVE, -1, -1, 64, request=0),
        event(Kind.START_RECEIVE, 2, 7, 64, request=1),
        event(Kind.WAIT, 1, 7, request=0),
        event(Kind.WAIT, request=1),
    ]
    work = executed(trace_of(receiver, sender, sender))
    assert [o.peer for o in schedule.operations(work, 0) if o.action == "receive"] == [1, 2]


def test_a_probe_waits_for_the_message():
    sender = [event(Kind.SEND, 1, 5, 8, compute_ns=10**6)]
    receiver = [event(Kind.PROBE, 0, 5), event(Kind.RECEIVE, 0, 5, 8, compute_ns=10**6)]
    assert simulated_s(executed(trace_of(sender, receiver))) > 2e-3


def test_buffered_sends_do_not_wait():
    """Two ranks that both send first deadlock in the synchronous executor unless sends are buffered."""
    rank = [event(Kind.SEND, 1, 0, 100), event(Kind.RECEIVE, 1, 0, 100)]
    other = [event(Kind.SEND, 0, 0, 100), event(Kind.RECEIVE, 0, 0, 100)]
    executed(trace_of(rank, other), buffered_bytes=100)
    with pytest.raises(Exception, match="does not complete"):
        executed(trace_of(rank, other), buffered_bytes=99)


def test_a_nonblocking_collective_overlaps_with_computation():
    def rank(overlaps):
        wait = event(Kind.WAIT, request=0)
        compute = event(Kind.WAIT, request=1, compute_ns=10**6)
        return [collective("alltoall", 10**6, request=0), *([compute, wait] if overlaps else [wait, compute])]

    blocking, overlapped = (simulated_s(executed(trace_of(*[rank(o)] * 4))) for o in (False, True))
    assert overlapped < blocking - 2e-4
    assert overlapped > 1e-3


def test_neighbourhood_collectives_are_messages():
    items = [event(Kind.ITEM, 1, 0, 24), event(Kind.ITEM, 1, 1, 48)]
    others = [event(Kind.ITEM, 0, 0, 48), event(Kind.ITEM, 0, 1, 24)]
    head = event(Kind.NEIGHBORS, count=2)
    work = executed(trace_of([head, *items], [head, *others]))
    assert schedule.counts(work).sent_bytes.tolist() == [24, 48]


def test_computation_is_scaled():
    work = replay(trace_of([collective("barrier", 0, compute_ns=10**6)] * 3), computation=2)
    assert schedule.counts(work).compute_s[0] == pytest.approx(6e-3)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8, 12])
@pytest.mark.parametrize("library", LIBRARIES)
def test_every_collective_is_replayed_by_every_library(n, library):
    for name in COLLECTIVES:
        for size in (8, 4096, 10**6):
            blocks = [event(Kind.ITEM, peer, 0, size) for peer in range(n)] if name == "alltoallv" else []
            rank = [collective(name, 0 if blocks else size, 0, count=len(blocks)), *blocks]
            executed(trace_of(*[rank] * n), library=library, ranks_per_node=2)


def test_decisions_are_those_of_the_libraries():
    """Cases read from coll_tuned_decision_fixed.c and nbc_*.c of Open MPI 4.1.4, and from mpir/generic.json
    and ch4/generic.json of MPICH 4.0.2."""
    for operation, ranks, size, name in [
        ("allreduce", 4, 8192, "rabenseifner"),
        ("allreduce", 8, 8191, "recursive_doubling"),
        ("allreduce", 4, 8, "recursive_doubling"),  # fewer items than the pieces of a ring
        ("broadcast", 4, 100, "binomial"),
        ("broadcast", 8, 2**20, "linear"),
        ("broadcast", 4, 2**20, "chain"),  # its number of chains is 0, which is taken as 1
        ("broadcast", 20, 2**20, "scatter_ring"),
        ("reduce", 3, 4, "linear"),  # fewer items than pieces
        ("alltoall", 24, 100, "bruck"),
        ("alltoall", 4, 2**19, "pairwise"),
        ("allgather", 33, 2000, "ring"),  # an odd number, so not neighbor_exchange
        ("barrier", 5, 0, "linear"),
        ("barrier", 100, 0, "dissemination"),
    ]:
        assert choose("open_mpi", operation, ranks, size) == name, (operation, ranks, size)
    for operation, ranks, size, name in [
        ("allreduce", 8, 8, "reduce_broadcast"),
        ("allreduce", 8, 65536, "rabenseifner"),
        ("reduce", 3, 64, "rabenseifner"),
        ("reduce", 8, 24, "binomial"),
        ("broadcast", 5, 10**6, "binomial"),
        ("allgather", 8, 8, "burst"),
    ]:
        assert choose("open_mpi", operation, ranks, size, nonblocking=True) == name, (operation, ranks, size)
    for operation, ranks, size, name in [
        ("allreduce", 8, 8, "recursive_doubling"),
        ("allreduce", 8, 64, "rabenseifner"),
        ("reduce", 8, 2048, "binomial"),
        ("broadcast", 16, 12288, "binomial"),
        ("broadcast", 16, 524288, "scatter_recursive_doubling"),
        ("alltoall", 8, 256, "bruck"),
        ("allgatherv", 16, 8192, "recursive_doubling"),
    ]:
        assert choose("mpich", operation, ranks, size) == name, (operation, ranks, size)
    assert choose("mpich", "alltoall", 8, 2048, nonblocking=True) == "bruck"
    assert choose("mpich", "broadcast", 16, 524288, nonblocking=True) == "scatter_ring"
    assert (  # of 11 nodes
        choose("mpich_node_aware", "broadcast", 32, 2**18, ranks_per_node=3) == "node_aware_scatter_ring"
    )
    assert choose("mpich_node_aware", "broadcast", 12, 2**18, ranks_per_node=3) == "scatter_ring"
    assert choose("mpich_node_aware", "reduce", 8, 4096, ranks_per_node=2) == "node_aware_rabenseifner"
    with pytest.raises(ConfigError, match="There is no library 'lam'"):
        choose("lam", "barrier", 2, 0)


def test_messages_and_collectives_without_partner_are_errors():
    sender, receiver = [event(Kind.SEND, 1, 7, 8)] * 2, [event(Kind.RECEIVE, 0, 7, 8)]
    trace = trace_of(sender, receiver)
    with pytest.raises(
        InputError, match=r"rank 0 sends 2 messages to rank 1 with tag 7 .* but 1 are received"
    ):
        replay(trace)
    assert schedule.counts(executed(trace, drop_unmatched=True)).messages.tolist() == [1, 0]
    for others, text in [([], "1 of the 2 ranks"), ([collective("broadcast", 8, 0)], "allreduce, broadcast")]:
        with pytest.raises(InputError, match=text):
            replay(trace_of([collective("allreduce", 8, 0)], others))


HEADER = "halcyon recording 1\nrank {}\nranks {}\nlibrary none\nevent_bytes 48\n\n"


def write_recording(folder, *ranks, header=HEADER):
    folder.mkdir(exist_ok=True)
    for rank, rows in enumerate(ranks):
        world = [event(Kind.COMM, count=len(ranks)), *(event(Kind.ITEM, i, 0) for i in range(len(ranks)))]
        content = header.format(rank, len(ranks)).encode() + event_array([*world, *rows]).tobytes()
        (folder / f"rank.{rank:06}.gz").write_bytes(gzip.compress(content))
    return folder


END = event(Kind.END)


def test_damaged_recordings_are_refused(tmp_path):
    """Each with one error that names the file and the remedy."""
    good = write_recording(tmp_path / "run", [collective("barrier", 0), END], [collective("barrier", 0), END])
    assert summary(read_trace(good)).calls == {"barrier": 2}
    for rows, text in [
        ([collective("barrier", 0)], "ends early: rank 0 did not call MPI_Finalize"),
        ([event(Kind.UNSUPPORTED, tag=0), END], "one-sided communication"),
        ([event(Kind.SEND, 0, 0, 8, comm=3), END], "a communicator is not defined"),
        ([collective("alltoallv", 0, count=4), END], "the length of a list is wrong"),
    ]:
        with pytest.raises(InputError, match=text):
            read_trace(write_recording(tmp_path / "bad", rows))
    with pytest.raises(InputError, match="1 of 2 ranks; that of rank 0 is missing"):
        (good / "rank.000000.gz").unlink()
        read_trace(good)
    with pytest.raises(InputError, match="of another version"):
        read_trace(write_recording(tmp_path / "bad", [END], header="halcyon recording 9\n\n"))
    file = tmp_path / "bad/rank.000000.gz"
    file.write_bytes(gzip.compress(np.random.default_rng(1).bytes(10**5))[:-1000])
    with pytest.raises(InputError, match="cut off or damaged"):
        read_trace(tmp_path / "bad")
    for name in ("nothing", "empty"):
        (tmp_path / "empty").mkdir(exist_ok=True)
        with pytest.raises(InputError, match="Give a folder of `halcyon record`, an OTF2 archive"):
            read_trace(tmp_path / name)


GOAL = """num_ranks 2
/* two ranks: the second needs
   what the first sends without being asked */
rank 0 {
l1: recv 10b from 1 tag 5
l2: calc 1000
l2 requires l1
l3: send 20b to 1 tag 6 cpu 0 nic 0
l4: calc 500 cpu 1
l4 irequires l3
}
rank 1 {
l1: recv 20b from 0 tag 6
l2: send 10b to 0 tag 5
l2 requires l1
}
"""


def test_binary_goal_is_refused_with_the_remedy(tmp_path):
    (tmp_path / "run.bin").write_bytes(b"\0\1\2")
    assert is_trace(tmp_path / "run.bin")
    with pytest.raises(InputError, match=r"run.bin is a binary file .* Give .* text \(.goal\) from which"):
        read_trace(tmp_path / "run.bin")


def test_goal_is_executed_without_deadlock(tmp_path):
    (tmp_path / "run.goal").write_text(GOAL)
    trace = read_trace(tmp_path / "run.goal")
    work = executed(trace)
    assert summary(trace).bytes == 30
    assert schedule.counts(work).compute_s.tolist() == pytest.approx([1.5e-6, 0])


@pytest.mark.parametrize(
    "old, new, text",
    [
        ("l2 requires l1\nl3", "l2 requires l9\nl3", r"run.goal:7: one of the labels l2 and l9"),
        ("to 1 tag 6", "to 2 tag 6", "run.goal:8: there is no rank 2"),
        ("calc 1000", "calc many", "run.goal:6: .* neither an operation nor a dependency"),
        ("tag 6\n", "tag 8\n", "completes . of . operations"),
        ("l2 requires l1\n}\n", "", "is cut off: a rank has no end"),
        ("num_ranks 2", "", "'rank 0 {' |cannot begin"),
    ],
)
def test_mistakes_in_goal_have_a_line(tmp_path, old, new, text):
    assert old in GOAL
    (tmp_path / "run.goal").write_text(GOAL.replace(old, new))
    with pytest.raises(InputError, match=text):
        read_trace(tmp_path / "run.goal")


@pytest.mark.parametrize(
    "work",
    [
        schedule.alltoall(6, 3000, algorithm="ring-2"),
        schedule.spectral_pipeline((12, 8, 8), (2, 3), item_s=1e-9),
        schedule.allreduce(7, bytes=8, radix=3),
    ],
)
def test_a_schedule_takes_the_same_time_after_goal(tmp_path, work):
    """But for copies and combinations, which GOAL does not have."""
    write_goal(work, tmp_path / "run.goal")
    again = executed(read_trace(tmp_path / "run.goal"))
    fast = {"memory_bandwidth": 1e18}
    assert simulated_s(again, **fast) == pytest.approx(simulated_s(work, **fast), rel=1e-2)
    assert schedule.counts(again).sent_bytes.tolist() == schedule.counts(work).sent_bytes.tolist()
    with pytest.raises(RunError, match="cannot be written"):
        write_goal(work, tmp_path)


class DumpiFile:
    """Writes the DUMPI file of a rank, in its version 1.1."""

    def __init__(self):
        from halcyon.schedule.trace.dumpi_calls import CALLS

        self._names = [word.split(":")[0] for word in CALLS.split()]
        self._layouts = dict(word.split(":") for word in CALLS.split())
        self._body = struct.pack(">ii", 0, 0)
        self._clock = 0

    def call(self, name, *values, statuses=()):
        values = list(values)
        self._clock += 1000
        mask = 0b11 | 1 << 3 | 1 << 6
        head = struct.pack(">hBh", self._names.index(name), mask, 0)
        self._body += head + struct.pack(">HIHI", 0, self._clock, 0, self._clock + 100)
        for code in self._layouts[name]:
            if code in "?;" or (not values and code not in "sA"):
                continue  # arguments of the root only
            if code in "bhiq":
                self._body += struct.pack(f">{code}", values.pop(0))
            elif code in "HI":
                array = values.pop(0)
                self._body += struct.pack(f">i{len(array)}{code.lower()}", len(array), *array)
            elif code == "A":
                self._body += struct.pack(">i", 0)
            elif code == "s":
                self._body += struct.pack(">i", len(statuses))
                for size, source, tag in statuses:
                    self._body += struct.pack(">iiBBi", size, source, 0, 0, tag)
        return self

    def write(self, path):
        end = struct.pack(">h", self._names.index("end_of_stream"))
        magic = bytes([0xFF, 0xAA, 0xDD]) + b"DUMPI"
        content = magic + self._body + end
        header = len(content)
        content += bytes([1, 1, 0]) + bytes(20)
        path.write_bytes(content + magic + struct.pack(">7Q", 0, 0, 0, header, 8, 0, 0))


def write_dumpi(folder, ranks):
    for rank, file in enumerate(ranks):
        file.write(folder / f"run-{rank:04}.bin")
    (folder / "run.meta").write_text(f"numprocs={len(ranks)}\nfileprefix=run\n")
    return folder / "run.meta"


DOUBLE, WORLD, NEW = 14, 2, 4  # numbers in DUMPI


def dumpi_rank(rank, n=4):
    """Messages to the next rank from any source, of a vector type, and a sum over two halves."""
    following, before = (rank + 1) % n, (rank - 1) % n
    file = DumpiFile().call("init")
    file.call("type_vector", 2, 3, 5, DOUBLE, 28)  # 6 doubles
    file.call("irecv", 10, 28, -1, -1, WORLD, 5)
    file.call("isend", 1, 28, following, 3, WORLD, 6)
    file.call("waitall", 2, [5, 6], statuses=[(48, before, 3), (0, 0, 0)])
    file.call("comm_split", WORLD, rank % 2, -rank, NEW)
    file.call("reduce", 4, DOUBLE, 1, 0, NEW)
    file.call("gather", rank, 1, DOUBLE, 0, WORLD, *([1, DOUBLE] if rank == 0 else []))
    return file.call("finalize")


def test_dumpi_with_types_wildcards_and_communicators(tmp_path):
    trace = read_trace(write_dumpi(tmp_path, [dumpi_rank(rank) for rank in range(4)]))
    assert trace.communicators[-2:] == [(2, 0), (3, 1)]  # by descending rank
    assert summary(trace).bytes == 4 * 48
    assert summary(trace).calls["reduce"] == 4
    executed(trace)
    assert simulated_s(replay(trace)) > 0


def test_mistakes_of_dumpi(tmp_path):
    ranks = [dumpi_rank(rank) for rank in range(4)]
    meta = write_dumpi(tmp_path, ranks)
    whole = (tmp_path / "run-0002.bin").read_bytes()
    for content, text in [
        (whole[:-10], "its index is missing"),
        (b"netCDF" + whole, "is not a DUMPI trace"),
        (whole[:60] + whole[70:], "damaged|cannot be replayed|is not"),
    ]:
        (tmp_path / "run-0002.bin").write_bytes(content)
        with pytest.raises(InputError, match=text):
            read_trace(meta)
    (tmp_path / "run-0002.bin").unlink()
    with pytest.raises(InputError, match=r"run-0002.bin does not exist"):
        read_trace(meta)
    with pytest.raises(InputError, match="one-sided"):
        put = DumpiFile().call("init").call("put", 1, DOUBLE, 0, 0, 1, DOUBLE, 1).call("finalize")
        read_trace(write_dumpi(tmp_path, [put]))


def test_dumpi_of_a_published_run(shared):
    """Seven ranks of a run on a Blue Gene: all messages match."""
    trace = read_trace(shared / "data/traces/dumpi/testbgp.meta")
    counted = summary(trace)
    assert (counted.ranks, counted.messages, counted.calls["alltoall"]) == (7, 588, 49)
    executed(trace)


@pytest.mark.parametrize(
    "name, messages, size", [("otf2_ping_pong", 16, 8355840), ("otf2_10_ranks", 1440, None)]
)
def test_otf2_of_published_runs(shared, name, messages, size):
    pytest.importorskip("otf2")
    trace = read_trace(shared / f"data/traces/{name}/traces.otf2")
    counted = summary(trace)
    assert counted.messages == messages and size in (None, counted.bytes)
    executed(trace)


def test_blocks_of_a_nonblocking_collective_in_otf2_follow_its_start():
    class Archive:
        communicator = staticmethod(lambda comm, rank: 0)
        members = staticmethod(lambda number: (0, 1))
        ns = staticmethod(int)

    def otf2_event(kind, **values):
        return type(kind, (SimpleNamespace,), {})(**values)

    rank = otf2_archive._Rank(0, Archive())
    ended = {
        "communicator": 0,
        "collective_op": "ALLTOALLV",
        "size_sent": 20,
        "size_received": 20,
        "root": -1,
    }
    for event in [
        otf2_event("NonBlockingCollectiveRequest", request_id=5, time=1),
        otf2_event("MpiSend", communicator=0, receiver=1, msg_tag=3, msg_length=8, time=2),
        otf2_event("NonBlockingCollectiveComplete", request_id=5, time=3, **ended),
    ]:
        rank.add(event)
    rows = rank.finish()
    assert [row[0] for row in rows] == [Kind.COLLECTIVE, Kind.ITEM, Kind.ITEM, Kind.SEND, Kind.WAIT]
    assert rows[0][6] == 2 and [row[7] for row in rows[1:3]] == [10, 10]


def test_otf2_without_its_package_or_files(tmp_path, monkeypatch):
    (tmp_path / "traces.otf2").write_text("nothing")
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "otf2", None)
        with pytest.raises(RunError, match="pip install otf2"):
            read_trace(tmp_path / "traces.otf2")
    pytest.importorskip("otf2")
    with pytest.raises(InputError, match="incomplete or damaged"):
        read_trace(tmp_path / "traces.otf2")


def test_events_have_the_layout_of_the_recorder():
    """The format in cpp/record/recorder.h: sizes, order and numbers."""
    from pathlib import Path

    header = (Path(__file__).parents[2] / "cpp/record/recorder.h").read_text()
    fields = re.findall(r"u?int(\d+)_t (\w+);", header[header.index("struct event {") :])[: len(EVENT.names)]
    assert [(name, int(bits) // 8) for bits, name in fields] == [(n, EVENT[n].itemsize) for n in EVENT.names]
    names = re.findall(r"^  k([A-Z]\w+)", header[header.index("enum event_kind") : header.index("};")], re.M)
    plain = [re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper() for name in names]
    assert plain == [kind.name for kind in Kind]
    collectives = header[header.index("enum collective {") :]
    assert len(re.findall(r"^  k[A-Z]", collectives[: collectives.index("};")], re.M)) == len(COLLECTIVES)
