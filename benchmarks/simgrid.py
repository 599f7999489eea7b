"""Simulated times and CPU times of the simulation, compared with SimGrid, on small fat trees.

Needs libsimgrid-dev (Debian). SimGrid runs with its model CM02 without cross traffic, in which a single
message takes latency + size / bandwidth as in Halcyon, and with its default model (LV08: bandwidth times
0.97, latency times 13.01, a share of each link for reverse traffic). Nodes, links, routes (D-mod-k) and
messages are the same; combining data in the allreduce takes no time.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import rows
from halcyon import network, schedule
from halcyon._core.schedule import message_list

SOURCE = Path(__file__).parent / "peers" / "simgrid.cpp"
BANDWIDTH, LATENCY = 12.5e9, 1e-6  # of all links [B s-1], [s]
MODELS = {
    "CM02": ["--cfg=network/model:CM02", "--cfg=network/crosstraffic:0"],
    "LV08": [],
}
# Fat trees: ports down and up of the switches of each level.
SWITCH, TREE, THIN = ([64], []), ([8, 8], [8]), ([8, 8], [4])
LARGE = ([8, 8, 16], [8, 8])
# Name, fat tree, workload, message sizes [bytes].
CASES = (
    ("pair, one switch", SWITCH, "pair", (1e3, 1e6)),
    ("pair, two levels", TREE, "pair", (1e3, 1e6)),
    ("ring-1, one switch", SWITCH, "ring", (1e3, 1e6)),
    ("ring-1, two levels", TREE, "ring", (1e3, 1e6)),
    ("ring-1, half the links up", THIN, "ring", (1e3, 1e6)),
    ("allreduce, two levels", TREE, "allreduce", (24, 1e6)),
    ("allreduce, half the links up", THIN, "allreduce", (24, 1e6)),
)
LARGE_CASES = (
    ("ring-1, 1,024 nodes", LARGE, "ring", (1e5,)),
    ("allreduce, 1,024 nodes", LARGE, "allreduce", (1e6,)),
)


def main():
    options = rows.parser(__doc__.splitlines()[0]).parse_args()
    if not is_installed():
        print("simgrid: skipped: install libsimgrid-dev.")
        return
    result_rows = []
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(Path(folder))
        for case in CASES if options.quick else (*CASES, *LARGE_CASES):
            result_rows += case_rows(program, *case)
    rows.report(result_rows, options.json)


def is_installed():
    return subprocess.run(["pkg-config", "--exists", "simgrid"]).returncode == 0 and shutil.which("g++")


def compiled(folder):
    program = folder / "simgrid"
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "simgrid"], capture_output=True, text=True
    ).stdout
    subprocess.run(["g++", "-O2", "-std=c++17", SOURCE, "-o", program, *flags.split()], check=True)
    return program


def case_rows(program, name, tree, workload, sizes):
    """Rows of the simulated times by `packet` and `chunk`, compared with CM02, and by `chunk` with LV08; for
    the large tree also rows of the CPU times."""
    result_rows = []
    for size in sizes:
        claim = f"{name}, {size:g} B"
        theirs = {model: simgrid(program, tree, workload, size, options) for model, options in MODELS.items()}
        for fidelity, model in (("packet", "CM02"), ("chunk", "CM02"), ("chunk", "LV08")):
            ours, (time_s, cpu_s) = simulated(tree, workload, int(size), fidelity), theirs[model]
            fidelity_claim = f"{claim}: {fidelity}"
            result_rows.append(rows.row(fidelity_claim, 1e6 * ours.time_s, 1e6 * time_s, model, "us", bar=0))
            if tree == LARGE and model == "CM02":
                result_rows.append(rows.row(f"{fidelity_claim}, CPU", ours.cpu_s, cpu_s, model, "s", bar=0))
    return result_rows


def simgrid(program, tree, workload, size, options):
    """Simulated time, and CPU time of the simulation [s], by SimGrid."""
    ports = [",".join(map(str, level)) or "-" for level in tree]
    command = [program, *ports, BANDWIDTH, LATENCY, workload, size, *options]
    job = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True)
    return tuple(float(number) for number in job.stdout.split())


def simulated(tree, workload, size, fidelity):
    topology = network.FatTree(*tree)
    machine = network.machine(
        links=[(BANDWIDTH, LATENCY)],
        injection_bandwidth=BANDWIDTH,
        injection_latency=LATENCY,
        ejection_bandwidth=BANDWIDTH,
        ejection_latency=LATENCY,
        memory_bandwidth=1e18,
    )
    work = schedule_of(workload, topology.n_nodes, size)
    placement = network.linear_placement(topology, work.n_ranks)
    routing = network.make_routing(topology, "d_mod_k")
    return network.simulate(work, topology, routing, machine, placement, network.options(fidelity=fidelity))


def schedule_of(workload, n, size):
    if workload == "pair":
        return message_list(n, [(0, 0, n - 1, size)])
    if workload == "ring":
        return schedule.alltoall(n, size, algorithm="ring-1")
    return schedule.allreduce(n, bytes=size, radix=2)


if __name__ == "__main__":
    main()
