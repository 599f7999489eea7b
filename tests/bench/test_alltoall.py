"""All-to-alls are measured and checked against MPI_Alltoallv; the times are not checked."""

import json

import pytest

from halcyon.base import ConfigError
from halcyon_bench.alltoall import PEER, Case, algorithms, on_ranks, table
from tests.support.command import halcyon


def test_every_algorithm_is_measured():
    cases = [Case(3, 8), Case(3, 70000)]
    found = on_ranks(cases, algorithms(3), repetitions=3)
    assert [set(us) for us in found] == 2 * [{PEER, "burst", "bruck", "ring-1"}]
    assert all(0 < statistics["best"] <= statistics["max"] for us in found for statistics in us.values())
    lines = table(cases, found).splitlines()
    assert [line.split()[0] for line in lines] == ["best", "8", "70000"]
    assert lines[0].split()[2:] == list(found[0])


def test_the_algorithms_of_a_number_of_ranks():
    assert algorithms(2) == ["burst", "bruck", "ring-1"]
    assert algorithms(8) == ["burst", "bruck", "ring-1", "ring-2", "ring-4"]
    assert algorithms(9) == ["burst", "bruck", "ring-1", "ring-2", "ring-4"]


def test_from_the_command_line():
    words = ("bench", "alltoall", "-n", "2", "--bytes", "8,24", "--algorithm", "bruck", "--repetitions", "2")
    done = halcyon(*words, "--method", "alltoallv", "--json")
    assert done.returncode == 0, done.stderr
    assert [set(us) for us in json.loads(done.stdout)] == 2 * [{PEER, "bruck"}]
    done = halcyon("bench", "alltoall", "--bytes", "8,x")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--bytes 8,x" in done.stderr


@pytest.mark.parametrize(
    ("ranks", "block_bytes", "text"),
    [(1, 8, "Give 2 or more"), (4, 0, "Give 1 to 536870911"), (4, 2**29, "Give 1 to 536870911")],
)
def test_cases_that_cannot_be(ranks, block_bytes, text):
    with pytest.raises(ConfigError, match=text):
        Case(ranks, block_bytes)


def test_an_algorithm_that_is_none():
    with pytest.raises(ConfigError, match="There is no all-to-all 'brook'"):
        on_ranks([Case(2, 8)], ["brook"], repetitions=1)
