"""The ring of examples/io in every language, built against an installed Halcyon: the same words and bytes."""

import re
import sys

import pytest

from tests.capi import faces

EXAMPLES = faces.ROOT / "examples/io"
SAYS = "neighbours differ by 3.5 K at most\n"


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    return faces.install(tmp_path_factory.mktemp("halcyon"))


@pytest.fixture(scope="module")
def rings(prefix, tmp_path_factory):
    """The command of each language: C by pkg-config, Fortran by CMake."""
    folder = tmp_path_factory.mktemp("rings")
    strict = ["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    c = faces.compile_with_pkg_config(
        prefix, "halcyon", "mpicc", EXAMPLES / "ring.c", folder / "ring_c", *strict
    )
    faces.run(["cmake", "-S", EXAMPLES, "-B", folder, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}"])
    faces.run(["cmake", "--build", folder, "--target", "ring_fortran"])
    return {
        "C": [c],
        "Fortran": [folder / "ring_fortran"],
        "C++": [faces.RELEASE / "tests/ring"],
        "Python": [sys.executable, EXAMPLES / "ring.py"],
    }


@pytest.mark.timeout(120)
def test_the_ring_is_the_same_in_all_languages_and_on_all_ranks(rings, tmp_path):
    launches = [(language, n) for language in ("C", "Fortran") for n in (1, 2, 3, 4)]
    found = {}
    for language, n in [*launches, ("C++", 1), ("C++", 3), ("Python", 2)]:
        path = tmp_path / f"{language}_{n}.nc"
        assert faces.mpirun(n, *rings[language], path).stdout == SAYS, (language, n)
        found[language, n] = path.read_bytes()
    assert [each for each in found if found[each] != found["C", 1]] == []


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
        assert capsys.readouterr().out == 2 * SAYS


def test_a_missing_folder_ends_all_ranks_with_one_message(rings, tmp_path):
    done = faces.mpirun(3, *rings["C"], tmp_path / "nowhere/ring.nc", check=False)
    assert done.returncode == 3
    said = [line for line in done.stderr.splitlines() if line.startswith("halcyon: ")]
    assert said == [f"halcyon: {tmp_path}/nowhere/ring.nc: cannot create it: {system_text(said[0])}."]


def system_text(line):
    return re.search(r"cannot create it: ([\w ]+)\.$", line)[1]


def test_the_library_shows_its_header_and_nothing_else(prefix):
    table = faces.run(["nm", "-D", "--defined-only", prefix / "lib/libhalcyon.so"]).stdout
    declared = set(re.findall(r"(halcyon_\w+)\(", faces.declarations(prefix / "include")))
    assert {line.split()[-1] for line in table.splitlines()} == declared


def test_files_of_c_are_written_by_romio(prefix):
    """Open MPI's other way is silent on a full disk; the library chooses before MPI starts."""
    script = f"""
import ctypes, os
os.environ.pop("OMPI_MCA_io", None)
ctypes.CDLL({str(prefix / "lib/libhalcyon.so")!r})
getenv = ctypes.CDLL(None).getenv
getenv.restype = ctypes.c_char_p
print(getenv(b"OMPI_MCA_io").decode())
"""
    assert faces.run([sys.executable, "-c", script]).stdout == "romio321\n"
