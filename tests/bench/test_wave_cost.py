"""The benchmarks run and return all their results; the times are not checked."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from halcyon.plan.probes.wave_cost import PARTS, WaveSetup, measure_on_ranks, table

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.parametrize(
    ("ranks", "scheme", "depth", "apart"),
    [(1, "upwind", "deep", False), (2, "second_order", "uneven", False), (2, "upwind", "deep", True)],
)
def test_costs_on_ranks(ranks, scheme, depth, apart):
    costs = measure_on_ranks(
        ranks, WaveSetup(scheme=scheme, depth=depth), mesh_level=2, repetitions=1, independent_ranks=apart
    )
    assert set(costs) == {*PARTS, "memory"}
    assert all(cost > 0 for cost in costs.values())
    assert f"{ranks} rank" in table({ranks: costs})


def test_rows_are_written(tmp_path):
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import rows
    finally:
        sys.path.pop(0)
    result_rows = [rows.row("a", 2.0, 6.0, "b", "ns", bar=4), rows.row("c", 2.0, 6.0, "d", "ns", bar=1)]
    rows.report(result_rows, tmp_path / "rows.json")
    written = json.loads((tmp_path / "rows.json").read_text())
    assert [r["ratio"] for r in written] == [3.0, 3.0]
    assert set(written[0]) == {"claim", "ours", "other", "other_name", "unit", "ratio", "bar"}


def test_a_row_below_its_bar_is_marked():
    program = "import rows; rows.report([rows.row('slow', 2.0, 1.0, 'x', 's', bar=1)])"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=BENCHMARKS, capture_output=True, text=True, check=True
    )
    assert "BELOW ITS THRESHOLD" in done.stdout


def test_sources_cost_something():
    from halcyon import wave
    from halcyon_bench.source_cost import DEPTHS, OPERATIONS, peak_rate, source_cost

    costs = source_cost(cells=4, repetitions=1)
    assert set(costs) == {(name, water) for name in wave.physics_sets() for water in DEPTHS}
    assert OPERATIONS.keys() <= set(wave.physics_sets())
    assert all(cost > 0 for cost in costs.values())
    assert peak_rate(size=64, repetitions=1) > 0
