"""Schedules: lists of the sends, receives and computations of each rank. A schedule can be executed by MPI
(`halcyon.comm.Execution`), run in one process (`run`), or simulated on a network (`halcyon.network`).

    from halcyon import schedule
    work = schedule.transposition((1440, 720, 256), (25, 40), algorithm="ring-4")
    schedule.counts(work, [0]).sent_bytes  # of rank 0"""

from halcyon._core.schedule import Schedule
from halcyon.deprecated import provide
from halcyon.schedule.ideal import MIN_EXPOSED_SHARE, Stages, hidden_share, ideal_s, max_hidden_share
from halcyon.schedule.inspection import Counts, Operation, check, counts, operations, run, summing
from halcyon.schedule.workloads import (
    allreduce,
    alltoall,
    box,
    collective,
    computation,
    gcr,
    grid_halo,
    messages,
    pipeline,
    read_record,
    repeated,
    sequence,
    side_by_side,
    spectral_pipeline,
    traffic,
    traffic_to,
    transposition,
)

__all__ = [
    "MIN_EXPOSED_SHARE",
    "Counts",
    "Operation",
    "Schedule",
    "Stages",
    "allreduce",
    "alltoall",
    "box",
    "check",
    "collective",
    "computation",
    "counts",
    "gcr",
    "grid_halo",
    "hidden_share",
    "ideal_s",
    "max_hidden_share",
    "messages",
    "operations",
    "pipeline",
    "read_record",
    "repeated",
    "run",
    "sequence",
    "side_by_side",
    "spectral_pipeline",
    "summing",
    "traffic",
    "traffic_to",
    "transposition",
]

provide(__name__)
