#!/usr/bin/env python3
"""Compares what Open MPI and MPICH leave after halo exchanges and steps of the wave model: the same bits.

tools/same_bits.py     runs halcyon_bits of build/release and build/mpich; exit code 1 where they differ
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


def differing(found: dict[str, dict[str, str]], alone: dict[str, str]) -> list[str]:
    """Names whose checksums differ between MPIs or, in the wave model, from those of one rank."""
    one, other = found.values()
    apart = {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}
    apart |= {name for name in one if name.startswith("wave") and one[name] != alone[name]}
    return sorted(apart)


def main() -> int:
    failed, alone = False, {}
    for ranks in RANKS:
        found = {mpi: sums(*command, ranks) for mpi, command in MPIS.items()}
        ours = found["Open MPI"]
        alone = alone or ours
        apart = differing(found, alone)
        failed |= bool(apart) or not ours
        print(f"{ranks} ranks: {len(ours)} checksums, {len(apart)} differ", *apart, sep="\n  ", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
