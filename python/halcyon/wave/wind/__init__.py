"""Winds that drive the waves: constant, or a Holland vortex along a best track.

A wind is an object with `at(time_s, latitudes, longitudes, u, v)`: time [s] since the start of the run,
positions [rad] (cell), and the eastward and northward wind at 10 m [m s-1] (cell) written into u and v, all
float64.
"""

import math

import numpy as np

from halcyon._core import wave as _core
from halcyon.base import InputError
from halcyon.wave.wind.holland import Options, Parameters, made_radii, parameters

__all__ = [
    "Options",
    "Parameters",
    "check_finite",
    "constant_wind",
    "made_radii",
    "parameters",
    "vortex_wind",
]


def constant_wind(*, speed, direction):
    """The same wind everywhere and always: speed [m s-1], direction [degrees] it blows FROM, clockwise from
    north.

    Raises InputError when one of them is not a finite number, or the speed is negative.
    """
    if not (math.isfinite(speed) and math.isfinite(direction) and speed >= 0):
        raise InputError(
            f"The constant wind has speed {speed} m s-1 and direction {direction} degrees. "
            "Give a speed of 0 or more, and the direction from which it blows."
        )
    angle = math.radians(direction)
    return _core.ConstantWind(-speed * math.sin(angle), -speed * math.cos(angle))


def vortex_wind(track, *, start, options=None):
    """The Holland vortex of a best track; `start` (datetime64, UTC) is time 0 of the run.

    track: a `halcyon.wave.track.Track`; options: `Options`, the defaults when None. Call `track.check` first:
    beyond the track's times the wind raises InputError. Raises InputError when a parameter of the vortex
    cannot be made, naming the line of the track.
    """
    options = options or Options()
    found = parameters(track, options)
    times_s = (track.times - np.datetime64(start, "s")).astype(float)
    return _core.VortexWind(times_s.tolist(), found.vortices(), options.surface())


def check_finite(u, v, latitudes, longitudes, time) -> None:
    """Raises InputError that names the first place where u or v is NaN or infinite; positions [rad]
    (cell)."""
    cell = _core.first_not_finite(u, v)
    if cell >= 0:
        place = f"{math.degrees(latitudes[cell]):.2f} N {math.degrees(longitudes[cell]):.2f} E"
        raise InputError(
            f"The wind at {time} is ({u[cell]:g}, {v[cell]:g}) m s-1 at {place}. "
            "Every value must be a finite number: mend the wind input."
        )
