"""What a step of each set of source terms costs a cell and bin on one core, over deep and shallow water.

Bars (ns): 25 for `ard` (aim 15); FVWAM 218, WAM cycle 6 50 to 80 on such a machine. The rate of arithmetic
stands beside that of a matrix product, as the share of what the vector units can.
"""

import rows

from halcyon.bench.source_cost import OPERATIONS, peak_rate, source_cost

BARS = {"wam3": 25.0, "wam4": 25.0, "ard": 25.0, "fvwam": 25.0}


def main():
    options = rows.parser(__doc__.splitlines()[0]).parse_args()
    cells, repetitions = (100, 3) if options.quick else (400, 15)
    costs, peak = source_cost(cells=cells, repetitions=repetitions), peak_rate()
    found = []
    for (name, place), cost in costs.items():
        claim = f"sources, {name}, {place} water"
        found.append(rows.row(claim, cost, BARS[name], "the bar", "ns", bar=1))
        if name == "fvwam":
            found.append(rows.row(claim, cost, 218.0, "FVWAM", "ns", bar=1))
    for name, operations in OPERATIONS.items():
        rate = operations / costs[name, "deep"]
        claim = f"arithmetic, {name} (share of peak {rate / peak:.0%})"
        found.append(rows.row(claim, rate, peak, "a matrix product", "op/ns", bar=0, more_is_better=True))
    rows.report(found, options.json)


if __name__ == "__main__":
    main()
