"""Communication as data: workloads that are run by MPI (`halcyon.comm.Execution`), in one process (`run`), or
simulated on networks that do not exist (`halcyon.network`), always from the same description.

    from halcyon import schedule
    work = schedule.transposition((1440, 720, 256), (25, 40), algorithm="ring-4")
    schedule.counts(work, [0]).sent_bytes  # of rank 0
"""

from halcyon._core.schedule import Schedule
from halcyon.schedule.ideal import LEAST_SHARE, Stages, ceiling, hidden, ideal_s
from halcyon.schedule.inspection import Counts, Operation, check, counts, operations, run, summing
from halcyon.schedule.workloads import (
    allreduce,
    alltoall,
    box,
    computation,
    gcr,
    grid_halo,
    messages,
    pipeline,
    read_record,
    repeated,
    sequence,
    spectral_pipeline,
    transposition,
)

__all__ = [
    "LEAST_SHARE",
    "Counts",
    "Operation",
    "Schedule",
    "Stages",
    "allreduce",
    "alltoall",
    "box",
    "ceiling",
    "check",
    "computation",
    "counts",
    "gcr",
    "grid_halo",
    "hidden",
    "ideal_s",
    "messages",
    "operations",
    "pipeline",
    "read_record",
    "repeated",
    "run",
    "sequence",
    "spectral_pipeline",
    "summing",
    "transposition",
]
