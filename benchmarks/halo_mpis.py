"""Methods of halo exchange with Open MPI and MPICH, as in figures 7 to 10 of FVWAM's paper.

Minimum, mean and maximum over ranks (medians of the exchanges), the best time, and the speed-up over Isend
and Recv by the mean and by the slowest rank. MPICH (Debian: mpich, libmpich-dev) is optional. The rows have
no thresholds.
"""

import rows
from exchanges import (
    BASE,
    COPY,
    MESSAGES,
    METHODS,
    SMALL,
    SPECTRA,
    WIDE,
    available,
    built,
    fastest,
    on_ranks,
    table,
)

RANKS = (2, 4)


def main():
    parser = rows.parser(__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=100, metavar="N")
    options = parser.parse_args()
    programs = {mpi: built(mpi) for mpi in available()}
    found = []
    for case in (SMALL,) if options.quick else (WIDE, SPECTRA):
        for ranks in RANKS:
            for mpi, program in programs.items():
                taken = on_ranks(mpi, ranks, program, case, [*METHODS, COPY], options.repetitions)
                print(f"{case}, {ranks} ranks, {mpi}\n{table(taken)}\n", flush=True)
                found += method_rows(f"{case}, {ranks} ranks, {mpi}", taken)
    rows.report(found, options.json)


def method_rows(label, taken):
    """Rows of the best method with MPI messages, and of `shared`, compared with Isend and Recv: best of the
    slowest rank."""
    base = taken[BASE]["best"]
    chosen = (fastest(taken, MESSAGES), "shared")
    return [rows.row(f"{label}: {name}", taken[name]["best"], base, BASE, "us", bar=0) for name in chosen]


if __name__ == "__main__":
    main()
