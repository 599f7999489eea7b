"""All-to-alls by burst, Bruck and ring-k compared with MPI_Alltoallv, by block size.

Figure 6 of Zheng and Marguinaud (2018), in shared memory and between emulated hosts (tools/hosts) where these
are available.

The rows have no thresholds, since the fastest algorithm depends on machine and MPI.
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
LIMIT_S = 300


def main():
    parser = rows.parser(__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=50, metavar="N")
    options = parser.parse_args()
    sizes = SIZES[:3] if options.quick else SIZES
    lines = []
    for ranks in RANKS[1:2] if options.quick else RANKS:
        cases = [Case(ranks, size) for size in sizes]
        names = algorithms(ranks)
        lines += compared(
            "shared memory", cases, on_ranks(cases, names, method=METHOD, repetitions=options.repetitions)
        )
    reason = why_unavailable()
    if reason is not None:
        print(f"hosts: skipped: {reason}.")
    for network in [] if reason else NETWORKS[1:] if options.quick else NETWORKS:
        lines += between_hosts(network, sizes, options.repetitions)
    rows.report(lines, options.json)


def between_hosts(network, sizes, repetitions):
    latency_us, mbit = network
    cases = [Case(HOSTS, size) for size in sizes]
    words = rank_program(all_measured, cases, algorithms(HOSTS), METHOD, repetitions)
    with Hosts(HOSTS, latency_us=latency_us, mbit=mbit) as hosts:
        text = hosts.run([*hosts.open_mpi(1), sys.executable, *words], limit_s=LIMIT_S)
    found = json.loads(text.splitlines()[-1])
    return compared(f"{HOSTS} hosts, {latency_us} us, {mbit} Mbit/s", cases, found)


def compared(network, cases, found):
    """Prints the table. Returns one row per block size: the fastest algorithm and MPI_Alltoallv."""
    print(f"{network}, {cases[0].ranks} ranks, {METHOD}\n{table(cases, found)}\n", flush=True)
    lines = []
    for case, us in zip(cases, found, strict=True):
        name = min((name for name in us if name != PEER), key=lambda name: us[name]["best"])
        claim = f"{network}: {case}: {name}"
        lines.append(rows.row(claim, us[name]["best"], us[PEER]["best"], PEER, "us", bar=0))
    return lines


if __name__ == "__main__":
    main()
