"""Winds that are formulas, at cells."""

import numpy as np


class WindAtCells:
    """A wind with `at(time_s, latitudes, longitudes, u, v)` at places [rad] (cell)."""

    def __init__(self, wind, latitudes, longitudes):
        self._wind, self._latitudes, self._longitudes = wind, latitudes, longitudes

    def set_in(self, model, time_s):
        """Sets the wind of a time of the run [s] in a model that has these places as its owned cells, without
        a copy in Python. Returns what `Model.set_wind` returns."""
        return model.set_wind(self._wind, time_s)

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
