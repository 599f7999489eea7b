"""The validation case of a moving hurricane, and the published height with which it is compared."""

import numpy as np
import pytest

from halcyon.base import EARTH_RADIUS
from halcyon.wave.wind import vortex_wind
from halcyon_validation.wave_hurricane import (
    HOLLAND,
    START,
    Storm,
    _track,
    extended_height,
    moving_hurricane,
    revised_height,
    young_height,
)


def test_the_height_of_young_is_that_of_the_issue():
    """Young's formula gives 10.8 m for a wind of 40 m/s, a speed of 5 m/s and a radius of 30 km."""
    assert young_height(40.0, 5.0, 30e3) == pytest.approx(10.8, abs=0.05)


def test_revisions_of_the_formula():
    """The fetch of Young and Vinoth (2013) is 1.131 times that of 1988 for 40 m/s moving at 10 m/s; heights
    of Grossmann-Matheson et al. (2025), calculated by hand, have no maximum at 5 m/s."""
    assert (extended_height(40.0, 10.0, 30e3) / young_height(40.0, 10.0, 30e3)) ** 2 == pytest.approx(1.131)
    heights = [revised_height(40.0, forward, 30e3, 300e3) for forward in (0.0, 5.0, 10.0)]
    assert heights == pytest.approx([9.06, 11.50, 13.19], abs=0.01)
    assert revised_height(40.0, 10.0, 30e3, 100e3) == revised_height(40.0, 10.0, 30e3, 200e3)


@pytest.mark.parametrize("forward", [0.0, 5.0, 10.0])
def test_the_largest_wind_is_that_of_the_formula(forward):
    """The motion is part of the largest wind, at any speed, and it is to the right of the centre; gales reach
    125 to 200 km."""
    storm = Storm(40.0, forward)
    wind = vortex_wind(_track(storm), start=START, options=HOLLAND)
    east, north = (each.ravel() for each in np.meshgrid(*[np.arange(-60e3, 60e3, 1e3)] * 2))
    latitude = np.radians(18) + north / EARTH_RADIUS
    longitude = np.radians(150) + east / EARTH_RADIUS / np.cos(np.radians(18))
    u, v = np.empty((2, len(east)))
    wind.at(0.0, latitude, longitude, u, v)
    speed = np.hypot(u, v)
    assert speed.max() == pytest.approx(40.0, abs=0.05)
    assert 20e3 < east[speed.argmax()] < 35e3 or forward == 0
    assert 125e3 < storm.gale_radius < 200e3


def test_the_sea_of_a_moving_hurricane(tmp_path):
    outcome = moving_hurricane()
    assert [check.name for check in outcome.checks if not check.passed] == []
    for draw in outcome.figures.values():
        draw(tmp_path / "figure.png")
        assert (tmp_path / "figure.png").read_bytes()[:4] == b"\x89PNG"
