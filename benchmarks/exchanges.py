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

BASE = "isend_recv"  # the method of FVWAM, with which the other methods are compared
# Methods with MPI messages; all methods of Halcyon; a copy of the received bytes.
MESSAGES = ("isend_irecv", "persistent", "neighbor", "ineighbor", "neighbor_persistent")
METHODS = (BASE, *MESSAGES, "shared", "auto")
COPY = "copy"
PRESETS = {"Open MPI": "release", "MPICH": "mpich"}  # CMake presets


@dataclass(frozen=True)
class Case:
    """A field on the cells of G<level>."""

    level: int
    layers: int  # of the halo
    numbers: int  # values per cell
    dtype: str = "double"  # or float

    def __str__(self):
        return f"G{self.level}, {self.layers} layers, {self.numbers} {self.dtype}"

    def arguments(self, methods, repetitions):
        """Command-line arguments of the program."""
        return [*map(str, (self.level, self.layers, self.numbers, self.dtype, repetitions)), *methods]


SMALL = Case(level=5, layers=2, numbers=30)
WIDE = Case(level=8, layers=2, numbers=30)
SPECTRA = Case(level=7, layers=1, numbers=36 * 35, dtype="float")


def available():
    """The installed MPIs; prints how to install MPICH if it is missing."""
    if shutil.which("mpicc.mpich") and shutil.which("mpiexec.mpich"):
        return list(PRESETS)
    print("MPICH is not installed: apt-get install --no-install-recommends mpich libmpich-dev")
    return ["Open MPI"]


def built_program(mpi, target="exchanges"):
    """Path of the program for an MPI, built if it is out of date."""
    preset = PRESETS[mpi]
    configure = ["cmake", "--preset", preset, "-Wno-dev", "--log-level=WARNING"]
    for command in (configure, ["cmake", "--build", "--preset", preset, "--target", target]):
        subprocess.run(command, cwd=ROOT, stdout=sys.stderr, check=True)
    return str(ROOT / "build" / preset / "benchmarks/peers_halo" / target)


def on_ranks(mpi, ranks, program, case, methods, repetitions):
    """Runs the program. Returns for each method the times [us] `best` (of the slowest rank), and `min`,
    `mean` and `max` over ranks (medians of the repetitions), and its `description`."""
    bind = ["-bind-to" if mpi == "MPICH" else "--bind-to", "core" if ranks == os.cpu_count() else "none"]
    launcher = "mpiexec.mpich" if mpi == "MPICH" else "mpirun.openmpi"
    command = [launcher, *bind, "-n", str(ranks), program, *case.arguments(methods, repetitions)]
    environment = MPI_ENVIRONMENT | os.environ
    job = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return times_in(job.stdout)


def times_in(text):
    """The times that the last line of the output has as JSON."""
    return json.loads(text.splitlines()[-1])


def table(times):
    """Table of the times of the methods, and of their speed-ups over Isend and Recv as in figures 7 to 10 of
    FVWAM's paper: by the mean over ranks (`mean x`) and by the slowest rank (`max x`)."""
    lines = [f"{'[us]':<22}{'best':>10}{'min':>10}{'mean':>10}{'max':>10}{'mean x':>9}{'max x':>9}"]
    base = times[BASE]
    for name, us in times.items():
        columns = "".join(f"{us[column]:>10.1f}" for column in ("best", "min", "mean", "max"))
        ratios = "".join(f"{base[column] / us[column]:>9.2f}" for column in ("mean", "max"))
        lines.append(f"{name:<22}{columns}{ratios}")
    chosen = [us["description"] for us in times.values() if us["description"].startswith("auto")]
    return "\n".join([*lines, *chosen])


def fastest(times, names):
    """The method with the shortest best exchange, which other load on the machine affects least."""
    return min((name for name in names if name in times), key=lambda name: times[name]["best"])
