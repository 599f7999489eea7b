"""Schedules of the workloads: data movement compared with numpy, counts with closed forms, mistakes."""

import math

import numpy as np
import pytest

from halcyon import graph, mesh, schedule
from halcyon.base import ConfigError, InputError
from halcyon.decomposition import halo_volumes, schedule_volumes

ALGORITHMS = ["burst", "bruck", "ring", "ring-3"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_alltoall_transposes_blocks(algorithm):
    for n in (1, 2, 5, 8):
        buffers = [{"send": 10.0 * rank + np.arange(n), "receive": np.zeros(n)} for rank in range(n)]
        schedule.run(schedule.alltoall(n, 8, algorithm=algorithm), buffers)
        received = np.array([each["receive"] for each in buffers])
        assert np.array_equal(received, np.array([each["send"] for each in buffers]).T)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_alltoallv_within_columns(algorithm):
    sizes = np.array([[1, 0, 2], [3, 1, 0], [0, 4, 1]])
    work = schedule.alltoall(6, sizes, algorithm=algorithm, groups=(3, 2))
    buffers = [{"send": np.full(sizes[rank // 2].sum(), rank, np.uint8)} for rank in range(6)]
    for rank, memory in enumerate(schedule.run(work, buffers)):
        senders = np.arange(3) * 2 + rank % 2
        assert np.array_equal(memory["receive"], np.repeat(senders, sizes[:, rank // 2]))


def test_a_transposition_leaves_every_rank_its_box():
    """At each of the four states, ranks receive exactly the items of their boxes."""
    points, ranks = (6, 5, 4), (3, 2)
    work = schedule.transposition(points, ranks, algorithm="ring-2")
    grid = np.arange(math.prod(points), dtype=float).reshape(points[::-1])

    def split(state, other, rank):
        """A rank's items at a state, split into the blocks that it exchanges with another state."""
        own = schedule.box(points, ranks, state, rank)
        other_boxes = [schedule.box(points, ranks, other, r) for r in range(6)]
        undivided = next(d for d in range(3) if own[d] == slice(0, points[2 - d]))
        parts = sorted({(box[undivided].start, box[undivided].stop) for box in other_boxes})
        return [tuple(slice(*part) if d == undivided else own[d] for d in range(3)) for part in parts]

    buffers = [{name: np.zeros(200) for name in ("send", "receive")} for _ in range(6)]

    def check_and_pack(rank, state):
        if state > 0:
            arrived = np.concatenate([grid[piece].ravel() for piece in split(state, state - 1, rank)])
            assert np.array_equal(buffers[rank]["receive"][: arrived.size], arrived)
        if state < 3:
            leaving = np.concatenate([grid[piece].ravel() for piece in split(state, state + 1, rank)])
            buffers[rank]["send"][: leaving.size] = leaving

    schedule.run(work, buffers, work=check_and_pack)
    assert work.n_stages == 3


def test_an_allreduce_leaves_the_same_bits_everywhere():
    for n, radix in ((7, 2), (11, 3), (9, 32)):
        buffers = [{"data": 1 / (1 + np.arange(4.0) + rank)} for rank in range(n)]
        expected = np.sum([each["data"] for each in buffers], axis=0)
        schedule.run(schedule.allreduce(n, bytes=32, radix=radix), buffers, combine=schedule.summing())
        assert np.allclose(buffers[0]["data"], expected, rtol=1e-14)
        assert all(np.array_equal(each["data"], buffers[0]["data"]) for each in buffers)


@pytest.mark.parametrize("order", ["sweeps", "at_once"])
def test_a_halo_is_what_the_periodic_grid_has_there(order):
    nx, ny, width = 6, 4, 3
    grid = np.arange(nx * ny).reshape(ny, nx)
    padded = np.pad(grid, width, mode="wrap")
    work = schedule.grid_halo((nx, ny), (3, 2), width=width, order=order)

    def first_row_and_column(rank):
        return (rank // 3) * 2, (rank % 3) * 2

    fields = []
    for rank in range(6):
        y, x = first_row_and_column(rank)
        field = np.full((2 + 2 * width, 2 + 2 * width), -1)
        field[width:-width, width:-width] = grid[y : y + 2, x : x + 2]
        fields.append({"field": field})
    schedule.run(work, fields)
    for rank, buffers in enumerate(fields):
        y, x = first_row_and_column(rank)
        assert np.array_equal(buffers["field"], padded[y : y + 2 + 2 * width, x : x + 2 + 2 * width])


def test_the_halo_of_a_mesh_as_messages():
    """Schedules of mesh halos have the volumes that the decomposition gives, in any message order."""
    sphere = mesh.uniform(2, tolerance=1e-2)
    owners = graph.partition(sphere.cell_offsets, sphere.cells_on_cell, 12)
    volumes = halo_volumes(sphere, owners, 12, cell_bytes=100)
    for order in ("at_once", "in_order", "unwaited"):
        found = schedule_volumes(schedule.messages(volumes, order=order))
        assert np.array_equal(found.peers, volumes.peers)
        assert np.array_equal(found.bytes, volumes.bytes)
    actions = {}
    for order in ("at_once", "in_order", "unwaited"):
        work = schedule.messages(volumes, order=order, compute_s=0.25)
        assert schedule.counts(work, [3]).compute_s.tolist() == [0.25]
        actions[order] = [row.action for row in schedule.operations(work, 3)]
    assert actions["in_order"][-2:] == ["wait", "compute"] and actions["unwaited"][-2:] == ["compute", "wait"]
    with pytest.raises(ConfigError, match=r"seconds have the shape \(2,\)"):
        schedule.messages(volumes, compute_s=[1, 2])
    with pytest.raises(ConfigError, match="Use at_once, in_order or unwaited"):
        schedule.messages(volumes, order="later")


def test_counts_are_those_of_the_closed_forms():
    ring = schedule.counts(schedule.alltoall(10, 100, algorithm="ring-4"), [0, 9])
    assert ring.rounds.tolist() == [3, 3]
    assert ring.sent_bytes.tolist() == [900, 900]
    gcr = schedule.gcr(27, radix=3, compute_s=0.5)
    assert gcr.n_stages == 50
    assert schedule.counts(gcr, [5]).rounds.tolist() == [150]
    assert schedule.counts(gcr, [5]).compute_s.tolist() == [25.0]
    pipeline = schedule.spectral_pipeline((8, 8, 6), (2, 2), groups=3, item_s=1e-3)
    assert schedule.counts(pipeline).compute_s.sum() == pytest.approx(1e-3 * 8 * 8 * 6)


def test_sequences_repeat_and_name_their_stages():
    step = schedule.sequence([schedule.computation(4, [1, 2, 3, 4]), schedule.allreduce(4)])
    steps = schedule.repeated(step, 3)
    assert steps.n_stages == 3
    assert schedule.counts(steps).compute_s.tolist() == [3, 6, 9, 12]
    rows = schedule.operations(steps, 1)
    assert rows[0].action == "compute"
    assert rows[0].seconds == 2
    assert sorted({row.stage for row in rows}) == [0, 1, 2]
    for rank in range(4):
        schedule.check(steps, rank)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: schedule.alltoall(4, 8, algorithm="pairs"), "no all-to-all 'pairs'"),
        (lambda: schedule.alltoall(4, [1, 2]), "16 block sizes"),
        (lambda: schedule.alltoall(4, 8, groups=(3, 1)), "groups of 3"),
        (lambda: schedule.transposition((4, 4, 2), (3, 1)), "2 points along z"),
        (lambda: schedule.transposition((4, 4, 4), (2, 2), item_s=-1e-9), "item_s"),
        (lambda: schedule.spectral_pipeline((4, 4, 4), (2, 2), item_s=float("nan")), "item_s"),
        pytest.param(
            lambda: schedule.pipeline(4, [8], compute_s=-1), "of 0 or more", id="<lambda>-none below 0_0"
        ),
        (lambda: schedule.gcr(4, compute_s=-1), "GCR"),
        (lambda: schedule.allreduce(4, radix=1), "radix"),
        (lambda: schedule.grid_halo((4, 4), (2, 2), order="both"), "order is 'both'"),
        (lambda: schedule.computation(4, [1, 2]), "one for each of the 4"),
        pytest.param(lambda: schedule.computation(4, -1), "of 0 or more", id="<lambda>-none below 0_1"),
        (lambda: schedule.sequence([]), "needs a schedule"),
        (lambda: schedule.run(schedule.allreduce(2), []), "0 ranks"),
        (lambda: schedule.run(schedule.allreduce(1), [{"dta": np.zeros(1)}]), "no buffer 'dta'"),
        (lambda: schedule.run(schedule.allreduce(1), [{"data": np.zeros(0)}]), "at least 8"),
        (lambda: schedule.operations(schedule.allreduce(2), 2), "no rank 2"),
        (lambda: schedule.counts(schedule.allreduce(2), [-1]), "no rank -1"),
    ],
)
def test_mistakes_are_told(make, text):
    with pytest.raises(ConfigError, match=text):
        make()


def test_a_record_that_is_none(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        schedule.read_record(tmp_path / "none.txt")
