"""Cost of a simulated day of shallow water with semi-implicit steps, compared with explicit steps.

CPU time on one rank, medians of interleaved repetitions, on Voronoi meshes in Hilbert order; each scheme has
the step that a run chooses automatically. Threshold: not more costly than explicit steps.

mpirun -n 2 python benchmarks/semi_implicit.py     runs on ranks of this machine, or, with --hosts 2, on
emulated hosts: wall time of the slowest rank, and CPU time of all ranks, which includes busy waiting.
"""

import math
import time

import numpy as np

import between_hosts
import rows
from halcyon.comm import MPI, world
from halcyon.mesh import ordered, uniform
from halcyon.plan.probes.atmosphere_cost import AtmosphereSetup, make_core

SCHEMES = ("semi-implicit", "explicit")
STARTS = ("mountain", "solid_rotation", "barotropic_jet")
DAY_S = 86400.0
SAFETY = 0.9  # step over the longest stable step, as in the automatic step of a run
PART = 0.25  # days per measurement


def main():
    options = between_hosts.parsed_options(rows.parser(__doc__.splitlines()[0]), __file__)
    comm, (level, repetitions) = world(), (4, 3) if options.quick else (5, 7)
    mesh = ordered(uniform(level, tolerance=1e-4), "hilbert")
    result_rows = [
        row for start in STARTS for row in start_rows(comm, mesh, f"G{level}, {start}", start, repetitions)
    ]
    if comm.rank == 0:
        rows.report(result_rows, options.json)


def start_rows(comm, mesh, name, start, repetitions):
    """Collective. Rows of one start: CPU time of all ranks per day, and on several ranks also wall time of
    the slowest rank."""
    cores = {scheme: started_core(comm, mesh, start, scheme == "semi-implicit") for scheme in SCHEMES}
    longest_s = {
        scheme: comm.allreduce(core.longest_step_with_margin(), MPI.MIN) for scheme, core in cores.items()
    }
    steps = {scheme: math.ceil(PART * DAY_S / (SAFETY * longest)) for scheme, longest in longest_s.items()}
    work = {scheme: advance(cores[scheme], steps[scheme]) for scheme in SCHEMES}
    wall_ms, cpu_ms = (
        {k: 1e3 * s / PART for k, s in times.items()} for times in median_times(comm, work, repetitions)
    )
    iterations = cores["semi-implicit"].n_iterations / ((repetitions + 1) * steps["semi-implicit"])
    if comm.rank == 0:
        lengths = " for ".join(f"{PART * DAY_S / count:.0f} s" for count in steps.values())
        print(
            f"{name}: steps of {lengths}, {iterations:.1f} iterations per step of three solutions", flush=True
        )
    shown = {"CPU": cpu_ms} if comm.size == 1 else {"wall clock": wall_ms, "CPU": cpu_ms}
    bars = {"CPU": 1 if comm.size == 1 else 0, "wall clock": 0}
    return [
        rows.row(
            f"{name}: a day, {kind}", ms["semi-implicit"], ms["explicit"], "explicit", "ms", bar=bars[kind]
        )
        for kind, ms in shown.items()
    ]


def median_times(comm, work, repetitions):
    """Collective. Two dictionaries of medians [s] by name: wall time of the slowest rank, and CPU time of all
    ranks. The first turn is not counted."""
    walls, cpus = ({name: [] for name in work} for _ in range(2))
    for turn in range(repetitions + 1):
        for name, function in work.items():
            comm.Barrier()
            began, before = time.perf_counter(), time.process_time()
            function()
            wall, cpu = time.perf_counter() - began, time.process_time() - before
            if turn > 0:
                walls[name].append(comm.allreduce(wall, MPI.MAX))
                cpus[name].append(comm.allreduce(cpu))
    return ({name: float(np.median(turns)) for name, turns in times.items()} for times in (walls, cpus))


def started_core(comm, mesh, start, semi_implicit):
    core = make_core(comm, AtmosphereSetup("shallow_water"), mesh, semi_implicit=semi_implicit)
    core.set(start, {})
    return core


def advance(core, steps):
    """A function that advances the core by PART of a day."""

    def work():
        for _ in range(steps):
            core.step(PART * DAY_S / steps)

    return work


if __name__ == "__main__":
    main()
