"""The benchmark of exchange methods runs and draws; the times are not checked."""

import pytest
from mpi4py import MPI

from halcyon_bench.pictures.scaling import scaling_plot
from halcyon_bench.wave_scaling import PARTS, VARIANTS, on_ranks, table, wave_scaling


@pytest.fixture(scope="module")
def found():
    """The times of a job on two ranks."""
    return {"2 ranks": on_ranks(2, level=2, repetitions=1)}


def test_times_of_parts(found):
    assert found["2 ranks"].keys() == set(VARIANTS)
    for parts in found["2 ranks"].values():
        assert parts.keys() == set(PARTS)
        assert all(seconds > 0 for seconds in parts.values())
    assert "2 ranks, shared" in table(found)


def test_some_methods_alone():
    assert wave_scaling(MPI.COMM_SELF, level=1, repetitions=1, variants=["shared"]).keys() == {"shared"}


def test_the_figure(found, tmp_path):
    scaling_plot(tmp_path / "scaling.png", found, title="a test")
    assert (tmp_path / "scaling.png").read_bytes()[:4] == b"\x89PNG"
