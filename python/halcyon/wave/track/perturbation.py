"""Tracks perturbed by the statistics of forecast errors.

A member's errors along the track, across the track and of the wind are normal, without bias, and correlated
in time as in the Monte Carlo model of NHC's wind speed probabilities (DeMaria et al. 2009, Weather Forecast.
24, 1573-1591): the error at a lead time is a multiple of the error at the lead time before plus an
independent part. Their coefficients are refitted every year and are not published; here an error persists
and independent errors are added to it, so that the published mean errors hold at every lead time:

    e_j = a_j e_(j-1) + sqrt(s_j^2 - a_j^2 s_(j-1)^2) z_j,   a_j = min(1, s_j / s_(j-1))

with s_j = sqrt(pi/2) m_j for the mean absolute error m_j at lead time j (that of a normal distribution with
standard deviation s_j), and z_j independent standard normal numbers. The alternative
is an error with the same quantile at all lead times, e_j = s_j z, as in P-Surge (Taylor and Glahn 2008, 19th
Conf. on Probability and Statistics, Amer. Meteor. Soc., 7.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from halcyon.base import EARTH_RADIUS, KNOT
from halcyon.mesh.cf_file import in_unit
from halcyon.mesh.sphere import east_at, normalized, to_lonlat, to_points, wrapped
from halcyon.wave.track.track import NAUTICAL_MILE, ONE_MINUTE_AT_SEA

if TYPE_CHECKING:
    from halcyon.wave.track.track import Radii, Track


WEAKEST_WIND, STRONGEST_WIND = 15 * KNOT, 185 * KNOT  # of a perturbed one-minute wind [m s-1]
_WITHIN_CIRCLE = 2 / 3  # part of the errors that are smaller than the radius of NHC's cone


@dataclass(frozen=True)
class Errors:
    """Mean absolute errors of forecasts at lead times: hours, increasing; along, across: the track [m]; wind
    [m s-1]: of the one-minute wind. Linear in between, constant after the last lead time."""

    hours: tuple[float, ...]
    along: tuple[float, ...]
    across: tuple[float, ...]
    wind: tuple[float, ...]


def _errors(
    hours: Sequence[float], along_nmi: Sequence[float], across_nmi: Sequence[float], wind_kt: Sequence[float]
) -> Errors:
    along, across = (tuple(NAUTICAL_MILE * each for each in column) for column in (along_nmi, across_nmi))
    return Errors(tuple(map(float, hours)), along, across, tuple(KNOT * each for each in wind_kt))


# NHC's official forecasts in the Atlantic, 2015-2019, by the wind at the start of the forecast: adjusted
# errors of P-Surge (NWS Meteorological Development Laboratory, 2019 P-Surge Error Update, tables 7, 8 and 12;
# printed in ensembleperturbation/perturbation/atcf.py of github.com/noaa-ocs-modeling/EnsemblePerturbation).
_HOURS = (0, 12, 24, 36, 48, 72, 96, 120)
_ATLANTIC = {  # upper limit of the wind [kt]: errors
    50: _errors(
        _HOURS,
        (6.33, 17.77, 26.66, 37.75, 51.07, 69.22, 108.59, 125.01),
        (4.98, 16.16, 23.10, 28.95, 38.03, 56.88, 92.95, 119.67),
        (1.45, 4.01, 6.17, 8.42, 10.46, 14.28, 18.26, 19.91),
    ),
    95: _errors(
        _HOURS,
        (3.68, 12.74, 19.43, 27.51, 37.28, 57.82, 80.15, 108.07),
        (2.89, 11.58, 16.83, 21.10, 27.76, 47.51, 68.61, 103.45),
        (2.26, 5.75, 8.54, 9.97, 11.28, 13.11, 13.46, 12.62),
    ),
    np.inf: _errors(
        _HOURS,
        (2.35, 8.57, 14.64, 23.36, 33.59, 49.26, 70.90, 83.55),
        (1.85, 7.79, 12.68, 17.92, 25.01, 40.48, 60.69, 79.98),
        (2.80, 7.94, 11.53, 13.27, 12.66, 13.41, 13.46, 13.55),
    ),
}
# Radii [n mi] of NHC's cone of 2023, which two thirds of the errors of 2018-2022 do not exceed, at the hours
# after 0 (https://www.nhc.noaa.gov/aboutcone.shtml). Errors of the position are taken as equal in all
# directions, and at hour 0 and of the wind as those of the Atlantic.
_CONE_HOURS = (12, 24, 36, 48, 60, 72, 96, 120)
_CONES = {
    "eastern_pacific": (25, 38, 51, 63, 78, 86, 110, 137),
    "central_pacific": (34, 49, 66, 81, 95, 120, 137, 156),
}


def named_errors(name: str, wind: float) -> Errors:
    """Returns the `Errors` of a basin, atlantic, eastern_pacific or central_pacific, for a one-minute wind
    [m s-1] at the start of the forecast."""
    atlantic = next(errors for limit, errors in _ATLANTIC.items() if wind < limit * KNOT or limit > 95)
    if name == "atlantic":
        return atlantic
    # Distances are Rayleigh distributed: P(d < r) = 1 - exp(-r^2 / (2 s^2)); the mean of |e| is sqrt(2/pi) s.
    per_radius = np.sqrt(2 / np.pi) / np.sqrt(-2 * np.log(1 - _WITHIN_CIRCLE))
    of_cone = [atlantic.across[0], *(radius * NAUTICAL_MILE * per_radius for radius in _CONES[name])]
    hours = (0.0, *map(float, _CONE_HOURS))
    component = tuple(map(float, of_cone))
    return Errors(
        hours, component, component, tuple(np.interp(hours, atlantic.hours, atlantic.wind).tolist())
    )


def perturbed_track(
    track: Track,
    *,
    member: int,
    seed: int,
    errors: Errors | str,
    begin: np.datetime64 | datetime,
    storm: int = 0,
    correlation: str = "growing",
    ambient_pressure: float = 101000.0,
) -> Track:
    """Returns the track of one member of an ensemble. Its errors depend only on the seed, the storm and the
    member, not on the number of members.

    member: 1, 2, ...; seed: at least 0; storm: number of the storm in the run; errors: `Errors`, or a
    basin of `named_errors`; begin: datetime64 at which the forecast begins, until which the track has no
    errors; correlation: "growing" or "full", see the module; ambient_pressure [Pa].

    The centre is moved along and across the direction of motion; the wind gets the error of the wind, and the
    central pressure changes such that its deficit is proportional to the square of the wind, as with a
    constant B of Holland (1980). Where the wind is missing it is that of Atkinson and Holliday (1977, Mon.
    Weather Rev. 105, 421-427) for the pressure. Wind radii above the wind are missing; R is unchanged."""
    lead_hours = (track.times - in_unit(begin, "s")).astype(float) / 3600
    wind = np.where(np.isnan(track.wind), _wind_of(track), track.wind)  # averaged as that of the track
    to_one_minute = track.averaging_factor / ONE_MINUTE_AT_SEA
    if isinstance(errors, str):
        errors = named_errors(errors, float(np.interp(0, lead_hours, wind)) * to_one_minute)
    along, across, wind_error = _member_errors(errors, lead_hours, (seed, member, storm), correlation)
    longitude, latitude = _moved(track, along, across)
    lowest = np.minimum(WEAKEST_WIND, wind * to_one_minute)
    perturbed = np.clip(wind * to_one_minute + wind_error, lowest, STRONGEST_WIND) / to_one_minute
    perturbed = np.where(wind_error == 0, wind, perturbed)
    deficit = (ambient_pressure - track.pressure) * (perturbed / wind) ** 2
    return replace(
        track,
        latitude=np.where(lead_hours < 0, track.latitude, latitude),
        longitude=np.where(lead_hours < 0, track.longitude, longitude),
        pressure=np.where(wind_error == 0, track.pressure, ambient_pressure - deficit),
        wind=np.where(np.isnan(track.wind), np.nan, perturbed),
        radii=[_below(radii, perturbed) for radii in track.radii],
    )


def _member_errors(
    errors: Errors, lead_hours: np.ndarray, key: tuple[int, ...], correlation: str
) -> list[np.ndarray]:
    """Returns the errors of a member (record) along and across the track [m] and of the wind [m s-1]."""
    means = errors.along, errors.across, errors.wind
    normal = _standard_normal(key, (len(means), len(errors.hours)))
    series = []
    for mean, z in zip(means, normal, strict=True):
        deviation = np.sqrt(np.pi / 2) * np.array(mean)
        error = deviation * z[0] if correlation == "full" else _accumulated(deviation, z)
        series.append(np.where(lead_hours < 0, 0.0, np.interp(lead_hours, errors.hours, error)))
    return series


def _accumulated(deviation: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Returns the errors e_j of the module for standard deviations s_j and z_j (lead time)."""
    error = deviation * z
    for j in range(1, len(z)):
        previous = deviation[j - 1]
        a = min(1.0, deviation[j] / previous) if previous > 0 else 0.0
        new = np.sqrt(max(0.0, deviation[j] ** 2 - (a * previous) ** 2))
        error[j] = a * error[j - 1] + new * z[j]
    return error


def _standard_normal(key: tuple[int, ...], shape: tuple[int, ...]) -> np.ndarray:
    """Returns standard normal numbers, the same with every version of numpy: the stream of raw numbers of
    PCG64 does not change, those of distributions may."""
    seed, *spawn_key = key
    generator = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=spawn_key))
    uniform = ((generator.random_raw(int(np.prod(shape))) >> np.uint64(11)) + 0.5) * 2.0**-53
    return np.array([NormalDist().inv_cdf(each) for each in uniform.tolist()]).reshape(shape)


def _moved(track: Track, along: np.ndarray, across: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns longitude and latitude [degrees] (record) of the centre, moved by distances [m] along its
    motion and to the right of it, on great circles; a centre that does not move heads north."""
    points = to_points(track.longitude, track.latitude)
    n = np.arange(len(track))
    motion = points[np.minimum(n + 1, len(track) - 1)] - points[np.maximum(n - 1, 0)]
    motion -= np.einsum("ij,ij->i", motion, points)[:, None] * points
    is_still = np.linalg.norm(motion, axis=1) < 1e-9
    north = np.cross(points, east_at(track.longitude))
    ahead = normalized(np.where(is_still[:, None], north, motion))
    right = np.cross(ahead, points)
    offset = (along[:, None] * ahead + across[:, None] * right) / EARTH_RADIUS
    angle = np.linalg.norm(offset, axis=1)[:, None]
    moved = np.cos(angle) * points + np.sinc(angle / np.pi) * offset
    longitude, latitude = to_lonlat(moved)
    return wrapped(longitude, track.longitude), latitude


def _wind_of(track: Track) -> np.ndarray:
    """Returns the wind [m s-1] (record) for the pressure, averaged as that of the track: 6.7 (1010 -
    p[hPa])^0.644 kt (Atkinson and Holliday 1977), a one-minute wind."""
    one_minute = 6.7 * np.maximum(1010 - track.pressure / 100, 1) ** 0.644 * KNOT
    return one_minute * ONE_MINUTE_AT_SEA / track.averaging_factor


def _below(radii: Radii, wind: np.ndarray) -> Radii:
    """Returns `Radii` without those of records (wind [m s-1]) that do not reach their speed."""
    return radii.only(wind > radii.speed)
