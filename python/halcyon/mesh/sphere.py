"""Points on the unit sphere: coordinates, distances and a uniform lattice."""

import numpy as np


def normalized(vectors):
    """Returns vectors (n, 3) scaled to length 1."""
    return vectors / np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]


def to_points(lon, lat):
    """Returns points (n, 3) of the unit sphere from longitude and latitude [degrees]."""
    lon, lat = np.radians(lon), np.radians(lat)
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=-1)


def to_lonlat(points):
    """Returns longitude in [-180, 180] and latitude [degrees] of points (n, 3)."""
    x, y, z = points.T
    return np.degrees(np.arctan2(y, x)), np.degrees(np.arctan2(z, np.hypot(x, y)))


def chord(angle):
    """Returns the length of the chord of an arc [rad] on the unit sphere."""
    return 2 * np.sin(np.minimum(angle, np.pi) / 2)


def arc(chord):
    """Returns the arc [rad] of a chord of the unit sphere."""
    return 2 * np.arcsin(np.minimum(chord / 2, 1))


def schmidt_transform(points, centre, ratio):
    """Returns points (n, 3) moved towards a centre (3): tan(theta' / 2) = tan(theta / 2) / sqrt(ratio) for
    the angle theta from the centre (Schmidt 1977, Beitr. Phys. Atmos. 50, 211-217).

    The map is conformal and maps circles to circles. A short distance at the antipode becomes `ratio`
    times as long as an equal distance at the centre. The inverse map has the ratio 1 / ratio."""
    c = np.sqrt(ratio)
    factor = (ratio - 1) + (c - 1) ** 2 * np.einsum("ij,j->i", points, centre)
    return normalized(2 * c * points + factor[:, None] * centre)


def fibonacci(n):
    """Returns n points, distributed uniformly on the sphere along a golden spiral."""
    i = np.arange(n)
    z = 1 - (2 * i + 1) / n
    longitude = np.pi * (3 - np.sqrt(5)) * i
    r = np.sqrt(1 - z * z)
    return np.stack([r * np.cos(longitude), r * np.sin(longitude), z], axis=-1)
