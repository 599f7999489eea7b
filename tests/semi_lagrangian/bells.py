"""Solid-body rotation, and hills that it advects (Williamson et al. 1992, case 1)."""

import numpy as np

BELL_RADIUS = 1 / 3  # of the cosine bell [rad]


def vectors(latitude, longitude):
    """Unit vectors (..., 3) of points [degrees]."""
    lat, lon = np.radians(latitude), np.radians(longitude)
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=-1)


def axis(tilt):
    """The unit vector of the axis of a rotation whose equator is tilted [degrees]; with a tilt of 90 the
    equator crosses the poles."""
    return np.array([-np.sin(np.radians(tilt)), 0, np.cos(np.radians(tilt))])


def rotated(points, tilt, angle):
    """Points (..., 3) after a rotation by an angle [rad] (Rodrigues' formula, k: axis)."""
    k = axis(tilt)
    parallel = (points @ k)[..., None] * k
    return parallel + np.cos(angle) * (points - parallel) + np.sin(angle) * np.cross(k, points)


def winds(latitude, longitude, tilt, speed):
    """Winds u and v of solid-body rotation with a speed at the equator of the rotation (Williamson et al.
    1992, eq. 75 and 76); positions and tilt [degrees]."""
    lat, lon, alpha = np.radians(latitude), np.radians(longitude), np.radians(tilt)
    u = speed * (np.cos(lat) * np.cos(alpha) + np.sin(lat) * np.cos(lon) * np.sin(alpha))
    return u, -speed * np.sin(lon) * np.sin(alpha)


def departure_points(latitude, longitude, tilt, angle):
    """Latitudes and longitudes [degrees] from which a rotation by an angle [rad] carries air to the
    points."""
    x, y, z = np.moveaxis(rotated(vectors(latitude, longitude), tilt, -angle), -1, 0)
    return np.degrees(np.arctan2(z, np.hypot(x, y))), np.degrees(np.arctan2(y, x))


def cosine_bell(points, centre):
    """A bell with 1 at its centre and 0 beyond a third of a radian (Williamson et al. 1992, eq. 79)."""
    r = np.arccos(np.clip(points @ centre, -1, 1))
    return np.where(r < BELL_RADIUS, (1 + np.cos(np.pi * r / BELL_RADIUS)) / 2, 0.0)


def smooth_hill(points, centre):
    """An infinitely differentiable hill of about the same width."""
    return np.exp(-8 * ((points - centre) ** 2).sum(axis=-1))


def rotate_hill(advection, hill, *, steps, tilt, angle, from_winds=False, centre=(0.0, -1.0, 0.0)):
    """A hill (`cosine_bell` or `smooth_hill`) after some steps of an angle [rad] each, and the exact
    solution. from_winds: whether departure points are computed from winds; otherwise they are exact."""
    points, centre = vectors(advection.latitude, advection.longitude), np.array(centre)
    if from_winds:
        u, v = winds(advection.latitude, advection.longitude, tilt, angle * 6371220.0)
        advection.find_departures(u, v, 1.0)
    else:
        advection.set_departures(*departure_points(advection.latitude, advection.longitude, tilt, angle))
    field = hill(points, centre)
    for _ in range(steps):
        advection.advance(field)
    return field, hill(points, rotated(centre, tilt, steps * angle))


def l2(field, exact, areas):
    """Relative l2 error over the sphere."""
    return np.sqrt(np.sum(areas * (field - exact) ** 2) / np.sum(areas * exact**2))
