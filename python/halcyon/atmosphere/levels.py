"""Hybrid vertical levels of the atmosphere.

The interface pressures are p = a + b ps with the surface pressure ps (Simmons and Burridge 1981, Mon. Weather
Rev. 109): at the top b = 0, so that levels are isobaric; at the surface a = 0 and b = 1, so that levels
follow the terrain.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

REFERENCE_PRESSURE = 1e5  # p0 [Pa]
LOWEST_PRESSURE, HIGHEST_PRESSURE = 3e4, 1.1e5  # surface pressures for which levels must be valid [Pa]
MAX_EXPONENT = 1.5  # of s in b = s^r
_MIN_SURFACE_LAYER = 0.1  # thickness of the surface layer at the lowest valid ps, relative to ps = p0
_STRETCH = 0.9  # 1 - (thickness of the surface layer) / (mean thickness of layers), in ln p

Spacing = Literal["stretched", "pressure", "height"]
Kind = Literal["hybrid", "sigma"]


def interfaces(
    count: int = 26, top: float = 219.4, *, spacing: Spacing = "stretched", kind: Kind = "hybrid"
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the coefficients a [Pa] and b of the interfaces, float64 (count + 1) from the top to the
    surface.

    With eta = p / p0 for ps = p0, and s = (eta - eta_top) / (1 - eta_top): b = s^r, a = (eta - b) p0.
    r = 1 for sigma. For hybrid, r is 1.5, or less if with 1.5 the surface layer at the lowest valid ps
    (`lowest_surface_pressure`) were thinner than a tenth of its thickness at ps = p0.

    @param count number of layers  @param top pressure at the top [Pa]
    @param spacing spacing of eta: pressure: uniform in p; height: uniform in ln p; stretched: the thickness
        of layers in ln p increases linearly from 0.1 times its mean at the surface to 1.9 times at the top
    """
    eta = _etas(count, top / REFERENCE_PRESSURE, spacing)
    s = (eta - eta[0]) / (1 - eta[0])
    b = s ** (1.0 if kind == "sigma" else _exponent(top))
    a = (eta - b) * REFERENCE_PRESSURE
    a[-1] = 0.0
    return a, b


def lowest_surface_pressure(top: float) -> float:
    """The lowest surface pressure for which levels must be valid [Pa].

    @param top pressure at the top [Pa]"""
    return max(LOWEST_PRESSURE, 2 * top)


def _etas(count: int, eta_top: float, spacing: Spacing) -> np.ndarray:
    fraction_below = 1 - np.arange(count + 1) / count  # fraction of the layers below an interface
    if spacing == "pressure":
        eta = 1 - fraction_below * (1 - eta_top)
    elif spacing == "height":
        eta = eta_top**fraction_below
    else:
        eta = eta_top ** (fraction_below * (1 - _STRETCH + _STRETCH * fraction_below))
    eta[[0, -1]] = eta_top, 1.0
    return eta


def _exponent(top: float) -> float:
    """The largest r up to 1.5 for which dp/ds at the surface, (1 - eta_top) p0 + r (ps - p0), at the lowest
    valid ps is at least a tenth of dp/ds at ps = p0."""
    eta_top = top / REFERENCE_PRESSURE
    deficit = 1 - lowest_surface_pressure(top) / REFERENCE_PRESSURE
    allowed = (1 - _MIN_SURFACE_LAYER) * (1 - eta_top)
    return MAX_EXPONENT if allowed >= MAX_EXPONENT * deficit else allowed / deficit
