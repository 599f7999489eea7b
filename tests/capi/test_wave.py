"""C programs with transforms, advection and GCR on 1 to 4 ranks, built against an installed Halcyon."""

import math

import pytest

from tests.capi import toolchain

STRICT = ["-Wall", "-Wextra", "-Werror", "-std=c11", "-pedantic"]
# |X_44|^2 of 3 cos^4(latitude) cos(4 longitude): the mean of (3 cos^4(latitude))^2 is 9 * 128/315, that of
# cos^2 is 1/2, and X_44 and X_4,-4 have half of the product each.
SPHERE_SQUARE = 9 * 128 / 315 / 4
# Largest wind [m s-1]: k times the amplitude of the stream function, as a grid point is at a maximum.
PLANE_WIND = 1e6 * 3 * 2 * math.pi / 3.6e6
# |X_44|^2 of 2 cos^4(latitude) cos(4 longitude): 0.05 * 4 * 5 = 1 subtracts half of the mean 2 of the levels.
COLUMN_SQUARE = 4 * 128 / 315 / 4


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


@pytest.mark.parametrize(
    ("name", "expected", "bound"),
    [("column", COLUMN_SQUARE, 1e-11), ("ring_equation", 96, 1e-7), ("tracer", 0, 1e-4)],
)
def test_a_semi_implicit_step_on_all_ranks(program, name, expected, bound):
    executable = program(name)
    found = {n: float(toolchain.mpirun(n, executable).stdout) for n in (1, 2, 3, 4)}
    assert found[1] == pytest.approx(expected, abs=bound)
    assert len(set(found.values())) == 1 or name == "ring_equation", found  # MPI_Reduce rounds the sum
