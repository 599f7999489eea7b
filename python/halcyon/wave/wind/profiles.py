"""Radial profiles of the wind of a cyclone that pass through given radii.

A profile is a function of `Knots` and distances [m] (azimuth, node) that returns the wind speed [m s-1] at 10
m (azimuth, node). At R it is the peak, and at each radius its speed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halcyon.base import KNOT
from halcyon.wave.track.track import ONE_MINUTE_AT_SEA
from halcyon.wave.wind.outer import outer_wind

GALE = 34 * KNOT * ONE_MINUTE_AT_SEA  # [m s-1] a one-minute wind of 34 kt as a ten-minute wind
_SMALLEST_SHAPE, _LARGEST_SHAPE = 0.8, 2.5  # bounds of Holland's B within R and beyond the last radius
_FAST_LENGTH = 25e3  # [m] second decay length of Willoughby et al. (2006)


@dataclass(frozen=True)
class Knots:
    """What a profile passes through, in each azimuth.

    inner (azimuth): radius of maximum wind R [m]; peak (azimuth): wind there [m s-1]; radii (n, azimuth) [m],
    above R and increasing, NaN where missing; speeds (n) [m s-1], decreasing; shape: Holland's B where there
    are no radii; coriolis: |f| [s-1]; latitude [degrees]; surface_factor: 10-m wind over gradient wind."""

    inner: np.ndarray
    peak: np.ndarray
    radii: np.ndarray
    speeds: np.ndarray
    shape: float
    coriolis: float
    latitude: float
    surface_factor: float

    def outermost(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the largest radius [m] (azimuth), R where there is none, and the speed there [m s-1]."""
        radius, speed = self.inner, self.peak
        for of_speed, known in zip(self.speeds, self.radii, strict=True):
            is_known = np.isfinite(known)
            radius, speed = np.where(is_known, known, radius), np.where(is_known, of_speed, speed)
        return radius, speed


def generalised_holland(knots: Knots, distance: np.ndarray) -> np.ndarray:
    """Holland's (1980, Mon. Weather Rev. 108, 1212-1218) profile with a B that varies with distance:

        V = Vm sqrt(x exp(1 - x)),   x = exp(-y),   y = B ln(r / R).

    In each azimuth y is 0 at R, has at every radius the value that gives its speed, and is linear in ln r in
    between, so that V falls monotonically. So do Gao et al. (2013; the generalised asymmetric Holland model
    of ADCIRC) interpolate B and R between radii; Holland, Belanger and Fritz (2010, Mon. Weather Rev. 138,
    4393-4401) fit an exponent to a radius, and leave out the Coriolis force as here. Within R, B is that of
    the first radius, limited to 0.8 to 2.5. Beyond the last radius the wind is that of `outer`. Where there
    is no radius, B is `knots.shape` until the wind falls to 34 kt or to 0.7 Vm."""
    lengths = np.log(knots.radii / knots.inner)
    values = _y(np.minimum(knots.speeds[:, None] / knots.peak, 1))
    length = np.log(distance / knots.inner[:, None])
    no_radius = np.isnan(lengths).all(axis=0)
    first = _first(values / lengths)
    shape = np.where(no_radius, knots.shape, np.clip(first, _SMALLEST_SHAPE, _LARGEST_SHAPE))[:, None]
    y = _interpolated(length, lengths, values, np.zeros(len(knots.inner)))
    y = np.where((length < 0) | no_radius[:, None], shape * length, y)
    end, end_speed = knots.outermost()
    end_speed = np.where(no_radius, np.minimum(GALE, 0.7 * knots.peak), end_speed)
    end = np.where(no_radius, knots.inner * np.exp(_y(end_speed / knots.peak) / knots.shape), end)
    return np.where(
        distance > end[:, None],
        outer_wind(distance, end, end_speed, knots.coriolis),
        knots.peak[:, None] * np.sqrt(_square(y)),
    )


def _square(y: np.ndarray) -> np.ndarray:
    """Returns x exp(1 - x), x = exp(-y): the square of the wind relative to the peak."""
    x = np.exp(-np.clip(y, -6, 700))
    return x * np.exp(1 - x)


def _y(ratio: np.ndarray) -> np.ndarray:
    """Returns the y >= 0 for which the wind is `ratio` times the peak, by bisection."""
    low, high = np.zeros_like(ratio), np.full_like(ratio, 60.0)
    for _ in range(60):
        middle = (low + high) / 2
        is_faster = _square(middle) > ratio**2
        low, high = np.where(is_faster, middle, low), np.where(is_faster, high, middle)
    return (low + high) / 2


def _first(values: np.ndarray) -> np.ndarray:
    """Returns the first value (azimuth) of values (n, azimuth) that is not NaN; NaN if there is none."""
    result = np.full(values.shape[1], np.nan)
    for of_radius in values[::-1]:
        result = np.where(np.isnan(of_radius), result, of_radius)
    return result


def _interpolated(
    length: np.ndarray, lengths: np.ndarray, values: np.ndarray, at_inner: np.ndarray
) -> np.ndarray:
    """Returns values (azimuth, node) at lengths (azimuth, node), linear between 0, where they are `at_inner`
    (azimuth), and lengths (n, azimuth) with values (n, azimuth), NaN where missing; constant beyond them."""
    from_length, from_value = np.zeros(len(at_inner)), at_inner
    result = np.broadcast_to(at_inner[:, None], length.shape)
    for to_length, to_value in zip(lengths, values, strict=True):
        known = np.isfinite(to_length)
        span = np.where(known, to_length - from_length, 1.0)
        part = np.clip((length - from_length[:, None]) / span[:, None], 0, 1)
        line = from_value[:, None] + part * (to_value - from_value)[:, None]
        result = np.where(known[:, None] & (length >= from_length[:, None]), line, result)
        from_length, from_value = (
            np.where(known, to_length, from_length),
            np.where(known, to_value, from_value),
        )
    return result


def _decay(ratios: np.ndarray, offsets: np.ndarray, share: float | np.ndarray) -> np.ndarray:
    """Returns (r - R) / X (n, azimuth) at which the wind of `willoughby` is `ratios` times the peak."""
    return -np.log((ratios - share * np.exp(-offsets / _FAST_LENGTH)) / (1 - share))


def _running(values: np.ndarray) -> list[np.ndarray]:
    """Returns values (n, azimuth) with each missing one replaced by that before it, 0 at first."""
    previous, result = np.zeros(values.shape[1]), []
    for of_radius in values:
        previous = np.where(np.isnan(of_radius), previous, of_radius)
        result.append(previous)
    return result


def willoughby(knots: Knots, distance: np.ndarray) -> np.ndarray:
    """The profile of Willoughby, Darling and Rahn (2006, Mon. Weather Rev. 134, 1102-1120, eqs. 1, 4, 10):

        V = Vm (r / R)^n within R,   V = Vm ((1 - A) exp(-(r - R) / X) + A exp(-(r - R) / 25 km)) beyond,

    without their transition. n and A are their regressions on Vm and latitude, as is X where there is no
    radius; else X is constant between two radii such that V is the speed at both, and beyond them is that
    which alone leads from R to the last. A is smaller where there is no such X."""
    peak = knots.peak.max() / knots.surface_factor
    exponent = max(0.4067 + 0.0144 * peak - 0.0038 * knots.latitude, 0.1)
    share = max(0.0696 + 0.0049 * peak - 0.0064 * knots.latitude, 0.0)
    length_scale = 1e3 * max(317.1 - 2.026 * peak + 1.915 * knots.latitude, 50.0)
    offsets = knots.radii - knots.inner
    ratios = np.minimum(knots.speeds[:, None] / knots.peak, 1)
    limits = np.minimum(ratios / 2 * np.exp(np.minimum(offsets / _FAST_LENGTH, 50)), 1 - ratios)
    share = np.fmin.reduce(limits, axis=0, initial=share)
    decay = _decay(ratios, offsets, share)
    falls = np.diff(np.vstack([np.zeros_like(share), *_running(decay)]), axis=0) >= 0
    share = np.where(falls.all(axis=0), share, 0)
    decay = _decay(ratios, offsets, share)
    offset, share = distance - knots.inner[:, None], share[:, None]
    last_offset, last_decay = _first(offsets[::-1]), _first(decay[::-1])
    rate = np.where(np.isnan(last_offset), 1 / length_scale, last_decay / last_offset)[:, None]
    beyond = np.maximum(offset - np.nan_to_num(last_offset)[:, None], 0)
    total = _interpolated(offset, offsets, decay, np.zeros(len(knots.inner))) + rate * beyond
    outer = (1 - share) * np.exp(-total) + share * np.exp(-np.maximum(offset, 0) / _FAST_LENGTH)
    inner = (distance / knots.inner[:, None]) ** exponent
    return knots.peak[:, None] * np.where(offset < 0, inner, outer)


PROFILES = {"generalised_holland": generalised_holland, "willoughby": willoughby}
