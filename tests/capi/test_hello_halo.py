"""hello_halo in every language, built against an installed Halcyon by CMake and pkg-config: same output."""

import re
import subprocess
import sys
from itertools import product

import pytest

from tests.capi import toolchain

EXAMPLE = toolchain.ROOT / "examples/hello_halo"
OUTPUT = re.compile(
    r"(\d+) cells on (\d) ranks, (\d+) in halos, 0 values wrong, neighbours add up to (\d+)\n"
)
LANGUAGES = ("c", "cpp", "fortran")


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    return toolchain.install(tmp_path_factory.mktemp("halcyon"))


@pytest.fixture(scope="module")
def by_cmake(prefix, tmp_path_factory):
    """The programs that the CMake project of the example builds."""
    folder = tmp_path_factory.mktemp("by_cmake")
    toolchain.run(["cmake", "-S", EXAMPLE, "-B", folder, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}"])
    toolchain.run(["cmake", "--build", folder])
    return {language: [folder / f"hello_halo_{language}"] for language in LANGUAGES} | {
        "python": [sys.executable, EXAMPLE / "hello_halo.py"]
    }


@pytest.fixture(scope="module")
def by_pkg_config(prefix, tmp_path_factory):
    """The programs built with pkg-config and the MPI compiler wrappers, with all warnings."""
    folder = tmp_path_factory.mktemp("by_pkg_config")
    strict = ["-Wall", "-Wextra", "-Werror"]
    compilers = {
        "c": ("halcyon", "mpicc", "c", "-std=c11", "-pedantic"),
        "cpp": ("halcyon-cpp", "mpicxx", "cpp"),
        "fortran": ("halcyon-fortran", "mpif90", "f90", "-std=f2008"),
    }
    return {
        language: [
            toolchain.compile_with_pkg_config(
                prefix,
                package,
                compiler,
                EXAMPLE / f"hello_halo.{suffix}",
                folder / language,
                *strict,
                *flags,
            )
        ]
        for language, (package, compiler, suffix, *flags) in compilers.items()
    }


def test_four_languages_say_the_same_on_all_ranks(by_cmake):
    neighbour_sums = set()
    for n in (1, 2, 3, 4):
        outputs = {language: toolchain.mpirun(n, *command).stdout for language, command in by_cmake.items()}
        assert len(set(outputs.values())) == 1, outputs
        n_cells, n_ranks, n_halo, neighbour_sum = map(int, OUTPUT.fullmatch(outputs["c"]).groups())
        assert (n_cells, n_ranks) == (24 * 12, n)
        assert (n_halo > 0) == (n > 1)
        neighbour_sums.add(neighbour_sum)
    assert neighbour_sums == {sum_of_neighbours()}


def sum_of_neighbours():
    """The sum over all cells of the indices of their neighbours, on a grid of 12 rows of 24 cells."""
    return sum(
        (3 if row in (0, 11) else 4) * (24 * row + column) for row, column in product(range(12), range(24))
    )


def test_programs_by_pkg_config_say_the_same(by_pkg_config, by_cmake):
    expected = toolchain.mpirun(3, *by_cmake["c"]).stdout
    assert OUTPUT.fullmatch(expected)
    for language, command in by_pkg_config.items():
        assert toolchain.mpirun(3, *command).stdout == expected, language


def test_on_a_mesh_file_four_languages_say_the_same(by_cmake, tmp_path):
    from halcyon import mesh

    mesh.write_mpas(str(tmp_path / "mesh.nc"), mesh.uniform(3, tolerance=1e-2))
    outputs = {
        name: toolchain.mpirun(2, *command, tmp_path / "mesh.nc").stdout for name, command in by_cmake.items()
    }
    assert len(set(outputs.values())) == 1, outputs
    assert OUTPUT.fullmatch(outputs["c"])[1] == "642"


def test_a_missing_mesh_ends_all_ranks_with_one_message(by_cmake):
    done = toolchain.mpirun(2, *by_cmake["c"], "nowhere.nc", check=False)
    errors = [line for line in done.stderr.splitlines() if line.startswith("halcyon: ")]
    assert (done.returncode, len(errors)) == (2, 1)
    assert "nowhere.nc" in errors[0]


def test_another_component_is_refused_by_name(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.18)\nproject(model LANGUAGES C)\n"
        "find_package(halcyon 0.1 REQUIRED COMPONENTS julia)\n"
    )
    command = ["cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "halcyon has no component 'julia'. It has cpp; C and Fortran need none." in " ".join(
        done.stderr.split()
    )
