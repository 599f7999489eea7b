"""Halo exchanges by every method (pack, transfer, unpack), compared with a copy of the received bytes.

FVWAM uses Isend and Recv into a buffer that is then unpacked. Earlier measurements on two cores with Open MPI
[us]: G8, 2 layers, 30 doubles per cell: Isend + Recv 179, PETSc SF 210, dolfinx 343, Atlas 387, copy 98; G7,
1 layer, 36 x 35 floats per cell: Isend + Recv 995, PETSc SF 1494, dolfinx 2570, Atlas 12428, copy 530.
"""

import rows
from halcyon.halo import METHODS
from halcyon_bench.halo_exchange import COPY, SINGLY, Case, on_ranks, table

PEER = "isend_recv, together"  # the method of FVWAM: receive all, then unpack
TOGETHER, UNPACKED_SINGLY = "isend_irecv, together", "isend_irecv, singly"
SHARED, AUTO = "shared", "auto"
CASES = {  # thresholds of the best method with MPI messages, and of shared memory
    "wide": (Case(level=8, layers=2, numbers=30), 1.08, 3.0),
    "spectra": (Case(level=7, layers=1, numbers=36 * 35, dtype="float32"), 1.2, 2.8),
}
QUICK = {"small": (Case(level=5, layers=2, numbers=30), 0, 0)}
THIN_METHODS = ["isend_irecv", AUTO]  # for groups of single-level fields
# Thresholds of the groups by level of the mesh. G8 on 2 ranks has none: its halos are limited by bandwidth,
# not by the number of messages.
THIN_BARS = {6: 2.5, 8: 0}
AUTO_BAR = 0.95  # threshold of `auto` relative to the fastest method


def main():
    options = command_line()
    result_rows = []
    for case, messages_bar, shared_bar in (QUICK if options.quick else CASES).values():
        times = measure(case, [PEER, *METHODS, TOGETHER, UNPACKED_SINGLY], options.repetitions)
        result_rows += method_rows(str(case), times, messages_bar, shared_bar)
    for level, bar in {5: 0}.items() if options.quick else THIN_BARS.items():
        result_rows += thin_rows(Case(level=level, numbers=1, fields=8), bar, options.repetitions)
    rows.report(result_rows, options.json)


def command_line():
    parser = rows.parser(__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=100, metavar="N")
    return parser.parse_args()


def measure(case, methods, repetitions):
    times = on_ranks(case, methods, repetitions=repetitions)
    print(f"{case}\n{table(times)}\n", flush=True)
    return times


def method_rows(case, times, messages_bar, shared_bar):
    """Rows of a case, from the best times of the slowest rank, as in the published figures."""
    best = {name: us["best"] for name, us in times.items()}
    messages = {name: us for name, us in best.items() if name in METHODS and name not in (SHARED, AUTO)}
    fastest = min(messages, key=messages.get)
    result_rows = [rows.row(f"{case}: {fastest}", best[fastest], best[PEER], PEER, "us", bar=messages_bar)]
    claim = f"{case}: unpacked as they come"
    result_rows.append(rows.row(claim, best[UNPACKED_SINGLY], best[TOGETHER], "all at once", "us", bar=0))
    if SHARED in best:
        result_rows.append(
            rows.row(f"{case}: {SHARED}", best[SHARED], best[PEER], PEER, "us", bar=shared_bar)
        )
        result_rows.append(rows.row(f"{case}: {SHARED}", best[SHARED], best[COPY], COPY, "us", bar=0))
    if AUTO in best:
        best_of_all = min((name for name in METHODS if name in best and name != AUTO), key=best.get)
        result_rows.append(
            rows.row(
                f"{case}: {AUTO}",
                best[AUTO],
                best[best_of_all],
                f"the best: {best_of_all}",
                "us",
                bar=AUTO_BAR,
            )
        )
    return result_rows


def thin_rows(case, bar, repetitions):
    """Rows of a group of single-level fields in one exchange, compared with one exchange per field."""
    times = measure(case, THIN_METHODS, repetitions)
    return [
        rows.row(
            f"{case}: {method}",
            times[method]["best"],
            times[SINGLY + method]["best"],
            "8 exchanges",
            "us",
            bar=bar,
        )
        for method in THIN_METHODS
    ]


if __name__ == "__main__":
    main()
