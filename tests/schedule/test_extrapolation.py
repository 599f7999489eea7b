"""Traces on more ranks: grids and collectives follow their law to the byte; others are refused."""

import numpy as np
import pytest

from halcyon import schedule
from halcyon.base import ConfigError
from halcyon.schedule.trace import extrapolate, replay
from halcyon.schedule.trace.events import COLLECTIVES, Kind, Trace, event_array


def event(kind, peer=-1, tag=0, size=0, *, request=-1, compute_ns=0, count=0):
    return (kind, 0, 0, peer, tag, request, count, size, compute_ns, 0)


def collective(name, size):
    return event(Kind.COLLECTIVE, -1, COLLECTIVES.index(name), size)


def trace_of(ranks):
    return Trace("run", "test", [event_array(rows) for rows in ranks], [tuple(range(len(ranks)))])


def grid_program(nx, ny, wraps, halo, block=0):
    """A halo exchange of a grid of ranks, computation, an allreduce, and with a block an all-to-all."""
    ranks = []
    for rank in range(nx * ny):
        peers = []
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)) if ny > 1 else ((1, 0), (-1, 0)):
            x, y = rank % nx + dx, rank // nx + dy
            if wraps or (0 <= x < nx and 0 <= y < ny):
                peers.append(x % nx + y % ny * nx)
        rows = [event(Kind.START_RECEIVE, peer, 1, halo, request=i) for i, peer in enumerate(peers)]
        rows += [event(Kind.START_SEND, peer, 1, halo, request=10 + i) for i, peer in enumerate(peers)]
        rows += [event(Kind.WAIT, request=first + i) for first in (0, 10) for i in range(len(peers))]
        rows[len(peers)] = (*rows[len(peers)][:8], 1000, 0)  # computation before the sends
        rows.append(collective("allreduce", 8))
        ranks.append([*rows, collective("alltoall", block)] if block else rows)
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
    for trace, ranks, reason in [
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
