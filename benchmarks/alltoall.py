"""All-to-alls by the algorithms burst, Bruck and ring-k compared with MPI_Alltoallv, by block size.

As in figure 6 of Zheng and Marguinaud (2018): in shared memory, and between emulated hosts (tools/hosts) if
this machine allows them.

The rows have no thresholds, since the fastest algorithm depends on the machine and the MPI library.
"""

import json
import sys
from pathlib import Path

import rows
from halcyon.launch.measure import rank_program
from halcyon_bench.alltoall import PEER, SIZES, Case, algorithms, all_measured, on_ranks, table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools/hosts"))
from several_hosts import Hosts, why_unavailable

METHOD = "isend_irecv"
RANKS = (2, 4, 8)
HOSTS = 4
NETWORKS = ((50, 1000), (500, 400))  # latency [us], bandwidth [Mbit/s]
LIMIT_S = 300  # time limit of a job on emulated hosts


def main():
    parser = rows.parser(__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=50, metavar="N")
    options = parser.parse_args()
    sizes = SIZES[:3] if options.quick else SIZES
    result_rows = []
    for ranks in RANKS[1:2] if options.quick else RANKS:
        cases = [Case(ranks, size) for size in sizes]
        names = algorithms(ranks)
        result_rows += compared(
            "shared memory", cases, on_ranks(cases, names, method=METHOD, repetitions=options.repetitions)
        )
    reason = why_unavailable()
    if reason is not None:
        print(f"hosts: skipped: {reason}.")
    for network in [] if reason else NETWORKS[1:] if options.quick else NETWORKS:
        result_rows += between_hosts(network, sizes, options.repetitions)
    rows.report(result_rows, options.json)


def between_hosts(network, sizes, repetitions):
    """Rows of the all-to-alls between emulated hosts with one rank each."""
    latency_us, mbit = network
    cases = [Case(HOSTS, size) for size in sizes]
    program = rank_program(all_measured, cases, algorithms(HOSTS), METHOD, repetitions)
    with Hosts(HOSTS, latency_us=latency_us, mbit=mbit) as hosts:
        text = hosts.run([*hosts.open_mpi(1), sys.executable, *program], limit_s=LIMIT_S)
    times = json.loads(text.splitlines()[-1])
    return compared(f"{HOSTS} hosts, {latency_us} us, {mbit} Mbit/s", cases, times)


def compared(network, cases, times):
    """Prints the table. Returns one row per block size: the fastest algorithm and MPI_Alltoallv."""
    print(f"{network}, {cases[0].ranks} ranks, {METHOD}\n{table(cases, times)}\n", flush=True)
    result_rows = []
    for case, us in zip(cases, times, strict=True):
        name = min((name for name in us if name != PEER), key=lambda name: us[name]["best"])
        claim = f"{network}: {case}: {name}"
        result_rows.append(rows.row(claim, us[name]["best"], us[PEER]["best"], PEER, "us", bar=0))
    return result_rows


if __name__ == "__main__":
    main()
