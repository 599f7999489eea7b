"""Messages by matrices and patterns, and jobs side by side, in Python and in case files."""

import numpy as np
import pytest

from halcyon import schedule
from halcyon.base import ConfigError, InputError
from halcyon.simulate import simulate

TORUS = {"type": "torus", "sizes": [4, 4], "nodes_per_switch": 1}


def test_a_matrix_is_sent_and_received():
    matrix = np.random.default_rng(1).integers(0, 3, (7, 7)) * 100
    work = schedule.traffic(matrix)
    schedule.run(work, [{}] * 7)
    matrix[np.diag_indices(7)] = 0
    counted = schedule.counts(work)
    assert counted.sent_bytes.tolist() == matrix.sum(axis=1).tolist()
    assert counted.received_bytes.tolist() == matrix.sum(axis=0).tolist()
    peers = {o.peer: o.block.size_bytes for o in schedule.operations(work, 3) if o.action == "send"}
    assert peers == {to: size for to, size in enumerate(matrix[3]) if size}


@pytest.mark.parametrize("matrix", [np.zeros(3), np.zeros((2, 3)), [[0, -1], [0, 0]], [[0, 0.5], [0, 0]]])
def test_other_matrices_are_refused(matrix):
    with pytest.raises(ConfigError, match="traffic matrix"):
        schedule.traffic(matrix)


def test_jobs_side_by_side_do_what_they_do_alone():
    jobs = [schedule.alltoall(3, 10), schedule.allreduce(4), schedule.computation(2, 1e-3)]
    work = schedule.side_by_side(jobs)
    assert work.n_ranks == 9
    buffers = [{"data": np.array([1.0 + rank])} if 3 <= rank < 7 else {} for rank in range(9)]
    schedule.run(work, buffers, combine=schedule.summing())
    assert [buffers[rank]["data"][0] for rank in range(3, 7)] == [4.0 + 5 + 6 + 7] * 4
    alone = np.concatenate([schedule.counts(job).sent_bytes for job in jobs])
    assert schedule.counts(work).sent_bytes.tolist() == alone.tolist()


def test_patterns_of_cases():
    """An incast takes the bytes of all senders at the receiver; a shift those of one message."""

    def time(**options):
        workload = {"type": "traffic", "message_bytes": 10**6, **options}
        return float(simulate({"workload": workload, "topology": TORUS, "ranks": 16})["time"])

    seconds = 10**6 / 12.5e9
    assert time(pattern="incast") == pytest.approx(15 * seconds, rel=0.05)
    assert time(pattern="incast", targets=3) == pytest.approx(5 * seconds, rel=0.1)
    assert time(pattern="shift") == pytest.approx(seconds, rel=0.05)
    for pattern in ("transpose", "complement", "random"):
        assert seconds < time(pattern=pattern) < 8 * seconds
    assert time(pattern="shift", repetitions=3, computation=1e-3) == pytest.approx(
        3e-3 + 3 * seconds, rel=0.05
    )


def test_matrices_of_cases(tmp_path):
    matrix = np.zeros((4, 4))
    matrix[0, 2] = 12.5e6
    np.savetxt(tmp_path / "matrix.txt", matrix)
    np.save(tmp_path / "matrix.npy", matrix)
    case = {"workload": {"type": "traffic", "pattern": "matrix"}, "topology": TORUS, "ranks": 4}
    for name in ("matrix.txt", "matrix.npy"):
        case["workload"]["file"] = str(tmp_path / name)
        assert float(simulate(case)["time"]) == pytest.approx(1e-3, rel=0.01)
    with pytest.raises(ConfigError, match="has 4 rows"):
        simulate(case | {"ranks": 5})
    (tmp_path / "matrix.txt").write_text("1 2\n3 x\n")
    case["workload"]["file"] = str(tmp_path / "matrix.txt")
    with pytest.raises(InputError, match="is no matrix"):
        simulate(case)


def test_a_job_beside_another_one_is_slower():
    job = {"ranks": 8, "workload": {"type": "alltoall", "block_bytes": 10**5}}
    background = {"ranks": 8, "workload": {"type": "traffic", "pattern": "random"}, "repetitions": 100}
    case = {"workload": {"type": "jobs", "jobs": [job]}, "topology": TORUS, "placement": "random"}
    alone = simulate(case)
    beside = simulate(case | {"workload": {"type": "jobs", "jobs": [job, background]}})
    assert beside["job_finish"].sizes == {"job": 2}
    assert float(beside["job_finish"][0]) > float(alone["job_finish"][0])
    assert float(beside["time"]) == float(beside["job_finish"].max())
    with pytest.raises(ConfigError, match="the jobs have 8 ranks"):
        simulate(case | {"ranks": 9})


def test_a_replay_takes_the_same_time_as_a_job(tmp_path):
    """A trace of several steps, alone and as the only job, or twice."""
    lines = [f"s{i}: send {100 * i + 8}b to 1 tag {i}" for i in range(20)]
    other = [f"r{i}: recv {100 * i + 8}b from 0 tag {i}" for i in range(20)]
    calc = "c: calc 50000"
    text = "\n".join(["num_ranks 2", "rank 0 {", calc, *lines, "}", "rank 1 {", *other, "}", ""])
    (tmp_path / "run.goal").write_text(text)
    replay = {"type": "replay", "file": str(tmp_path / "run.goal")}
    machine = {"topology": {"type": "crossbar", "nodes": 2}}
    alone = simulate(machine | {"workload": replay})
    job = simulate(machine | {"workload": {"type": "jobs", "jobs": [{"workload": replay}]}})
    assert job["time"].item() == alone["time"].item() > 0
    assert job["messages"].item() == alone["messages"].item() == 20
    twice = {"type": "jobs", "jobs": [{"workload": replay, "repetitions": 2}]}
    assert simulate(machine | {"workload": twice})["messages"].item() == 40


def test_patterns_without_messages_are_refused():
    case = {"topology": {"type": "crossbar", "nodes": 16}, "ranks": 16}
    for options, text in (
        ({"pattern": "incast", "targets": 16}, "targets = 16, but ranks = 16"),
        ({"pattern": "shift", "shift": 32}, "each rank would send to itself"),
    ):
        with pytest.raises(ConfigError, match=text):
            simulate(case | {"workload": {"type": "traffic", "message_bytes": 8} | options})
    for seed in range(5):  # no rank of a random permutation is left out
        work = {"type": "traffic", "pattern": "random", "message_bytes": 8, "seed": seed}
        assert simulate(case | {"workload": work})["messages"].item() == 16
