"""What hides is measured by its definitions; how much does is not judged here."""

import json

import pytest

from halcyon.base import ConfigError
from halcyon.bench.overlap import Plan, ceiling, ideal_s, on_ranks, table
from halcyon.bench.sections import Asleep, Fourier
from program import halcyon


def sided(communication_s, compute_s, sides):
    return Asleep(sides=sides).stages(communication_s, compute_s)


def test_what_an_ideal_pipeline_takes():
    assert ideal_s(1, sided(6.0, 9.0, 1)) == 15.0
    assert ideal_s(3, sided(6.0, 9.0, 1)) == 11.0  # one group's communication is seen
    assert ideal_s(3, sided(6.0, 3.0, 1)) == 7.0  # the last group's work is seen
    assert ideal_s(1, sided(6.0, 9.0, 2)) == 15.0
    assert ideal_s(3, sided(6.0, 30.0, 2)) == 32.0  # the first group comes, the last leaves
    assert ideal_s(1, [(0.0, 4.0), (6.0, 5.0)]) == 15.0
    assert ideal_s(3, [(0.0, 6.0), (6.0, 6.0)]) == 12.0  # a group travels while others are at both stages
    assert ideal_s(3, [(3.0, 9.0), (3.0, 9.0)]) == 19.0  # the first group comes


@pytest.mark.parametrize("groups", range(1, 9))
def test_the_ceiling_of_long_computations_on_one_side(groups):
    assert ceiling(groups, sided(2.0, 3.0, 1)) == pytest.approx(1 - 1 / groups)
    assert ceiling(groups, sided(2.0, 2.0 * groups, 2)) == pytest.approx(1 - 1 / groups)
    assert ceiling(groups, sided(2.0, 0.0, 1)) == pytest.approx(0)
    assert ceiling(groups, sided(0.0, 1.0, 1)) == 0


@pytest.mark.parametrize("way", ["analysis", "synthesis"])
def test_the_fourier_section_of_a_model(way):
    plan = Plan((1, 3), ("isend_irecv",), ("none", "poll"), trials=1)
    for sets in (None, (2, 1)):
        found = on_ranks(2, Fourier(21, 32, 6, sets, way), plan)
        for row in found["rows"]:
            assert row["total_s"] > 0 and row["communication_s"] > 0 and row["compute_s"] > 0
            assert row["ceiling"] == pytest.approx(0, abs=1e-9) if row["groups"] == 1 else row["ceiling"] > 0


def test_every_combination_is_measured():
    plan = Plan((1, 2), ("ialltoallv", "isend_irecv"), ("none", "poll", "thread"), "shared", trials=2)
    found = on_ranks(2, Asleep(20_000, compute_s=0.004, sides=2), plan)
    assert found["ranks"] == 2
    assert found["thread_level"] == "MPI_THREAD_MULTIPLE"
    assert found["progress"]["thread"].startswith("thread on core ")
    keys = [(row["method"], row["groups"], row["progress"]) for row in found["rows"]]
    assert keys == [(m, g, p) for m in plan.methods for g in plan.groups for p in plan.progress]
    for row in found["rows"]:
        assert row["compute_s"] >= 0.004 and row["total_s"] >= 0.004
        pipe, block = row["total_s"] - row["compute_s"], row["blocking_s"] - row["compute_s"]
        assert row["hidden"] == pytest.approx(1 - pipe / block)
        assert row["chr"] <= 1
        assert -1e-9 <= row["ceiling"] <= 1
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
        (lambda: Fourier(way="up"), "way is 'up'"),
        (lambda: Fourier(fields=0), "0 fields"),
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
