"""Halo exchanges compared with PETSc and Atlas: same mesh, partition and field on 2 ranks.

Needs libpetsc-real-dev and libatlas-ecmwf-dev. PETSc uses the faster of its star forests basic and neighbor.
Rows have the best exchange of the slowest rank, as in the published figures; tables also have medians.
Earlier measurements on two cores [us]: G8, 2 layers, 30 doubles per cell: PETSc 210, Atlas 387; G7, 1 layer,
36 x 35 floats per cell: PETSc 1494, Atlas 12428.
"""

import subprocess

import rows
from exchanges import (
    BASE,
    COPY,
    MESSAGES,
    METHODS,
    SMALL,
    SPECTRA,
    WIDE,
    built_program,
    fastest,
    on_ranks,
    table,
)

PACKAGES = {"petsc": "libpetsc-real-dev", "atlas-ecmwf-c++": "libatlas-ecmwf-dev"}
PETSC = ("petsc_basic", "petsc_neighbor")
ATLAS = "atlas"
BARS = {"PETSc": 1.2, "Atlas": 2.0}
RANKS = 2


def main():
    parser = rows.parser(__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=200, metavar="N")
    options = parser.parse_args()
    missing = [package for name, package in PACKAGES.items() if not is_installed(name)]
    if missing:
        print(
            f"peers_halo: skipped: install {' '.join(missing)} (Debian: apt-get install"
            f" --no-install-recommends {' '.join(missing)})."
        )
        return
    program = built_program("Open MPI", "exchanges_peers")
    result_rows = []
    for case in (SMALL,) if options.quick else (WIDE, SPECTRA):
        times = on_ranks(
            "Open MPI", RANKS, program, case, [*METHODS, *PETSC, ATLAS, COPY], options.repetitions
        )
        print(f"{case}, {RANKS} ranks\n{table(times)}\n", flush=True)
        result_rows += case_rows(case, times, 0 if options.quick else 1)
    rows.report(result_rows, options.json)


def is_installed(name):
    return subprocess.run(["pkg-config", "--exists", name]).returncode == 0


def case_rows(case, times, bar):
    """Rows of the best method with MPI messages, of `shared` and of `auto`, compared with PETSc and Atlas.
    The default, `auto`, has thresholds (BARS), unless `bar` is 0."""
    peers = {"PETSc": fastest(times, PETSC), "Atlas": ATLAS}
    result_rows = []
    for ours in (fastest(times, (BASE, *MESSAGES)), "shared", "auto"):
        for peer, name in peers.items():
            us, other = times[ours]["best"], times[name]["best"]
            result_rows.append(
                rows.row(f"{case}: {ours}", us, other, name, "us", bar=bar * BARS[peer] * (ours == "auto"))
            )
    return result_rows


if __name__ == "__main__":
    main()
