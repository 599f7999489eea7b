"""Execution of schedules by MPI from Python, and records of runs."""

import numpy as np
import pytest

from halcyon import schedule
from halcyon.base import ConfigError, RunError


@pytest.mark.mpi
def test_an_execution_gives_what_mpi_gives(comm):
    """A sum over ranks and an all-to-all exchange deliver the values of mpi4py's allreduce and alltoall."""
    from halcyon.comm import Execution

    n, rank = comm.size, comm.rank
    for method in ("isend_irecv", "neighbor", "auto"):
        summed = Execution(comm, schedule.allreduce(n, bytes=16, radix=3), method)
        summed.buffer("data").view(np.float64)[:] = 1 / (rank + 1), rank
        summed.run()
        assert np.allclose(
            summed.buffer("data").view(np.float64), comm.allreduce(np.array([1 / (rank + 1), rank]))
        )
        assert summed.description.startswith(method)
    exchanged = Execution(comm, schedule.alltoall(n, 8, algorithm="bruck"))
    exchanged.buffer("send").view(np.int64)[:] = 100 * rank + np.arange(n)
    exchanged.run()
    assert exchanged.buffer("receive").view(np.int64).tolist() == comm.alltoall(
        [100 * rank + i for i in range(n)]
    )
    assert exchanged.statistics.n_exchanges == 1


@pytest.mark.mpi
def test_what_is_recorded_replays(comm, tmp_path):
    """The record of two executions has twice the bytes, rounds and computing time of one execution."""
    from halcyon.comm import Execution, recording

    path = comm.bcast(tmp_path / "run.txt")
    ring = schedule.alltoall(comm.size, 100, algorithm="ring")
    with recording(comm, path):
        execution = Execution(
            comm, schedule.sequence([schedule.computation(comm.size, 1e-3), ring]), "persistent"
        )
        execution.run()
        execution.run()
    record = schedule.read_record(path)
    recorded, once = schedule.counts(record), schedule.counts(ring)
    assert np.array_equal(recorded.sent_bytes, 2 * once.sent_bytes)
    assert np.array_equal(recorded.rounds, 2 * once.rounds)
    assert np.all(recorded.compute_s >= 2e-3)
    comm.barrier()


@pytest.mark.mpi
def test_mistakes_are_told(comm):
    """Errors name a wrong number of ranks, an unknown buffer and a file that cannot be written,
    before the recorded block begins."""
    from halcyon.comm import Execution, recording

    with pytest.raises(ConfigError, match="the communicator"):
        Execution(comm, schedule.allreduce(comm.size + 1))
    with pytest.raises(ConfigError, match="no buffer 'dta'"):
        Execution(comm, schedule.allreduce(comm.size)).buffer("dta")
    begun = False
    with pytest.raises(RunError, match="Cannot write"), recording(comm, "/nowhere/run.txt"):
        begun = True
    assert not begun
    with pytest.raises(RunError, match="/ is a folder"), recording(comm, "/"):
        begun = True
    assert not begun
