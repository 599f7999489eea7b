"""Methods of halo exchange between emulated hosts, as FVWAM's paper compares them between nodes.

Four hosts with two ranks each are emulated by network namespaces of this machine (tools/hosts), joined by a
switch with given latency and bandwidth. All ranks and the switch share the cores of this machine. The rows
have no thresholds. If hosts cannot be emulated, the reason is printed and the exit code is 0.
"""

import subprocess
import sys
from pathlib import Path

import rows
from exchanges import BASE, METHODS, Case, available, built_program, table, times_in

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools/hosts"))
from several_hosts import Hosts, why_unavailable

CASES = (Case(level=6, layers=2, numbers=30), Case(level=5, layers=1, numbers=36 * 35, dtype="float"))
QUICK = (Case(level=4, layers=1, numbers=30),)
NETWORKS = ((50, 1000), (500, 400))  # latency [us], bandwidth [Mbit/s]
HOSTS, RANKS = 4, 2  # number of hosts; ranks per host
LIMIT_S = 120  # time limit of a job


def main():
    parser = rows.parser(__doc__.splitlines()[0])
    parser.add_argument(
        "--repetitions",
        type=int,
        default=60,
        metavar="N",
        help="number of exchanges; the default is that of the paper",
    )
    parser.add_argument(
        "--mpich", action="store_true", help="also MPICH, which is slow on few cores, since its ranks poll"
    )
    options = parser.parse_args()
    reason = why_unavailable()
    if reason is not None:
        print(f"hosts: skipped: {reason}.")
        return
    programs = {mpi: built_program(mpi) for mpi in (available() if options.mpich else ["Open MPI"])}
    result_rows = []
    for network in NETWORKS[1:] if options.quick else NETWORKS:
        for case in QUICK if options.quick else CASES:
            for mpi, program in programs.items():
                label = f"{case}, {network[0]} us, {network[1]} Mbit/s, {mpi}"
                result_rows += compared(
                    label, network, mpi, [program, *case.arguments(METHODS, options.repetitions)]
                )
    rows.report(result_rows, options.json)


def compared(label, network, mpi, command):
    """Runs a job between hosts and returns one row per method. If the job exceeds its time limit, prints a
    note and returns no rows."""
    try:
        with Hosts(HOSTS, latency_us=network[0], mbit=network[1]) as hosts:
            launcher = hosts.mpich(RANKS) if mpi == "MPICH" else hosts.open_mpi(RANKS)
            times = times_in(hosts.run([*launcher, *command], limit_s=LIMIT_S))
    except subprocess.TimeoutExpired:
        print(f"{label}: skipped, since it did not end within {LIMIT_S} s\n", flush=True)
        return []
    print(f"{label}, {HOSTS} hosts of {RANKS} ranks\n{table(times)}\n", flush=True)
    base = times[BASE]["max"]
    others = {name: us["max"] for name, us in times.items() if name != BASE}
    return [rows.row(f"{label}: {name}", us, base, BASE, "us", bar=0) for name, us in others.items()]


if __name__ == "__main__":
    main()
