"""A heating of the tropics, as a physics scheme: `physics: [heating.py:tropics]`."""

import numpy as np


def tropics(columns, *, rate=2.0, width=15.0):
    """Heats by `rate` [K day-1] at the equator in the middle of the air, less beyond `width` [degree]."""
    meridional = np.exp(-((np.degrees(columns.latitude) / width) ** 2))
    vertical = np.sin(np.pi * columns.pressure / columns.surface_pressure)
    columns.temperature_tendency = rate / 86400 * meridional * vertical
