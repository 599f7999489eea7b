"""The model of a file system: parts of an access, messages to I/O ranks, a fit, and the output of a plan."""

import math
from pathlib import Path

import numpy as np
import pytest

from halcyon import graph, schedule
from halcyon.base import ConfigError
from halcyon.calibrate.file_system import fit_file_system
from halcyon.config.machine import FileSystem, Machine
from halcyon.config.workload import File
from halcyon.mesh.named import named_mesh
from halcyon.plan.output import Output
from halcyon.simulate import simulate, sweep
from halcyon.simulate.file_access import access_of, file_schedule, io_ranks_of
from halcyon.simulate.file_system import Access, access_parts_s, best_io_ranks, total_s

ROOT = Path(__file__).parents[2]
SYSTEM = FileSystem(
    servers=4,
    bandwidth=1e9,
    stripes=2,
    stripe_bytes=1000,
    request_time=1e-3,
    lock_time=1e-2,
    file_time=0.25,
    open_time=0.5,
    rank_bandwidth=1e6,
    range_time=1e-4,
)


def access(**changes):
    given = {"bytes": 8e5, "items": 10_000, "variables": 2, "io_ranks": 8, "io_nodes": 2}
    given |= {"writes": True, "contiguous": True, "shuffled": False}
    return Access(**given | changes)


def file_work(**options):
    return File(**{"type": "file", "items": 10_000, "item_bytes": 80} | options)


def test_the_parts_of_an_access():
    """Eight I/O ranks write 16 contiguous pieces of 800 stripes on 2 of 4 servers."""
    parts = access_parts_s(SYSTEM, access(), node_bandwidth=2e6)
    assert parts["open"] == pytest.approx(0.25 + 8 * 0.5)
    assert parts["io_ranks"] == pytest.approx(1e5 / 1e6)
    assert parts["nodes"] == pytest.approx(4e5 / 2e6)
    requests, handovers = 800 + 16 - 1, 16 - 2
    assert parts["servers"] == pytest.approx((8e5 / 1e9 + requests * 1e-3 + handovers * 1e-2) / 2)
    assert total_s(parts) == pytest.approx(parts["open"] + parts["servers"])
    read = access_parts_s(SYSTEM, access(writes=False), node_bandwidth=2e6)
    assert read["servers"] == pytest.approx((8e5 / 1e9 + requests * 1e-3) / 2)  # no locks
    scattered = access_parts_s(SYSTEM, access(contiguous=False, shuffled=True), node_bandwidth=2e6)
    ranges = 2 * 10_000 * 7 / 8  # an aggregator on each node has half of them
    assert scattered["io_ranks"] == pytest.approx(4e5 / 1e6 + 1e-4 * ranges * (1 / 8 + 1 / 2))


@pytest.mark.parametrize("ranks", [16, 64])
@pytest.mark.parametrize("group", [1, 4])
def test_estimated_ranges_are_those_of_parts(ranks, group):
    """Ranges of METIS' parts of G5, along the Hilbert curve of the mesh and in random order."""
    mesh = named_mesh("G5")
    owners = np.asarray(graph.partition(mesh.cell_offsets, mesh.cells_on_cell, ranks)) // group
    shuffled = owners[np.random.default_rng(1).permutation(len(owners))]
    for order, of_items in (("natural", owners), ("shuffled", shuffled)):
        work = file_work(items=len(owners), layout="groups", group_size=group, order=order)
        counted = 1 + np.count_nonzero(np.diff(of_items))
        assert access_of(work, Machine(), ranks).ranges == pytest.approx(counted, rel=0.15)


@pytest.mark.parametrize("direction", ["write", "read"])
@pytest.mark.parametrize(
    ("layout", "options"),
    [("box", {"io_ranks": 5}), ("gather", {}), ("groups", {"group_size": 4}), ("direct", {})],
)
@pytest.mark.parametrize("order", ["natural", "shuffled"])
def test_each_io_rank_exchanges_its_share(layout, options, direction, order):
    """The bytes that I/O ranks receive, or send, are their shares of the file, less what they have; those of
    aggregators, the first of each node, follow."""
    work = file_work(layout=layout, direction=direction, order=order, **options)
    ranks, per_node = 18, 6
    counts = [schedule.counts(file_schedule(work, ranks, per_node), [rank]) for rank in range(ranks)]
    io_ranks, total = io_ranks_of(work, ranks), 800_000
    received, sent = ([getattr(each, f"{way}_bytes") for each in counts] for way in ("received", "sent"))
    if direction == "read":
        received, sent = sent, received
    assert sum(received) == pytest.approx(sum(sent))
    if layout in ("box", "gather"):
        for rank in range(ranks):
            own = total / ranks
            share = total / len(io_ranks) if rank in io_ranks else 0
            kept = own - sent[rank]
            assert received[rank] == pytest.approx(share - kept, abs=20)
    else:  # on three nodes an aggregator each, to which the I/O ranks of other nodes send two thirds
        aggregators = [0, 6, 12] if layout == "direct" else [0, 8, 12]
        least = total / 3 * (1 - 1 / len(io_ranks))
        assert all(received[rank] >= least - 20 for rank in aggregators)
    assert all(received[rank] == 0 for rank in range(ranks) if rank not in io_ranks)


def test_a_simulated_file_takes_the_messages_and_the_access():
    case = {"ranks": 32, "topology": "torus-M", "workload": file_work(io_ranks=4).model_dump()}
    found = simulate(case)
    parts = dict(zip(found["file_part"].values, found["file_part_time"].values, strict=True))
    assert found["file_time"] == pytest.approx(total_s(parts)) and found["file_time"] > 0
    assert found["time"] == pytest.approx(found["file_time"].item() + found["finish"].values.max())
    assert "file system" in found.attrs["approximate"]
    messages = simulate(case | {"workload": {"type": "alltoall", "block_bytes": 8}})
    assert messages["file_time"] == 0


def test_the_example_of_grist():
    """As in figure 8 of GRIST's infrastructure, groups are faster than all ranks, and neither very small nor
    very large groups are the best (docs/grist_scaling.md)."""
    groups = [1, 5, 30, 150]
    changes = ["sweep.ranks=[4200]", f"sweep={{workload.group_size: {groups}, ranks: [4200]}}"]
    times = sweep(ROOT / "examples/grist/io.yaml", changes)["time"].values
    assert times.argmin() == 2 and times[0] > 5 * times[2] and times[3] > 2 * times[2]


def test_more_io_ranks_than_ranks_are_refused():
    case = {"ranks": 8, "topology": "torus-M", "workload": file_work(io_ranks=9).model_dump()}
    with pytest.raises(ConfigError, match=r"workload\.io_ranks = 9, but ranks = 8"):
        simulate(case)


def test_the_best_number_of_io_ranks_balances_opening_and_writing():
    """sqrt(bytes / (bandwidth of a process x time to open)), 40 here, where the servers do not limit."""
    system = FileSystem(servers=1000, rank_bandwidth=1e9, open_time=5e-3, lock_time=0.0)
    assert best_io_ranks(system, access(bytes=8e9), math.inf, 200) == 40


def test_a_fit_finds_the_file_system():
    """Times of a known file system are fitted to a few per cent of its values."""
    known = {"file_time": 2e-2, "open_time": 3e-3, "range_time": 2e-6}
    known |= {"rank_bandwidth": 4e8, "bandwidth": 1.5e9}
    system = FileSystem(servers=1, request_time=0.0, lock_time=0.0, **known)
    accesses = [
        access(bytes=size, items=100_000, io_ranks=n, io_nodes=1, contiguous=contiguous, shuffled=True)
        for size in (1e6, 1e9)
        for n in (1, 2, 4, 8, 16)
        for contiguous in (True, False)
    ]
    measured = [total_s(access_parts_s(system, each, math.inf)) for each in accesses]
    fit = fit_file_system(accesses, measured)
    assert fit.modelled_s == pytest.approx(measured, rel=0.03)
    assert {name: fit.options[name] for name in known} == pytest.approx(known, rel=0.05)


def test_output_is_hidden_until_a_record_takes_longer_than_its_steps():
    """A record of 17 s every 10 steps: steps of 2 s hide it, of 1 s leave 0.7 s per step; in the
    foreground each step has its share."""
    changes = {"open_time": 16.0, "file_time": 0.0, "stripe_bytes": 2**40}
    machine = Machine(file_system=SYSTEM.model_copy(update=changes))
    output = Output(record_bytes=1e6, every_s=1000.0, io_ranks=1)
    record_s = 16 + 1.0
    assert output.record_s(machine, 64) == pytest.approx(record_s)
    assert output.visible_s(machine, 64, 2.0, 100.0) == 0
    assert output.visible_s(machine, 64, 1.0, 100.0) == pytest.approx((record_s - 10) / 10)
    foreground = Output(record_bytes=1e6, every_s=1000.0, io_ranks=1, background=False)
    assert foreground.visible_s(machine, 64, 2.0, 100.0) == pytest.approx(record_s / 10)
