"""Traces of programs: readers of recordings and of other formats, and their replay as schedules."""

from halcyon.schedule.trace.events import Summary, Trace, summary
from halcyon.schedule.trace.extrapolate import extrapolate
from halcyon.schedule.trace.goal import write_goal
from halcyon.schedule.trace.mpi_algorithms import LIBRARIES
from halcyon.schedule.trace.read import is_trace, read_trace, trace_files
from halcyon.schedule.trace.replay import replay

__all__ = [
    "LIBRARIES",
    "Summary",
    "Trace",
    "extrapolate",
    "is_trace",
    "read_trace",
    "replay",
    "summary",
    "trace_files",
    "write_goal",
]
