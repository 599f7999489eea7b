"""Parameters of a Holland vortex from a best track."""

import math
from dataclasses import dataclass, replace

import numpy as np

from halcyon._core import wave as _core
from halcyon._core.base import EARTH_RADIUS
from halcyon.base import ConfigError, InputError

_RADIUS_CHOICES = ("fitted", "vickery_wadhera", "willoughby")
_ASYMMETRY_CHOICES = ("phadke", "none")


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of the vortex of a best track.

    vortex: kind of the vortex, a key of `halcyon.wave.wind.VORTICES`.
    ambient_pressure [hPa]: pressure around the storm; with the central pressure it determines Holland's B
        (Holland 1980, Mon. Weather Rev. 108, 1212-1218).
    averaging_factor: 10-minute wind over the wind of the track, or "auto": the ratio for the track's agency,
        1 for JMA (10-minute means), 0.93 for 1-minute winds at sea (Harper et al. 2010, WMO/TD-No. 1555).
    surface_factor: wind at 10 m over gradient wind; 0.9 from dropsondes in eyewalls between the surface and
        700 hPa (Franklin et al. 2003, Weather Forecast. 18, 32-44).
    inflow: inflow angle [degrees], or "phadke": from 10 at the centre to 25 outside (Phadke et al. 2003,
        Ocean Eng. 30, 553-578, eq. 11).
    asymmetry: "phadke" adds R r / (R^2 + r^2) times the storm's motion (Phadke et al. 2003, eq. 12), or
        "none".
    radius: radius of maximum wind [m]; or "fitted": from the radii of the track; or a regression,
        "vickery_wadhera" (2008, J. Appl. Meteorol. Climatol. 47, 2497-2517, eq. 11) or "willoughby"
        (Willoughby et al. 2006, Mon. Weather Rev. 134, 1102-1120, eq. 7a).
    air_density [kg m-3]: 1.15 as in Holland (1980).
    """

    vortex: str = "holland"
    ambient_pressure: float = 1010.0
    averaging_factor: float | str = "auto"
    surface_factor: float = 0.9
    inflow: float | str = 20.0
    asymmetry: str = "phadke"
    radius: float | str = "fitted"
    air_density: float = 1.15

    def __post_init__(self):
        _require_within("ambient_pressure", self.ambient_pressure, 950, 1050, "hPa")
        if self.averaging_factor != "auto":
            _require_within("averaging_factor", self.averaging_factor, 0.5, 1.5)
        _require_within("surface_factor", self.surface_factor, 0.5, 1.0)
        _require_within("air_density", self.air_density, 0.9, 1.4, "kg m-3")
        if self.inflow != "phadke":
            _require_within("inflow", self.inflow, 0, 60, "degrees, or phadke")
        if self.asymmetry not in _ASYMMETRY_CHOICES:
            raise ConfigError(f"asymmetry = {self.asymmetry}. Allowed are {', '.join(_ASYMMETRY_CHOICES)}.")
        if self.radius not in _RADIUS_CHOICES:
            _require_within("radius", self.radius, 1e3, 1e6, f"m, or {', '.join(_RADIUS_CHOICES)}")

    def factor(self, track):
        """Returns the ratio of the 10-minute wind to the wind of a track."""
        return track.averaging_factor if self.averaging_factor == "auto" else self.averaging_factor

    def surface(self):
        """Returns the options of the surface wind as the C++ type."""
        has_profile = self.inflow == "phadke"
        return _core.SurfaceWind(
            factor=self.surface_factor,
            inflow=0.0 if has_profile else math.radians(self.inflow),
            inflow_profile=has_profile,
            asymmetry=self.asymmetry != "none",
        )


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

    def vortices(self):
        """Returns one C++ `Vortex` per record."""
        names = ("latitude", "longitude", "radius", "shape", "peak", "eastward", "northward")
        columns = [getattr(self, name).tolist() for name in names]
        return [_core.Vortex(**dict(zip(names, row, strict=True))) for row in zip(*columns, strict=True)]

    def extended(self, margin_s):
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

    def record(self, i, options):
        """Returns record i as the C++ `StormRecord`."""
        return _core.StormRecord(
            latitude=self.latitude[i],
            peak=self.peak[i],
            deficit=self.deficit[i],
            motion=math.hypot(self.eastward[i], self.northward[i]) if options.asymmetry != "none" else 0.0,
            surface_factor=options.surface_factor,
            air_density=options.air_density,
        )


def parameters(track, options) -> Parameters:
    """Returns the Holland parameters of every record.

    The largest 10-m wind of the moving vortex, at R where the vortex wind and half the motion are parallel,
    equals the wind of the track, so V(R) = (wind - motion / 2) / surface_factor. The motion is limited to the
    wind. Where the wind is missing, B is from Vickery and Wadhera (2008, eq. 23) and V(R) from the pressure
    deficit. With options.radius = "fitted", R is `rmax` of the track; where `rmax` is missing, R is fitted to
    the wind radii; where the wind radii are also missing, R is interpolated in time. Raises InputError, with
    the line of the track, where the wind is missing and the pressure is not below the ambient pressure."""
    latitude, longitude = np.radians(track.latitude), np.unwrap(np.radians(track.longitude))
    wind = track.wind * options.factor(track)
    deficit = np.nan_to_num(options.ambient_pressure * 100 - track.pressure, nan=0.0).clip(min=0)
    _check_strength(track, wind, deficit, options)
    eastward, northward = _limited_motion(_storm_motion(track.times, latitude, longitude), wind)
    motion = np.hypot(eastward, northward) if options.asymmetry != "none" else 0.0
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


def modelled_radii(track, vortex, options) -> list[np.ndarray]:
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


def _wind_radius(vortex, i, speed, side, options):
    return _core.wind_radius(vortex.record(i, options), vortex.radius[i], speed, side)


def _require_within(name, value, lowest, highest, unit=""):
    if isinstance(value, str) or not lowest <= value <= highest:
        raise ConfigError(f"{name} = {value}. Allowed is {lowest:g} to {highest:g} {unit}".rstrip() + ".")


def _check_strength(track, wind, deficit, options):
    """Raises InputError where the wind is missing and there is no pressure deficit."""
    for i in np.flatnonzero(np.isnan(wind) & (deficit <= 0)):
        raise InputError(
            f"{track.location(i)}: no wind is given, and the pressure of {track.pressure[i] / 100:g} hPa "
            f"is not below the ambient pressure of {options.ambient_pressure:g} hPa. Give the wind."
        )


def _storm_motion(times, latitude, longitude):
    """Returns the eastward and northward velocity [m s-1] (record) of the centre, by central differences."""
    n = len(times)
    before, after = np.maximum(np.arange(n) - 1, 0), np.minimum(np.arange(n) + 1, n - 1)
    seconds = (times[after] - times[before]).astype(float)
    scale = np.divide(EARTH_RADIUS, seconds, out=np.zeros(n), where=seconds > 0)
    east = scale * np.cos(latitude) * (longitude[after] - longitude[before])
    return east, scale * (latitude[after] - latitude[before])


def _limited_motion(motion, wind):
    """Limits the motion to the wind speed where the wind is known."""
    speed = np.hypot(*motion)
    limit = np.where(np.isnan(wind), speed, np.minimum(speed, wind))
    factor = np.divide(limit, speed, out=np.zeros_like(speed), where=speed > 0)
    return motion[0] * factor, motion[1] * factor


def _radius_of_maximum_wind(track, without_radius, wind, options):
    """Returns the radius of maximum wind [m] (record) as `options.radius` requests."""
    if isinstance(options.radius, int | float):
        return np.full(len(track), float(options.radius))
    if options.radius == "fitted":
        fitted = _fitted_radius(track, without_radius, wind, options)
        radius = np.where(np.isnan(track.rmax), fitted, track.rmax)
        default = _regression_radius(track, wind, without_radius.deficit, options)
        return _fill_by_interpolation(track.times, radius, default)
    return _regression_radius(track, wind, without_radius.deficit, options)


def _fitted_radius(track, without_radius, wind, options):
    """Returns the radius of maximum wind [m] (record), a least-squares fit to the wind radii of the track;
    NaN where there is no wind radius to fit."""
    radius = [
        _core.fit_radius(without_radius.record(i, options), _observed_radii(track, i, options))
        if wind[i] > 0
        else 0.0
        for i in range(len(track))
    ]
    return np.where(np.array(radius) > 0, radius, np.nan)


def _observed_radii(track, i, options):
    """Returns the wind radii of record i: the longest for the side where the storm's motion increases the
    wind, the shortest for the other side."""
    return [
        _core.WindRadius(radii.speed * options.factor(track), radius, side)
        for radii in track.radii
        for radius, side in ((radii.longest[i], 1.0), (radii.shortest[i], -1.0))
        if radius > 0
    ]


def _fill_by_interpolation(times, values, default):
    """Fills NaN in values (record) by interpolation in time; returns `default` if all are NaN."""
    known = ~np.isnan(values)
    if not known.any():
        return default
    seconds = (times - times[0]).astype(float)
    return np.interp(seconds, seconds[known], values[known])


def _regression_radius(track, wind, deficit, options):
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


def _peak_from_deficit(latitude, radius, deficit, options):
    """Returns V(R) [m s-1] (record) of Holland (1980) with B of Vickery and Wadhera (2008)."""
    pairs = zip(latitude, radius, strict=True)
    shape = np.array([_core.regression_shape(one_latitude, one_radius) for one_latitude, one_radius in pairs])
    half_rf = radius * np.abs([_core.coriolis(one_latitude) for one_latitude in latitude]) / 2
    return np.sqrt(shape * deficit / (options.air_density * math.e) + half_rf**2) - half_rf
