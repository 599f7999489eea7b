"""C programs with transforms on 1 to 4 ranks, built against an installed Halcyon, print closed forms."""

import math

import pytest

from tests.capi import toolchain

STRICT = ["-Wall", "-Wextra", "-Werror", "-std=c11", "-pedantic"]
# |X_44|^2 of 3 cos^4(latitude) cos(4 longitude): the mean of (3 cos^4(latitude))^2 is 9 * 128/315, that of
# cos^2 is 1/2, and X_44 and X_4,-4 have half of the product each.
SPHERE_SQUARE = 9 * 128 / 315 / 4
# Largest wind [m s-1]: k times the amplitude of the stream function, as a grid point is at a maximum.
PLANE_WIND = 1e6 * 3 * 2 * math.pi / 3.6e6


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """A function that compiles a C file of this folder."""
    prefix = toolchain.install(tmp_path_factory.mktemp("halcyon"))
    folder = tmp_path_factory.mktemp("programs")

    def compile_program(name):
        source = toolchain.ROOT / f"tests/capi/{name}.c"
        return toolchain.compile_with_pkg_config(prefix, "halcyon", "mpicc", source, folder / name, *STRICT)

    return compile_program


@pytest.mark.parametrize("name, expected", [("wave", SPHERE_SQUARE), ("plane", PLANE_WIND)])
def test_a_wave_on_all_ranks(program, name, expected):
    executable = program(name)
    for n in (1, 2, 3, 4):
        assert float(toolchain.mpirun(n, executable).stdout) == pytest.approx(expected, abs=1e-11)
