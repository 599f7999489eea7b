"""The outer wind of a cyclone after Emanuel (2004), without deep convection.

Emanuel (2004, in Atmospheric Turbulence and Mesoscale Meteorology, Cambridge University Press, 165-191): air
sinks at the rate W of radiative cooling, and friction takes its angular momentum M = r V + f r^2 / 2,

    dM/dr = 2 Cd (r V)^2 / (W (r0^2 - r^2)),

inwards from the radius r0 without wind. Chavas, Lin and Emanuel (2015, J. Atmos. Sci. 72, 3647-3662) compare
it with scatterometer winds, with W = 2 mm/s and the drag coefficient of Donelan et al. (2004) used here. With
x = r / r0 and U = f r0, V(x, U) is a function of two variables, which is tabulated."""

from __future__ import annotations

from functools import cache

import numpy as np

_COOLING = 2e-3  # W [m s-1]
_SMALLEST_CORIOLIS = 1.3e-5  # [s-1], at 5 degrees
_STEPS = 800  # from r0 to its centre
_LOG_SCALES = np.linspace(np.log(1.0), np.log(1000.0), 70)  # ln U[m s-1]


def _drag(speed: np.ndarray) -> np.ndarray:
    """Returns the drag coefficient of Donelan et al. (2004), as in Chavas et al. (2015)."""
    return np.clip(2.614e-4 + 5.91e-5 * speed, 6.2e-4, 2.35e-3)


@cache
def _table() -> np.ndarray:
    """Returns V [m s-1] (scale, x), x = 0, 1 / _STEPS, ... 1."""
    scale, step = np.exp(_LOG_SCALES), 1.0 / _STEPS
    m, speed = np.ones(len(scale)), np.zeros((len(scale), _STEPS + 1))  # m = M / (f r0^2 / 2)

    def slope(m: np.ndarray, x: float) -> np.ndarray:
        excess = np.maximum(m - x * x, 0)
        wind = scale * excess / (2 * x)
        return _drag(wind) * scale / _COOLING * excess**2 / (1 - x * x)

    for i in range(_STEPS - 1, 0, -1):
        x = i * step
        if i < _STEPS - 1:
            half = m - step / 2 * slope(m, x + step)
            m = m - step * slope(half, x + step / 2)
        speed[:, i] = scale * np.maximum(m - x * x, 0) / (2 * x)
    speed[:, 0] = speed[:, 1]
    return speed


def _speed(r: np.ndarray, r0: np.ndarray, coriolis: float) -> np.ndarray:
    """Returns V [m s-1] at distances r [m] below r0 [m]; 0 beyond."""
    table = _table()
    u = np.clip(np.log(coriolis * r0), _LOG_SCALES[0], _LOG_SCALES[-1])
    u = (u - _LOG_SCALES[0]) / (_LOG_SCALES[1] - _LOG_SCALES[0])
    x = np.minimum(r / r0, 1) * _STEPS
    i, k = np.minimum(u.astype(int), len(table) - 2), np.minimum(x.astype(int), _STEPS - 1)
    a, b = u - i, x - k
    low = (1 - b) * table[i, k] + b * table[i, k + 1]
    high = (1 - b) * table[i + 1, k] + b * table[i + 1, k + 1]
    return (1 - a) * low + a * high


def outer_wind(distance: np.ndarray, radius: np.ndarray, speed: np.ndarray, coriolis: float) -> np.ndarray:
    """Returns the wind [m s-1] (n, node) at 10 m at distances [m] (n, node) beyond a radius [m] (n), where it
    has a speed [m s-1] (n); coriolis: |f| [s-1]."""
    coriolis = max(coriolis, _SMALLEST_CORIOLIS)
    low, high = 1.001 * radius, 50 * radius
    for _ in range(45):
        middle = np.sqrt(low * high)
        is_fast = _speed(radius, middle, coriolis) > speed
        low, high = np.where(is_fast, low, middle), np.where(is_fast, middle, high)
    r0 = np.sqrt(low * high)
    at_radius = np.maximum(_speed(radius, r0, coriolis), 1e-6)
    return (
        _speed(distance, np.broadcast_to(r0[:, None], distance.shape), coriolis)
        * (speed / at_radius)[:, None]
    )
