"""Cost of a step of the atmosphere per cell and level, on one and two ranks.

Thresholds on one core in 64 bits, on a machine where STREAM's triad has 12 GB/s: hydrostatic 0.20 us,
nonhydrostatic 0.32 us; at least half of the bandwidth of the triad, by the byte model of docs/atmosphere.md
(aim: 0.8), also with dissipation; 1.6 times faster in 32 bits; at most 600 bytes of memory; 0.25 us for each
of five tracers. Published figures: 2.5 us per step of
three stages for MPAS-Atmosphere's dynamical core, 4.2 us for GRIST's hydrostatic core, and 1.76 kB of memory
per cell and level in MPAS.

--day times a day of G7 with 26 levels instead, on one rank. Published: 5220 s for 24 hours of GRIST's core on
G7, serial, in 288 steps, on a 2.5 GHz Xeon E5-2680 v3 (Intel Fortran, -O2; the paper gives no number of
levels).

--physics compares schemes that are called through the interface with their functions alone.
"""

import time

from mpi4py import MPI

import rows
from halcyon.mesh import ordered, uniform
from halcyon.plan.probes.atmosphere_cost import (
    AtmosphereSetup,
    make_core,
    measure_on_ranks,
    share_of_triad,
    table,
)
from halcyon_bench.physics_interface import interface_rows

BARS_US = {"hydrostatic": 0.20, "nonhydrostatic": 0.32}
PEERS_US = {"hydrostatic": (4.2, "GRIST, quoted"), "nonhydrostatic": (2.5, "MPAS-A, quoted")}
TRACERS, TRACER_BAR_US = 5, 0.25
HYPERDIFFUSION = 0.05  # [m s-1]
TRIAD_GB_S = 12.0  # bandwidth of the triad for which the thresholds hold
TRIAD_BYTES = 24  # that the triad moves per element: three doubles
GRIST_DAY_S = 5220.2
SAFETY = 0.8  # of the step of a day over the longest stable initial step
MEMORY, MPAS_MEMORY = 600.0, 1760.0  # [bytes] per cell and level: threshold; published


def main():
    parser = rows.parser(__doc__.splitlines()[0])
    parser.add_argument("--day", metavar="STEPS", type=int, help="time a day of G7 by this number of steps")
    parser.add_argument("--physics", action="store_true", help="cost of the interface of physics schemes")
    options = parser.parse_args()
    if options.physics:
        return rows.report(interface_rows(options.quick), options.json)
    if options.day:
        return rows.report(day_rows(4 if options.quick else 7, options.day), options.json)
    level, repetitions = (4, 2) if options.quick else (5, 9)
    setups = [AtmosphereSetup(name, bits) for name in ("shallow_water", *BARS_US) for bits in (64, 32)]
    costs = {
        (setup, ranks): measure_on_ranks(ranks, setup, mesh_level=level, repetitions=repetitions)
        for setup in setups
        for ranks in (1, 2)
    }
    for name in BARS_US:
        for setup in (with_tracers(name), with_dissipation(name)):
            costs[setup, 1] = measure_on_ranks(1, setup, mesh_level=level, repetitions=repetitions)
    print(table(costs), end="\n\n")
    result_rows = [row for name in BARS_US for row in set_rows(name, costs)]
    rows.report(result_rows, options.json)


def day_rows(level, n_timed):
    """CPU time of a day on one rank, from that of some steps; without a peer on other meshes than G7."""
    mesh, found = ordered(uniform(level, tolerance=1e-4), "hilbert"), []
    for equations in BARS_US:
        core = make_core(MPI.COMM_SELF, AtmosphereSetup(equations), mesh)
        n_steps = int(86400 / (SAFETY * core.longest_step())) + 1
        begin = time.process_time()
        for _ in range(n_timed):
            core.step(86400 / n_steps)
        core.products([])  # checks the last state
        assert core.failure.cell == -1
        step_s = (time.process_time() - begin) / n_timed
        print(f"{equations}, G{level} x {core.n_levels}: {n_steps} steps of {step_s:.3f} s", flush=True)
        if level == 7:
            name = f"{equations}: a day of G7"
            found.append(rows.row(name, n_steps * step_s, GRIST_DAY_S, "GRIST, quoted", "s", bar=1))
    return found


def with_tracers(name):
    return AtmosphereSetup(name, tracers=TRACERS)


def with_dissipation(name):
    return AtmosphereSetup(name, hyperdiffusion=HYPERDIFFUSION)


def set_rows(name, costs):
    """Rows of one set of equations, hydrostatic or nonhydrostatic."""
    double, single = (costs[AtmosphereSetup(name, bits), 1] for bits in (64, 32))
    two = costs[AtmosphereSetup(name, 64), 2]
    # The threshold, scaled from 12 GB/s to the bandwidth of the triad on this machine.
    bar = BARS_US[name] * TRIAD_GB_S * double["triad"] / TRIAD_BYTES
    peer, peer_name = PEERS_US[name]
    tracer = (costs[with_tracers(name), 1]["step"] - double["step"]) / TRACERS
    dissipating = share_of_triad(with_dissipation(name), costs[with_dissipation(name), 1])
    larger_is_better = {"more_is_better": True}
    return [
        rows.row(f"{name}: a step", double["step"], bar, "bar, scaled by triad", "us", bar=1),
        rows.row(f"{name}: a step", double["step"], BARS_US[name], "bar at 12 GB/s", "us", bar=1),
        rows.row(f"{name}: a step", double["step"], peer, peer_name, "us", bar=1),
        rows.row(
            f"{name}: share of triad",
            share_of_triad(AtmosphereSetup(name), double),
            1.0,
            "triad",
            "",
            bar=0.5,
            **larger_is_better,
        ),
        rows.row(
            f"{name}, dissipation: share of triad", dissipating, 1.0, "triad", "", bar=0.5, **larger_is_better
        ),
        rows.row(f"{name}: each of {TRACERS} tracers", tracer, TRACER_BAR_US, "the bar", "us", bar=1),
        rows.row(f"{name}: 32 bits", single["step"], double["step"], "64 bits", "us", bar=1.6),
        rows.row(
            f"{name}: two ranks",
            2 * double["step"] / two["step"],
            1.0,
            "one rank",
            "times",
            bar=1.6,
            **larger_is_better,
        ),
        rows.row(f"{name}: memory", double["memory"], MEMORY, "the bar", "bytes", bar=1),
        rows.row(f"{name}: memory", double["memory"], MPAS_MEMORY, "MPAS-A, quoted", "bytes", bar=1),
    ]


if __name__ == "__main__":
    main()
