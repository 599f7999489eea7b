"""Where the levels of the vertical scheme are."""

from __future__ import annotations

import numpy as np


def level_pressures(a: np.ndarray, b: np.ndarray, surface_pressure: np.ndarray) -> np.ndarray:
    """Pressures [Pa] (level, ...) of levels between interfaces of p = a + b ps (Simmons and Burridge 1981):
    ln p = ln p_below - alpha,  alpha = 1 - p_above / (p_below - p_above) ln(p_below / p_above)

    @param a, b (level + 1) from the top, a [Pa]  @param surface_pressure [Pa] (...)
    """
    ps = np.asarray(surface_pressure, float)
    interfaces = np.multiply.outer(b, ps) + np.reshape(a, (-1, *[1] * ps.ndim))
    above, below = interfaces[:-1], interfaces[1:]
    alpha = 1 - above / (below - above) * np.log(below / above)
    return below * np.exp(-alpha)
