"""The validation cases of wave propagation pass."""

import pytest

from halcyon_validation.wave_propagation import CASES


@pytest.mark.parametrize("name", CASES)
def test_case(name):
    outcome = CASES[name]()
    assert outcome.checks
    assert [check for check in outcome.checks if not check.passed] == []
