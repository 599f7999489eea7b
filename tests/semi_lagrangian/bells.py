"""Solid-body rotation, and hills that it advects (Williamson et al. 1992, case 1)."""

import numpy as np

RADIUS_OF_BELL = 1 / 3  # [rad]


def vectors(latitude, longitude):
    """Unit vectors (..., 3) of points [degrees]."""
    lat, lon = np.radians(latitude), np.radians(longitude)
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=-1)


def axis(tilt):
    """Axis of a rotation whose equator is tilted [degrees]: at 90 it crosses the poles."""
    return np.array([-np.sin(np.radians(tilt)), 0, np.cos(np.radians(tilt))])


def rotated(points, tilt, angle):
    """Points (..., 3) turned by an angle [rad] (Rodrigues)."""
    k = axis(tilt)
    along = (points @ k)[..., None] * k
    return along + np.cos(angle) * (points - along) + np.sin(angle) * np.cross(k, points)


def winds(latitude, longitude, tilt, speed):
    """u, v of the rotation, `speed` at its equator (Williamson et al. 1992, eq. 75 and 76)."""
    lat, lon, alpha = np.radians(latitude), np.radians(longitude), np.radians(tilt)
    u = speed * (np.cos(lat) * np.cos(alpha) + np.sin(lat) * np.cos(lon) * np.sin(alpha))
    return u, -speed * np.sin(lon) * np.sin(alpha)


def sources(latitude, longitude, tilt, angle):
    """Latitudes and longitudes [degrees] of points before a rotation by an angle [rad]."""
    x, y, z = np.moveaxis(rotated(vectors(latitude, longitude), tilt, -angle), -1, 0)
    return np.degrees(np.arctan2(z, np.hypot(x, y))), np.degrees(np.arctan2(y, x))


def cosine_bell(points, centre):
    """1 at its centre, 0 from a third of a radian on (eq. 79)."""
    r = np.arccos(np.clip(points @ centre, -1, 1))
    return np.where(r < RADIUS_OF_BELL, (1 + np.cos(np.pi * r / RADIUS_OF_BELL)) / 2, 0.0)


def smooth_hill(points, centre):
    """An infinitely differentiable hill of about the same width."""
    return np.exp(-8 * ((points - centre) ** 2).sum(axis=-1))


def rotate_hill(advection, hill, *, steps, tilt, angle, follow=False, centre=(0.0, -1.0, 0.0)):
    """Returns a hill after some steps of an angle [rad] each, and the exact solution. With `follow`,
    departure points are computed from winds, otherwise they are exact."""
    points, centre = vectors(advection.latitude, advection.longitude), np.array(centre)
    if follow:
        u, v = winds(advection.latitude, advection.longitude, tilt, angle * 6371220.0)
        advection.find_departures(u, v, 1.0)
    else:
        advection.set_departures(*sources(advection.latitude, advection.longitude, tilt, angle))
    field = hill(points, centre)
    for _ in range(steps):
        advection.advance(field)
    return field, hill(points, rotated(centre, tilt, steps * angle))


def l2(found, due, areas):
    """Relative l2 error over the sphere."""
    return np.sqrt(np.sum(areas * (found - due) ** 2) / np.sum(areas * due**2))
