"""Linear waves over a small mountain, on a plane."""

from __future__ import annotations

import numpy as np

POINTS = 256


def vertical_wind(
    ground: np.ndarray,
    side: float,
    height: float,
    *,
    wind: float,
    buoyancy_frequency: float,
    scale_height: float,
    hydrostatic: bool,
) -> np.ndarray:
    """w [m s-1] (y, x) of the steady waves in a uniform flow along x of one temperature.

    w = exp(z/2H) sum i k U h exp(i (k x + l y + m z)),  m^2 = (k^2 + l^2) (N^2 - U^2 k^2)/(U^2 k^2) - 1/4H^2,
    without U^2 k^2 where hydrostatic; m > 0 for k > 0, so that energy goes up, or waves fade where m^2 < 0
    (Smith 1980, Tellus 32; Queney 1948).

    @param ground [m] (y, x) of a periodic square  @param side of it [m]  @param height z [m]
    @param wind U [m s-1]  @param buoyancy_frequency N [s-1]  @param scale_height H [m]
    """
    n = ground.shape[0]
    wavenumbers = 2 * np.pi * np.fft.fftfreq(n, side / n)
    k, across = np.meshgrid(wavenumbers, wavenumbers)
    intrinsic = (wind * k) ** 2
    forced = intrinsic > 0
    intrinsic[~forced] = 1
    bent = 0 if hydrostatic else intrinsic
    squared = (k**2 + across**2) * (buoyancy_frequency**2 - bent) / intrinsic - 1 / (2 * scale_height) ** 2
    root = np.sqrt(squared.astype(complex))
    m = np.where(squared > 0, np.sign(k) * root, 1j * np.abs(root))
    found = np.fft.fft2(ground) * 1j * wind * k * np.exp(1j * m * height) * forced
    return np.fft.ifft2(found).real * np.exp(height / (2 * scale_height))


def sampled(values: np.ndarray, side: float, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """A field (y, x) of a periodic square whose middle is the origin, at points [m]; bilinear."""
    n = values.shape[0]
    columns, rows = x / side * n + n / 2, y / side * n + n / 2
    left, low = np.floor(columns).astype(int), np.floor(rows).astype(int)
    right, up = columns - left, rows - low

    def at(row: np.ndarray, column: np.ndarray) -> np.ndarray:
        return values[row % n, column % n]

    return (1 - up) * ((1 - right) * at(low, left) + right * at(low, left + 1)) + up * (
        (1 - right) * at(low + 1, left) + right * at(low + 1, left + 1)
    )
