"""The validation case of a moving hurricane, and the published height with which it is compared."""

import pytest

from halcyon_validation.wave_hurricane import moving_hurricane, young_height


def test_the_height_of_young_is_that_of_the_issue():
    """Young's formula gives 10.8 m for a wind of 40 m/s, a speed of 5 m/s and a radius of 30 km."""
    assert young_height(40.0, 5.0, 30e3) == pytest.approx(10.8, abs=0.05)


def test_the_sea_of_a_moving_hurricane(tmp_path):
    outcome = moving_hurricane()
    assert [check.name for check in outcome.checks if not check.passed] == []
    for draw in outcome.figures.values():
        draw(tmp_path / "figure.png")
        assert (tmp_path / "figure.png").read_bytes()[:4] == b"\x89PNG"
