"""Variance and energy flux of spectra."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from halcyon.base import GRAVITY
from halcyon.wave.spectra.file import WATER_DENSITY
from halcyon.wave.spectra.rebinning import TAIL, Tail, direction_edges, frequency_edges


class Moments:
    """Directional moments of spectra with given bins: frequency [Hz] ascending, direction [rad] of
    propagation, clockwise from north; tail_of_last: see `Tail`, which is one more frequency."""

    def __init__(self, frequency: ArrayLike, direction: ArrayLike, *, tail_of_last: bool = False) -> None:
        self._direction, self._tail = np.asarray(direction), Tail(frequency, direction, of_last=tail_of_last)
        self._direction_width = direction_edges(self._direction)[2]
        edges = frequency_edges(np.asarray(frequency))
        self._frequency = np.append(frequency, edges[-1])
        self._width = np.append(np.diff(edges), edges[-1] / (TAIL - 1))
        self._flux_width = np.append(np.diff(edges), edges[-1] / TAIL)  # in the tail cg falls as 1 / f

    def of(self, density: np.ndarray) -> np.ndarray:
        """Returns the integrals over direction [m2 s] (n, 3, frequency + 1) of F, F sin theta and F cos theta
        for densities F [m2 s rad-1] (n, frequency, direction)."""
        density = self._tail.added_to(density)
        sums = np.zeros((len(density), 3, len(self._frequency)))
        for j, (angle, width) in enumerate(zip(self._direction, self._direction_width, strict=True)):
            part = density[:, :, j] * width
            sums[:, 0] += part
            sums[:, 1] += part * math.sin(angle)
            sums[:, 2] += part * math.cos(angle)
        return sums

    def variance(self, moments: np.ndarray) -> np.ndarray:
        """Returns the variances [m2] (n) of moments (n, 3, frequency + 1), with the tail f^-5."""
        return _sum(moments[:, 0] * self._width)

    def flux(self, moments: np.ndarray, depth: ArrayLike) -> np.ndarray:
        """Returns the energy flux [W m-1] (n, 2) towards east and north: rho g int cg F (sin, cos) df dtheta.

        depth [m] (n)."""
        speed = group_speed(self._frequency, np.asarray(depth)[:, None]) * self._flux_width
        scale = WATER_DENSITY * GRAVITY
        return scale * np.stack([_sum(moments[:, i] * speed) for i in (1, 2)], axis=1)


def _sum(values: np.ndarray) -> np.ndarray:
    """Returns the sums over the last axis, with bits that do not depend on the other axes."""
    total = np.zeros(values.shape[:-1])
    for i in range(values.shape[-1]):
        total += values[..., i]
    return total


def group_speed(frequency: np.ndarray, depth: float | np.ndarray) -> np.ndarray:
    """Returns cg = (omega / k) (1 + 2 k h / sinh 2 k h) / 2 [m s-1] of linear waves, omega^2 = g k tanh k h,
    by Newton's method from the approximation of Eckart (1952). frequency [Hz] and depth h [m] are
    broadcast."""
    omega = 2 * np.pi * frequency
    alpha = omega**2 * np.maximum(depth, 1e-3) / GRAVITY
    kh = alpha / np.sqrt(np.tanh(alpha))
    for _ in range(5):
        tanh = np.tanh(kh)
        kh = kh - (kh * tanh - alpha) / (tanh + kh * (1 - tanh**2))
    ratio = 2 * kh / np.sinh(np.minimum(2 * kh, 500))
    return omega * np.maximum(depth, 1e-3) / kh * (1 + ratio) / 2
