"""Linear theory of mountain waves on a sphere."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

_LATITUDES, _LONGITUDES, _WAVENUMBERS = 180, 256, 60


def vertical_wind(
    orography: Callable[[np.ndarray, np.ndarray], np.ndarray],
    radius: float,
    heights: Sequence[float],
    *,
    wind: float,
    buoyancy_frequency: float,
    scale_height: float,
    hydrostatic: bool,
) -> np.ndarray:
    """w [m s-1] (height, latitude, longitude) of steady waves in an isothermal atmosphere in solid-body
    rotation around a non-rotating planet.

    In the frame of the air, which rotates at Omega = U/a, the orography moves: zonal wavenumber s has the
    frequency sigma = s U/a at all latitudes. The horizontal modes are those of Laplace's tidal equation for
    an equivalent depth h, 1/(g h) = alpha; each mode propagates vertically by itself: w = exp(z/2H) sum i
    sigma h exp(i (s lambda + m z)),  m^2 = alpha (N^2 - sigma^2) - 1/4H^2, without sigma^2 if hydrostatic; m
    > 0 (upward energy flux), or evanescent for m^2 < 0. On a plane alpha is (k^2 + l^2)/sigma^2, the theory
    of Queney (1948) and Smith (1980, Tellus 32); for tidal modes see Longuet-Higgins (1968, Phil. Trans. R.
    Soc. A 262).

    @param orography height [m], function of longitude and latitude [rad]; the wind is eastward
    @param radius a [m]  @param heights z [m]  @param wind U on the equator [m s-1]
    @param buoyancy_frequency N [s-1]  @param scale_height H [m]
    """
    longitude, latitude = axes()
    cosine, rotation = np.cos(latitude), wind / radius
    spectrum = np.fft.fft(orography(longitude[None, :], latitude[:, None]), axis=1)
    z = np.asarray(heights, float)[:, None]
    waves = np.zeros((len(z), _LATITUDES, _LONGITUDES), complex)
    for s in range(1, _WAVENUMBERS):
        sigma = s * rotation
        alpha, modes = _tidal_modes(latitude, s, sigma, rotation, radius)
        nonhydrostatic = 0 if hydrostatic else sigma**2
        squared = alpha * (buoyancy_frequency**2 - nonhydrostatic) - 1 / (2 * scale_height) ** 2
        m = np.where(squared > 0, 1, 1j) * np.sqrt(np.abs(squared))
        forcing = modes.T @ (np.sqrt(cosine) * spectrum[:, s] * 1j * sigma)
        waves[:, :, s] = (forcing * np.exp(1j * m * z)) @ modes.T / np.sqrt(cosine)
    return 2 * np.fft.ifft(waves, axis=2).real * np.exp(z / (2 * scale_height))[:, :, None]


def axes() -> tuple[np.ndarray, np.ndarray]:
    """Longitudes (from -pi) and latitudes [rad] of the result of `vertical_wind`."""
    longitude = (np.arange(_LONGITUDES) / _LONGITUDES - 0.5) * 2 * np.pi
    return longitude, ((np.arange(_LATITUDES) + 0.5) / _LATITUDES - 0.5) * np.pi


def _tidal_modes(
    latitude: np.ndarray, s: int, sigma: float, rotation: float, radius: float
) -> tuple[np.ndarray, np.ndarray]:
    """alpha [s2 m-2] (mode) and the orthonormal modes (latitude, mode) of sqrt(cos(phi)) P, of

      sigma u - f V = -s P/(a cos(phi)),  -sigma V + f u = -dP/(a dphi),  f = 2 Omega sin(phi),
      s u/(a cos(phi)) + d(V cos(phi))/(a cos(phi) dphi) = -sigma alpha P

    with the northward wind i V between the latitudes of P and u, as on a C-grid."""
    n, step = len(latitude), np.pi / len(latitude)
    cosine, edge = np.cos(latitude), latitude[:-1] + step / 2
    f, edge_cosine = 2 * rotation * np.sin(edge), np.cos(edge)
    ends = np.eye(n - 1, n), np.eye(n - 1, n, 1)  # south and north of an edge
    mean = sum(ends) / 2
    gradient = (ends[1] - ends[0]) / (radius * step)
    eastward = np.diag(s / (radius * cosine))
    winds = np.block(
        [
            [sigma * np.eye(n), -(mean * (f * edge_cosine)[:, None]).T / cosine[:, None]],
            [f[:, None] * mean, -sigma * np.eye(n - 1)],
        ]
    )
    forces = -np.vstack([eastward, gradient])
    divergence = np.hstack([eastward, -(gradient * edge_cosine[:, None]).T / cosine[:, None]])
    operator = -divergence @ np.linalg.solve(winds, forces) / sigma
    weight = np.sqrt(cosine)
    symmetric = operator * weight[:, None] / weight
    return np.linalg.eigh((symmetric + symmetric.T) / 2)


def sampled(values: np.ndarray, longitude: np.ndarray, latitude: np.ndarray) -> np.ndarray:
    """Interpolates a field (latitude, longitude) on `axes` bilinearly to points [rad]."""
    n_latitudes, n = values.shape
    columns = (longitude / (2 * np.pi) + 0.5) * n
    rows = np.clip((latitude / np.pi + 0.5) * n_latitudes - 0.5, 0, n_latitudes - 1.001)
    left, low = np.floor(columns).astype(int), np.floor(rows).astype(int)
    right, up = columns - left, rows - low

    def value_at(row: np.ndarray, column: np.ndarray) -> np.ndarray:
        return values[row, column % n]

    return (1 - up) * ((1 - right) * value_at(low, left) + right * value_at(low, left + 1)) + up * (
        (1 - right) * value_at(low + 1, left) + right * value_at(low + 1, left + 1)
    )
