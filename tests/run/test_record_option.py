"""The record of a wave model run contains its messages."""

import numpy as np
import pytest

from halcyon import schedule
from tests.run import case, runs


@pytest.mark.mpi
def test_a_run_is_recorded_and_replays(comm, tmp_path):
    """The record of a wave run has messages and computation of all ranks, and is a valid schedule that
    completes."""
    from halcyon.comm import recording

    folder = comm.bcast(tmp_path)
    if comm.rank == 0:
        case.write_case(folder)
    comm.barrier()
    with recording(comm, folder / "run.txt"):
        assert runs.run(comm, folder / "case.yaml", folder / "out", "time.end=2022-09-01T01:00")
    record = schedule.read_record(folder / "run.txt")
    assert record.n_ranks == comm.size
    found = schedule.counts(record)
    assert np.all(found.rounds == found.rounds[0])
    assert found.rounds[0] > 0
    assert found.sent_bytes.sum() == found.received_bytes.sum()
    assert (found.sent_bytes.sum() > 0) == (comm.size > 1)
    assert np.all(found.compute_s > 0)
    schedule.check(record, comm.rank)
    if comm.rank == 0:
        schedule.run(record, [{} for _ in range(comm.size)])  # completes without an error
    comm.barrier()
