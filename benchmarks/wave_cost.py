"""What a step of the wave model costs a cell and bin, on one rank and two, beside a copy of the same spectra.

Bars (ns a cell, bin and step on one core): transport 8, sources 50. FVWAM: 18 a transport step, 218 to 239 a
source step (36 x 35 bins, single precision).
"""

import rows

from halcyon.bench.wave_cost import on_ranks, table

BARS = {"transport": 8.0, "sources": 50.0}


def main():
    options = rows.parser(__doc__.splitlines()[0]).parse_args()
    level, repetitions = (4, 5) if options.quick else (5, 15)
    costs = {ranks: on_ranks(ranks, level=level, repetitions=repetitions) for ranks in (1, 2)}
    print(table(costs), end="\n\n")
    found = []
    for ranks, cost in costs.items():
        name = f"{ranks} rank{'s' if ranks > 1 else ''}"
        for part, bar_ns in BARS.items():
            found.append(rows.row(f"{part}, {name}", cost[part], bar_ns, "the bar", "ns", bar=1))
            found.append(
                rows.row(f"{part}, {name}", cost[part], cost["copy"], "a copy of the spectra", "ns", bar=0)
            )
    rows.report(found, options.json)


if __name__ == "__main__":
    main()
