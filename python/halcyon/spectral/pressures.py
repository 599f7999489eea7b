"""Level pressures of the vertical scheme of the primitive equations."""

from __future__ import annotations

import numpy as np

from halcyon.base import ConfigError, InputError


def level_pressures(a: np.ndarray, b: np.ndarray, surface_pressure: np.ndarray) -> np.ndarray:
    """Pressures [Pa] (level, ...) of the levels between interfaces p = a + b ps (Simmons and Burridge 1981):
    ln p = ln p_below - alpha,  alpha = 1 - p_above / (p_below - p_above) ln(p_below / p_above)

    @param a, b (level + 1) from the top, a [Pa]  @param surface_pressure [Pa] (...)

    Raises ConfigError for inconsistent sizes of a and b, and InputError if interface pressures are not
    positive, finite and increasing downwards."""
    a, b, ps = (np.asarray(values, float) for values in (a, b, surface_pressure))
    if a.ndim != 1 or a.shape != b.shape or len(a) < 2:
        raise ConfigError(f"a is {a.shape} and b {b.shape}. Give one a and one b per interface, 2 or more.")
    interfaces = np.multiply.outer(b, ps) + np.reshape(a, (-1, *[1] * ps.ndim))
    above, below = interfaces[:-1], interfaces[1:]
    _require_increasing(above, below, ps)
    alpha = 1 - above / (below - above) * np.log(below / above)
    return below * np.exp(-alpha)


def _require_increasing(above: np.ndarray, below: np.ndarray, ps: np.ndarray) -> None:
    invalid = np.argwhere(~((above > 0) & (below > above) & np.isfinite(below)))
    if len(invalid):
        level, *index = map(int, invalid[0])
        pressures = [values[(level, *index)] for values in (above, below)]
        location = f" (index {tuple(index)})" if index else ""
        raise InputError(
            f"Level {level} is between {pressures[0]:g} and {pressures[1]:g} Pa where the surface pressure"
            f" is {ps[tuple(index)]:g} Pa{location}. Give a, b and surface pressures for which interface"
            " pressures are positive and increase downwards."
        )
