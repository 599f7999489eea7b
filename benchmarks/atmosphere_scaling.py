"""Strong and weak scaling of the atmosphere on this machine, and the share of the exchange that overlap
hides.

Runs on one and two ranks have the same number of cells in total (strong scaling) or per rank (weak scaling).
Runs on emulated hosts with one rank each (tools/hosts), which share the cores of this machine, compare
exchanges that are overlapped with computation with exchanges that are not. Scaling rows have the threshold of
docs/atmosphere.md, 1.6 on two ranks; overlap rows have none. If hosts cannot be emulated, the reason is
printed.
"""

import json
import subprocess
import sys
from pathlib import Path

import rows
from halcyon.launch.measure import rank_program
from halcyon.plan.probes.atmosphere_cost import AtmosphereSetup
from halcyon_bench.atmosphere_scaling import Scaling, atmosphere_scaling, hidden, on_ranks, table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools/hosts"))
from several_hosts import Hosts, why_unavailable

EQUATION_SETS = ("hydrostatic", "nonhydrostatic")
HOSTS, NETWORKS = 2, ((100, 1000), (500, 400))  # latency [us], bandwidth [Mbit/s]
BAR = 1.6  # threshold of the speed-up on two ranks
LIMIT_S = 300  # time limit of a job on emulated hosts


def main():
    options = rows.parser(__doc__.splitlines()[0]).parse_args()
    cells, repetitions = (2000, 60) if options.quick else (10242, 100)
    found, lines = {}, []
    for name in EQUATION_SETS:
        setup = AtmosphereSetup(name)
        one, two, twice = (
            on_ranks(ranks, Scaling(setup, n), repetitions=repetitions)
            for ranks, n in ((1, cells), (2, cells), (2, 2 * cells))
        )
        found |= {f"{name}, 1 rank": one, f"{name}, 2 ranks": two, f"{name}, 2 ranks, twice": twice}
        lines += on_two_ranks(name, *(variants["overlapped"]["step"] for variants in (one, two, twice)))
    host_results = on_hosts(cells, repetitions)
    print(table(found | host_results), end="\n\n")
    rows.report(
        lines + [line for job, variants in host_results.items() for line in overlap_rows(job, variants)],
        options.json,
    )


def on_two_ranks(name, one, two, twice):
    """Rows from the time of a step [s] on one rank, on two, and on two with twice the cells."""
    bar = {"bar": BAR, "more_is_better": True}
    return [
        rows.row(f"{name}: strong, 2 ranks", one / two, 1.0, "one rank", "times", **bar),
        rows.row(f"{name}: weak, 2 ranks", 2 * one / twice, 1.0, "one rank", "times", **bar),
    ]


def overlap_rows(job, variants):
    waited, overlapped = variants["waited"], variants["overlapped"]
    names = {"exchange": "exchange", "step": "a step"}
    lines = [
        rows.row(f"{job}: {name}", 1e3 * overlapped[part], 1e3 * waited[part], "waited for", "ms", bar=0)
        for part, name in names.items()
    ]
    return [*lines, rows.row(f"{job}: hidden", hidden(variants), 1.0, "all", "", bar=0, more_is_better=True)]


def on_hosts(cells, repetitions):
    """Times on emulated hosts, by name of the job. If hosts are not available, prints the reason and returns
    no times."""
    reason = why_unavailable()
    if reason is not None:
        print(f"hosts: skipped: {reason}.")
        return {}
    found = {}
    for name in EQUATION_SETS:
        for latency_us, mbit in NETWORKS:
            case = Scaling(AtmosphereSetup(name), cells)
            command = [sys.executable, *rank_program(atmosphere_scaling, case, repetitions=repetitions)]
            try:
                with Hosts(HOSTS, latency_us=latency_us, mbit=mbit) as hosts:
                    text = hosts.run([*hosts.open_mpi(1), *command], limit_s=LIMIT_S)
            except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
                print(f"hosts: skipped: {error}")
                continue
            found[f"{name}, {latency_us} us, {mbit} Mbit/s"] = json.loads(text.splitlines()[-1])
    return found


if __name__ == "__main__":
    main()
