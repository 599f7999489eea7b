"""The verdicts of docs/exascale.md hold on few ranks; each can fail."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

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


# Findings that something makes no great difference; equal times cannot contradict them.
_NO_DIFFERENCE = {
    "ring-1 and ring-4 are almost the same",
    "dragonfly-SL over fat tree",
    "dragonfly-LS over fat tree",
    "Valiant routing: 10 over 100 GB/s, nearly the same",
    "100 over 1000 GB/s",
    "alpha + beta N: 10 over 1000 GB/s are equal, since NICs limit",
    "100 over 10 ns",
    "routing: UGAL over minimal",
    "allreduces do not",
}


def _passed(monkeypatch, time_of):
    """Names of the checks that pass where simulation i takes time_of(i) and all have the same delays."""
    numbers = itertools.count()

    def simulated(points, warn):
        delays = {"pair_messages": np.ones(4), "pair_delay": np.arange(1.0, 5)}
        data = {name: ("pair", values) for name, values in delays.items()}
        return [xr.Dataset({"time": float(time_of(next(numbers))), **data}) for _ in points]

    monkeypatch.setattr(figures, "simulate_all", simulated)
    cases = [*cases_of("exascale").values(), *cases_of("exascale", long=True).values()]
    return {check.name for case in cases for check in case().checks if check.passed}


def test_every_finding_fails_without_its_effect(in_sources, monkeypatch):
    """With equal times of all networks, algorithms and routings, all findings of differences fail; with very
    different ones, all others."""
    assert _passed(monkeypatch, lambda i: 1) == _NO_DIFFERENCE
    assert not _passed(monkeypatch, lambda i: 5.0**i) & _NO_DIFFERENCE


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
