"""A storm within the wind around it."""

import numpy as np

from halcyon.base import EARTH_RADIUS


def storm_weight(distance, inner, outer):
    """The share of the storm's wind at distances [m] (n) from its centre: 1 within `inner`, 0 from `outer`.

    Liu and Sasaki (2019, Sci. Rep. 9, 12222) go over from a parametric storm to a reanalysis in a band around
    the centre, linearly; here x^2 (3 - 2 x) has no kink at the ends of the band.
    """
    x = np.clip((outer - distance) / (outer - inner), 0, 1)
    return x * x * (3 - 2 * x)


class BlendedWind:
    """The wind of a vortex, and away from it, before it and after it another one.

    vortex: `halcyon._core.wave.VortexWind`; inside, around: their winds at the same cells, objects with
    `at(time_s)`; points (cell, 3) on the unit sphere; inner, outer [m], see `storm_weight`; times_s: the
    first and the last of the storm. Distances are chords, which are shorter than arcs by a thousandth at
    1000 km.
    """

    def __init__(self, vortex, inside, around, points, *, inner, outer, times_s):
        self._vortex, self._inside, self._around = vortex, inside, around
        self._points, self._inner, self._outer = points, inner, outer
        self._first_s, self._last_s = times_s

    def at(self, time_s):
        """Collective where the wind around is. Eastward and northward wind [m s-1] (cell) at a time [s]."""
        if not self._first_s <= time_s <= self._last_s:
            return self._around.at(time_s)
        weight = storm_weight(self._distance(time_s), self._inner, self._outer)
        pairs = zip(self._inside.at(time_s), self._around.at(time_s), strict=True)
        return tuple(weight * storm + (1 - weight) * other for storm, other in pairs)

    def _distance(self, time_s):
        centre = self._vortex.vortex(time_s)
        x, y, z = _point(centre.latitude, centre.longitude)
        apart = self._points[:, 0] - x, self._points[:, 1] - y, self._points[:, 2] - z
        return EARTH_RADIUS * np.sqrt(apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2])


def _point(latitude, longitude):
    """On the unit sphere at a place [rad]."""
    return np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)


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
