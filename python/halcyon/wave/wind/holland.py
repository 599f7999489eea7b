"""Parameters of a Holland vortex from a best track."""

import math
from dataclasses import dataclass

import numpy as np

from halcyon._core import wave as _core
from halcyon._core.base import EARTH_RADIUS
from halcyon.base import ConfigError, InputError

_RADIUS_CHOICES = ("fitted", "vickery_wadhera", "willoughby")
_ASYMMETRY_CHOICES = ("phadke", "none")


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of the Holland vortex of a best track.

    ambient_pressure [hPa]: pressure around the storm; with the central pressure it determines Holland's B
        (Holland 1980, Mon. Weather Rev. 108, 1212-1218).
    averaging_factor: 10-minute wind over the wind of the track, or "auto": by the agency of the track, 1 for
        JMA (10-minute means), 0.93 for 1-minute winds at sea (Harper et al. 2010, WMO/TD-No. 1555).
    surface_factor: wind at 10 m over gradient wind; 0.9 from dropsondes in eyewalls between the surface and
        700 hPa (Franklin et al. 2003, Weather Forecast. 18, 32-44).
    inflow: inflow angle [degrees], or "phadke": 10 at the centre to 25 outside (Phadke et al. 2003, Ocean
        Eng. 30, 553-578, eq. 11).
    asymmetry: "phadke" adds R r / (R^2 + r^2) times the storm's motion (Phadke et al. 2003, eq. 12), or
        "none".
    radius: radius of maximum wind [m], or "fitted" to the radii of the track, "vickery_wadhera" (2008, J.
        Appl. Meteorol. Climatol. 47, 2497-2517, eq. 11), "willoughby" (Willoughby et al. 2006, Mon. Weather
        Rev. 134, 1102-1120, eq. 7a).
    air_density [kg m-3]: 1.15 as in Holland (1980).
    """

    ambient_pressure: float = 1010.0
    averaging_factor: float | str = "auto"
    surface_factor: float = 0.9
    inflow: float | str = 20.0
    asymmetry: str = "phadke"
    radius: float | str = "fitted"
    air_density: float = 1.15

    def __post_init__(self):
        _within("ambient_pressure", self.ambient_pressure, 950, 1050, "hPa")
        if self.averaging_factor != "auto":
            _within("averaging_factor", self.averaging_factor, 0.5, 1.5)
        _within("surface_factor", self.surface_factor, 0.5, 1.0)
        _within("air_density", self.air_density, 0.9, 1.4, "kg m-3")
        if self.inflow != "phadke":
            _within("inflow", self.inflow, 0, 60, "degrees, or phadke")
        if self.asymmetry not in _ASYMMETRY_CHOICES:
            raise ConfigError(f"asymmetry = {self.asymmetry}. Allowed are {', '.join(_ASYMMETRY_CHOICES)}.")
        if self.radius not in _RADIUS_CHOICES:
            _within("radius", self.radius, 1e3, 1e6, f"m, or {', '.join(_RADIUS_CHOICES)}")

    def factor(self, track):
        """Returns the ten-minute wind over the wind of a track."""
        return track.averaging_factor if self.averaging_factor == "auto" else self.averaging_factor

    def surface(self):
        """Returns these options for the C++ kernel."""
        profile = self.inflow == "phadke"
        return _core.SurfaceWind(
            factor=self.surface_factor,
            inflow=0.0 if profile else math.radians(self.inflow),
            inflow_profile=profile,
            asymmetry=self.asymmetry != "none",
        )


@dataclass(frozen=True)
class Parameters:
    """Parameters of the vortex (record).

    latitude, longitude [rad] of the centre; radius [m] of maximum wind; shape: Holland's B; peak [m s-1]:
    gradient wind of the symmetric vortex; eastward, northward [m s-1]: translation velocity added to the
    wind; deficit: pressure deficit [Pa], 0 where unknown."""

    latitude: np.ndarray
    longitude: np.ndarray
    radius: np.ndarray
    shape: np.ndarray
    peak: np.ndarray
    eastward: np.ndarray
    northward: np.ndarray
    deficit: np.ndarray

    def vortices(self):
        """Returns one vortex per record, for the C++ kernel."""
        names = ("latitude", "longitude", "radius", "shape", "peak", "eastward", "northward")
        columns = [getattr(self, name).tolist() for name in names]
        return [_core.Vortex(**dict(zip(names, row, strict=True))) for row in zip(*columns, strict=True)]

    def record(self, i, options):
        """Returns record i, for the fit."""
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

    The largest 10-m wind of the moving vortex, where its own wind and half the motion are parallel, equals
    the wind of the track, so V = (wind - motion / 2) / surface_factor (the motion is limited to the wind).
    Where the wind is missing, B follows Vickery and Wadhera (2008, eq. 23) and V the pressure deficit.
    options.radius = "fitted" is `rmax` of the track, or else a fit to the wind radii, or else interpolated in
    time. Raises InputError, with the line of the track, where the wind is missing and the pressure is not
    below the ambient pressure."""
    latitude, longitude = np.radians(track.latitude), np.unwrap(np.radians(track.longitude))
    wind = track.wind * options.factor(track)
    deficit = np.nan_to_num(options.ambient_pressure * 100 - track.pressure, nan=0.0).clip(min=0)
    _check_strength(track, wind, deficit, options)
    eastward, northward = _limited_motion(_motion(track.times, latitude, longitude), wind)
    moving = np.hypot(eastward, northward) if options.asymmetry != "none" else 0.0
    zero = np.zeros(len(track))
    given = Parameters(
        latitude,
        longitude,
        zero,
        zero,
        (wind - moving / 2) / options.surface_factor,
        eastward,
        northward,
        deficit,
    )
    radius = _radius(track, given, wind, options)
    peak = np.where(np.isnan(wind), _peak_from_deficit(latitude, radius, deficit, options), given.peak)
    found = Parameters(latitude, longitude, radius, zero.copy(), peak, eastward, northward, deficit)
    found.shape[:] = [_core.holland_shape(found.record(i, options), radius[i]) for i in range(len(track))]
    for i in np.flatnonzero(np.isnan(wind)):
        found.shape[i] = _core.regression_shape(latitude[i], radius[i])
    return found


def modelled_radii(track, found, options) -> list[np.ndarray]:
    """Returns for each wind speed of the track's radii the radius in the modelled wind [m] (record, side:
    with and against the storm's motion); 0 where that speed is not reached."""
    return [
        np.array(
            [
                [
                    _outer_radius(found, i, radii.speed * options.factor(track), side, options)
                    for side in (1.0, -1.0)
                ]
                for i in range(len(track))
            ]
        )
        for radii in track.radii
    ]


def _outer_radius(found, i, speed, side, options):
    return _core.outer_radius(found.record(i, options), found.radius[i], speed, side)


def _within(name, value, lowest, highest, unit=""):
    if isinstance(value, str) or not lowest <= value <= highest:
        raise ConfigError(f"{name} = {value}. Allowed is {lowest:g} to {highest:g} {unit}".rstrip() + ".")


def _check_strength(track, wind, deficit, options):
    for i in np.flatnonzero(np.isnan(wind) & (deficit <= 0)):
        raise InputError(
            f"{track.location(i)}: no wind is given, and the pressure of {track.pressure[i] / 100:g} hPa "
            f"is not below the ambient pressure of {options.ambient_pressure:g} hPa. Give the wind."
        )


def _motion(times, latitude, longitude):
    """Returns the eastward and northward speed [m s-1] of the centre (record), by central differences."""
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


def _radius(track, given, wind, options):
    if isinstance(options.radius, int | float):
        return np.full(len(track), float(options.radius))
    if options.radius == "fitted":
        fitted = np.where(np.isnan(track.rmax), _fitted(track, given, wind, options), track.rmax)
        return _interpolated(track.times, fitted, _statistical(track, wind, given.deficit, options))
    return _statistical(track, wind, given.deficit, options)


def _fitted(track, given, wind, options):
    """Returns least-squares radii [m] of maximum wind, NaN where no radius can be fitted."""
    radius = [
        _core.fit_radius(given.record(i, options), _targets(track, i, options)) if wind[i] > 0 else 0.0
        for i in range(len(track))
    ]
    return np.where(np.array(radius) > 0, radius, np.nan)


def _targets(track, i, options):
    """Returns the wind radii for the fit: the longest for the side where the motion adds to the wind, the
    shortest for the other side."""
    return [
        _core.WindRadius(radii.speed * options.factor(track), radius, side)
        for radii in track.radii
        for radius, side in ((radii.longest[i], 1.0), (radii.shortest[i], -1.0))
        if radius > 0
    ]


def _interpolated(times, values, default):
    known = ~np.isnan(values)
    if not known.any():
        return default
    seconds = (times - times[0]).astype(float)
    return np.interp(seconds, seconds[known], values[known])


def _statistical(track, wind, deficit, options):
    """Vickery and Wadhera: ln R[km] = 3.015 - 6.291e-5 dp[hPa]^2 + 0.0337 latitude. Willoughby: R[km] = 46.4
    exp(-0.0155 V + 0.0169 latitude), V the gradient wind; also used where the pressure is missing."""
    latitude = np.abs(track.latitude)
    by_pressure = 1e3 * np.exp(3.015 - 6.291e-5 * (deficit / 100) ** 2 + 0.0337 * latitude)
    by_wind = 46.4e3 * np.exp(-0.0155 * wind / options.surface_factor + 0.0169 * latitude)
    by_pressure = np.where(deficit > 0, by_pressure, by_wind)
    by_wind = np.where(np.isnan(wind), by_pressure, by_wind)
    return by_wind if options.radius == "willoughby" else by_pressure


def _peak_from_deficit(latitude, radius, deficit, options):
    """Returns V(R) of Holland (1980) for the B of Vickery and Wadhera (2008)."""
    shape = np.array([_core.regression_shape(*position) for position in zip(latitude, radius, strict=True)])
    half = radius * np.abs([_core.coriolis(value) for value in latitude]) / 2
    return np.sqrt(shape * deficit / (options.air_density * math.e) + half**2) - half
