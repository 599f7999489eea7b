"""Halo exchanges by every method (pack, transfer, unpack), compared with a copy of the received bytes.

FVWAM uses Isend and Recv into a buffer that is then unpacked. Earlier measurements on two cores of this kind,
Open MPI, microseconds: G8, 2 layers, 30 doubles: Isend + Recv 179, PETSc SF 210, dolfinx 343, Atlas
387, copy 98; G7, 1 layer, 36 x 35 floats: 995, 1494, 2570, 12428, copy 530.
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
THIN_METHODS = ["isend_irecv", AUTO]
THIN_BARS = {
    6: 2.5,
    8: 0,
}  # by level; halos of G8 on 2 ranks are limited by bandwidth, not by the number of messages
AUTO_BAR = 0.95


def main():
    options = command_line()
    found = []
    for case, messages_bar, shared_bar in (QUICK if options.quick else CASES).values():
        taken = measure(case, [PEER, *METHODS, TOGETHER, UNPACKED_SINGLY], options.repetitions)
        found += method_rows(str(case), taken, messages_bar, shared_bar)
    for level, bar in {5: 0}.items() if options.quick else THIN_BARS.items():
        found += thin_rows(Case(level=level, numbers=1, fields=8), bar, options.repetitions)
    rows.report(found, options.json)


def command_line():
    parser = rows.parser(__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=100, metavar="N")
    return parser.parse_args()


def measure(case, methods, repetitions):
    taken = on_ranks(case, methods, repetitions=repetitions)
    print(f"{case}\n{table(taken)}\n", flush=True)
    return taken


def method_rows(case, taken, messages_bar, shared_bar):
    """Rows of a case, from the `best` times, as in the published figures."""
    best = {name: us["best"] for name, us in taken.items()}
    messages = {name: us for name, us in best.items() if name in METHODS and name not in (SHARED, AUTO)}
    fastest = min(messages, key=messages.get)
    found = [rows.row(f"{case}: {fastest}", best[fastest], best[PEER], PEER, "us", bar=messages_bar)]
    claim = f"{case}: unpacked as they come"
    found.append(rows.row(claim, best[UNPACKED_SINGLY], best[TOGETHER], "all at once", "us", bar=0))
    if SHARED in best:
        found.append(rows.row(f"{case}: {SHARED}", best[SHARED], best[PEER], PEER, "us", bar=shared_bar))
        found.append(rows.row(f"{case}: {SHARED}", best[SHARED], best[COPY], COPY, "us", bar=0))
    if AUTO in best:
        of_all = min((name for name in METHODS if name in best and name != AUTO), key=best.get)
        found.append(
            rows.row(f"{case}: {AUTO}", best[AUTO], best[of_all], f"the best: {of_all}", "us", bar=AUTO_BAR)
        )
    return found


def thin_rows(case, bar, repetitions):
    """Rows of a group of single-level fields, compared with one exchange per field."""
    taken = measure(case, THIN_METHODS, repetitions)
    return [
        rows.row(
            f"{case}: {method}",
            taken[method]["best"],
            taken[SINGLY + method]["best"],
            "8 exchanges",
            "us",
            bar=bar,
        )
        for method in THIN_METHODS
    ]


if __name__ == "__main__":
    main()
