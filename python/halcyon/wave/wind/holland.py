"""Parameters of a Holland vortex from a best track."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from halcyon._core import wave as _core
from halcyon._core.base import EARTH_RADIUS
from halcyon.base import KNOT, InputError
from halcyon.wave.track.track import ONE_MINUTE_AT_SEA
from halcyon.wave.wind.extents import MEAN_OVER_LARGEST

if TYPE_CHECKING:
    from halcyon.wave.track.track import Radii, Track
    from halcyon.wave.wind.options import Options


@dataclass(frozen=True)
class Parameters:
    """Parameters of the vortex, one value per record of the track.

    latitude, longitude [rad]: position of the centre; radius [m]: radius of maximum wind R; shape: Holland's
    B; peak [m s-1]: gradient wind of the symmetric vortex at R; eastward, northward [m s-1]: translation
    velocity; deficit [Pa]: ambient less central pressure, 0 where unknown."""

    latitude: np.ndarray
    longitude: np.ndarray
    radius: np.ndarray
    shape: np.ndarray
    peak: np.ndarray
    eastward: np.ndarray
    northward: np.ndarray
    deficit: np.ndarray

    def vortices(self) -> list[_core.Vortex]:
        """Returns one C++ `Vortex` per record."""
        names = ("latitude", "longitude", "radius", "shape", "peak", "eastward", "northward")
        columns = [getattr(self, name).tolist() for name in names]
        return [_core.Vortex(**dict(zip(names, row, strict=True))) for row in zip(*columns, strict=True)]

    def extended(self, margin_s: float) -> Parameters:
        """Returns the parameters with a record before and a record after, in which the first and last vortex
        are moved by their velocity in a time [s]."""
        columns = {
            name: values[np.r_[0, np.arange(len(values)), len(values) - 1]]
            for name, values in vars(self).items()
        }
        for record, time_s in ((0, -margin_s), (-1, margin_s)):
            angle = time_s / EARTH_RADIUS
            columns["longitude"][record] += angle * self.eastward[record] / math.cos(self.latitude[record])
            columns["latitude"][record] += angle * self.northward[record]
        return Parameters(**columns)

    def record(self, i: int, options: Options) -> _core.StormRecord:
        """Returns record i as the C++ `StormRecord`."""
        return _core.StormRecord(
            latitude=self.latitude[i],
            peak=self.peak[i],
            deficit=self.deficit[i],
            motion=math.hypot(self.eastward[i], self.northward[i]) if options.has_motion else 0.0,
            surface_factor=options.surface_factor,
            air_density=options.air_density,
        )


def parameters(track: Track, options: Options) -> Parameters:
    """Returns the Holland parameters of every record.

    The largest 10-m wind of the moving vortex, at R where the vortex wind and half the motion are parallel,
    equals the wind of the track, so V(R) = (wind - motion / 2) / surface_factor. The motion is limited to the
    wind. Where the wind is missing, B is from Vickery and Wadhera (2008, eq. 23) and V(R) from the pressure
    deficit. With options.radius "fitted" or "chavas_knaff", R is `rmax` of the track; where `rmax` is
    missing, R is from the wind radii; where the wind radii are also missing, R is interpolated in time.
    Raises InputError, with the line of the track, where the wind is missing and the pressure is not below the
    ambient pressure."""
    latitude, longitude = np.radians(track.latitude), np.unwrap(np.radians(track.longitude))
    wind = track.wind * options.factor(track)
    deficit = np.nan_to_num(options.ambient_pressure * 100 - track.pressure, nan=0.0).clip(min=0)
    _check_strength(track, wind, deficit, options)
    eastward, northward = _limited_motion(_storm_motion(track.times, latitude, longitude), wind)
    motion = np.hypot(eastward, northward) if options.has_motion else 0.0
    without_radius = Parameters(
        latitude=latitude,
        longitude=longitude,
        radius=np.zeros(len(track)),
        shape=np.zeros(len(track)),
        peak=(wind - motion / 2) / options.surface_factor,
        eastward=eastward,
        northward=northward,
        deficit=deficit,
    )
    radius = _radius_of_maximum_wind(track, without_radius, wind, options)
    peak = np.where(
        np.isnan(wind), _peak_from_deficit(latitude, radius, deficit, options), without_radius.peak
    )
    result = replace(without_radius, radius=radius, shape=np.zeros(len(track)), peak=peak)
    result.shape[:] = [_core.holland_shape(result.record(i, options), radius[i]) for i in range(len(track))]
    for i in np.flatnonzero(np.isnan(wind)):
        result.shape[i] = _core.regression_shape(latitude[i], radius[i])
    return result


def modelled_radii(track: Track, vortex: Parameters, options: Options) -> list[np.ndarray]:
    """Returns the wind radii [m] of the modelled vortex, one array for each wind speed of the track's radii.

    vortex: `Parameters` of the track. The arrays are (record, side), first the side where the storm's motion
    increases the wind; 0 where the wind speed is not reached."""
    return [
        np.array(
            [
                [
                    _wind_radius(vortex, i, radii.speed * options.factor(track), side, options)
                    for side in (1.0, -1.0)
                ]
                for i in range(len(track))
            ]
        )
        for radii in track.radii
    ]


def _wind_radius(vortex: Parameters, i: int, speed: float, side: float, options: Options) -> float:
    return _core.wind_radius(vortex.record(i, options), vortex.radius[i], speed, side)


def _check_strength(track: Track, wind: np.ndarray, deficit: np.ndarray, options: Options) -> None:
    """Raises InputError where the wind is missing and there is no pressure deficit."""
    for i in np.flatnonzero(np.isnan(wind) & (deficit <= 0)):
        raise InputError(
            f"{track.location(int(i))}: no wind is given, and the pressure of {track.pressure[i] / 100:g} hPa"
            f" is not below the ambient pressure of {options.ambient_pressure:g} hPa. Give the wind."
        )


def _storm_motion(
    times: np.ndarray, latitude: np.ndarray, longitude: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the eastward and northward velocity [m s-1] (record) of the centre, by central differences."""
    n = len(times)
    before, after = np.maximum(np.arange(n) - 1, 0), np.minimum(np.arange(n) + 1, n - 1)
    seconds = (times[after] - times[before]).astype(float)
    scale = np.divide(EARTH_RADIUS, seconds, out=np.zeros(n), where=seconds > 0)
    east = scale * np.cos(latitude) * (longitude[after] - longitude[before])
    return east, scale * (latitude[after] - latitude[before])


def _limited_motion(motion: tuple[np.ndarray, np.ndarray], wind: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Limits the motion to the wind speed where the wind is known."""
    speed = np.hypot(*motion)
    limit = np.where(np.isnan(wind), speed, np.minimum(speed, wind))
    factor = np.divide(limit, speed, out=np.zeros_like(speed), where=speed > 0)
    return motion[0] * factor, motion[1] * factor


def _radius_of_maximum_wind(
    track: Track, without_radius: Parameters, wind: np.ndarray, options: Options
) -> np.ndarray:
    """Returns the radius of maximum wind [m] (record) as `options.radius` requests."""
    source = options.radius_source
    if isinstance(source, int | float):
        return np.full(len(track), float(source))
    regression = _regression_radius(track, wind, without_radius.deficit, options)
    if source not in _FROM_RADII:
        return regression
    estimated = _FROM_RADII[source](track, without_radius, wind, options)
    radius = np.where(np.isnan(track.rmax), estimated, track.rmax)
    return _fill_by_interpolation(track.times, radius, regression)


_METHODS = {
    "fitted": "fitted to the radii",
    "chavas_knaff": "after Chavas and Knaff (2022)",
    "vickery_wadhera": "after Vickery and Wadhera (2008)",
    "willoughby": "after Willoughby et al. (2006)",
}


def estimates_text(track: Track, options: Options) -> str:
    """Returns a text that says in how many records the radius of maximum wind R is not that of the track, and
    how it is estimated, and how many with 34 kt or more have no wind radii; empty if there are none."""
    n, source = len(track), options.radius_source
    if isinstance(source, int | float):
        return f"R is {source / 1e3:g} km"
    if source not in _FROM_RADII:
        return f"R {_METHODS[source]}"
    storm, wind = parameters(track, options), track.wind * options.factor(track)
    estimated = _FROM_RADII[source](track, storm, wind, options)
    is_missing = np.isnan(track.rmax)
    by_radii = is_missing & ~np.isnan(estimated)
    others = is_missing & np.isnan(estimated)
    none = np.isnan(track.rmax).all() and np.isnan(estimated).all()
    has_radii = (
        np.any([radii.longest > 0 for radii in track.radii], axis=0) if track.radii else np.zeros(n, bool)
    )
    gales = wind / ONE_MINUTE_AT_SEA >= 34 * KNOT
    counts = [
        (by_radii, f"R {_METHODS[source]}"),
        (others, f"R {_METHODS['vickery_wadhera'] if none else 'interpolated'}"),
        (gales & ~has_radii, "no wind radii"),
    ]
    return ", ".join(f"{text} in {int(each.sum())} of {n} records" for each, text in counts if each.any())


def _fitted_radius(
    track: Track, without_radius: Parameters, wind: np.ndarray, options: Options
) -> np.ndarray:
    """Returns the radius of maximum wind [m] (record), a least-squares fit to the wind radii of the track;
    NaN where there is no wind radius to fit."""
    radius = [
        _core.fit_radius(without_radius.record(i, options), _observed_radii(track, i, options))
        if wind[i] > 0
        else 0.0
        for i in range(len(track))
    ]
    return np.where(np.array(radius) > 0, radius, np.nan)


def _chavas_knaff_radius(
    track: Track, without_radius: Parameters, wind: np.ndarray, options: Options
) -> np.ndarray:
    """Returns the radius of maximum wind R [m] (record) of Chavas and Knaff (2022), NaN where the radius of
    34 kt is missing. With the mean radius R34, the wind V and V34 = 34 kt (one-minute means), f the Coriolis
    parameter and M(r, v) = r v + f r^2 / 2:

        M(R, V) = M(R34, V34) 0.699 exp((V - V34) (-0.00618 - 0.00210 f R34 / 2))      (eqs. 3, 4, 7).

    Where the weakest wind with a radius is up to a tenth stronger than V34, as 34 kt of a ten-minute mean, it
    takes the place of V34."""
    to_one_minute = options.factor(track) / ONE_MINUTE_AT_SEA
    r34, speed = _mean_radius(track, 34 * KNOT / to_one_minute)
    speed = speed * to_one_minute
    excess = (wind / options.factor(track) * to_one_minute - speed).clip(min=0)
    half_f = np.abs([_core.coriolis(latitude) for latitude in without_radius.latitude]) / 2
    outer = r34 * speed + half_f * r34**2
    m = outer * 0.699 * np.exp(excess * (-0.00618 - 0.00210 * half_f * r34))
    v = excess + speed
    return 2 * m / (v + np.sqrt(v**2 + 4 * half_f * m))


def _mean_radius(track: Track, speed: float) -> tuple[np.ndarray, np.ndarray]:
    """Returns the mean radius [m] (record) of a wind speed of the track [m s-1], by interpolation of
    logarithms between the radii of the track, NaN beyond them; and the wind speed of the radius [m s-1]
    (record), which is that of the weakest wind with a radius where this is up to a tenth stronger."""
    speeds = np.log([radii.speed for radii in track.radii]) - math.log(speed)
    means = np.array([_mean_over_azimuths(radii) for radii in track.radii]).reshape(len(speeds), len(track))
    result, of_speed = np.full(len(track), np.nan), np.full(len(track), speed)
    for i, of_record in enumerate(means.T):
        known = np.flatnonzero(of_record > 0)[::-1]  # in ascending order of the speed
        if len(known) and speeds[known[0]] <= _NEARLY and speeds[known[-1]] >= -1e-9:
            result[i] = math.exp(np.interp(0, speeds[known], np.log(of_record[known])))
            of_speed[i] *= math.exp(max(speeds[known[0]], 0))
    return result, of_speed


def _mean_over_azimuths(radii: Radii) -> np.ndarray:
    """Returns the mean radius [m] (record); of four quadrants, from their largest radii."""
    assert radii.quadrants is not None  # NaN where they are missing
    of_quadrants = MEAN_OVER_LARGEST * radii.quadrants.mean(axis=1)
    return np.where(np.isnan(of_quadrants), (radii.longest + radii.shortest) / 2, of_quadrants)


_NEARLY = math.log(1.1)  # of the ratio of two wind speeds
_FROM_RADII = {"fitted": _fitted_radius, "chavas_knaff": _chavas_knaff_radius}


def _observed_radii(track: Track, i: int, options: Options) -> list[_core.WindRadius]:
    """Returns the wind radii of record i: the longest for the side where the storm's motion increases the
    wind, the shortest for the other side."""
    return [
        _core.WindRadius(radii.speed * options.factor(track), radius, side)
        for radii in track.radii
        for radius, side in ((radii.longest[i], 1.0), (radii.shortest[i], -1.0))
        if radius > 0
    ]


def _fill_by_interpolation(times: np.ndarray, values: np.ndarray, default: np.ndarray) -> np.ndarray:
    """Fills NaN in values (record) by interpolation in time; returns `default` if all are NaN."""
    known = ~np.isnan(values)
    if not known.any():
        return default
    seconds = (times - times[0]).astype(float)
    return np.interp(seconds, seconds[known], values[known])


def _regression_radius(track: Track, wind: np.ndarray, deficit: np.ndarray, options: Options) -> np.ndarray:
    """Returns the radius of maximum wind R [m] (record) from the regression of Vickery and Wadhera:

        ln R[km] = 3.015 - 6.291e-5 dp[hPa]^2 + 0.0337 latitude[degrees],

    or, with options.radius = "willoughby", of Willoughby et al., with V the gradient wind [m s-1]:

        R[km] = 46.4 exp(-0.0155 V + 0.0169 latitude[degrees]).

    Where the pressure or the wind is missing, the regression that does not need it is used."""
    latitude = np.abs(track.latitude)
    pressure_radius = 1e3 * np.exp(3.015 - 6.291e-5 * (deficit / 100) ** 2 + 0.0337 * latitude)
    wind_radius = 46.4e3 * np.exp(-0.0155 * wind / options.surface_factor + 0.0169 * latitude)
    pressure_radius = np.where(deficit > 0, pressure_radius, wind_radius)
    wind_radius = np.where(np.isnan(wind), pressure_radius, wind_radius)
    return wind_radius if options.radius == "willoughby" else pressure_radius


def _peak_from_deficit(
    latitude: np.ndarray, radius: np.ndarray, deficit: np.ndarray, options: Options
) -> np.ndarray:
    """Returns V(R) [m s-1] (record) of Holland (1980) with B of Vickery and Wadhera (2008)."""
    pairs = zip(latitude, radius, strict=True)
    shape = np.array([_core.regression_shape(one_latitude, one_radius) for one_latitude, one_radius in pairs])
    half_rf = radius * np.abs([_core.coriolis(one_latitude) for one_latitude in latitude]) / 2
    return np.sqrt(shape * deficit / (options.air_density * math.e) + half_rf**2) - half_rf
