"""Linear theory of mountain waves on the sphere, compared with analytic limits."""

import numpy as np
import pytest

from halcyon_validation import mountain_theory

# Radius [m] of a reduced sphere, wind [m s-1], buoyancy frequency N [s-1], scale height H [m].
RADIUS, WIND, N, H = 6371.22, 20.0, 0.0179, 8780.0


def orography(longitude, latitude):
    """A hill with a half-width of 2 km."""
    distance = RADIUS * np.arccos(np.clip(np.cos(latitude) * np.cos(longitude), -1, 1))
    return 100 * np.exp(-((distance / 2000) ** 2))


def waves(heights, *, hydrostatic=True):
    """The vertical wind (height, latitude, longitude) of the theory over the hill."""
    return mountain_theory.vertical_wind(
        orography, RADIUS, heights, wind=WIND, buoyancy_frequency=N, scale_height=H, hydrostatic=hydrostatic
    )


def test_modes_of_air_that_hardly_turns_are_spherical_harmonics():
    """With little rotation the eigenvalues of the tidal equation are n (n + 1), those of spherical
    harmonics."""
    _, latitude = mountain_theory.axes()
    rotation, s = 1e-3, 10
    alpha, _ = mountain_theory._tidal_modes(latitude, s, 1e3 * rotation, rotation, RADIUS)
    n = np.arange(s, s + 8)
    assert alpha[:8] * RADIUS**2 * (1e3 * rotation) ** 2 == pytest.approx(n * (n + 1), rel=2e-3)


def test_at_the_ground_air_follows_it():
    """At height 0 the vertical wind is the wind times the slope of the hill, by centred differences."""
    longitude, latitude = mountain_theory.axes()
    step = 1e-4
    east, west = (orography(longitude[None] + side * step, latitude[:, None]) for side in (1, -1))
    slope = WIND / RADIUS * (east - west) / (2 * step)
    assert abs(waves([0.0])[0] - slope).max() < 1e-3 * abs(slope).max()


def test_short_waves_fade_where_air_accelerates_upwards():
    """Non-hydrostatic waves decay with height above this hill, whose U k is close to N; hydrostatic waves do
    not."""
    low, high = waves([0.0, 6000.0], hydrostatic=False)
    assert abs(high).max() < 0.5 * abs(low).max()
    assert abs(waves([6000.0])[0]).max() > abs(high).max()


def test_waves_tilt_upstream():
    """The phase of hydrostatic waves tilts westwards with height, by 180 degrees over half a vertical
    wavelength."""
    longitude, latitude = mountain_theory.axes()
    equator = len(latitude) // 2
    low, higher = waves([0.0, 0.4 / (N / WIND)])
    assert longitude[higher[equator].argmax()] < longitude[low[equator].argmax()]


def test_samples_are_bilinear():
    """A field linear in latitude is interpolated exactly, also at the date line."""
    longitude, latitude = mountain_theory.axes()
    field = np.add.outer(3 * latitude, np.zeros_like(longitude))
    points = np.radians([[10, 12.3], [179.9, -40.1], [-179.9, 0]])
    assert mountain_theory.sampled(field, *points.T) == pytest.approx(3 * points[:, 1])
