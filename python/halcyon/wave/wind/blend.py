"""Blending of a storm's wind with a background wind."""

import numpy as np

from halcyon.base import EARTH_RADIUS


def storm_weight(distance, inner, outer):
    """Returns the weight of the storm's wind at distances [m] from the storm's centre: 1 within `inner`, 0
    beyond `outer`.

    Liu and Sasaki (2019, Sci. Rep. 9, 12222) blend a parametric storm linearly with a reanalysis in a ring
    around the centre; x^2 (3 - 2 x), used here, is smooth at both ends of the ring."""
    x = np.clip((outer - distance) / (outer - inner), 0, 1)
    return x * x * (3 - 2 * x)


class BlendedWind:
    """The wind of a vortex near its centre, and a background wind elsewhere and outside the times of the
    storm.

    vortex: `halcyon._core.wave.VortexWind`; storm_wind, background: winds at the cells, with the method
    `at(time_s)`; points (cell, 3): unit vectors of the cells; inner, outer [m], see `storm_weight`; times_s:
    first and last time of the storm [s]. Distances are chords: at 1000 km a thousandth shorter than arcs."""

    def __init__(self, vortex, storm_wind, background, points, *, inner, outer, times_s):
        self._vortex, self._storm_wind, self._background = vortex, storm_wind, background
        self._points, self._inner, self._outer = points, inner, outer
        self._first_s, self._last_s = times_s

    def at(self, time_s):
        """Returns eastward and northward wind [m s-1] (cell) at a time [s]. Collective if `background.at` is
        collective."""
        if not self._first_s <= time_s <= self._last_s:
            return self._background.at(time_s)
        weight = storm_weight(self._distance(time_s), self._inner, self._outer)
        pairs = zip(self._storm_wind.at(time_s), self._background.at(time_s), strict=True)
        return tuple(weight * storm + (1 - weight) * background for storm, background in pairs)

    def _distance(self, time_s):
        """Returns the distance [m] (cell) from the centre of the vortex."""
        centre = self._vortex.vortex(time_s)
        x, y, z = _unit_vector(centre.latitude, centre.longitude)
        offset = self._points[:, 0] - x, self._points[:, 1] - y, self._points[:, 2] - z
        return EARTH_RADIUS * np.sqrt(offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2])


def _unit_vector(latitude, longitude):
    return np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)


class WindAtCells:
    """A wind (see `halcyon.wave.wind`) at fixed positions [rad] (cell)."""

    def __init__(self, wind, latitudes, longitudes):
        self._wind, self._latitudes, self._longitudes = wind, latitudes, longitudes

    def at(self, time_s):
        """Returns eastward and northward wind [m s-1] (cell) at a time of the run [s]."""
        u, v = np.empty(len(self._latitudes)), np.empty(len(self._latitudes))
        self._wind.at(time_s, self._latitudes, self._longitudes, u, v)
        return u, v


class Calm:
    """A background wind of zero."""

    def at(self, time_s):
        """Returns zero wind [m s-1]."""
        return 0.0, 0.0
