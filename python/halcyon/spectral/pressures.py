"""Where the levels of the vertical scheme are."""

from __future__ import annotations

import numpy as np

from halcyon.base import ConfigError, InputError


def level_pressures(a: np.ndarray, b: np.ndarray, surface_pressure: np.ndarray) -> np.ndarray:
    """Pressures [Pa] (level, ...) of levels between interfaces of p = a + b ps (Simmons and Burridge 1981):
    ln p = ln p_below - alpha,  alpha = 1 - p_above / (p_below - p_above) ln(p_below / p_above)

    @param a, b (level + 1) from the top, a [Pa]  @param surface_pressure [Pa] (...)

    Raises ConfigError for other numbers of a and b, and InputError where pressures do not grow from more than
    0 Pa on, as where one at the ground is not finite.
    """
    a, b, ps = (np.asarray(each, float) for each in (a, b, surface_pressure))
    if a.ndim != 1 or a.shape != b.shape or len(a) < 2:
        raise ConfigError(f"a is {a.shape} and b {b.shape}. Give one of each for 2 interfaces or more.")
    interfaces = np.multiply.outer(b, ps) + np.reshape(a, (-1, *[1] * ps.ndim))
    above, below = interfaces[:-1], interfaces[1:]
    _require_growing(above, below, ps)
    alpha = 1 - above / (below - above) * np.log(below / above)
    return below * np.exp(-alpha)


def _require_growing(above: np.ndarray, below: np.ndarray, ps: np.ndarray) -> None:
    bad = np.argwhere(~((above > 0) & (below > above) & np.isfinite(below)))
    if len(bad):
        level, *place = map(int, bad[0])
        found = [each[(level, *place)] for each in (above, below)]
        where = f" (place {tuple(place)})" if place else ""
        raise InputError(
            f"Level {level} lies between {found[0]:g} and {found[1]:g} Pa where the pressure at the ground is"
            f" {ps[tuple(place)]:g} Pa{where}. Give a, b and pressures by which they grow from more than 0"
            " Pa."
        )
