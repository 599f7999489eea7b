"""The hybrid coordinate of the atmosphere: where the levels of the air are.

Pressure at the interfaces is p = a + b ps, with the pressure ps at the ground (Simmons and Burridge 1981,
Mon. Weather Rev. 109): surfaces of pressure at the top (b = 0) that become the ground (a = 0, b = 1).
"""

from __future__ import annotations

from typing import Literal

import numpy as np

REFERENCE_PRESSURE = 1e5  # p0 [Pa]
LOWEST, HIGHEST = 3e4, 1.1e5  # pressures at the ground for which a coordinate must hold [Pa]
STEEPEST = 1.5  # power of b
_THINNEST = 0.1  # of a layer at the ground where its pressure is the lowest, over that of p0
_STRETCH = 0.9  # how much thinner than the mean, in ln p, layers are at the ground

Spacing = Literal["stretched", "pressure", "height"]
Kind = Literal["hybrid", "sigma"]


def interfaces(
    count: int = 26, top: float = 219.4, *, spacing: Spacing = "stretched", kind: Kind = "hybrid"
) -> tuple[np.ndarray, np.ndarray]:
    """The coefficients a [Pa] and b of a coordinate, float64 (count + 1) from the top to the ground.

    With eta = p / p0 where ps = p0, and s = (eta - eta_top) / (1 - eta_top): b = s^r, a = (eta - b) p0.
    r = 1 for sigma. For hybrid r is 1.5, or less, so that the layers at the ground keep a tenth of their
    thickness where ps is the lowest for which the coordinate holds (`lowest_surface_pressure`).

    @param count of layers  @param top the pressure there [Pa]
    @param spacing where the eta are: pressure: evenly in p; height: evenly in ln p; stretched: in ln p, the
        thickness of layers rises linearly from a tenth of the mean at the ground to 1.9 of it at the top
    """
    eta = _etas(count, top / REFERENCE_PRESSURE, spacing)
    s = (eta - eta[0]) / (1 - eta[0])
    b = s ** (1.0 if kind == "sigma" else _power(top))
    a = (eta - b) * REFERENCE_PRESSURE
    a[-1] = 0.0
    return a, b


def lowest_surface_pressure(top: float) -> float:
    """The lowest pressure at the ground for which a coordinate must hold [Pa], by that of its top [Pa]."""
    return max(LOWEST, 2 * top)


def _etas(count: int, eta_top: float, spacing: Spacing) -> np.ndarray:
    above = 1 - np.arange(count + 1) / count  # the part of the layers that is below
    if spacing == "pressure":
        eta = 1 - above * (1 - eta_top)
    elif spacing == "height":
        eta = eta_top**above
    else:
        eta = eta_top ** (above * (1 - _STRETCH + _STRETCH * above))
    eta[[0, -1]] = eta_top, 1.0
    return eta


def _power(top: float) -> float:
    """The largest r up to 1.5 for which dp/ds at the ground, (1 - eta_top) p0 + r (ps - p0), is at least a
    tenth of that of ps = p0 where ps is the lowest."""
    eta_top = top / REFERENCE_PRESSURE
    missing = 1 - lowest_surface_pressure(top) / REFERENCE_PRESSURE
    free = (1 - _THINNEST) * (1 - eta_top)
    return STEEPEST if free >= STEEPEST * missing else free / missing
