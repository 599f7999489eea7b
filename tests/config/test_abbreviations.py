"""Hints "Did you mean ...?" for misspellings, and for abbreviations that wave and atmosphere modellers
use."""

import pytest

from halcyon.base import ConfigError
from halcyon.choices import choices
from halcyon.config import load_case
from halcyon.config.abbreviations import ABBREVIATIONS, did_you_mean
from halcyon.config.load import MODELS
from halcyon.config.machine import Machine
from halcyon.config.points import load_simulation
from halcyon.config.reference import plain_name, reference
from halcyon.config.simulation import Simulation

SIMULATION = "workload: {type: gcr}\nranks: 8\n"


def known_names():
    """All options, enumerated values and variables that a user can give."""
    from halcyon.atmosphere import equation_sets
    from halcyon.spectral import EQUATIONS, variables_of

    entries = [
        item
        for model in (*(kind for kind, _ in MODELS.values()), Simulation, Machine)
        for item in reference(model)
    ]
    names = {plain_name(entry.name) for entry in entries}
    for entry in entries:
        names |= set(entry.allowed.split("'")[1::2])
    for registry in ("wave variables", "topologies", "exchange methods", "physics sets", "starts"):
        names |= {item.name for item in choices(registry)}
    rows = [row for item in equation_sets() for row in item.variables]
    rows += [row for item in EQUATIONS for row in variables_of(item)]
    return names | {row.name for row in rows} | {"action"}


def test_abbreviations_mean_names_that_exist():
    """Every abbreviation is in lower case and stands for existing options, values or variables, not for
    itself."""
    known = known_names()
    for word, meanings in ABBREVIATIONS.items():
        assert word == word.lower() and set(meanings) <= known, word
        assert word not in meanings, word


def test_an_abbreviation_comes_before_a_similar_name():
    """An exact abbreviation, of any case, wins over the similarity of names; the path of an option does not
    count."""
    heights = ["significant_height", "steepness", "mean_period", "peak_period"]
    assert did_you_mean("hs", heights) == "significant_height"
    assert did_you_mean("Tp", heights) == "peak_period"
    assert did_you_mean("SWH", heights) == "significant_height"
    assert did_you_mean("config_dt", ["time.step", "time.start"]) == "time.step"
    assert did_you_mean("significant_hight", heights) == "significant_height"
    assert did_you_mean("rain", heights) is None


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("  step: auto", "  dt: 600", "unknown option 'time.dt'. Did you mean 'time.step'?"),
        ("model: wave", "model: wave\ndt: 600", "unknown option 'dt'. Did you mean 'time.step'?"),
        ("frequencies: 35", "nfreq: 35", "Did you mean 'mesh.spectrum.frequencies'?"),
        ("frequencies: 35", "ntheta: 36", "Did you mean 'mesh.spectrum.directions'?"),
        ("output:", "equations: {depmin: 1}\noutput:", "Did you mean 'equations.least_depth'?"),
        ("output:", "physics: {set: ST4}\noutput:", "or 'fvwam'. Did you mean 'ard'?"),
        ("output:", "physics: {set: ST3}\noutput:", "Did you mean 'wam4'?"),
        ("output:", "physics: {set: WAM3}\noutput:", "Did you mean 'wam3'?"),
        ("output:", "physics: wamm3\noutput:", "or with a preset. Did you mean 'set: wam3'?"),
        ("output:", "physics: ST4\noutput:", "Did you mean 'set: ard'?"),
        ("output:", "initial: calmm\noutput:", "Did you mean 'type: calm'?"),
        ("output:", "exchange: {method: isend}\noutput:", "Did you mean 'isend_irecv'?"),
        ("interval: 3600", "variables: [hs]", "unknown variable 'hs'. Did you mean 'significant_height'?"),
        ("interval: 3600", "variables: [tp]", "Did you mean 'peak_period'?"),
        ("interval: 3600", "variables: [dir]", "Did you mean 'mean_direction'?"),
    ],
    ids=lambda value: value if len(value) < 20 else "",
)
def test_a_case_of_waves(write, old, new, expected):
    """A mistake in a wave case is followed by the expected hint."""
    with pytest.raises(ConfigError) as caught:
        load_case(write(old, new))
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("workload: {type: gcrr}\nranks: 8\n", "Did you mean 'type: gcr'?"),
        ("workload: gcr\nranks: 8\n", "Did you mean 'type: gcr'?"),
        (SIMULATION + "topology: {type: clos}\n", "Did you mean 'type: fat_tree'?"),
        (SIMULATION + "routing: minimall\n", "or 'adaptive'. Did you mean 'minimal'?"),
        ("workload: {type: gcr}\nnp: 8\n", "unknown option 'np'. Did you mean 'ranks'?"),
    ],
    ids=["type", "word", "abbreviated type", "value", "option"],
)
def test_a_simulation(tmp_path, text, expected):
    """A mistake in a case of `halcyon simulate` is followed by the expected hint."""
    (tmp_path / "case.yaml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_simulation(tmp_path / "case.yaml")
    assert expected in str(caught.value)


def test_a_value_unlike_all_others_has_no_hint(write):
    with pytest.raises(ConfigError) as caught:
        load_case(write("output:", "physics: {set: TOLMAN}\noutput:"))
    assert "Did you mean" not in str(caught.value)
