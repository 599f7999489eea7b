"""Time and memory of network simulations, compared with thresholds.

Reference machine, one rank per node, block placement; each case in a new process. Time is the CPU time of all
threads, memory the growth of the process. Published for the same transpositions on this kind of machine:
SST/macro 11 s and 300 MB for 1,000 ranks with packets of 4 KiB, and 596 s and 5.5 GB for 10,000 ranks with
packets of 64 KiB.
"""

import multiprocessing
import resource
import statistics
import time

import rows
from halcyon import network, schedule

MIB = 2**20
SMALL, FULL = (1440, 720, 256), (28800, 14400, 256)
TREE = ([25, 25, 25], [25, 25])


def main():
    options = command_line()
    repetitions = 3 if options.quick else 5
    found = small_rows(repetitions)
    if not options.quick:
        found += large_rows(options.largest) + million_rows() + thread_rows()
    if options.million:
        found += million_transposed_rows()
    rows.report(found, options.json)


def command_line():
    parser = rows.parser(__doc__.splitlines()[0])
    parser.add_argument(
        "--largest", action="store_true", help="also transpositions on 100,000 ranks (minutes)"
    )
    parser.add_argument(
        "--million", action="store_true", help="also transpositions on 1,000,000 ranks (hours)"
    )
    return parser.parse_args()


def small_rows(repetitions):
    """1,000 ranks on a fat tree, ring-1."""
    found = []
    for fidelity, bar in (("chunk", 0.2), ("packet", 1.5)):
        took = [
            in_new_process(transposed, "tree", SMALL, (25, 40), fidelity=fidelity) for _ in range(repetitions)
        ]
        cpu_s = statistics.median(one["cpu_s"] for one in took)
        found.append(row_of_bar(f"1,000 ranks transpose, {fidelity}", cpu_s, bar, "s"))
    return found


def large_rows(largest):
    cases = [("10,000 ranks transpose, 64 KiB chunks", (100, 100), 15, 100)]
    if largest:
        cases.append(("100,000 ranks transpose, 64 KiB chunks", (250, 400), 200, 250))
    found = []
    for name, ranks, seconds, mebibytes in cases:
        took = in_new_process(transposed, "dragonfly-MM", FULL, ranks, chunk_bytes=65536)
        found += bounded(name, took, seconds, mebibytes)
    if largest:
        for name, network_name, algorithm in (
            ("burst", "dragonfly-MM", "burst"),
            ("torus", "torus-L", "ring-1"),
        ):
            took = in_new_process(transposed, network_name, FULL, (250, 400), algorithm, chunk_bytes=65536)
            print(
                f"100,000 ranks, {name}: {took['cpu_s']:.0f} s of CPU time, {took['mib']:.0f} MiB,", end=" "
            )
            print(f"{1e3 * took['time_s']:.1f} ms simulated", flush=True)
    return found


def million_transposed_rows():
    """Wall time on two cores; `reserve` uses one."""
    cases = [
        ("dragonfly-ML", "reserve", 1, 40),
        ("fattree-L", "chunk", 2, 150),
        ("dragonfly-ML", "chunk", 2, 150),
    ]
    found = []
    for ranks in ((250, 4000), (256, 4096)):
        for name, fidelity, threads, minutes in cases:
            took = in_new_process(transposed, name, FULL, ranks, fidelity=fidelity, threads=threads)
            claim = f"{ranks[0]} x {ranks[1]} ranks transpose, {name}, {fidelity}"
            found.append(row_of_bar(f"{claim}: time", took["wall_s"] / 60, minutes, "min"))
            found.append(row_of_bar(f"{claim}: memory", took["mib"], 4096, "MiB"))
    return found


def million_rows():
    return [
        *bounded(
            "10^6 ranks allreduce, reserve, HyperX", in_new_process(reduced, "dragonfly-ML", 10**6), 5, 500
        ),
        *bounded(
            "10^6 ranks allreduce, reserve, fat tree", in_new_process(reduced, "fattree-L", 10**6), 5, 500
        ),
        *bounded("10^6 ranks allreduce, reserve, torus", in_new_process(reduced, "torus-L", 10**6), 5, 500),
        *bounded("10^6 ranks halo, reserve", in_new_process(exchanged, (1000, 1000)), 5, 500),
    ]


def thread_rows():
    """Wall time on one and on two threads, interleaved."""
    took = {1: [], 2: []}
    for _ in range(3):
        for threads, walls in took.items():
            walls.append(
                in_new_process(transposed, "dragonfly-MM", (2880, 14400, 256), (100, 100), threads=threads)[
                    "wall_s"
                ]
            )
    one, two = (statistics.median(walls) for walls in took.values())
    return [rows.row("10,000 ranks on two threads", two, one, "one thread", "s", bar=1.4)]


def bounded(name, took, seconds, mebibytes):
    return [
        row_of_bar(f"{name}: CPU", took["cpu_s"], seconds, "s"),
        row_of_bar(f"{name}: memory", took["mib"], mebibytes, "MiB"),
    ]


def row_of_bar(claim, ours, bar, unit):
    return rows.row(claim, ours, bar, "the bar", unit, bar=1)


def transposed(name, points, ranks, algorithm="ring-1", **options):
    topology = network.FatTree(*TREE) if name == "tree" else network.named_network(name)
    return simulated(
        topology, method_on(name), schedule.transposition(points, ranks, algorithm=algorithm), **options
    )


def method_on(name):
    return "d_mod_k" if "tree" in name else "minimal"


def reduced(name, ranks):
    allreduce = schedule.allreduce(ranks, bytes=24)
    return simulated(network.named_network(name), method_on(name), allreduce, fidelity="reserve")


def exchanged(ranks):
    halo = schedule.grid_halo(FULL[:2], ranks, item_bytes=FULL[2] * 8)
    return simulated(network.named_network("torus-L"), "minimal", halo, fidelity="reserve")


def simulated(topology, method, work, **options):
    routing = network.make_routing(topology, method)
    placement = network.linear_placement(topology, work.n_ranks)
    before, began = peak_mib(), time.perf_counter()
    result = network.simulate(
        work, topology, routing, network.machine(), placement, network.options(**options)
    )
    wall_s = time.perf_counter() - began
    return {"cpu_s": result.cpu_s, "wall_s": wall_s, "mib": peak_mib() - before, "time_s": result.time_s}


def peak_mib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MIB


def in_new_process(function, *arguments, **options):
    """Runs a function in a new process and returns its result."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments, options)


if __name__ == "__main__":
    main()
