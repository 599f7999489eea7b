#!/usr/bin/env python3
"""Checks that halo exchanges and steps of the wave model have the same bits with Open MPI and MPICH.

tools/same_bits.py     runs halcyon_bits of build/release and build/mpich; exit code 1 if they differ
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from tests.support.ranks import MPI_ENVIRONMENT  # noqa: E402

RANKS = (1, 2, 3, 4, 8, 16)
MPIS = {
    "Open MPI": ["mpirun.openmpi", "build/release/tests/halcyon_bits"],
    "MPICH": ["mpiexec.mpich", "build/mpich/tests/halcyon_bits"],
}
LIMIT_S = 300


def sums(launcher: str, program: str, ranks: int) -> dict[str, str]:
    """The checksums by name."""
    done = subprocess.run(
        [launcher, "-n", str(ranks), program],
        cwd=ROOT,
        env=MPI_ENVIRONMENT | os.environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        timeout=LIMIT_S,
        check=True,
    )
    return dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())


def differing(by_mpi: dict[str, dict[str, str]], on_one_rank: dict[str, str]) -> list[str]:
    """Names whose checksums differ between MPIs or, for the wave model, from the checksums on one rank."""
    one, other = by_mpi.values()
    different = {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}
    different |= {name for name in one if name.startswith("wave") and one[name] != on_one_rank[name]}
    return sorted(different)


def main() -> int:
    failed, on_one_rank = False, {}
    for ranks in RANKS:
        by_mpi = {mpi: sums(*command, ranks) for mpi, command in MPIS.items()}
        checksums = by_mpi["Open MPI"]
        on_one_rank = on_one_rank or checksums
        different = differing(by_mpi, on_one_rank)
        failed |= bool(different) or not checksums
        print(
            f"{ranks} ranks: {len(checksums)} checksums, {len(different)} differ",
            *different,
            sep="\n  ",
            flush=True,
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
