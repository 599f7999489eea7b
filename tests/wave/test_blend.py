"""Blending of a storm's wind with a background wind."""

import numpy as np
import pytest

from halcyon._core import wave as core
from halcyon.base import EARTH_RADIUS
from halcyon.mesh.sphere import to_points
from halcyon.wave.wind import constant_wind
from halcyon.wave.wind.blend import FADE_S, BlendedWind, Calm, StormAtCells, WindAtCells, storm_weight
from halcyon.wave.wind.quadrature import CellPoints

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


def storm_at(longitude, positions, *, times_s=(0.0, 3600.0), speed=0.0):
    """A storm of 45 m/s at LATITUDE that moves eastwards at `speed` [m s-1], at positions [rad]; longitude
    [degrees] at time 0."""
    surface = core.SurfaceWind(factor=0.9, inflow=core.Inflow(), asymmetry=False)
    records = [
        core.Vortex(
            latitude=np.radians(LATITUDE),
            longitude=np.radians(longitude) + speed * time_s / EARTH_RADIUS / np.cos(np.radians(LATITUDE)),
            radius=40e3,
            shape=1.5,
            peak=50.0,
            eastward=0,
            northward=0,
        )
        for time_s in (times_s[0] - FADE_S, times_s[1] + FADE_S)
    ]
    vortex = core.VortexWind([times_s[0] - FADE_S, times_s[1] + FADE_S], records, surface)
    return StormAtCells(vortex, CellPoints.centres(*positions), times_s=times_s)


@pytest.fixture
def winds():
    """A stationary storm at cells east of it; positions of the cells as (latitude, longitude) [rad] and as
    points."""
    lon = np.degrees(DISTANCES / (EARTH_RADIUS * np.cos(np.radians(LATITUDE))))
    positions = np.full(len(lon), np.radians(LATITUDE)), np.radians(lon)
    return storm_at(0.0, positions), positions, to_points(lon, np.full(len(lon), LATITUDE))


def test_the_storm_inside_and_the_background_outside(winds):
    """Cells have the storm's wind within the inner radius, the background beyond the outer, and a
    weighted mean between the radii."""
    storm, positions, points = winds
    background = WindAtCells(constant_wind(speed=7.0, direction=270.0), CellPoints.centres(*positions))
    blended = BlendedWind([storm], background, points, inner=400e3, outer=800e3)
    (u, v), (storm_u, storm_v) = blended.at(1800.0), storm.at(1800.0)
    assert u[:3].tolist() == storm_u[:3].tolist() and v[:3].tolist() == storm_v[:3].tolist()
    assert u[5:] == pytest.approx(7.0) and v[5:] == pytest.approx(0.0, abs=1e-12)
    middle = storm_weight(np.array([600e3]), 400e3, 800e3)[0]
    assert u[3] == pytest.approx(middle * storm_u[3] + (1 - middle) * 7.0, abs=0.05)
    assert abs(v[4] - 0.0) < 0.01 * storm_v[1]


def test_a_storm_may_end_in_a_calm(winds):
    """Without a background the wind outside the storm is zero."""
    storm, _, points = winds
    blended = BlendedWind([storm], Calm(len(DISTANCES)), points, inner=400e3, outer=800e3)
    u, v = blended.at(0.0)
    assert u[5:].tolist() == v[5:].tolist() == [0.0, 0.0]
    assert v[1] == storm.at(0.0)[1][1] > 15


def test_a_storm_appears_and_vanishes_smoothly(winds):
    """During the track the storm has its full wind; within six hours before and after it the wind becomes
    that of the background, without a jump in time."""
    storm, positions, points = winds
    background = WindAtCells(constant_wind(speed=7.0, direction=270.0), CellPoints.centres(*positions))
    blended = BlendedWind([storm], background, points, inner=400e3, outer=800e3)
    for time_s in (-FADE_S - 1, FADE_S + 3601.0):
        assert blended.at(time_s)[0] == pytest.approx(7.0)
    assert blended.at(3600.0)[1][1] == storm.at(3600.0)[1][1]
    northward = [blended.at(3600.0 + i * 60)[1][1] for i in range(int(FADE_S / 60) + 2)]
    assert northward[0] > 15 and northward[-1] == pytest.approx(0, abs=1e-9)
    assert np.diff(northward).max() <= 0 and np.diff(northward).min() > -1.6 * northward[0] / (FADE_S / 60)


def test_two_storms_have_no_seam():
    """Near its centre each storm has its own wind within 0.5 %; between them the wind is smooth: no step is
    5 % larger than those of the storms alone, and their mean applies half way."""
    lon = np.linspace(-2, 12, 2801)
    positions = np.full(len(lon), np.radians(LATITUDE)), np.radians(lon)
    points = to_points(lon, np.full(len(lon), LATITUDE))
    storms = [storm_at(longitude, positions) for longitude in (0.0, 10.0)]
    for outer in (None, 800e3):
        u, v = BlendedWind(storms, Calm(len(lon)), points, inner=400e3, outer=outer).at(0.0)
        alone = [storm.at(0.0)[1] for storm in storms]
        for wind, centre in zip(alone, (0.0, 10.0), strict=True):
            near = np.abs(lon - centre) < 0.5
            assert v[near] == pytest.approx(wind[near], abs=0.005 * np.abs(wind).max())
        middle = np.searchsorted(lon, 5.0)
        assert v[middle] == pytest.approx((alone[0][middle] + alone[1][middle]) / 2, abs=0.02)
        between = (lon > 0.6) & (lon < 9.4)
        largest_step = max(np.abs(np.diff(wind[between])).max() for wind in alone)
        assert np.abs(np.diff(v[between])).max() < 1.05 * largest_step
        assert np.isfinite(u).all()


def test_storms_that_begin_and_end_at_different_times():
    """A second storm appears while the first vanishes; the wind at all cells is smooth in time."""
    lon = np.linspace(-2, 12, 57)
    positions = np.full(len(lon), np.radians(LATITUDE)), np.radians(lon)
    points = to_points(lon, np.full(len(lon), LATITUDE))
    storms = [
        storm_at(0.0, positions, times_s=(0.0, 7200.0)),
        storm_at(10.0, positions, times_s=(3600.0, 36e3), speed=5.0),
    ]
    blended = BlendedWind(storms, Calm(len(lon)), points, inner=400e3, outer=None)
    times_s = np.arange(-21600.0, 36000, 300)
    series = np.array([np.hypot(*blended.at(time_s)) for time_s in times_s])
    moving = np.array([np.hypot(*storms[1].at(time_s)) for time_s in times_s if time_s > 3600 - FADE_S])
    largest_step = np.abs(np.diff(moving, axis=0)).max()
    assert np.isfinite(series).all() and np.abs(np.diff(series, axis=0)).max() < 1.1 * largest_step
    assert series[0].max() < 1e-3 and series[-1, lon == 10.0] > 5
