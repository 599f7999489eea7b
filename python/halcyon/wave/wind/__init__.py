"""Wind forcing: constant, or a Holland vortex along a best track.

A wind has the method `at(time_s, latitudes, longitudes, u, v)`: time [s] since the start of the run,
positions [rad] (cell); it writes the eastward and northward wind at 10 m [m s-1] (cell) into u and v. All
arrays are float64."""

from __future__ import annotations

import math
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon._core import wave as _core
from halcyon.base import InputError
from halcyon.deprecated import provide
from halcyon.mesh.cf_file import in_unit
from halcyon.mesh.sphere import position_text
from halcyon.wave.wind.asymmetric import polar_wind
from halcyon.wave.wind.holland import Parameters, estimates_text, modelled_radii, parameters
from halcyon.wave.wind.options import Options

if TYPE_CHECKING:
    from halcyon.wave.track.track import Track


__all__ = [
    "Options",
    "Parameters",
    "check_finite",
    "constant_wind",
    "estimates_text",
    "modelled_radii",
    "parameters",
    "vortex_wind",
]


def constant_wind(*, speed: float, direction: float) -> _core.ConstantWind:
    """Returns a uniform, constant wind: speed [m s-1], direction [degrees] from which the wind blows,
    clockwise from north.

    Raises InputError if speed or direction is not finite, or the speed is negative."""
    if not (math.isfinite(speed) and math.isfinite(direction) and speed >= 0):
        raise InputError(
            f"The constant wind has speed {speed} m s-1 and direction {direction} degrees. "
            "Give a finite speed of 0 or more, and the direction from which the wind blows."
        )
    angle = math.radians(direction)
    return _core.ConstantWind(-speed * math.sin(angle), -speed * math.cos(angle))


def vortex_wind(
    track: Track, *, start: np.datetime64 | datetime, options: Options | None = None, margin_s: float = 0.0
) -> Any:
    """Returns the wind of a Holland vortex along a track; `start` (datetime64, UTC) is time 0 of the run.

    track: a `halcyon.wave.track.Track`; options: `Options`, by default `Options()`; margin_s: time before the
    first and after the last record for which the vortex moves on at its velocity there. Call `track.check`
    first, since the wind raises InputError outside these times. Raises InputError, which names the line of
    the track, if a parameter of the vortex cannot be computed."""
    options = options or Options()
    times_s = (track.times - in_unit(start, "s")).astype(float)
    return VORTICES[options.vortex](track, times_s, options, margin_s)


def _holland(track: Track, times_s: np.ndarray, options: Options, margin_s: float) -> _core.VortexWind:
    """Returns the wind of Holland's (1980) vortex."""
    vortex_parameters = parameters(track, options)
    if margin_s:
        vortex_parameters = vortex_parameters.extended(margin_s)
        times_s = np.concatenate([times_s[:1] - margin_s, times_s, times_s[-1:] + margin_s])
    return _core.VortexWind(times_s.tolist(), vortex_parameters.vortices(), options.surface())


def _fvwam(track: Track, times_s: np.ndarray, options: Options, margin_s: float) -> _core.FvwamWind:
    """Returns the wind of FVWAM's variant of Holland's vortex (Pang et al. 2025), whose shape B is
    1.5 + (980 hPa - central pressure) / 120 hPa."""
    inflow = 20.0 if options.inflow == "auto" else options.inflow
    if isinstance(inflow, str):
        raise InputError("The vortex fvwam has a constant inflow angle. Give inflow in degrees.")
    of_track = parameters(track, options)
    if not (of_track.deficit > 0).all():
        line = track.lines[int(np.argmin(of_track.deficit > 0))]
        raise InputError(
            f"{track.path}:{line}: the vortex fvwam needs a central pressure below"
            f" {options.ambient_pressure:g} hPa. Give it, or take the vortex holland."
        )
    if margin_s:
        of_track = of_track.extended(margin_s)
        times_s = np.concatenate([times_s[:1] - margin_s, times_s, times_s[-1:] + margin_s])
    names = ("latitude", "longitude", "radius", "deficit", "eastward", "northward")
    columns = {name: getattr(of_track, name) for name in names}
    columns["shape"] = 1.5 + (980 - options.ambient_pressure + of_track.deficit / 100) / 120
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    records = [_core.FvwamVortex(**dict(zip(columns, row, strict=True))) for row in rows]
    surface = _core.FvwamSurface(
        factor=options.surface_factor,
        inflow=math.radians(inflow),
        air_density=options.air_density,
        asymmetry=options.has_motion,
    )
    return _core.FvwamWind(times_s.tolist(), records, surface)


# The kinds of vortices (the choices of `Options.vortex`): functions of track, times [s] (record), options and
# margin [s] that return a C++ `Wind` with the method `vortex(time_s)`, whose latitude and longitude [rad] are
# those of the centre.
VORTICES = {
    "generalised_holland": polar_wind,
    "willoughby": polar_wind,
    "holland": _holland,
    "fvwam": _fvwam,
}


def check_finite(
    u: np.ndarray, v: np.ndarray, latitudes: np.ndarray, longitudes: np.ndarray, time: object
) -> None:
    """Raises InputError if u or v (cell) is not finite anywhere; names the first position.

    latitudes, longitudes [rad] (cell)."""
    cell = _core.first_not_finite(u, v)
    if cell >= 0:
        position = position_text(math.degrees(longitudes[cell]), math.degrees(latitudes[cell]))
        raise InputError(
            f"The wind at {time} is ({u[cell]:g}, {v[cell]:g}) m s-1 at {position}. "
            "Every value must be finite: correct the wind input."
        )


provide(__name__)
