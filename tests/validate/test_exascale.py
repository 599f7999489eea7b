"""The verdicts of docs/exascale.md hold on few ranks; each can fail."""

import re
from pathlib import Path

import pytest

from halcyon.base import InputError
from halcyon_validation.cases import cases_of
from halcyon_validation.exascale import figures, transpositions

ROOT = Path(__file__).parents[2]


@pytest.fixture
def in_sources(monkeypatch):
    monkeypatch.setattr(figures, "FOLDER", ROOT / "examples/exascale")


@pytest.mark.parametrize("name", cases_of("exascale"))
def test_verdicts(name, in_sources):
    outcome = cases_of("exascale")[name]()
    assert outcome.checks and [check for check in outcome.checks if not check.passed] == []


def test_equal_times_pass_no_finding_of_a_difference(in_sources, monkeypatch):
    """With equal times of all networks, algorithms and routings, most verdicts fail."""
    found = figures.results

    def equal(*args, **options):
        results = found(*args, **options)
        for data in results.values():
            data["time"].values[()] = 1.0
        return results

    monkeypatch.setattr(figures, "results", equal)
    checks = [
        check
        for case in (transpositions.algorithms, transpositions.topologies, transpositions.routings)
        for check in case().checks
    ]
    assert sum(not check.passed for check in checks) >= len(checks) // 3


def test_long_cases_are_those_of_the_docs():
    """Each case also runs as a long one, on the ranks of docs/exascale.md."""
    short, long = cases_of("exascale"), cases_of("exascale", long=True)
    assert {name.removesuffix("_whole") for name in long} - {"million"} == set(short) - {"back_pressure"}
    text = (ROOT / "docs/exascale.md").read_text()
    assert re.search("halcyon validate exascale --long", text)


def test_cases_need_the_sources(monkeypatch, tmp_path):
    monkeypatch.setattr(figures, "FOLDER", tmp_path)
    with pytest.raises(InputError, match=r"figure_5a\.yaml does not exist\. Validate in the folder"):
        transpositions.algorithms()
