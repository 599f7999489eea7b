"""`halcyon calibrate` and `halcyon predict` on the ranks of a job."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from halcyon.base import ConfigError, format_seconds
from halcyon.calibrate.eager import eager_bytes
from halcyon.calibrate.fit import fit_machine
from halcyon.calibrate.load import LoadMeter, require_quiet
from halcyon.calibrate.machine_file import machine_options
from halcyon.calibrate.suite import Layout, measure_probes, probes, rank_layout, require_ranks
from halcyon.launch.errors import run_guarded
from halcyon.launch.mpirun import find_mpirun, mpirun_command, rank_environment
from halcyon.mpi_library import require_in_new_process

if TYPE_CHECKING:
    from mpi4py import MPI

BUDGET_S = 0.1  # measuring time per probe


def run_on_ranks(work: Callable[[MPI.Comm], None]) -> int:
    """Collective. Runs work(communicator) on all ranks of this job. Returns the exit code."""
    from halcyon.comm import world

    comm = world()
    return run_guarded(comm, lambda: work(comm), log=lambda: None)


def launch_ranks(ranks: int, arguments: Sequence[str]) -> int:
    """Runs a halcyon command on a number of ranks, oversubscribed if necessary. Returns its exit code."""
    mpirun = find_mpirun()
    require_in_new_process()
    command = mpirun_command(mpirun, ranks, [sys.executable, "-P", "-m", "halcyon", *arguments])
    return subprocess.run(command, env=rank_environment(ranks), stdin=subprocess.DEVNULL).returncode


def measure_machine(
    comm: MPI.Comm,
    *,
    report: Callable[[str], None],
    budget_s: float = BUDGET_S,
    accepts_busy: bool = False,
) -> dict[str, Any]:
    """Collective. Measures the machine of this job, and fits a machine. Returns the options of a machine file
    on rank 0, elsewhere an empty dictionary.

    @param report called with a line for each measurement, on rank 0
    @param accepts_busy whether measurements that other load disturbed are fitted all the same
    @raises ConfigError for one rank, RunError (on rank 0) if other load disturbed the measurements"""
    from halcyon.comm import library

    require_ranks(comm)
    meter = LoadMeter(comm)
    layout = rank_layout(comm)
    pair = layout.pairs(within=layout.n_nodes == 1)[0]  # between nodes, if there are several
    eager_limit = eager_bytes(comm, pair)
    if comm.rank == 0:
        report(f"largest eager message {eager_limit} B")
    all_probes, timings = list(probes(layout)), []
    measured = measure_probes(comm, all_probes, budget_s=budget_s, report=report)
    for probe, timing in zip(all_probes, measured, strict=True):
        timings.append(timing)
        if comm.rank == 0:
            quartiles = f"{format_seconds(timing.lower)} to {format_seconds(timing.upper)}"
            report(f"{probe.name:<52} {format_seconds(timing.median):>9}  ({quartiles}, {timing.runs} runs)")
    load = meter.stop()
    if comm.rank != 0:
        return {}
    fit = fit_machine(layout, eager_limit, all_probes, timings)
    if not accepts_busy:
        require_quiet(load, timings, fit.options)
    return machine_options(layout, fit, all_probes, timings, library())


def oversubscription_warning(layout: Layout, cores: Sequence[int]) -> str | None:
    """A warning if a node has more ranks than cores, else None.

    @param cores (rank) number of cores that are available to this job on the node of the rank"""
    for node in range(layout.n_nodes):
        ranks = layout.nodes.count(node)
        n_cores = cores[layout.nodes.index(node)]
        if ranks > n_cores:
            return (
                f"{ranks} ranks share {n_cores} core{'s' if n_cores > 1 else ''} on a node: they wait for "
                "each other, which the simulation does not model, and times vary more. Start no more ranks "
                "than cores."
            )
    return None


def warn_of_oversubscription(comm: MPI.Comm, report: Callable[[str], None]) -> None:
    """Collective. Reports a warning on rank 0 if nodes have more ranks than cores."""
    from mpi4py import MPI

    layout = rank_layout(comm)
    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    n_cores = len(set().union(*node.allgather(os.sched_getaffinity(0))))
    node.Free()
    text = oversubscription_warning(layout, comm.allgather(n_cores))
    if comm.rank == 0 and text:
        report(f"warning: {text}")


def require_rank_count(option: str, ranks: int | None, least: int) -> None:
    """Raises ConfigError for too few ranks."""
    if ranks is not None and ranks < least:
        raise ConfigError(
            f"{option} {ranks}: at least {least} ranks are needed, one to send and one to receive."
        )
