"""Winds that are formulas, at cells."""

import numpy as np


class WindAtCells:
    """A wind with `at(time_s, latitudes, longitudes, u, v)` at places [rad] (cell)."""

    def __init__(self, wind, latitudes, longitudes):
        self._wind, self._latitudes, self._longitudes = wind, latitudes, longitudes

    def at(self, time_s):
        """Eastward and northward wind [m s-1] (cell) at a time of the run [s]."""
        u, v = np.empty(len(self._latitudes)), np.empty(len(self._latitudes))
        self._wind.at(time_s, self._latitudes, self._longitudes, u, v)
        return u, v


class Calm:
    """No wind around a storm."""

    def at(self, time_s):
        """Nothing [m s-1], whatever the time."""
        return 0.0, 0.0
