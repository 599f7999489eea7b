"""Cost of a step of the wave model per cell and bin: transport, sources, memory, and speed-up on two ranks.

Thresholds on one core with 36 x 35 bins, in deep and shallow water: transport 3 ns by `upwind` and 8 ns by
`second_order`, source terms `ard` 25 ns (aim 15), memory 16 bytes per bin. On two ranks, source terms are 1.8
times faster, and the speed-up of transport is 0.9 of that of STREAM's triad on arrays of the same size.

Two shares of the machine's peak have no thresholds: the bandwidth of transport, which reads and writes a
spectrum, relative to the triad (three values per bin); and the arithmetic rate of the source terms, relative
to a matrix product. Measured on a similar machine: FVWAM takes 18 ns per transport step, 218 to 239 ns per
source step and 64 bytes; WAM cycle 6 takes 10 ns per transport step and 50 to 80 ns per source step.
"""

import rows
from halcyon.plan.probes.wave_cost import WaveSetup, measure_on_ranks, table
from halcyon_bench.source_cost import OPERATIONS, peak_rate, source_cost

TRANSPORT_NS = {"upwind": 3.0, "second_order": 8.0}
SOURCES_NS, MEMORY = 25.0, 16.0
FVWAM_NS = {"transport": 18.0, "sources": 218.0}
MIN_BYTES, TRIAD_BYTES = 8, 12  # per bin: one read and one write; three values of a triad


def main():
    options = rows.parser(__doc__.splitlines()[0]).parse_args()
    level, repetitions = (4, 5) if options.quick else (5, 15)
    result_rows = transport_rows(level, repetitions)
    result_rows += source_rows(*((100, 3) if options.quick else (400, 15)))
    result_rows += rank_rows(level, repetitions)
    rows.report(result_rows, options.json)


def transport_rows(level, repetitions):
    result_rows = []
    for scheme, bar_ns in TRANSPORT_NS.items():
        for depth in ("deep", "shallow"):
            cost = measure_on_ranks(
                1, WaveSetup(scheme=scheme, depth=depth), mesh_level=level, repetitions=repetitions
            )
            share = cost["triad"] / TRIAD_BYTES * MIN_BYTES / cost["transport"]
            name = f"transport, {scheme}, {depth} water"
            result_rows += [
                rows.row(name, cost["transport"], bar_ns, "the bar", "ns", bar=1),
                rows.row(name, cost["transport"], FVWAM_NS["transport"], "FVWAM, quoted", "ns", bar=0),
                rows.row(f"{name}: share of STREAM", share, 1.0, "triad", "rate", bar=0, more_is_better=True),
                rows.row(f"memory, {scheme}", cost["memory"], MEMORY, "the bar", "bytes", bar=1),
            ]
    return result_rows


def source_rows(cells, repetitions):
    costs, peak = source_cost(cells=cells, repetitions=repetitions), peak_rate()
    result_rows = []
    for (name, water), cost in costs.items():
        claim, bar = f"sources, {name}, {water} water", 1 if name == "ard" else 0
        result_rows.append(rows.row(claim, cost, SOURCES_NS, "the bar", "ns", bar=bar))
        if name == "fvwam":
            result_rows.append(rows.row(claim, cost, FVWAM_NS["sources"], "FVWAM, quoted", "ns", bar=1))
    for name, operations in OPERATIONS.items():
        rate = operations / costs[name, "deep"]
        claim = f"arithmetic, {name}: share of peak"
        result_rows.append(
            rows.row(claim, rate, peak, "a matrix product", "op/ns", bar=0, more_is_better=True)
        )
    return result_rows


def rank_rows(level, repetitions):
    costs = {ranks: measure_on_ranks(ranks, mesh_level=level, repetitions=repetitions) for ranks in (1, 2)}
    print(table(costs), end="\n\n")
    speed_up = {part: 2 * costs[1][part] / costs[2][part] for part in ("transport", "sources", "triad")}
    options = {"unit": "times", "more_is_better": True}
    return [
        rows.row("sources, gain of two ranks", speed_up["sources"], 1.0, "one rank", bar=1.8, **options),
        rows.row(
            "transport, gain of two ranks",
            speed_up["transport"],
            speed_up["triad"],
            "triad",
            bar=0.9,
            **options,
        ),
    ]


if __name__ == "__main__":
    main()
