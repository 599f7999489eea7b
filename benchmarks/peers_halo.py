"""Halo exchanges compared with PETSc and Atlas: same mesh, partition and field on 2 ranks.

Needs libpetsc-real-dev and libatlas-ecmwf-dev. The faster star forest of PETSc, basic or neighbor, is used.
Rows have the best exchange of the slowest rank, as in the published figures; tables have medians. Earlier
measurements on such a machine, microseconds: G8, 2 layers, 30 doubles: PETSc 210, Atlas 387; G7, 1 layer, 36
x 35 floats: 1494, 12428.
"""

import subprocess

import rows
from exchanges import BASE, COPY, MESSAGES, METHODS, SMALL, SPECTRA, WIDE, built, fastest, on_ranks, table

PACKAGES = {"petsc": "libpetsc-real-dev", "atlas-ecmwf-c++": "libatlas-ecmwf-dev"}
PETSC = ("petsc_basic", "petsc_neighbor")
ATLAS = "atlas"
BARS = {"PETSc": 1.2, "Atlas": 2.0}
RANKS = 2


def main():
    parser = rows.parser(__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=200, metavar="N")
    options = parser.parse_args()
    missing = [package for name, package in PACKAGES.items() if not installed(name)]
    if missing:
        print(
            f"peers_halo: skipped: install {' '.join(missing)} (Debian: apt-get install"
            f" --no-install-recommends {' '.join(missing)})."
        )
        return
    program = built("Open MPI", "exchanges_peers")
    found = []
    for case in (SMALL,) if options.quick else (WIDE, SPECTRA):
        taken = on_ranks(
            "Open MPI", RANKS, program, case, [*METHODS, *PETSC, ATLAS, COPY], options.repetitions
        )
        print(f"{case}, {RANKS} ranks\n{table(taken)}\n", flush=True)
        found += case_rows(case, taken, 0 if options.quick else 1)
    rows.report(found, options.json)


def installed(name):
    return subprocess.run(["pkg-config", "--exists", name]).returncode == 0


def case_rows(case, taken, bar):
    """The best method with MPI messages, `shared` and `auto`, compared with each peer; thresholds for the
    default, `auto`. `bar` 0: no thresholds."""
    peers = {"PETSc": fastest(taken, PETSC), "Atlas": ATLAS}
    found = []
    for ours in (fastest(taken, (BASE, *MESSAGES)), "shared", "auto"):
        for peer, name in peers.items():
            us, other = taken[ours]["best"], taken[name]["best"]
            found.append(
                rows.row(f"{case}: {ours}", us, other, name, "us", bar=bar * BARS[peer] * (ours == "auto"))
            )
    return found


if __name__ == "__main__":
    main()
