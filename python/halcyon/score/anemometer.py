"""Winds measured by buoys, brought to the height and averaging time of modelled winds."""

from __future__ import annotations

import numpy as np

NDBC_HEIGHT = 5.0  # [m] anemometers of NDBC's 3-m discus and 6-m NOMAD buoys (NDBC Technical Document 96-01)
_EXPONENT = 0.11  # Hsu et al. 1994


def to_10_m(speed: float | np.ndarray, height: float) -> float | np.ndarray:
    """Returns the wind at 10 m [m s-1] of a wind at a height [m]: U10 = U(z) (10 / z)^0.11 (Hsu, Meindl and
    Gilhousen 1994, J. Appl. Meteor. 33, 757-765, from buoys near neutral stability; 0.11 +- 0.03).

    Means over 8 minutes (NDBC) and 10 minutes (the model) need no factor: both estimate the mean wind without
    bias, other than a maximum of short means (Harper et al. 2010, WMO/TD-No. 1555, section 1.4)."""
    return speed * (10.0 / height) ** _EXPONENT
