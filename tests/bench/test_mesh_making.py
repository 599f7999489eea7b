"""Mesh generation is measured; the times are not checked."""

import subprocess
import sys

import pytest

from halcyon.base import RunError
from halcyon_bench.mesh_making import STAGES, in_new_process, on_levels, peak_memory_bytes, table
from halcyon_bench.pictures.growth import growth_plot


def test_levels_are_made_and_drawn(tmp_path):
    costs = on_levels([2, 3], tolerance=1e-3)
    assert [cost["n_cells"] for cost in costs.values()] == [162, 642]
    for cost in costs.values():
        assert cost["to_file"] == pytest.approx(sum(cost[stage] for stage in STAGES if stage != "read"))
        assert 10e6 < cost["most_bytes"] < 1e9
    assert "G3" in table(costs) and "642" in table(costs)
    growth_plot(tmp_path / "growth.png", costs)
    assert (tmp_path / "growth.png").read_bytes()[:4] == b"\x89PNG"


def test_bisection():
    assert in_new_process(3, tolerance=1e-3, by_bisection=True)["n_cells"] == 642


def test_a_level_that_cannot_be_made():
    with pytest.raises(RunError, match="G11 could not be made"):
        in_new_process(11, tolerance=1e-3)


def test_memory_is_this_programs_own():
    """The peak memory is that of the process, not of the parent that started it."""
    program = (
        "from halcyon_bench.mesh_making import peak_memory_bytes as peak;"
        " before = peak(); block = b'x' * 200_000_000; print(peak() - before)"
    )
    job = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert 190e6 < int(job.stdout) < 250e6
    block = b"x" * 200_000_000
    assert in_new_process(1, tolerance=1e-2)["most_bytes"] < peak_memory_bytes() - len(block) / 2
