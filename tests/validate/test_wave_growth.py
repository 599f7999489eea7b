"""The cases of `halcyon_validation.wave_growth` pass, and draw their figures."""

import pytest

from halcyon_validation import wave_growth


def failed_checks(outcome):
    """The checks that failed; a case without checks fails the test."""
    assert outcome.checks
    return [check for check in outcome.checks if not check.passed]


@pytest.mark.parametrize(
    "name", ["fully_developed", "depth_limited_growth", "breaking_on_a_beach", "time_step"]
)
def test_case(name):
    assert not failed_checks(wave_growth.CASES[name]())


def test_growth_along_a_fetch():
    assert not failed_checks(wave_growth.fetch_limited_growth(speeds=(20.0,)))


def test_growth_over_time_and_its_figure(tmp_path):
    outcome = wave_growth.duration_limited_growth()
    assert not failed_checks(outcome)
    for draw in outcome.figures.values():
        draw(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 10_000


def test_transfer_and_its_figure(tmp_path):
    outcome = wave_growth.nonlinear_transfer()
    assert not failed_checks(outcome)
    for draw in outcome.figures.values():
        draw(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5_000
