"""Methods of halo exchange with Open MPI and MPICH, as in figures 7 to 10 of FVWAM's paper.

The tables have the best time, the minimum, mean and maximum over ranks (medians of the exchanges), and the
speed-ups over Isend and Recv of the mean and of the slowest rank. MPICH (Debian: mpich, libmpich-dev) is
optional. The rows have no thresholds.
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
    built_program,
    fastest,
    on_ranks,
    table,
)

RANKS = (2, 4)


def main():
    parser = rows.parser(__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=100, metavar="N")
    options = parser.parse_args()
    programs = {mpi: built_program(mpi) for mpi in available()}
    result_rows = []
    for case in (SMALL,) if options.quick else (WIDE, SPECTRA):
        for ranks in RANKS:
            for mpi, program in programs.items():
                times = on_ranks(mpi, ranks, program, case, [*METHODS, COPY], options.repetitions)
                print(f"{case}, {ranks} ranks, {mpi}\n{table(times)}\n", flush=True)
                result_rows += method_rows(f"{case}, {ranks} ranks, {mpi}", times)
    rows.report(result_rows, options.json)


def method_rows(label, times):
    """Rows of the best method with MPI messages, and of `shared`, compared with Isend and Recv, by the best
    time of the slowest rank."""
    base = times[BASE]["best"]
    chosen = (fastest(times, MESSAGES), "shared")
    return [rows.row(f"{label}: {name}", times[name]["best"], base, BASE, "us", bar=0) for name in chosen]


if __name__ == "__main__":
    main()
