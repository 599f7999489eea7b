"""What hides is measured by its definitions; how much does is not judged here."""

import json
import subprocess
import sys

import pytest

from halcyon.base import ConfigError
from halcyon.bench.overlap import Plan, ceiling, ideal_s, on_ranks, table
from halcyon.bench.sections import Asleep


def halcyon(*words):
    """The command in a process of its own."""
    command = [sys.executable, "-m", "halcyon", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=50)


def test_what_an_ideal_pipeline_takes():
    assert ideal_s(1, 6.0, 9.0, 1) == 15.0
    assert ideal_s(3, 6.0, 9.0, 1) == 11.0  # one group's communication is seen
    assert ideal_s(3, 6.0, 3.0, 1) == 7.0  # the last group's work is seen
    assert ideal_s(1, 6.0, 9.0, 2) == 15.0
    assert ideal_s(3, 6.0, 30.0, 2) == 32.0  # the first group comes, the last leaves


@pytest.mark.parametrize("groups", range(1, 9))
def test_the_ceiling_of_long_computations_on_one_side(groups):
    assert ceiling(groups, 2.0, 3.0, 1) == pytest.approx(1 - 1 / groups)
    assert ceiling(groups, 2.0, 2.0 * groups, 2) == pytest.approx(1 - 1 / groups)
    assert ceiling(groups, 2.0, 0.0, 1) == pytest.approx(0)
    assert ceiling(groups, 0.0, 1.0, 1) == 0


def test_every_combination_is_measured():
    plan = Plan((1, 2), ("ialltoallv", "isend_irecv"), ("none", "poll", "thread"), "shared", trials=2)
    found = on_ranks(2, Asleep(20_000, compute_s=0.004, sides=2), plan)
    assert found["ranks"] == 2
    assert found["thread_level"] == "MPI_THREAD_MULTIPLE"
    assert found["progress"]["thread"].startswith("thread on core ")
    keys = [(row["method"], row["groups"], row["progress"]) for row in found["rows"]]
    assert keys == [(m, g, p) for m in plan.methods for g in plan.groups for p in plan.progress]
    for row in found["rows"]:
        assert row["total_s"] >= row["compute_s"] * 0.5 >= 0.002
        pipe, block = row["total_s"] - row["compute_s"], row["blocking_s"] - row["compute_s"]
        assert row["hidden"] == pytest.approx(1 - pipe / block)
        assert row["chr"] <= 1
        assert 0 <= row["ceiling"] <= 1
    lines = table(found).splitlines()
    assert len(lines) == 3 + len(keys)
    assert "MPI_THREAD_MULTIPLE" in lines[0]


def test_from_the_command_line():
    words = (
        "bench",
        "overlap",
        "-n",
        "2",
        "--bytes",
        "1000",
        "--groups",
        "2",
        "--trials",
        "1",
        "--ratio",
        "0.5",
    )
    done = halcyon(*words, "--method", "persistent", "--progress", "poll", "--json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["rows"]
    assert (row["method"], row["progress"], row["groups"]) == ("persistent", "poll", 2)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Asleep(0), "A rank has 0 bytes"),
        (lambda: Asleep(8, compute_s=-1), "computes for -1 s"),
        (lambda: Asleep(sides=3), "3 sides of a pipeline"),
        (lambda: Plan(groups=(0, 1)), "groups 0, 1"),
        (lambda: Plan(trials=0), "0 trials"),
    ],
)
def test_what_cannot_be(make, text):
    with pytest.raises(ConfigError, match=text):
        make()


@pytest.mark.mpi
def test_groups_that_are_too_many_for_the_bytes(comm):
    with pytest.raises(ConfigError, match="too few for 9 groups"):
        Asleep(8 * comm.size).pipeline(comm, 9, "isend_irecv", None)
