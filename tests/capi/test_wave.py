"""C programs with a transform on several ranks, built against an installed Halcyon."""

import math

import pytest

from tests.capi import toolchain

STRICT = ["-Wall", "-Wextra", "-Werror", "-std=c11", "-pedantic"]
# The mean of (3 cos^4(latitude))^2 is 9 * 128/315; X_44 and X_4,-4 of the wave have half of it each
DUE = 9 * 128 / 315 / 4


PLANE_WIND = (
    1e6 * 3 * 2 * math.pi / 3.6e6
)  # k times the amplitude of the stream function; a grid point is at a maximum


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """Compiles a program of this folder."""
    prefix = toolchain.install(tmp_path_factory.mktemp("halcyon"))
    folder = tmp_path_factory.mktemp("programs")

    def compiled(name):
        source = toolchain.ROOT / f"tests/capi/{name}.c"
        return toolchain.compile_with_pkg_config(prefix, "halcyon", "mpicc", source, folder / name, *STRICT)

    return compiled


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name, due", [("wave", DUE), ("plane", PLANE_WIND)])
def test_a_wave_on_all_ranks(program, name, due):
    compiled = program(name)
    for n in (1, 2, 3, 4):
        assert float(toolchain.mpirun(n, compiled).stdout) == pytest.approx(due, abs=1e-11)
