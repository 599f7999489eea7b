"""Points on the unit sphere: coordinates and an order in which near points are near in memory."""

import numpy as np

HILBERT_LEVELS = 16


def normalized(vectors):
    """Vectors (n, 3) scaled to length 1."""
    return vectors / np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]


def to_points(lon, lat):
    """Points (n, 3) of the unit sphere from longitude and latitude [degrees]."""
    lon, lat = np.radians(lon), np.radians(lat)
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=-1)


def to_lonlat(points):
    """Longitude in [-180, 180] and latitude [degrees] of points (n, 3)."""
    x, y, z = points.T
    return np.degrees(np.arctan2(y, x)), np.degrees(np.arctan2(z, np.hypot(x, y)))


def chord(angle):
    """Length of the chord of an arc [rad] on the unit sphere."""
    return 2 * np.sin(np.minimum(angle, np.pi) / 2)


def arc(chord):
    """Arc [rad] of a chord of the unit sphere."""
    return 2 * np.arcsin(np.minimum(chord / 2, 1))


def fibonacci(n):
    """n points that lie evenly on the sphere, on a golden spiral."""
    i = np.arange(n)
    z = 1 - (2 * i + 1) / n
    around = np.pi * (3 - np.sqrt(5)) * i
    r = np.sqrt(1 - z * z)
    return np.stack([r * np.cos(around), r * np.sin(around), z], axis=-1)


def hilbert_order(points):
    """The order of points (n, 3) along Hilbert curves on the six faces of a cube."""
    axis = np.argmax(np.abs(points), axis=1)
    rows = np.arange(len(points))
    major = points[rows, axis]
    face = 2 * axis + (major < 0)
    side = 1 << HILBERT_LEVELS
    u, v = (
        np.minimum(((points[rows, (axis + k) % 3] / np.abs(major) + 1) / 2 * side).astype(np.int64), side - 1)
        for k in (1, 2)
    )
    return np.argsort(face << 2 * HILBERT_LEVELS | _hilbert_key(u, v), kind="stable")


def _hilbert_key(u, v):
    """Place of the cells (u, v) of a square along its Hilbert curve: at each level, the quadrant's place on
    the curve, then the square is turned so that the quadrant's curve is the standard one."""
    key = np.zeros_like(u)
    for level in reversed(range(HILBERT_LEVELS)):
        right, upper = u >> level & 1, v >> level & 1
        key = key << 2 | 3 * right ^ upper
        u, v = u & (1 << level) - 1, v & (1 << level) - 1
        mirrored = (upper == 0) & (right == 1)
        last = (1 << level) - 1
        u, v = np.where(mirrored, last - u, u), np.where(mirrored, last - v, v)
        u, v = np.where(upper == 0, v, u), np.where(upper == 0, u, v)
    return key
