"""The validation cases of the spectral model pass, with lower truncation or for shorter times, and draw their
figures."""

import pytest

from halcyon_validation import semi_lagrangian
from halcyon_validation import spectral as cases
from halcyon_validation.cases import cases_of
from halcyon_validation.spectral_runs import advance

SHORT = {
    "rossby_haurwitz_wave": {"truncation": 21, "days": 2, "steps": (1800, 900), "max_error": 1e-8},
    "steady_flow": {"truncation": 21, "days": 2},
    "flow_over_a_mountain": {"truncation": 21, "days": 3, "step_s": 900},
    "barotropic_instability": {
        "truncation": 42,
        "days": 1,
        "quiet_days": 1,
        "step_s": 450,
        "max_error": 1e-4,
    },
    "steady_jets": {"truncation": 21, "count": 10, "days": 1, "step_s": 1800, "max_error": 0.4},
    "baroclinic_wave": {"truncation": 21, "count": 8, "days": 2, "step_s": 1800},
    "lagrangian_steady_flow": {"truncation": 21, "days": 2, "steps": (7200,)},
    "lagrangian_shallow_water": {"truncation": 21, "days": 2, "max_errors": (4e-3, 0.01)},
    "lagrangian_baroclinic_wave": {
        "truncation": 21,
        "count": 8,
        "days": 2,
        "steps": (5400,),
        "twin_step_s": 1800,
        "max_energy": 1e-3,
    },
    "lagrangian_moist_wave": {"truncation": 21, "count": 12, "days": 2, "steps": (7200,), "level": 2},
    "lagrangian_rest": {"truncation": 21, "count": 8, "days": 1},
    "deformational_flow": {"sizes": (18, 36), "max_error": 0.6, "least_order": 0.5},
}


def test_every_case_is_known():
    """Every case is run by this file, or takes hours."""
    assert SHORT.keys() == cases_of("spectral").keys()
    assert cases_of("spectral", long=True).keys() == {"held_suarez", "lagrangian_held_suarez"}


@pytest.mark.parametrize("name", SHORT)
def test_case(name, tmp_path):
    outcome = cases_of("spectral")[name](**SHORT[name])
    assert outcome.checks
    assert [check for check in outcome.checks if not check.passed] == []
    for draw in outcome.figures.values():
        draw(tmp_path / "figure.png")
        assert (tmp_path / "figure.png").stat().st_size > 10_000


def test_a_climate_begins():
    """After ten days of a long Held-Suarez case, both hemispheres have jets, and the equator surface
    easterlies."""
    outcome = cases.held_suarez(truncation=21, count=10, spin_up_days=8, mean_days=2, step_s=2400)
    found = {check.name: check.value for check in outcome.checks}
    assert found["maximum of the northern jet"] > 1 and found["maximum of the southern jet"] > 1
    assert found["northern over southern jet"] == pytest.approx(1, abs=0.3)
    assert found["surface easterlies at the equator"] < 0


@pytest.mark.parametrize("case", [cases.held_suarez, semi_lagrangian.lagrangian_held_suarez])
def test_an_interrupted_climate_goes_on(tmp_path, case, monkeypatch):
    """A climate of 11 days from the state of its tenth takes one day more, and is that of a run in one go."""
    sizes = {"truncation": 21, "count": 4, "spin_up_days": 9, "step_s": 3600}
    whole = case(mean_days=2, **sizes)
    case(mean_days=2, folder=tmp_path, **sizes)
    with monkeypatch.context() as patch:
        days = []
        patch.setattr(cases, "advance", lambda *values: days.append(advance(*values)))
        resumed = case(mean_days=2, folder=tmp_path, **sizes)
    assert len(days) == 1
    assert [check.value for check in resumed.checks] == [check.value for check in whole.checks]
