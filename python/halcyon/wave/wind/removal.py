"""Removal of the vortex of a storm from a gridded wind, which leaves the wind of its environment.

As in Kurihara et al. (1993, Mon. Weather Rev. 121, 2030-2045; 1995, Mon. Weather Rev. 123, 2791-2801): the
storm's own centre in the wind is found; the mean profile of the tangential wind gives the radius of the
filter, 1.25 times the radius at which the wind falls below 3 m/s, or below 6 m/s with a slope of less than
4e-6 s-1; within it the wind is replaced by the environment, interpolated from its perimeter. Ours are the
interpolation, by harmonic functions (solutions of Laplace's equation, as a uniform wind, a deformation and a
rotation), which are fitted to the outer fifth of the filter and blended there with the wind; and the removal
of the mean vortex beyond 3 m/s where the grid ends within the vortex."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from halcyon.base import EARTH_RADIUS
from halcyon.mesh.sphere import east_at, to_lonlat, to_points
from halcyon.wave.gridded.grid import dot
from halcyon.wave.wind.blend import smooth_step

_Sample = Callable[[np.ndarray, np.ndarray], np.ndarray]
RETAINED = 3.0  # [m s-1] largest mean tangential and radial wind of the environment
_WEAK, _FLAT = 6.0, 4e-6  # [m s-1], [s-1]
_BLENDED = 0.8  # inner radius of the blending, as a part of the radius of the filter
_STEP, _FARTHEST = 15e3, 1200e3  # [m] between rings of samples, and of the last ring
_CORE = 300e3  # [m] largest radius of maximum wind
_AZIMUTHS = 72
_COVERED = 0.2  # smallest part of a ring within the grid
_WAVENUMBERS = np.arange(-3, 4)
_RIDGE = 1e-3, 0.1  # of the fit, times the squared wavenumber: on full rings, and added for missing parts
_SEARCHES = ((25e3, 300e3, 200e3), (6e3, 36e3, 96e3))  # [m] spacing, reach, and radius of the mean rotation
_REACH = 2.5  # distance at which the removed mean vortex ends, in radii of the filter


@dataclass(frozen=True)
class Vortex:
    """The vortex of a storm in a gridded wind.

    longitude, latitude [degrees]: of its centre; radius [m]: of the filter; rings [m] (ring); mean (ring):
    radial + i tangential wind of the mean vortex that is removed [m s-1]; harmonics (wavenumber): complex
    amplitudes of the environment at the radius of the filter [m s-1]."""

    longitude: float
    latitude: float
    radius: float
    rings: np.ndarray
    mean: np.ndarray
    harmonics: np.ndarray

    def environment(self, points: np.ndarray, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns eastward and northward wind [m s-1] (n) without the vortex. points (n, 3): unit vectors of
        the positions; u, v [m s-1] (n): the wind there. The result at a position depends only on its own
        values."""
        polar = _Polar.of(self.longitude, self.latitude, points)
        r = polar.distance
        wind = polar.radial_and_tangential(u, v)
        beyond = (
            self.mean[-1]
            * np.sqrt(self.radius / np.maximum(r, self.radius))
            * smooth_step((_REACH - r / self.radius) / (_REACH - 1))
        )
        mean = np.interp(r, self.rings, self.mean.real) + 1j * np.interp(r, self.rings, self.mean.imag)
        outside = wind - np.where(r < self.radius, mean, beyond)
        inside = _harmonic_sum(self.harmonics, np.minimum(r / self.radius, 1), polar.angle)
        weight = smooth_step((r / self.radius - _BLENDED) / (1 - _BLENDED))
        result = weight * outside + (1 - weight) * inside
        new = polar.east_and_north(result)
        is_far = r > _REACH * self.radius
        return np.where(is_far, u, new[0]), np.where(is_far, v, new[1])


def find_vortex(sample: _Sample, longitude: float, latitude: float) -> Vortex | None:
    """Returns the `Vortex` of a storm near a position [degrees], None if the wind has no vortex there.

    sample: a function of longitudes and latitudes [degrees] (n) that returns the eastward and northward wind
    [m s-1] (2, n), NaN outside of the grid."""
    hemisphere = 1.0 if latitude >= 0 else -1.0
    for spacing, reach, radius in _SEARCHES:
        longitude, latitude = _centre(sample, longitude, latitude, hemisphere, spacing, reach, radius)
    rings = np.arange(_STEP, _FARTHEST + 1, _STEP)
    angle = np.arange(_AZIMUTHS) * 2 * np.pi / _AZIMUTHS
    r, alpha = (each.ravel() for each in np.meshgrid(rings, angle, indexing="ij"))
    points = _destination(longitude, latitude, r * np.cos(alpha), r * np.sin(alpha))
    polar = _Polar.of(longitude, latitude, points)
    wind = polar.radial_and_tangential(*sample(*to_lonlat(points))).reshape(len(rings), -1)
    is_covered = np.isfinite(wind).mean(axis=1) >= _COVERED
    n = len(rings) if is_covered.all() else int(np.argmin(is_covered))
    if n < 5:
        return None
    rings, wind, angle = rings[:n], wind[:n], polar.angle.reshape(len(is_covered), -1)[:n]
    mean = np.nanmean(wind, axis=1)
    if (hemisphere * mean.imag[rings <= _CORE]).max() < RETAINED:
        return None
    for _ in range(4):  # on rings partly outside the grid, the mean and the environment are not independent
        radius = _filter_radius(rings, hemisphere * mean.imag)
        removed = (
            mean - np.clip(mean.real, -RETAINED, RETAINED) - 1j * np.clip(mean.imag, -RETAINED, RETAINED)
        )
        harmonics = _fit(rings, angle, wind - removed[:, None], radius)
        asymmetric = np.where(_WAVENUMBERS == 1, 0, harmonics)
        x = np.minimum(rings / radius, 1)[:, None]
        mean = np.nanmean(wind - _harmonic_sum(asymmetric, x, angle), axis=1)
    within = rings <= radius
    return Vortex(longitude, latitude, radius, rings[within], removed[within], harmonics)


def _filter_radius(rings: np.ndarray, tangential: np.ndarray) -> float:
    """Returns the radius of the filter [m], one of the rings; tangential [m s-1] (ring): of the mean wind."""
    strongest = int(np.argmax(np.where(rings <= _CORE, tangential, -np.inf)))
    slope = -np.gradient(tangential, rings)
    ends = (tangential < RETAINED) | ((tangential < _WEAK) & (slope < _FLAT))
    ends[: strongest + 1] = False
    end = rings[np.argmax(ends)] if ends.any() else rings[-1]
    return float(rings[min(np.searchsorted(rings, end / _BLENDED), len(rings) - 1)])


def _fit(rings: np.ndarray, angle: np.ndarray, wind: np.ndarray, radius: float) -> np.ndarray:
    """Returns the amplitudes (wavenumber) of the harmonic functions that fit the wind (ring, azimuth), radial
    + i tangential, in the outer part of the filter; the mean rotation and divergence are limited."""
    in_ring = (rings >= _BLENDED * radius) & (rings <= radius)
    outer = in_ring[:, None] & np.isfinite(wind)
    missing = 1 - outer.sum() / (in_ring.sum() * wind.shape[1])
    r, alpha = np.broadcast_arrays(rings[:, None] / radius, angle)
    r, alpha, wind = r[outer], alpha[outer], wind[outer]
    columns = r[:, None] ** abs(_WAVENUMBERS) * np.exp(1j * alpha[:, None] * _WAVENUMBERS)
    plane = wind * np.exp(1j * alpha)
    ridge = (_RIDGE[0] + _RIDGE[1] * missing) * len(r) * _WAVENUMBERS**2.0
    amplitudes = np.linalg.solve(columns.conj().T @ columns + np.diag(ridge), columns.conj().T @ plane)
    return np.where(_WAVENUMBERS == 1, _limited(amplitudes), amplitudes)


def _limited(wind: np.ndarray) -> np.ndarray:
    """Limits the real and the imaginary part to RETAINED."""
    return np.clip(wind.real, -RETAINED, RETAINED) + 1j * np.clip(wind.imag, -RETAINED, RETAINED)


def _harmonic_sum(amplitudes: np.ndarray, x: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Returns the radial + i tangential wind of harmonic functions at distances x (relative to the filter's
    radius) and angles [rad]: sum of c_k x^|k| exp(i k a) in the plane, turned by -a."""
    total: Any = 0
    for k, amplitude in zip(_WAVENUMBERS, amplitudes, strict=True):
        total = total + amplitude * x ** abs(k) * np.exp(1j * (k - 1) * angle)
    return total


def _centre(
    sample: _Sample,
    longitude: float,
    latitude: float,
    hemisphere: float,
    spacing: float,
    reach: float,
    radius: float,
) -> tuple[float, float]:
    """Returns longitude and latitude of the point within `reach` [m] of a position with the strongest mean
    tangential wind within `radius` [m]: of a lattice of samples."""
    n, m = int(reach / spacing), int(radius / spacing)
    axis = np.arange(-(n + m), n + m + 1) * spacing
    x, y = np.meshgrid(axis, axis)
    points = _destination(longitude, latitude, x.ravel(), y.ravel())
    lon, lat = to_lonlat(points)
    u, v = (each.reshape(x.shape) for each in sample(lon, lat))
    size = 2 * n + 1
    total, count = np.zeros((size, size)), np.zeros((size, size))
    offsets = np.arange(-m, m + 1)
    for i in offsets:
        for j in offsets:
            distance = np.hypot(i, j)
            if 0 < distance <= m:
                part = slice(m + i, m + i + size), slice(m + j, m + j + size)
                tangential = (j * v[part] - i * u[part]) / distance
                known = np.isfinite(tangential)
                total += np.where(known, tangential, 0)
                count += known
    inside = slice(m, m + size), slice(m, m + size)
    allowed = (np.hypot(x, y)[inside] <= reach) & np.isfinite(u[inside])
    allowed &= count >= _COVERED * np.pi * m * m
    if not allowed.any():
        return longitude, latitude
    strength = np.where(allowed, hemisphere * total / np.maximum(count, 1), -np.inf)
    best = np.argmax(strength)
    best = np.ravel_multi_index([index + m for index in np.unravel_index(best, (size, size))], x.shape)
    return float(lon[best]), float(lat[best])


def _destination(longitude: float, latitude: float, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Returns unit vectors (n, 3) of the points at distances x to the east and y to the north [m] of a centre
    [degrees], along great circles (azimuthal equidistant)."""
    centre, east, north = _frame(longitude, latitude)
    distance = np.hypot(x, y)
    angle, safe = distance / EARTH_RADIUS, np.where(distance > 0, distance, 1)
    direction = (x / safe)[:, None] * east + (y / safe)[:, None] * north
    return np.cos(angle)[:, None] * centre + np.sin(angle)[:, None] * direction


def _frame(longitude: float, latitude: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns the unit vector of a position [degrees] and those to the east and to the north there."""
    centre, east = to_points(longitude, latitude), east_at(longitude)
    return centre, east, np.cross(centre, east)


@dataclass(frozen=True)
class _Polar:
    """Positions relative to a centre: distance [m] (n); angle [rad] (n), anticlockwise from east at the
    centre; cosine, sine (n): eastward and northward component of the direction away from the centre there."""

    distance: np.ndarray
    angle: np.ndarray
    cosine: np.ndarray
    sine: np.ndarray

    @classmethod
    def of(cls, longitude: float, latitude: float, points: np.ndarray) -> Self:
        centre, east, north = _frame(longitude, latitude)
        x, y, z = (dot(points, axis) for axis in (east, north, centre))
        sine_of_arc = np.sqrt(x * x + y * y)
        horizontal = np.sqrt(points[:, 0] ** 2 + points[:, 1] ** 2)
        local_east = np.stack([-points[:, 1], points[:, 0], np.zeros(len(points))], axis=-1)
        away = z[:, None] * points - centre
        length = np.where(sine_of_arc > 0, sine_of_arc * np.where(horizontal > 0, horizontal, 1), 1)
        cosine = dot(away, local_east) / length
        sine = dot(away, np.cross(points, local_east)) / length
        return cls(EARTH_RADIUS * np.arctan2(sine_of_arc, z), np.arctan2(y, x), cosine, sine)

    def radial_and_tangential(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Returns the radial + i tangential (anticlockwise) wind of eastward and northward components."""
        return (u * self.cosine + v * self.sine) + 1j * (v * self.cosine - u * self.sine)

    def east_and_north(self, wind: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns eastward and northward components of a radial + i tangential wind."""
        return (
            wind.real * self.cosine - wind.imag * self.sine,
            wind.real * self.sine + wind.imag * self.cosine,
        )
