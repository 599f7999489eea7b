"""The validation cases of the atmosphere pass, most of them coarser or shorter, and draw their figures."""

import pytest

from halcyon.validate import atmosphere_shallow_water as cases

SHORT = {
    "operator_identities": {"level": 3},
    "steady_flow": {"levels": (4,)},
    "flow_over_a_mountain": {"level": 3, "days": 5},
    "rossby_haurwitz_wave": {"level": 4, "days": 2},
    "colliding_modons": {"level": 4, "days": 3},
    "thin_layer": {},
}


def failed(outcome):
    assert outcome.checks
    return [check for check in outcome.checks if not check.passed]


def test_every_case_is_known():
    assert {*SHORT, "barotropic_instability"} == cases.CASES.keys()


@pytest.mark.parametrize("name", SHORT)
def test_case(name, tmp_path):
    outcome = cases.CASES[name](**SHORT[name])
    assert not failed(outcome)
    for draw in outcome.figures.values():
        draw(tmp_path / "figure.png")
        assert (tmp_path / "figure.png").stat().st_size > 10_000
