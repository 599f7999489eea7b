"""The vortex of a best track with its wind radii in every azimuth, tabulated over azimuth and distance.

At each record the wind speed at 10 m is that of a profile (`profiles`) in each of 72 azimuths: at the radius
of maximum wind R the peak, and at the radius of each wind speed that speed. The radius of a speed as a
function of azimuth has the largest value of each quadrant (`extents`). Radii and winds of the track are of
the moving storm, so its motion adds nothing to them; it decides the azimuth of the largest wind, and the
direction."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon._core import wave as _core
from halcyon._core.base import EARTH_RADIUS
from halcyon.wave.wind.extents import AZIMUTHS, N_AZIMUTHS, curve, displaced_circle, inscribed
from halcyon.wave.wind.holland import parameters
from halcyon.wave.wind.profiles import PROFILES, Knots

if TYPE_CHECKING:
    from halcyon.wave.track.track import Radii, Track
    from halcyon.wave.wind.holland import Parameters
    from halcyon.wave.wind.options import Options


_UNITS = 5  # of the scaled distance in the table: to R (outer / R)^4
_NARROWEST = 4.0  # smallest outer radius of the table, over R
_WITHIN = 0.9  # largest R in an azimuth, over the smallest radius of a wind speed there
_ABOVE, _BELOW = (
    1.005,
    0.97,
)  # peak in an azimuth over the strongest wind with, and the weakest without a radius
_LONGEST_GAP_S = 12 * 3600.0  # over which missing radii are interpolated
_INTERIOR_ZERO = 0.8  # radius in a quadrant with weaker wind, over R


@dataclass(frozen=True)
class Contour:
    """The radius of a wind speed at 10 m [m s-1].

    radius [m] (record, azimuth); has_radius (record, azimuth): whether the wind reaches the speed; given
    (record): whether the track has it; known (record): whether it is given or interpolated in time."""

    speed: float
    radius: np.ndarray
    has_radius: np.ndarray
    given: np.ndarray
    known: np.ndarray


def polar_vortices(track: Track, options: Options) -> list[dict[str, Any]]:
    """Returns the keyword arguments of a C++ `PolarVortex` for each record of a track."""
    storm = parameters(track, options)
    contours = contours_of(track, storm, options)
    return [_vortex(track, storm, contours, i, options) for i in range(len(track))]


def polar_wind(track: Track, times_s: np.ndarray, options: Options, margin_s: float) -> _core.PolarWind:
    """Returns the C++ `PolarWind` of a track; times_s [s] (record); margin_s: time before the first and after
    the last record for which the vortex moves on at its velocity there."""
    records = polar_vortices(track, options)
    if margin_s:
        records = [_moved(records[0], -margin_s), *records, _moved(records[-1], margin_s)]
        times_s = np.concatenate([times_s[:1] - margin_s, times_s, times_s[-1:] + margin_s])
    direction = _core.PolarDirection(inflow=options.inflow_of(), motion=options.has_motion)
    return _core.PolarWind(times_s.tolist(), [_core.PolarVortex(**each) for each in records], direction)


def contours_of(track: Track, storm: Parameters, options: Options) -> list[Contour]:
    """Returns the `Contour` of each wind speed of a track, the highest first; storm: its `Parameters`."""
    peak = _peak(storm, options)
    to_right = _right_of_motion(storm)
    contours = []
    for radii in sorted(track.radii, key=lambda radii: -radii.speed):
        speed = radii.speed * options.factor(track)
        rows = [_radius(radii, i, storm.radius[i], to_right[i]) for i in range(len(track))]
        radius, has_radius = (np.array(column) for column in zip(*rows, strict=True))
        given = np.isfinite(radius[:, 0])
        radius, known = _filled(track.times, radius, given, peak > speed / _BELOW)
        has_radius |= (known & ~given)[:, None]
        contours.append(Contour(speed, radius, has_radius & known[:, None], given, known))
    return _nested(contours)


def _radius(radii: Radii, i: int, maximum_wind: float, to_right: float) -> tuple[np.ndarray, np.ndarray]:
    """Returns the radius [m] (azimuth) of record i, NaN if missing, and whether the wind has the speed."""
    assert radii.quadrants is not None and radii.direction is not None  # NaN where they are missing
    largest = radii.quadrants[i]
    if np.isfinite(largest).all():
        reached = largest > 0
        if reached.all():
            return curve(largest), np.ones(N_AZIMUTHS, bool)
        none = _INTERIOR_ZERO * min(maximum_wind, largest[reached].min())
        quadrant = (AZIMUTHS // 90).astype(int)
        on_limit = (AZIMUTHS % 90 == 0) & ~reached[(quadrant - 1) % 4]
        return inscribed(np.where(reached, largest, none)), reached[quadrant] & ~on_limit
    if radii.longest[i] > 0:
        direction = to_right if np.isnan(radii.direction[i]) else radii.direction[i]
        return displaced_circle(radii.longest[i], radii.shortest[i], direction), np.ones(N_AZIMUTHS, bool)
    return np.full(N_AZIMUTHS, np.nan), np.zeros(N_AZIMUTHS, bool)


def _filled(
    times: np.ndarray, radius: np.ndarray, given: np.ndarray, is_reached: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the radius [m] (record, azimuth), interpolated in time in records whose wind reaches the speed
    (is_reached) between given ones at most _LONGEST_GAP_S apart, and whether it is known (record)."""
    seconds, known = (times - times[0]).astype(float), given.copy()
    of_given = np.flatnonzero(given)
    for i in np.flatnonzero(~given & is_reached):
        after = np.searchsorted(of_given, i)
        if 0 < after < len(of_given):
            a, b = of_given[after - 1], of_given[after]
            if seconds[b] - seconds[a] <= _LONGEST_GAP_S:
                weight = (seconds[i] - seconds[a]) / (seconds[b] - seconds[a])
                radius[i], known[i] = (1 - weight) * radius[a] + weight * radius[b], True
    return radius, known


def _nested(contours: Iterable[Contour]) -> list[Contour]:
    """Returns the contours with radii that increase by 1 % at least from each speed to the next lower one."""
    result, inside = [], None
    for contour in contours:
        radius = contour.radius
        if inside is not None:
            radius = np.where(contour.has_radius, np.fmax(radius, 1.01 * inside), radius)
        result.append(Contour(contour.speed, radius, contour.has_radius, contour.given, contour.known))
        inside = np.where(contour.has_radius, radius, np.nan if inside is None else inside)
    return result


def _peak(storm: Parameters, options: Options) -> np.ndarray:
    """Returns the largest wind at 10 m [m s-1] (record) of the moving storm."""
    motion = np.hypot(storm.eastward, storm.northward) if options.has_motion else 0.0
    return options.surface_factor * storm.peak + motion / 2


def _right_of_motion(storm: Parameters) -> np.ndarray:
    """Returns the azimuth [degrees] (record) to the right of the motion, in the southern hemisphere to the
    left."""
    heading = np.degrees(np.arctan2(storm.eastward, storm.northward))
    return (heading + np.where(storm.latitude < 0, -90, 90)) % 360


def _vortex(
    track: Track, storm: Parameters, contours: Sequence[Contour], i: int, options: Options
) -> dict[str, Any]:
    """Returns the keyword arguments of the C++ `PolarVortex` of record i."""
    radii = np.array([np.where(each.has_radius[i], each.radius[i], np.nan) for each in contours])
    radii = radii.reshape(len(contours), N_AZIMUTHS)
    speeds = np.array([each.speed for each in contours])
    is_known = np.array([each.known[i] for each in contours], bool)
    peak = _peak_of_azimuths(storm, radii, speeds, is_known, i, options)
    smallest = np.full(N_AZIMUTHS, np.inf)
    for contour in contours:
        smallest = np.fmin(smallest, np.where(contour.has_radius[i], contour.radius[i], np.nan))
    inner = np.minimum(storm.radius[i], _WITHIN * smallest)
    knots = Knots(
        inner=inner,
        peak=peak,
        radii=radii,
        speeds=speeds,
        shape=float(storm.shape[i]),
        coriolis=abs(_core.coriolis(storm.latitude[i])),
        latitude=abs(float(track.latitude[i])),
        surface_factor=options.surface_factor,
    )
    outer = np.maximum(knots.outermost()[0], _NARROWEST * inner)
    x = np.arange(_UNITS * _core.NODES_PER_UNIT + 1) / _core.NODES_PER_UNIT
    distance = inner[:, None] * np.where(
        x < 1, np.maximum(x, 1e-3), (outer / inner)[:, None] ** np.maximum(x - 1, 0)
    )
    speed = PROFILES[options.vortex](knots, distance)
    speed[:, 0] = 0.0
    return {
        "latitude": storm.latitude[i],
        "longitude": storm.longitude[i],
        "radius": storm.radius[i],
        "peak": float(peak.max()),
        "eastward": storm.eastward[i],
        "northward": storm.northward[i],
        "inner": inner.tolist(),
        "outer": outer.tolist(),
        "speed": speed.ravel().tolist(),
    }


def _peak_of_azimuths(
    storm: Parameters, radii: np.ndarray, speeds: np.ndarray, is_known: np.ndarray, i: int, options: Options
) -> np.ndarray:
    """Returns the largest wind at 10 m [m s-1] (azimuth): Vm - (1 - cos a) c / 2 at the angle a from the
    right of the motion c, which is half the motion added to and subtracted from the mean at R as in Phadke et
    al. (2003, eq. 12). It is kept above the strongest wind with a radius in the azimuth, and below the
    weakest without one. Where the wind to the right of the motion is thus limited, the largest wind is at the
    longest radius."""
    motion = math.hypot(storm.eastward[i], storm.northward[i]) if options.has_motion else 0.0
    largest = float(_peak(storm, options)[i])
    has_radius = np.isfinite(radii)
    lowest = np.max(np.where(has_radius, speeds[:, None] * _ABOVE, 0), axis=0, initial=0)
    highest = np.min(
        np.where(~has_radius & is_known[:, None], speeds[:, None] * _BELOW, np.inf), axis=0, initial=np.inf
    )
    azimuth = _right_of_motion(storm)[i]
    nearest = round(azimuth / 360 * N_AZIMUTHS) % N_AZIMUTHS
    if highest[nearest] < largest and has_radius.any():
        strongest = radii[int(np.argmax(has_radius.any(axis=1)))]
        azimuth = AZIMUTHS[int(np.nanargmax(strongest))]
    peak = largest - motion / 2 * (1 - np.cos(np.radians(AZIMUTHS - azimuth)))
    return np.maximum(np.minimum(np.maximum(peak, 0.5 * largest), highest), lowest)


def _moved(record: dict[str, Any], time_s: float) -> dict[str, Any]:
    """Returns a record moved by its velocity in a time [s]."""
    angle = time_s / EARTH_RADIUS
    return {
        **record,
        "longitude": record["longitude"] + angle * record["eastward"] / math.cos(record["latitude"]),
        "latitude": record["latitude"] + angle * record["northward"],
    }
