"""Numbers as people read them."""

from __future__ import annotations

import math

_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


def seconds(value: float) -> str:
    """A time in a unit that suits it: 1.53 ms."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g} s"
    unit, name = next(((unit, name) for unit, name in _TIMES if abs(value) >= unit), _TIMES[-1])
    return f"{value / unit:.3g} {name}" if abs(value) < 999.5 * unit else f"{value / unit:.0f} {name}"
