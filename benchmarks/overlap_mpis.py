"""Communication overlapped with sleep, with Open MPI and with MPICH, which has a progress thread of its own.

A C++ program (peers_halo/overlap.cpp) is built for both MPI libraries and runs between emulated hosts
(tools/hosts) with one rank each; with MPICH also with MPICH_ASYNC_PROGRESS=1, which starts MPICH's progress
thread and which the program should detect. The rows have no thresholds. If hosts cannot be emulated, the
reason is printed and the exit code is 0.
"""

import os
import subprocess

import rows
from between_hosts import Hosts, why_unavailable
from exchanges import available, built_program, times_in

MPICH_PROGRESS = {"MPICH_ASYNC_PROGRESS": "1"}
# MPI library, additional environment, kind of progress by Halcyon.
VARIANTS = (
    ("Open MPI", {}, "none"),
    ("Open MPI", {}, "poll"),
    ("Open MPI", {}, "thread"),
    ("MPICH", {}, "none"),
    ("MPICH", {}, "poll"),
    ("MPICH", {}, "thread"),
    ("MPICH", MPICH_PROGRESS, "none"),
)
METHODS = ("isend_irecv", "ialltoallv")
LIMIT_S = 60


def main():
    parser = rows.parser(__doc__.splitlines()[0])
    parser.add_argument("--bytes", type=int, default=4_000_000, metavar="N", help="bytes per rank")
    parser.add_argument("--ratio", type=float, default=1.5, help="ratio of computation to communication")
    parser.add_argument("--hosts", type=int, default=2, metavar="N", help="hosts with one rank each")
    parser.add_argument("--latency-us", type=float, default=500, metavar="US")
    parser.add_argument("--mbit", type=float, default=400, metavar="MBIT")
    parser.add_argument("--trials", type=int, default=5, metavar="N")
    options = parser.parse_args()
    reason = why_unavailable()
    if reason is not None:
        print(f"hosts: skipped: {reason}.")
        return
    mpis = {mpi: built_program(mpi, "overlap") for mpi in available()}
    groups = ["2"] if options.quick else ["2", "4", "8"]
    print(f"{options.hosts} hosts, {options.latency_us:g} us, {options.mbit:g} Mbit/s", flush=True)
    result_rows = []
    for method in METHODS:
        for mpi, environment, progress in VARIANTS:
            if mpi in mpis:
                words = [mpis[mpi], method, options.bytes, options.ratio, options.trials, progress, *groups]
                result_rows += measured_rows(options, mpi, environment, [*map(str, words)])
    rows.report(result_rows, options.json)


def measured_rows(options, mpi, environment, command):
    """Runs the program and returns one row per number of groups. If the job has no result within its time
    limit, prints a note and returns no rows."""
    suffix = " with its own thread" if environment == MPICH_PROGRESS else ""
    name = f"{mpi}, {command[1]}, {command[5]}{suffix}"
    os.environ.update(environment)
    try:
        with Hosts(options.hosts, latency_us=options.latency_us, mbit=options.mbit) as hosts:
            launcher = hosts.mpich(1) if mpi == "MPICH" else hosts.open_mpi(1)
            text = hosts.run([*launcher, *command], limit_s=LIMIT_S)
    except subprocess.TimeoutExpired as error:  # MPICH 4.0 may hang in MPI_Finalize
        print(f"{name}: did not end within {LIMIT_S} s", flush=True)
        text = (error.stdout or b"").decode()
        if not text.strip():
            return []
    finally:
        for key in environment:
            del os.environ[key]
    result = times_in(text)
    detected = result["own_progress"] or "none"
    print(f"{name}: detected progress by the MPI: {detected}; {result['progress']}", flush=True)
    return [hidden_row(name, result["compute_s"], row) for row in result["rows"]]


def hidden_row(name, compute_s, row):
    """Row of the share of communication that a pipeline hides, by wall clock, compared with an ideal
    pipeline."""
    share = 1 - (row["total_s"] - compute_s) / (row["blocking_s"] - compute_s)
    claim = f"{name}: {row['groups']} groups"
    times = compute_s, row["blocking_s"], row["total_s"], row["blocking_calls_s"], row["calls_s"]
    sleep, block, pipe, block_calls, calls = (f"{1e3 * s:.0f}" for s in times)
    text = (
        f"sleep {sleep} ms, one group {block} ms, pipeline {pipe} ms; in calls {block_calls} and {calls} ms"
    )
    print(f"    {row['groups']} groups: {text}", flush=True)
    return rows.row(claim, share, 1 - 1 / row["groups"], "ceiling", "", bar=0, more_is_better=True)


if __name__ == "__main__":
    main()
