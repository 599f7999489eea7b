"""`halcyon calibrate` and `halcyon predict` on the ranks of a job."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from halcyon.base import ConfigError, seconds
from halcyon.calibrate.eager import eager_bytes
from halcyon.calibrate.fit import fitted
from halcyon.calibrate.machine_file import machine_options
from halcyon.calibrate.suite import Layout, layout, measured, probes, require_ranks
from halcyon.launch.errors import guarded
from halcyon.launch.mpirun import find_mpirun, mpirun_command, rank_environment
from halcyon.mpi_library import require_in_new_process

if TYPE_CHECKING:
    from mpi4py import MPI

BUDGET_S = 0.1  # of a probe


def on_ranks(work: Callable[[MPI.Comm], None]) -> int:
    """Collective. Does the work on all ranks of this job; the exit code."""
    from halcyon.comm import world

    comm = world()
    return guarded(comm, lambda: work(comm), log=lambda: None)


def launched(ranks: int, words: Sequence[str]) -> int:
    """Runs a command of halcyon on so many ranks, also with fewer cores; its exit code."""
    mpirun = find_mpirun()
    require_in_new_process()
    command = mpirun_command(mpirun, ranks, [sys.executable, "-m", "halcyon", *words])
    return subprocess.run(command, env=rank_environment(ranks), stdin=subprocess.DEVNULL).returncode


def calibrated(comm: MPI.Comm, *, say: Callable[[str], None], budget_s: float = BUDGET_S) -> dict[str, Any]:
    """Collective. Measures the machine of these ranks: the options of a machine file, on rank 0; elsewhere
    none.

    @param say is given a line for each measurement, on rank 0
    @raises ConfigError for one rank"""
    from halcyon.comm import library

    require_ranks(comm)
    where = layout(comm)
    pair = (where.pairs(within=where.n_nodes == 1))[0]
    eager = eager_bytes(comm, pair)
    chosen, timings = list(probes(where)), []
    for probe, timing in zip(chosen, measured(comm, chosen, budget_s=budget_s), strict=True):
        timings.append(timing)
        if comm.rank == 0:
            quartiles = f"{seconds(timing.lower)} to {seconds(timing.upper)}"
            say(f"{probe.name:<52} {seconds(timing.median):>9}  ({quartiles}, {timing.runs} runs)")
    if comm.rank != 0:
        return {}
    fit = fitted(where, eager, chosen, timings)
    return machine_options(where, fit, chosen, timings, library())


def crowding(where: Layout, cores: Sequence[int]) -> str | None:
    """What to say where a node has more ranks than cores.

    @param cores that the ranks of a rank's node may use together (rank)"""
    for node in range(where.n_nodes):
        ranks = where.nodes.count(node)
        has = cores[where.nodes.index(node)]
        if ranks > has:
            return (
                f"{ranks} ranks share {has} core{'s' if has > 1 else ''} on a node: they wait for each "
                f"other, which no network does, and times are less certain. Start no more ranks than cores."
            )
    return None


def warn_of_crowding(comm: MPI.Comm, say: Callable[[str], None]) -> None:
    """Collective. Says on rank 0 where nodes have more ranks than cores."""
    from mpi4py import MPI

    where = layout(comm)
    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    mine = len(set().union(*node.allgather(os.sched_getaffinity(0))))
    node.Free()
    text = crowding(where, comm.allgather(mine))
    if comm.rank == 0 and text:
        say(f"warning: {text}")


def require_number(option: str, ranks: int | None, least: int) -> None:
    """Raises ConfigError for fewer ranks than can do the work."""
    if ranks is not None and ranks < least:
        raise ConfigError(
            f"{option} {ranks}: at least {least} ranks are needed, one to send and one to receive."
        )
