"""Cost of a step of the atmosphere per cell and level, on one and two ranks.

Thresholds on one core in 64 bits, on a machine where STREAM's triad has 12 GB/s: hydrostatic 0.20 us,
nonhydrostatic 0.32 us; at least half of the bandwidth of the triad, by the byte model of docs/atmosphere.md
(aim: 0.8), also with dissipation; 1.6 times faster in 32 bits; at most 600 bytes of memory; 0.25 us for each
of five tracers. Published figures: 2.5 us per step of
three stages for MPAS-Atmosphere's dynamical core, 4.2 us for GRIST's hydrostatic core, and 1.76 kB of memory
per cell and level in MPAS.
"""

import rows
from halcyon.plan.probes.atmosphere_cost import AtmosphereSetup, measure_on_ranks, share_of_triad, table

BARS_US = {"hydrostatic": 0.20, "nonhydrostatic": 0.32}
PEERS_US = {"hydrostatic": (4.2, "GRIST, quoted"), "nonhydrostatic": (2.5, "MPAS-A, quoted")}
TRACERS, TRACER_BAR_US = 5, 0.25
HYPERDIFFUSION = 0.05  # [m s-1]
TRIAD_GB_S = 12.0  # bandwidth of the triad for which the thresholds hold
TRIAD_BYTES = 24  # that the triad moves per element: three doubles
MEMORY, MPAS_MEMORY = 600.0, 1760.0  # [bytes] per cell and level: threshold; published


def main():
    options = rows.parser(__doc__.splitlines()[0]).parse_args()
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
