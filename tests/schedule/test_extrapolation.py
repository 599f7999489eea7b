"""Traces on more ranks: grids and collectives follow their law to the byte; others are refused."""

from itertools import pairwise

import numpy as np
import pytest

from halcyon import graph, mesh, schedule
from halcyon.base import ConfigError
from halcyon.decomposition import halo_volumes
from halcyon.schedule.trace import extrapolate, replay
from halcyon.schedule.trace.events import COLLECTIVES, Kind, Trace, event_array


def event(kind, peer=-1, tag=0, size=0, *, request=-1, compute_ns=0, count=0):
    return (kind, 0, 0, peer, tag, request, count, size, compute_ns, 0)


def collective(name, size):
    return event(Kind.COLLECTIVE, -1, COLLECTIVES.index(name), size)


def trace_of(ranks):
    return Trace("run", "test", [event_array(rows) for rows in ranks], [tuple(range(len(ranks)))])


def halo_program(peers, halo, blocks=()):
    """Receives and sends of `halo` bytes with each peer, computation, an allreduce and all-to-alls."""
    rows = [event(Kind.START_RECEIVE, peer, 1, halo, request=i) for i, peer in enumerate(peers)]
    rows += [event(Kind.START_SEND, peer, 1, halo, request=100 + i) for i, peer in enumerate(peers)]
    rows += [event(Kind.WAIT, request=first + i) for first in (0, 100) for i in range(len(peers))]
    rows[len(peers)] = (*rows[len(peers)][:8], 1000, 0)  # computation before the sends
    return [*rows, collective("allreduce", 8), *(collective("alltoall", block) for block in blocks)]


def grid_program(nx, ny, wraps, halo, block=0, nz=1):
    """A halo exchange of a grid of ranks, and with a block an all-to-all."""
    shape = [n for n in (nx, ny, nz) if n > 1]
    ranks = []
    for rank in range(nx * ny * nz):
        place = [rank % nx, rank // nx % ny, rank // (nx * ny)][: len(shape)]
        moved = [
            [x + step * (axis == i) for i, x in enumerate(place)]
            for axis in range(len(shape))
            for step in (1, -1)
        ]
        strides = [1, nx, nx * ny]
        peers = [
            sum(x % n * stride for x, n, stride in zip(each, shape, strides, strict=False))
            for each in moved
            if wraps or all(0 <= x < n for x, n in zip(each, shape, strict=True))
        ]
        ranks.append(halo_program(peers, halo, [block] if block else []))
    return trace_of(ranks)


def mesh_program(sphere, n, cell_bytes):
    """The halo of a mesh on n ranks, with messages of the size of its volumes."""
    owners = graph.partition(sphere.cell_offsets, sphere.cells_on_cell, n)
    volumes = halo_volumes(sphere, owners, n, cell_bytes=cell_bytes)
    parts = [slice(a, b) for a, b in pairwise(volumes.offsets)]
    received = [dict(zip(volumes.peers[i].tolist(), volumes.bytes[i].tolist(), strict=True)) for i in parts]
    ranks = []
    for rank, sizes in enumerate(received):
        rows = halo_program(sorted(sizes), 0)
        for i, row in enumerate(rows):
            if row[0] in (Kind.START_RECEIVE, Kind.START_SEND):
                sent = received[row[3]][rank] if row[0] == Kind.START_SEND else sizes[row[3]]
                rows[i] = (*row[:7], sent, *row[8:])
        ranks.append(rows)
    return trace_of(ranks)


def sums(trace):
    work = replay(trace)
    schedule.run(work, [{}] * work.n_ranks, combine=lambda target, block: None)
    counted = schedule.counts(work)
    return counted.messages.sum(), counted.sent_bytes.sum(), counted.compute_s.max()


@pytest.mark.parametrize("wraps", [False, True])
@pytest.mark.parametrize("scaling, halo, work", [("weak", 800, 1e-6), ("strong", 400, 2.5e-7)])
def test_a_grid_halo_is_that_of_more_ranks(wraps, scaling, halo, work):
    found = sums(extrapolate(grid_program(3, 3, wraps, 800), 36, scaling))
    expected = sums(grid_program(6, 6, wraps, halo))
    assert found[:2] == expected[:2]
    assert found[2] == pytest.approx(work, rel=1e-2)


@pytest.mark.parametrize("wraps", [False, True])
def test_a_grid_of_three_dimensions_is_that_of_more_ranks(wraps):
    """Twice as many ranks along each dimension: sides of a rank's box have a quarter of the size."""
    for scaling, halo in (("weak", 800), ("strong", 200)):
        found = sums(extrapolate(grid_program(3, 3, wraps, 800, nz=3), 216, scaling))
        assert found[:2] == sums(grid_program(6, 6, wraps, halo, nz=6))[:2]
    half = extrapolate(grid_program(3, 3, True, 800, nz=3), 54, "strong")  # along one dimension only
    assert sums(half)[1] - sums(trace_of([[collective("allreduce", 8)]] * 54))[1] == 54 * (2 * 800 + 4 * 400)


def test_the_halo_of_a_mesh_on_more_ranks_is_that_of_its_partition():
    """METIS' partitions of G6: from 16 to 64 ranks within 5 %, neighbours (Euler) within 5 %."""
    sphere = mesh.uniform(6, tolerance=1e-2)
    few, many = (mesh_program(sphere, n, 800) for n in (16, 64))
    found, expected = schedule.counts(replay(extrapolate(few, 64, "strong"))), schedule.counts(replay(many))
    for name, tolerance in (("messages", 0.05), ("sent_bytes", 0.05)):
        ratio = getattr(found, name).mean() / getattr(expected, name).mean()
        print(f"{name}: {100 * (ratio - 1):+.1f} %")
        assert ratio == pytest.approx(1, abs=tolerance)
    assert found.sent_bytes.max() == pytest.approx(expected.sent_bytes.max(), rel=0.2)  # no largest part
    kept = schedule.counts(replay(extrapolate(few, 1000, "weak")))
    start = schedule.counts(replay(few))
    assert kept.sent_bytes.mean() == pytest.approx(start.sent_bytes.mean(), rel=1e-2)


def test_a_halo_in_neighbourhood_collectives_is_extrapolated():
    """Each rank of a ring of 16 with four neighbours sends 100 bytes to each: they become six of 400 / 6."""
    ranks = []
    for rank in range(16):
        peers = [(rank + step) % 16 for step in (1, 2, -1, -2)]
        items = [event(Kind.ITEM, peer, is_received, 100) for is_received in (0, 1) for peer in peers]
        head = event(Kind.NEIGHBORS, request=3, count=len(items), compute_ns=1000)
        ranks.append([head, *items, collective("barrier", 0), event(Kind.WAIT, request=3)])
    work = replay(extrapolate(trace_of(ranks), 30, "weak"))
    schedule.run(work, [{}] * 30)
    counted = schedule.counts(work)
    assert counted.sent_bytes.tolist() == [6 * 67] * 30
    assert counted.compute_s == pytest.approx(1e-6)


def test_rings_and_all_to_alls():
    """Messages of a ring keep their size; blocks of an all-to-all shrink once (weak) or twice (strong)."""
    for scaling, block in (("weak", 400), ("strong", 100)):
        found = sums(extrapolate(grid_program(4, 1, True, 800, block=1600), 16, scaling))
        assert found[:2] == sums(grid_program(16, 1, True, 800, block=block))[:2]


def test_other_patterns_are_refused_with_the_reason():
    rng = np.random.default_rng(1)
    irregular = [[] for _ in range(9)]
    for source, target in rng.choice(9, (20, 2)):
        if source != target:
            irregular[source].append(event(Kind.SEND, int(target), 1, 8))
            irregular[target].append(event(Kind.RECEIVE, int(source), 1, 8))
    uneven = grid_program(3, 3, True, 800)
    uneven.events[4]["bytes"][4:8] = 10**6
    half = Trace("run", "test", [event_array([collective("allreduce", 8)])] * 4, [(0, 1, 2, 3)])
    half = Trace("run", "test", half.events, [(0, 1)])
    dense = trace_of([halo_program([peer for peer in range(16) if peer != rank], 8) for rank in range(16)])
    alone = trace_of([halo_program([(rank + step) % 16 for step in (1, 2, -1, -2)], 8) for rank in range(16)])
    alone.events[3]["request"][-2] = 99  # one of its messages is not waited for
    large = trace_of([halo_program([(rank + step) % 16 for step in (1, 2, -1, -2)], 8) for rank in range(16)])
    large.events[3]["bytes"][:8] = 10**6
    for trace, ranks, reason in [
        (dense, 64, "have 15.0 neighbours in the mean, those of a mesh on 16 ranks 5.2"),
        (alone, 64, "rank 3 waits for some of its neighbours alone"),
        (large, 64, "have 32 to 4000000 bytes per rank: it is irregular"),
        (grid_program(4, 4, True, 8), 6, "6 ranks are no grid like 4 x 4; 64 would be one"),
        (trace_of(irregular), 18, "no neighbour in a grid|calls, in a grid|does not do what"),
        (grid_program(2, 2, False, 8), 16, "no neighbour in a grid|too few"),
        (uneven, 36, "bytes: it is irregular"),
        (half, 8, "a communicator of 2 of the 4 ranks"),
        (
            trace_of([[collective("alltoallv", 8)]] * 4),
            8,
            "the collective alltoallv, for which there is no law",
        ),
        (grid_program(3, 3, True, 8), 37, "37 ranks are no grid like 3 x 3; 36 would be one"),
    ]:
        with pytest.raises(ConfigError, match=reason):
            extrapolate(trace, ranks, "weak")
    with pytest.raises(ConfigError, match="There is no scaling 'both'"):
        extrapolate(trace_of([[]]), 2, "both")
