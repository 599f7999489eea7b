"""Builds and runs `peers_halo/exchanges`, which times a halo exchange by several methods, interleaved."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from tests.support.ranks import MPI_ENVIRONMENT  # noqa: E402

BASE = "isend_recv"  # the method of FVWAM, to which the others are compared
MESSAGES = ("isend_irecv", "persistent", "neighbor", "ineighbor", "neighbor_persistent")
METHODS = (BASE, *MESSAGES, "shared", "auto")
COPY = "copy"
PRESETS = {"Open MPI": "release", "MPICH": "mpich"}


@dataclass(frozen=True)
class Case:
    """A field with `numbers` values per cell of G<level>."""

    level: int
    layers: int
    numbers: int
    dtype: str = "double"

    def __str__(self):
        return f"G{self.level}, {self.layers} layers, {self.numbers} {self.dtype}"

    def words(self, ways, repetitions):
        return [*map(str, (self.level, self.layers, self.numbers, self.dtype, repetitions)), *ways]


SMALL = Case(level=5, layers=2, numbers=30)
WIDE = Case(level=8, layers=2, numbers=30)
SPECTRA = Case(level=7, layers=1, numbers=36 * 35, dtype="float")


def available():
    """The installed MPIs; prints how to install MPICH if it is missing."""
    if shutil.which("mpicc.mpich") and shutil.which("mpiexec.mpich"):
        return list(PRESETS)
    print("MPICH is not installed: apt-get install --no-install-recommends mpich libmpich-dev")
    return ["Open MPI"]


def built(mpi, target="exchanges"):
    """Path of the program for an MPI, built if it is out of date."""
    preset = PRESETS[mpi]
    configure = ["cmake", "--preset", preset, "-Wno-dev", "--log-level=WARNING"]
    for command in (configure, ["cmake", "--build", "--preset", preset, "--target", target]):
        subprocess.run(command, cwd=ROOT, stdout=sys.stderr, check=True)
    return str(ROOT / "build" / preset / "benchmarks/peers_halo" / target)


def on_ranks(mpi, ranks, program, case, ways, repetitions):
    """Times of each method [us]: `best`, medians of `min`, `mean` and `max` over ranks; and its
    `description`."""
    bind = ["-bind-to" if mpi == "MPICH" else "--bind-to", "core" if ranks == os.cpu_count() else "none"]
    launcher = "mpiexec.mpich" if mpi == "MPICH" else "mpirun.openmpi"
    command = [launcher, *bind, "-n", str(ranks), program, *case.words(ways, repetitions)]
    environment = MPI_ENVIRONMENT | os.environ
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return times_in(done.stdout)


def times_in(text):
    """The times in the last line of the output."""
    return json.loads(text.splitlines()[-1])


def table(taken):
    """Times of the methods, and speed-ups over Isend and Recv as in figures 7 to 10 of FVWAM's paper: by the
    slowest rank and by the mean over ranks."""
    lines = [f"{'[us]':<22}{'best':>10}{'min':>10}{'mean':>10}{'max':>10}{'mean x':>9}{'max x':>9}"]
    base = taken[BASE]
    for name, us in taken.items():
        times = "".join(f"{us[column]:>10.1f}" for column in ("best", "min", "mean", "max"))
        ratios = "".join(f"{base[column] / us[column]:>9.2f}" for column in ("mean", "max"))
        lines.append(f"{name:<22}{times}{ratios}")
    chosen = [us["description"] for us in taken.values() if us["description"].startswith("auto")]
    return "\n".join([*lines, *chosen])


def fastest(taken, names):
    """The method with the shortest best exchange, which other load on the machine affects least."""
    return min((name for name in names if name in taken), key=lambda name: taken[name]["best"])
