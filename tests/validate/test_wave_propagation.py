"""The validation cases of wave propagation pass, two of them on the coarser of their meshes only."""

import pytest

from halcyon_validation.wave_propagation import CASES

SHORT = {"refraction": {"levels": (4,)}, "swell": {"levels": (4,)}}


@pytest.mark.parametrize("name", CASES)
def test_case(name):
    outcome = CASES[name](**SHORT.get(name, {}))
    assert outcome.checks
    assert [check for check in outcome.checks if not check.passed] == []
