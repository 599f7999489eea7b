"""A C program that shares a transform among its ranks, against an installed Halcyon."""

import pytest

import faces

STRICT = ["-Wall", "-Wextra", "-Werror", "-std=c11", "-pedantic"]
# The mean of (3 cos^4(latitude))^2 is 9 * 128/315, and a wave has half of it in either of X_44 and X_4,-4
DUE = 9 * 128 / 315 / 4


@pytest.mark.timeout(120)
def test_a_wave_on_all_ranks(tmp_path_factory):
    prefix = faces.install(tmp_path_factory.mktemp("halcyon"))
    source, program = faces.ROOT / "tests/capi/wave.c", tmp_path_factory.mktemp("program") / "wave"
    faces.compile_with_pkg_config(prefix, "halcyon", "mpicc", source, program, *STRICT)
    for n in (1, 2, 3, 4):
        said = faces.mpirun(n, program).stdout
        assert float(said) == pytest.approx(DUE, abs=1e-11)
