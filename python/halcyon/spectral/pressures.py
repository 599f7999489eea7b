"""Level pressures of the vertical scheme."""

from __future__ import annotations

import numpy as np

from halcyon.base import ConfigError, InputError


def level_pressures(a: np.ndarray, b: np.ndarray, surface_pressure: np.ndarray) -> np.ndarray:
    """Pressures [Pa] (level, ...) of the levels between interfaces p = a + b ps (Simmons and Burridge 1981):
    ln p = ln p_below - alpha,  alpha = 1 - p_above / (p_below - p_above) ln(p_below / p_above)

    @param a, b (level + 1) from the top, a [Pa]  @param surface_pressure [Pa] (...)

    Raises ConfigError for inconsistent sizes of a and b, and InputError if interface pressures are not
    positive, finite and increasing downwards."""
    a, b, ps = (np.asarray(each, float) for each in (a, b, surface_pressure))
    if a.ndim != 1 or a.shape != b.shape or len(a) < 2:
        raise ConfigError(f"a is {a.shape} and b {b.shape}. Give one of each for 2 interfaces or more.")
    interfaces = np.multiply.outer(b, ps) + np.reshape(a, (-1, *[1] * ps.ndim))
    above, below = interfaces[:-1], interfaces[1:]
    _require_increasing(above, below, ps)
    alpha = 1 - above / (below - above) * np.log(below / above)
    return below * np.exp(-alpha)


def _require_increasing(above: np.ndarray, below: np.ndarray, ps: np.ndarray) -> None:
    bad = np.argwhere(~((above > 0) & (below > above) & np.isfinite(below)))
    if len(bad):
        level, *index = map(int, bad[0])
        pressures = [each[(level, *index)] for each in (above, below)]
        where = f" (index {tuple(index)})" if index else ""
        raise InputError(
            f"Level {level} lies between {pressures[0]:g} and {pressures[1]:g} Pa where the pressure at the"
            f" ground is {ps[tuple(index)]:g} Pa{where}. Give a, b and surface pressures for which interface"
            " pressures are positive and increase downwards."
        )
