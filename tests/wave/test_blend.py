"""Blending of a storm's wind with a background wind."""

import numpy as np
import pytest

from halcyon._core import wave as core
from halcyon.base import EARTH_RADIUS
from halcyon.mesh.sphere import to_points
from halcyon.wave.wind import constant_wind
from halcyon.wave.wind.blend import BlendedWind, Calm, WindAtCells, storm_weight

LATITUDE = 20.0  # of the storm and of all cells [degrees]
DISTANCES = np.array([0.0, 100e3, 399e3, 600e3, 799e3, 801e3, 3e6])  # of the cells from the storm [m]


def test_the_weight_is_smooth_and_monotone():
    """The storm's weight falls from 1 at 400 km to 0 at 800 km with a continuous slope."""
    r = np.linspace(0, 1000e3, 10001)
    weight = storm_weight(r, 400e3, 800e3)
    assert (weight[r <= 400e3] == 1).all() and (weight[r >= 800e3] == 0).all()
    assert weight[np.searchsorted(r, 600e3)] == pytest.approx(0.5)
    slope = np.diff(weight) / np.diff(r)
    assert slope.max() <= 0 and slope.min() == pytest.approx(-1.5 / 400e3, rel=1e-3)
    assert np.abs(np.diff(slope)).max() < 1e-3 / 400e3 * 3  # no kink


@pytest.fixture
def winds():
    """A stationary vortex and its wind at cells east of it; positions of the cells as (latitude, longitude)
    [rad] and as points."""
    record = core.Vortex(
        latitude=np.radians(LATITUDE),
        longitude=0.0,
        radius=40e3,
        shape=1.5,
        peak=50.0,
        eastward=0,
        northward=0,
    )
    surface = core.SurfaceWind(factor=0.9, inflow=0.0, inflow_profile=False, asymmetry=False)
    vortex = core.VortexWind([0.0, 3600.0], [record, record], surface)
    lon = np.degrees(DISTANCES / (EARTH_RADIUS * np.cos(np.radians(LATITUDE))))
    positions = np.full(len(lon), np.radians(LATITUDE)), np.radians(lon)
    return vortex, WindAtCells(vortex, *positions), positions, to_points(lon, np.full(len(lon), LATITUDE))


def test_the_storm_inside_and_the_background_outside(winds):
    """Cells have the storm's wind within the inner radius, the background beyond the outer, and a
    weighted mean between the radii."""
    vortex, storm_wind, positions, points = winds
    background = WindAtCells(constant_wind(speed=7.0, direction=270.0), *positions)
    blended = BlendedWind(
        vortex, storm_wind, background, points, inner=400e3, outer=800e3, times_s=(0.0, 3600.0)
    )
    (u, v), (storm_u, storm_v) = blended.at(1800.0), storm_wind.at(1800.0)
    assert u[:3].tolist() == storm_u[:3].tolist() and v[:3].tolist() == storm_v[:3].tolist()
    assert u[5:] == pytest.approx(7.0) and v[5:] == pytest.approx(0.0, abs=1e-12)
    middle = storm_weight(np.array([600e3]), 400e3, 800e3)[0]
    assert u[3] == pytest.approx(middle * storm_u[3] + (1 - middle) * 7.0, abs=0.05)
    assert abs(v[4] - 0.0) < 0.01 * storm_v[1]


def test_a_storm_may_end_in_a_calm(winds):
    """Without a background the wind outside the storm is zero."""
    vortex, storm_wind, _, points = winds
    blended = BlendedWind(vortex, storm_wind, Calm(), points, inner=400e3, outer=800e3, times_s=(0.0, 3600.0))
    u, v = blended.at(0.0)
    assert u[5:].tolist() == v[5:].tolist() == [0.0, 0.0]
    assert v[1] == storm_wind.at(0.0)[1][1] > 15


def test_before_and_after_the_storm_the_background_is_alone(winds):
    """Outside the times of the storm all cells have the background wind."""
    vortex, storm_wind, positions, points = winds
    background = WindAtCells(constant_wind(speed=7.0, direction=270.0), *positions)
    blended = BlendedWind(
        vortex, storm_wind, background, points, inner=400e3, outer=800e3, times_s=(0.0, 3600.0)
    )
    for time_s in (-600.0, 3601.0):
        assert blended.at(time_s)[0] == pytest.approx(7.0)
    assert blended.at(3600.0)[1][1] == storm_wind.at(3600.0)[1][1]
