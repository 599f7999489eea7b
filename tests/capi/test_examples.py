"""examples/io in every language, built against an installed Halcyon: same output and same file bytes."""

import re
import sys

import pytest

from tests.capi import toolchain

EXAMPLES = toolchain.ROOT / "examples/io"
OUTPUT = "neighbours differ by 3.5 K at most\n"


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    return toolchain.install(tmp_path_factory.mktemp("halcyon"))


@pytest.fixture(scope="module")
def ring_commands(prefix, tmp_path_factory):
    """The command of each language: C built by pkg-config, Fortran by CMake."""
    folder = tmp_path_factory.mktemp("rings")
    strict = ["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    c = toolchain.compile_with_pkg_config(
        prefix, "halcyon", "mpicc", EXAMPLES / "ring.c", folder / "ring_c", *strict
    )
    toolchain.run(["cmake", "-S", EXAMPLES, "-B", folder, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}"])
    toolchain.run(["cmake", "--build", folder, "--target", "ring_fortran"])
    return {
        "C": [c],
        "Fortran": [folder / "ring_fortran"],
        "C++": [toolchain.RELEASE / "tests/ring"],
        "Python": [sys.executable, EXAMPLES / "ring.py"],
    }


def test_the_ring_is_the_same_in_all_languages_and_on_all_ranks(ring_commands, tmp_path):
    launches = [(language, n) for language in ("C", "Fortran") for n in (1, 2, 3, 4)]
    files = {}  # bytes of the file that each launch writes
    for language, n in [*launches, ("C++", 1), ("C++", 3), ("Python", 2)]:
        path = tmp_path / f"{language}_{n}.nc"
        assert toolchain.mpirun(n, *ring_commands[language], path).stdout == OUTPUT, (language, n)
        files[language, n] = path.read_bytes()
    assert [launch for launch in files if files[launch] != files["C", 1]] == []


@pytest.mark.mpi
def test_the_ring_of_python_is_the_same_on_all_ranks(comm, tmp_path_factory, capsys):
    from importlib.util import module_from_spec, spec_from_file_location

    from mpi4py import MPI

    spec = spec_from_file_location("ring", EXAMPLES / "ring.py")
    ring = module_from_spec(spec)
    spec.loader.exec_module(ring)
    folder = comm.bcast(tmp_path_factory.mktemp("ring") if comm.rank == 0 else None)
    ring.main(comm, str(folder / "together.nc"))
    if comm.rank == 0:
        ring.main(MPI.COMM_SELF, str(folder / "alone.nc"))
        assert (folder / "together.nc").read_bytes() == (folder / "alone.nc").read_bytes()
        assert capsys.readouterr().out == 2 * OUTPUT


def test_a_missing_folder_ends_all_ranks_with_one_message(ring_commands, tmp_path):
    done = toolchain.mpirun(3, *ring_commands["C"], tmp_path / "nowhere/ring.nc", check=False)
    assert done.returncode == 3
    errors = [line for line in done.stderr.splitlines() if line.startswith("halcyon: ")]
    assert errors == [f"halcyon: {tmp_path}/nowhere/ring.nc: cannot create it: {system_text(errors[0])}."]


def system_text(line):
    """The operating system's part of an error about a file."""
    return re.search(r"cannot create it: ([\w ]+)\.$", line)[1]


def test_the_library_shows_its_header_and_nothing_else(prefix):
    """libhalcyon.so exports exactly the functions that halcyon.h declares."""
    table = toolchain.run(["nm", "-D", "--defined-only", prefix / "lib/libhalcyon.so"]).stdout
    declared = set(re.findall(r"(halcyon_\w+)\(", toolchain.declarations(prefix / "include")))
    assert {line.split()[-1] for line in table.splitlines()} == declared


def test_files_of_c_are_written_by_romio(prefix):
    """Open MPI's OMPIO reports no error on a full disk; the library selects ROMIO before MPI starts."""
    script = f"""
import ctypes, os
os.environ.pop("OMPI_MCA_io", None)
ctypes.CDLL({str(prefix / "lib/libhalcyon.so")!r})
getenv = ctypes.CDLL(None).getenv
getenv.restype = ctypes.c_char_p
print(getenv(b"OMPI_MCA_io").decode())
"""
    assert toolchain.run([sys.executable, "-c", script]).stdout == "romio321\n"
