"""C programs that share a transform among their ranks, against an installed Halcyon."""

import math

import pytest

from tests.capi import faces

STRICT = ["-Wall", "-Wextra", "-Werror", "-std=c11", "-pedantic"]
# The mean of (3 cos^4(latitude))^2 is 9 * 128/315, and a wave has half of it in either of X_44 and X_4,-4
DUE = 9 * 128 / 315 / 4


PLANE_WIND = 1e6 * 3 * 2 * math.pi / 3.6e6  # k times the largest stream function: some point has the crest


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """Compiles a program of this folder."""
    prefix = faces.install(tmp_path_factory.mktemp("halcyon"))
    folder = tmp_path_factory.mktemp("programs")

    def compiled(name):
        source = faces.ROOT / f"tests/capi/{name}.c"
        return faces.compile_with_pkg_config(prefix, "halcyon", "mpicc", source, folder / name, *STRICT)

    return compiled


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name, due", [("wave", DUE), ("plane", PLANE_WIND)])
def test_a_wave_on_all_ranks(program, name, due):
    compiled = program(name)
    for n in (1, 2, 3, 4):
        assert float(faces.mpirun(n, compiled).stdout) == pytest.approx(due, abs=1e-11)
