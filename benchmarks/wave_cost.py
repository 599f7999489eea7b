"""What a step of the wave model costs a cell and bin, on one rank and two, beside a copy of the same spectra.

Bars (ns a cell, bin and step on one core): transport 3 by upwind and 8 by second_order, in deep and shallow
water, sources 50; memory 16 bytes a bin; two ranks gain 0.9 of what a copy of the same spectra gains.
FVWAM: 18 a transport step, 218 to 239 a source step, 64 bytes a bin (36 x 35 bins, single precision).
"""

import rows

from halcyon.bench.wave_cost import on_ranks, table

TRANSPORT = {"upwind": 3.0, "second_order": 8.0}
SOURCES, MEMORY = 50.0, 16.0


def transport_rows(level, repetitions):
    found = []
    for scheme, bar_ns in TRANSPORT.items():
        for depth in ("deep", "shallow"):
            cost = on_ranks(1, level=level, repetitions=repetitions, scheme=scheme, depth=depth)
            name = f"transport, {scheme}, {depth}"
            found.append(rows.row(name, cost["transport"], bar_ns, "the bar", "ns", bar=1))
            found.append(
                rows.row(
                    f"{name}: share of a copy's rate", cost["transport"], cost["copy"], "a copy", "ns", bar=0
                )
            )
            found.append(
                rows.row(f"memory, {scheme}, {depth}", cost["memory"], MEMORY, "the bar", "bytes", bar=1)
            )
    return found


def main():
    options = rows.parser(__doc__.splitlines()[0]).parse_args()
    level, repetitions = (4, 5) if options.quick else (5, 15)
    found = transport_rows(level, repetitions)
    costs = {ranks: on_ranks(ranks, level=level, repetitions=repetitions) for ranks in (1, 2)}
    print(table(costs), end="\n\n")
    for ranks, cost in costs.items():
        name = f"sources, {ranks} rank{'s' if ranks > 1 else ''}"
        found.append(rows.row(name, cost["sources"], SOURCES, "the bar", "ns", bar=1))
    one, two = costs[1], costs[2]
    gains = {part: 2 * one[part] / two[part] for part in ("transport", "copy")}
    found.append(
        rows.row(
            "transport, gain of two ranks",
            1 / gains["transport"],
            1 / gains["copy"],
            "a copy's gain",
            "1/gain",
            bar=0.9,
        )
    )
    rows.report(found, options.json)


if __name__ == "__main__":
    main()
