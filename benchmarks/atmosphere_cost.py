"""Cost of a step of the atmosphere per cell and level, on one and two ranks.

Thresholds on one core in 64 bits, where STREAM's triad has 12 GB/s: 0.20 us hydrostatic, 0.32 us
nonhydrostatic; half of the bandwidth of the triad, by the byte model of docs/atmosphere.md (aim: 0.8); 32
bits 1.6 times faster; at most 600 bytes of memory. Published figures: MPAS-Atmosphere's dynamical core 2.5 us
per step of three stages, GRIST's hydrostatic core 4.2 us, 1.76 kB per cell and level in MPAS.
"""

import rows
from halcyon.plan.probes.atmosphere_cost import AtmosphereSetup, measure_on_ranks, share_of_triad, table

BARS_US = {"hydrostatic": 0.20, "nonhydrostatic": 0.32}
PEERS_US = {"hydrostatic": (4.2, "GRIST, quoted"), "nonhydrostatic": (2.5, "MPAS-A, quoted")}
TRIAD_GB_S, MEMORY, MPAS_MEMORY = 12.0, 600.0, 1760.0


def main():
    options = rows.parser(__doc__.splitlines()[0]).parse_args()
    level, repetitions = (4, 2) if options.quick else (5, 9)
    setups = [AtmosphereSetup(name, bits) for name in ("shallow_water", *BARS_US) for bits in (64, 32)]
    costs = {
        (air, ranks): measure_on_ranks(ranks, air, mesh_level=level, repetitions=repetitions)
        for air in setups
        for ranks in (1, 2)
    }
    print(table(costs), end="\n\n")
    found = [row for name in BARS_US for row in set_rows(name, costs)]
    rows.report(found, options.json)


def set_rows(name, costs):
    double, single = (costs[AtmosphereSetup(name, bits), 1] for bits in (64, 32))
    two = costs[AtmosphereSetup(name, 64), 2]
    # The threshold holds for 12 GB/s; it is scaled by the bandwidth of the triad on this machine.
    bar = BARS_US[name] * TRIAD_GB_S * double["triad"] / 24
    peer, whose = PEERS_US[name]
    more = {"more_is_better": True}
    return [
        rows.row(f"{name}: a step", double["step"], bar, "the bar at this triad", "us", bar=1),
        rows.row(f"{name}: a step", double["step"], BARS_US[name], "the bar at 12 GB/s", "us", bar=1),
        rows.row(f"{name}: a step", double["step"], peer, whose, "us", bar=1),
        rows.row(
            f"{name}: share of triad",
            share_of_triad(AtmosphereSetup(name), double),
            1.0,
            "triad",
            "",
            bar=0.5,
            **more,
        ),
        rows.row(f"{name}: 32 bits", single["step"], double["step"], "64 bits", "us", bar=1.6),
        rows.row(
            f"{name}: two ranks", 2 * double["step"] / two["step"], 1.0, "one rank", "times", bar=1.6, **more
        ),
        rows.row(f"{name}: memory", double["memory"], MEMORY, "the bar", "bytes", bar=1),
        rows.row(f"{name}: memory", double["memory"], MPAS_MEMORY, "MPAS-A, quoted", "bytes", bar=1),
    ]


if __name__ == "__main__":
    main()
