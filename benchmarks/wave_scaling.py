"""Computation and communication of the wave model by exchange method and number of ranks.

After figures 11 and 12 of Pang et al. (2025), on this machine and on emulated hosts (tools/hosts). FVWAM
compares Isend/Recv with neighbourhood collectives; the rows compare each method with isend_recv, including
isend_irecv overlapped with the computation of inner cells. The rows have no thresholds. If hosts cannot be
emulated, the reason is printed.
"""

import json
import subprocess
import sys
from pathlib import Path

import rows
from halcyon.launch.measure import rank_program
from halcyon_bench.wave_scaling import on_ranks, table, wave_scaling

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools/hosts"))
from several_hosts import Hosts, why_unavailable

BASE = "isend_recv"
RANKS = (1, 2, 4)
HOSTS, LATENCY_US, MBIT = 4, 100, 1000
LIMIT_S = 300  # time limit of the job on emulated hosts


def main():
    parser = rows.parser(__doc__.splitlines()[0])
    parser.add_argument("--plot", type=Path, metavar="PNG", help="file for the figure")
    options = parser.parse_args()
    level, repetitions = (3, 3) if options.quick else (5, 15)
    jobs = {
        f"{ranks} rank{'s' if ranks > 1 else ''}": on_ranks(ranks, level=level, repetitions=repetitions)
        for ranks in RANKS
    }
    jobs |= on_hosts(level, repetitions)
    print(table(jobs), end="\n\n")
    if options.plot is not None:
        from halcyon_bench.pictures.scaling import scaling_plot

        scaling_plot(
            options.plot,
            jobs,
            title=f"G{level}, 35 x 36 bins, three transport steps per source step",
        )
    rows.report(compared(jobs), options.json)


def on_hosts(level, repetitions):
    """Times on emulated hosts, by name of the job. If hosts are not available, prints the reason and returns
    no times."""
    reason = why_unavailable()
    if reason is not None:
        print(f"hosts: skipped: {reason}.")
        return {}
    try:
        with Hosts(HOSTS, latency_us=LATENCY_US, mbit=MBIT) as hosts:
            program = rank_program(wave_scaling, level=level, repetitions=repetitions)
            text = hosts.run([*hosts.open_mpi(1), sys.executable, *program], limit_s=LIMIT_S)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
        print(f"hosts: skipped: {error}")
        return {}
    return {f"{HOSTS} hosts, {LATENCY_US} us, {MBIT} Mbit/s": json.loads(text.splitlines()[-1])}


def compared(jobs):
    """One row per job and method: communication time, compared with the base method."""
    return [
        rows.row(
            f"{job}: {method}", 1e3 * parts["exchange"], 1e3 * methods[BASE]["exchange"], BASE, "ms", bar=0
        )
        for job, methods in jobs.items()
        for method, parts in methods.items()
        if method != BASE
    ]


if __name__ == "__main__":
    main()
