"""Points on the unit sphere: coordinates, distances and a uniform lattice."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def normalized(vectors: np.ndarray) -> np.ndarray:
    """Returns vectors (n, 3) scaled to length 1."""
    return vectors / np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]


def to_points(lon: ArrayLike, lat: ArrayLike) -> np.ndarray:
    """Returns points (n, 3) of the unit sphere from longitude and latitude [degrees]."""
    lon, lat = np.radians(lon), np.radians(lat)
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=-1)


def east_at(lon: ArrayLike) -> np.ndarray:
    """Returns unit vectors (..., 3) towards east at longitudes (...) [degrees]. Those towards north at a
    point p are the vector products p x east."""
    angle = np.radians(lon)
    return np.stack([-np.sin(angle), np.cos(angle), np.zeros(np.shape(angle))], axis=-1)


def to_lonlat(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns longitude in [-180, 180] and latitude [degrees] of points (n, 3)."""
    x, y, z = points.T
    return np.degrees(np.arctan2(y, x)), np.degrees(np.arctan2(z, np.hypot(x, y)))


def wrapped(lon: Any, middle: Any) -> Any:
    """Returns longitudes [degrees] shifted by whole turns to at least middle - 180 and below middle + 180."""
    shifted = lon - 360 * np.floor((lon - middle) / 360 + 0.5)
    return np.maximum(shifted, middle - 180)  # where rounding is past the limit


def longitude_bounds(lon: ArrayLike) -> np.ndarray:
    """Returns (4) the least, and minus the largest, of longitudes [degrees] as 0..360, then as -180..180. The
    bounds of several parts of a mesh are the elementwise minimum of theirs."""
    ranges = [wrapped(np.asarray(lon), middle) for middle in (180, 0)]
    return np.array([(x.min(initial=np.inf), (-x).min(initial=np.inf)) for x in ranges]).ravel()


def middle_longitude(bounds: np.ndarray, *, is_negative: bool = False) -> float:
    """Returns the middle [degrees] of the longitudes in files of a mesh with the `longitude_bounds`: 180 for
    0..360 or, if `is_negative`, 0 for -180..180. The other of both if only with it the mesh does not jump at
    Greenwich or at the date line."""
    widths = -bounds[[0, 2]] - bounds[[1, 3]]
    other_is_narrower = widths[1 - is_negative] < 0.9 * widths[int(is_negative)]
    return 0.0 if other_is_narrower != is_negative else 180.0


def middle_of(lon: np.ndarray) -> float:
    """Returns the middle [degrees] around which longitudes of a file are as they are, unless they jump."""
    west, east = lon.min(), lon.max()
    if east - west <= 180:
        return float(west + east) / 2
    return middle_longitude(longitude_bounds(lon), is_negative=west < 0)


def position_text(lon: float, lat: float) -> str:
    """A position [degrees] for messages: `98.10 W 25.00 N`."""
    lon = wrapped(lon, 0)
    return f"{abs(lon):.2f} {'W' if lon < 0 else 'E'} {abs(lat):.2f} {'S' if lat < 0 else 'N'}"


def chord(angle: Any) -> Any:
    """Returns the length of the chord of an arc [rad] on the unit sphere."""
    return 2 * np.sin(np.minimum(angle, np.pi) / 2)


def arc(chord: Any) -> Any:
    """Returns the arc [rad] of a chord of the unit sphere."""
    return 2 * np.arcsin(np.minimum(chord / 2, 1))


def schmidt_transform(points: np.ndarray, centre: np.ndarray, ratio: float) -> np.ndarray:
    """Returns points (n, 3) moved towards a centre (3): tan(theta' / 2) = tan(theta / 2) / sqrt(ratio) for
    the angle theta from the centre (Schmidt 1977, Beitr. Phys. Atmos. 50, 211-217).

    The map is conformal and maps circles to circles. A short distance at the antipode becomes `ratio`
    times as long as an equal distance at the centre. The inverse map has the ratio 1 / ratio."""
    c = np.sqrt(ratio)
    factor = (ratio - 1) + (c - 1) ** 2 * np.einsum("ij,j->i", points, centre)
    return normalized(2 * c * points + factor[:, None] * centre)


def fibonacci(n: int) -> np.ndarray:
    """Returns n points, distributed uniformly on the sphere along a golden spiral."""
    i = np.arange(n)
    z = 1 - (2 * i + 1) / n
    longitude = np.pi * (3 - np.sqrt(5)) * i
    r = np.sqrt(1 - z * z)
    return np.stack([r * np.cos(longitude), r * np.sin(longitude), z], axis=-1)
