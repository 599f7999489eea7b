"""Summary of V x W sets of ranks, checked against its definitions."""

import pytest

from halcyon_bench.overlap_tables import best_of, report, summary, summary_table, table
from tests.bench.overlaps import job


def test_speedup_and_efficiency_are_over_the_first_job_without_overlap():
    lines = summary(
        [job("1x2", 2, blocking_s=8.0, shortest_s=4.0), job("2x4", 8, blocking_s=4.0, shortest_s=2.0)]
    )
    assert [(line["name"], line["method"]) for line in lines] == [
        (name, method) for name in ("1x2", "2x4") for method in ("isend_irecv", "ialltoallv")
    ]
    first, last = lines[0], lines[2]
    assert (first["speedup"], first["efficiency"]) == (1, 1)
    assert (first["pipelined_speedup"], first["pipelined_efficiency"]) == (2, 2)
    assert (last["speedup"], last["pipelined_speedup"]) == (2, 4)
    assert (last["efficiency"], last["pipelined_efficiency"]) == (0.5, 1)


def test_the_best_pipeline_has_groups_where_there_are_any():
    """The best pipeline has two groups or more, if there are such rows."""
    one_job = job("1x2", 2, blocking_s=8.0, shortest_s=4.0)
    best = best_of(one_job["rows"], "isend_irecv")
    assert (best["groups"], best["progress"], best["total_s"]) == (2, "thread auto", 4)
    one_group = {**one_job, "rows": [row for row in one_job["rows"] if row["groups"] == 1]}
    assert best_of(one_group["rows"], "isend_irecv")["groups"] == 1


def test_what_is_reported_of_a_job_and_of_several():
    """The report of one job has all rows and the summary; of several jobs, the summary."""
    one_job = job("1x2", 2, blocking_s=8.0, shortest_s=4.0)
    lines = report([one_job]).splitlines()
    assert len(lines) == 2 + 1 + len(one_job["rows"]) + 1 + 3  # MPI and progress thread, table, summary
    assert report([one_job, one_job]).splitlines() == [
        *lines[:2],
        "",
        *summary_table(summary([one_job] * 2)).splitlines(),
    ]


def test_the_share_of_a_models_step_is_reported_where_it_was_measured():
    assert "step [ms]" not in report([job("1x2", 2, blocking_s=8.0, shortest_s=4.0)])
    one_job = job("1x2", 2, blocking_s=0.008, shortest_s=0.004, with_steps=True)
    lines = report([one_job, one_job]).splitlines()[-5:]
    assert lines[0].split()[-4:] == ["step", "transforms", "calls", "share"]
    assert lines[1].split()[:3] == ["1x2", "alltoallv", "1"]
    assert lines[2].split()[:5] == ["1x2", "isend_irecv", "2", "thread", "auto"]
    assert float(lines[1].split()[-3]) == 8 and float(lines[2].split()[-3]) == 4


def test_what_is_too_little_to_tell_is_a_dash_with_a_footnote():
    one_job = job("1x2", 2, blocking_s=8.0, shortest_s=4.0)
    assert "not measurable" not in report([one_job])
    one_job["rows"] = [{**row, "hidden": None} for row in one_job["rows"]]
    lines = table(one_job).splitlines()
    assert lines[1].split()[-4] == "-"
    assert lines[-1].startswith("-: not measurable: blocking minus compute is below 3 % of blocking")
    assert "not measurable" in summary_table(summary([one_job])).splitlines()[-1]


def test_times_are_in_milliseconds():
    (line, _) = summary([job("1x2", 2, blocking_s=0.008, shortest_s=0.004)])
    words = summary_table([line]).splitlines()[1].split()
    assert words[:5] == ["1x2", "isend_irecv", "2", "thread", "auto"]
    assert [float(word) for word in words[5:9]] == pytest.approx([2, 6, 8, 4])
