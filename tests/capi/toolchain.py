"""Installs Halcyon from build/release, and compiles and launches programs in other languages."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RELEASE = ROOT / "build/release"


def install(prefix):
    """Installs libhalcyon. Skips the test unless the preset `release` is built."""
    if not (RELEASE / "fortran/libhalcyon_fortran.so").exists():
        pytest.skip("build the preset release first: make test does")
    run(["cmake", "--install", RELEASE, "--prefix", prefix])
    return prefix


def compile_with_pkg_config(prefix, package, compiler, source, program, *flags):
    """Compiles one file with the commands of docs/capi.md and docs/fortran.md."""
    environment = os.environ | {"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    package_flags = run(["pkg-config", "--cflags", "--libs", package], env=environment).stdout.split()
    run([compiler, *flags, source, *package_flags, "-lm", "-o", program], cwd=program.parent)
    return program


def declarations(folder):
    """The text of halcyon.h in a folder, with its included headers."""
    return "".join(path.read_text() for path in (folder / "halcyon.h", *sorted(folder.glob("halcyon/*.h"))))


def mpirun(n_ranks, *command, check=True):
    """Runs a program on `n_ranks` ranks, without the test harness' choice of MPI-IO component."""
    environment = {name: value for name, value in os.environ.items() if name != "OMPI_MCA_io"}
    return run(["mpirun", "-n", str(n_ranks), *command], env=environment, check=check)


def run(command, check=True, **options):
    """Runs a command; its failure fails the test unless `check` is False."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, **options)
    assert not check or done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"
    return done
