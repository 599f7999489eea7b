"""Removal of the vortex of a storm from a gridded wind."""

import numpy as np
import pytest

from halcyon._core import wave as core
from halcyon.base import EARTH_RADIUS
from halcyon.mesh.sphere import to_points
from halcyon.wave.gridded import WIND, catalogue
from halcyon.wave.gridded.catalogue import vector_at
from halcyon.wave.track import read_track
from halcyon.wave.wind.removal import RETAINED, find_vortex

LONGITUDE = -179.8  # of the centre in the wind [degrees]


def environment(lon, lat, latitude):
    """A smooth wind [m s-1] with shear and a wave, without a storm."""
    x = (lon - LONGITUDE + 180) % 360 - 180
    u = 5 + 0.3 * (lat - latitude) + 0.1 * x + np.sin(np.radians(8 * lat))
    return np.array([u, -3 + 0.2 * x + np.cos(np.radians(6 * x))])


def wind(lon, lat, latitude):
    """The environment and a weak vortex of 22 m/s around LONGITUDE."""
    vortex = core.Vortex(
        latitude=np.radians(latitude),
        longitude=np.radians(LONGITUDE),
        radius=60e3,
        shape=1.2,
        peak=25,
        eastward=0,
        northward=0,
    )
    surface = core.SurfaceWind(factor=0.9, inflow=core.Inflow(angle=0.3), asymmetry=False)
    u, v = np.empty(lon.size), np.empty(lon.size)
    storm = core.VortexWind([0.0, 1.0], [vortex, vortex], surface)
    storm.at(0.0, np.radians(lat), np.radians(lon), u, v)
    return environment(lon, lat, latitude) + np.array([u, v])


def lattice(latitude):
    lon, lat = np.meshgrid(np.arange(-12, 12.1, 0.2), np.arange(latitude - 12, latitude + 12.1, 0.2))
    return (LONGITUDE + lon.ravel() + 180) % 360 - 180, lat.ravel()


@pytest.mark.parametrize("latitude", [25.0, -15.0, 60.0])
def test_the_environment_of_a_displaced_vortex_is_found(latitude):
    """The vortex is found although the track is 130 km away, across the date line; without it the wind is
    within 2.5 m/s of the environment, where the vortex was up to 22 m/s. There is no seam: differences of
    adjacent points are at most those in the environment plus 0.5 m/s in 20 km."""
    found = find_vortex(lambda lon, lat: wind(lon, lat, latitude), LONGITUDE + 1.0, latitude - 0.8)
    assert (found.longitude - LONGITUDE) % 360 < 0.05 or (LONGITUDE - found.longitude) % 360 < 0.05
    assert found.latitude == pytest.approx(latitude, abs=0.05)
    lon, lat = lattice(latitude)
    points, before, expected = to_points(lon, lat), wind(lon, lat, latitude), environment(lon, lat, latitude)
    after = np.array(found.environment(points, *before))
    assert np.hypot(*(before - expected)).max() > 20
    assert np.hypot(*(after - expected)).max() < 2.5 < RETAINED
    errors = (after - expected).reshape(2, 121, 121)
    assert max(np.abs(np.diff(errors, axis=axis)).max() for axis in (1, 2)) < 0.5
    chosen = np.arange(0, len(lon), 7)  # the result at a position depends on nothing else
    alone = found.environment(points[chosen], *before[:, chosen])
    assert np.array(alone).tobytes() == after[:, chosen].tobytes()


def test_a_wind_without_a_vortex_is_kept():
    """Neither an environment nor an anticyclone is taken for a storm."""
    assert find_vortex(lambda lon, lat: environment(lon, lat, 25.0), LONGITUDE, 25.0) is None
    reverse = find_vortex(lambda lon, lat: 10 - wind(lon, lat, 25.0), LONGITUDE, 25.0)
    assert reverse is None or reverse.mean.imag.min() >= 0


def test_katrina_in_a_file_of_wrf(shared):
    """The file has only the southwestern quarter of hurricane Katrina, on a nest that moves with it. Its
    winds of 41 to 45 m/s are removed: the mean tangential wind is below 5 m/s at all distances, no wind is
    above 8 m/s."""
    folder = shared / "data"
    if not (folder / "fixtures" / "wrf").is_dir():
        pytest.skip(f"{folder}/fixtures/wrf is absent")
    catalogues = catalogue([str(folder / "fixtures" / "wrf" / "xwrf_mercator_sample.nc")], WIND)
    track = read_track(folder / "storms" / "katrina2005" / "hurdat2.txt")
    for k, record in enumerate(catalogues[0].records):
        latitude, longitude = (float(each) for each in track.positions(record.time))

        def sample(lon, lat, k=k):
            return vector_at(catalogues, k, lon, lat)

        found = find_vortex(sample, longitude, latitude)
        assert abs(found.latitude - latitude) < 0.3 and abs(found.longitude - longitude) < 0.3
        lon, lat = np.ravel(record.grid.longitude), np.ravel(record.grid.latitude)
        points, before = to_points(lon, lat), sample(lon, lat)
        after = np.array(found.environment(points, *before))
        assert np.hypot(*before).max() > 41 and np.hypot(*after).max() < 8
        centre = to_points(found.longitude, found.latitude)
        r = EARTH_RADIUS * np.arccos(np.clip(points @ centre, -1, 1))
        away = points - centre
        to_left = np.cross(points, away)  # anticlockwise around the centre
        east = np.stack([-np.sin(np.radians(lon)), np.cos(np.radians(lon)), 0 * lon], axis=-1)
        vectors = after[0, :, None] * east + after[1, :, None] * np.cross(points, east)
        tangential = (vectors * to_left).sum(axis=1) / np.linalg.norm(to_left, axis=1)
        rings = [tangential[(r >= inner) & (r < inner + 50e3)] for inner in np.arange(0, 600e3, 50e3)]
        assert all(abs(ring.mean()) < 5 for ring in rings if len(ring) > 4)
