"""Time and memory of network simulations, compared with thresholds.

Simulates the reference machine with one rank per node and block placement, each case in a new process. Time
is the CPU time of all threads, memory the growth of the process. Published for the same transpositions on a
comparable computer: SST/macro takes 11 s and 300 MB for 1,000 ranks with packets of 4 KiB, and 596 s and 5.5
GB for 10,000 ranks with packets of 64 KiB.
"""

import multiprocessing
import resource
import statistics
import time

import rows
from halcyon import network, schedule

MIB = 2**20
SMALL, FULL = (1440, 720, 256), (28800, 14400, 256)  # points of the transposed grid
FAT_TREE = ([25, 25, 25], [25, 25])


def main():
    options = command_line()
    repetitions = 3 if options.quick else 5
    result_rows = small_rows(repetitions)
    if not options.quick:
        result_rows += large_rows(options.largest) + million_rows() + thread_rows()
    if options.million:
        result_rows += million_transposed_rows()
    rows.report(result_rows, options.json)


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
    """Rows of a transposition by ring-1 on a fat tree of 1,000 ranks."""
    result_rows = []
    for fidelity, bar in (("chunk", 0.2), ("packet", 1.5)):
        costs = [
            in_new_process(simulated_transposition, "tree", SMALL, (25, 40), fidelity=fidelity)
            for _ in range(repetitions)
        ]
        cpu_s = statistics.median(one["cpu_s"] for one in costs)
        result_rows.append(threshold_row(f"1,000 ranks transpose, {fidelity}", cpu_s, bar, "s"))
    return result_rows


def large_rows(largest):
    cases = [("10,000 ranks transpose, 64 KiB chunks", (100, 100), 15, 100)]
    if largest:
        cases.append(("100,000 ranks transpose, 64 KiB chunks", (250, 400), 200, 250))
    result_rows = []
    for name, ranks, seconds, mebibytes in cases:
        costs = in_new_process(
            simulated_transposition, "dragonfly-MM", FULL, ranks, chunk_bytes=65536, back_pressure=False
        )
        result_rows += cost_rows(name, costs, seconds, mebibytes)
    if largest:
        for name, network_name, algorithm in (
            ("burst", "dragonfly-MM", "burst"),
            ("torus", "torus-L", "ring-1"),
        ):
            costs = in_new_process(
                simulated_transposition,
                network_name,
                FULL,
                (250, 400),
                algorithm,
                chunk_bytes=65536,
                back_pressure=False,
            )
            print(
                f"100,000 ranks, {name}: {costs['cpu_s']:.0f} s of CPU time, {costs['mib']:.0f} MiB,", end=" "
            )
            print(f"{1e3 * costs['time_s']:.1f} ms simulated", flush=True)
    return result_rows


def million_transposed_rows():
    """Rows of transpositions on a million ranks: wall time and memory, with unlimited buffers. `chunk`
    uses two threads, `reserve` one."""
    cases = [
        ("dragonfly-ML", "reserve", 1, 40),
        ("fattree-L", "chunk", 2, 150),
        ("dragonfly-ML", "chunk", 2, 150),
    ]
    result_rows = []
    for ranks in ((250, 4000), (256, 4096)):
        for name, fidelity, threads, minutes in cases:
            costs = in_new_process(
                simulated_transposition,
                name,
                FULL,
                ranks,
                fidelity=fidelity,
                threads=threads,
                back_pressure=False,
            )
            claim = f"{ranks[0]} x {ranks[1]} ranks transpose, {name}, {fidelity}"
            result_rows.append(threshold_row(f"{claim}: time", costs["wall_s"] / 60, minutes, "min"))
            result_rows.append(threshold_row(f"{claim}: memory", costs["mib"], 4096, "MiB"))
    return result_rows


def million_rows():
    return [
        *cost_rows(
            "10^6 ranks allreduce, reserve, HyperX",
            in_new_process(simulated_allreduce, "dragonfly-ML", 10**6),
            5,
            500,
        ),
        *cost_rows(
            "10^6 ranks allreduce, reserve, fat tree",
            in_new_process(simulated_allreduce, "fattree-L", 10**6),
            5,
            500,
        ),
        *cost_rows(
            "10^6 ranks allreduce, reserve, torus",
            in_new_process(simulated_allreduce, "torus-L", 10**6),
            5,
            500,
        ),
        *cost_rows("10^6 ranks halo, reserve", in_new_process(simulated_halo, (1000, 1000)), 5, 500),
    ]


def thread_rows():
    """Row of the wall time of a simulation on two threads, compared with one thread."""
    walls_s = {1: [], 2: []}  # by number of threads
    for _ in range(3):
        for threads, walls in walls_s.items():
            walls.append(
                in_new_process(
                    simulated_transposition, "dragonfly-MM", (2880, 14400, 256), (100, 100), threads=threads
                )["wall_s"]
            )
    one, two = (statistics.median(walls) for walls in walls_s.values())
    return [rows.row("10,000 ranks on two threads", two, one, "one thread", "s", bar=1.4)]


def cost_rows(name, costs, seconds, mebibytes):
    """Rows of the CPU time and memory of a simulation, which must not exceed the thresholds."""
    return [
        threshold_row(f"{name}: CPU", costs["cpu_s"], seconds, "s"),
        threshold_row(f"{name}: memory", costs["mib"], mebibytes, "MiB"),
    ]


def threshold_row(claim, ours, bar, unit):
    """Row of a value that must not exceed `bar`."""
    return rows.row(claim, ours, bar, "the bar", unit, bar=1)


def simulated_transposition(name, points, ranks, algorithm="ring-1", **options):
    topology = network.FatTree(*FAT_TREE) if name == "tree" else network.named_network(name)
    return simulated(
        topology, routing_for(name), schedule.transposition(points, ranks, algorithm=algorithm), **options
    )


def routing_for(name):
    return "d_mod_k" if "tree" in name else "minimal"


def simulated_allreduce(name, ranks):
    allreduce = schedule.allreduce(ranks, bytes=24)
    return simulated(network.named_network(name), routing_for(name), allreduce, fidelity="reserve")


def simulated_halo(ranks):
    halo = schedule.grid_halo(FULL[:2], ranks, item_bytes=FULL[2] * 8)
    return simulated(network.named_network("torus-L"), "minimal", halo, fidelity="reserve")


def simulated(topology, routing_name, work, **options):
    routing = network.make_routing(topology, routing_name)
    placement = network.linear_placement(topology, work.n_ranks)
    before, began = peak_mib(), time.perf_counter()
    result = network.simulate(
        work, topology, routing, network.machine(), placement, network.options(**options)
    )
    wall_s = time.perf_counter() - began
    return {"cpu_s": result.cpu_s, "wall_s": wall_s, "mib": peak_mib() - before, "time_s": result.time_s}


def peak_mib():
    """Peak memory of this process [MiB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MIB


def in_new_process(function, *arguments, **options):
    """Runs a function in a new process and returns its result."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments, options)


if __name__ == "__main__":
    main()
