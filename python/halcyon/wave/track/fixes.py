"""From the fixes of an agency's file to the track of a storm."""

import math
from dataclasses import dataclass, field

import numpy as np

from halcyon.base import KNOT, InputError
from halcyon.wave.track.track import NAUTICAL_MILE, Radii, Track, require_strength

_SHOWN = 8  # storms in an error
_PLACE = {"latitude": (-90.0, 90.0), "longitude": (-180.0, 360.0)}
_LIMITS = {
    **_PLACE,
    "pressure_hpa": (800.0, 1050.0),
    "wind_kt": (0.0, 250.0),
    "rmax_nmi": (0.0, 500.0),
}


@dataclass
class Fix:
    """A storm at one time: its line in the file, time datetime64[s] UTC, position [degrees], and what else
    is given (NaN where not); reach_nmi: of winds by their speed [kt], the longest and the shortest."""

    line: int
    time: np.datetime64
    latitude: float
    longitude: float
    pressure_hpa: float = math.nan
    wind_kt: float = math.nan
    rmax_nmi: float = math.nan
    reach_nmi: dict[int, tuple[float, float]] = field(default_factory=dict)


def given(value):
    """The same, NaN for 0: agencies write it for what is not known."""
    return value if value > 0 else math.nan


def time_of(text, place, *, century=""):
    """The datetime64[s] of `yyyymmddhh`, or with minutes behind, its digits alone. Raises InputError where it
    is none."""
    digits = century + text
    try:
        minute = digits[10:12] or "00"
        return np.datetime64(f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}T{digits[8:10]}:{minute}", "s")
    except ValueError:
        raise InputError(f"{place}: the time is '{text}'; it must be a year, month, day and hour.") from None


def of_quadrants(reaches):
    """Longest and shortest reach of those of the quadrants that are given; None where none is."""
    known = [reach for reach in reaches if reach > 0]
    return (max(known), min(known)) if known else None


def track_of(path, fixes, averaging_factor):
    """The track of fixes in the order of time.

    Raises InputError where there is none, a value is out of range, times do not increase, or neither wind nor
    pressure is given."""
    if not fixes:
        raise InputError(f"{path}: the storm has no records with a wind or a pressure.")
    for before, fix in zip([None, *fixes], fixes, strict=False):
        _check(path, before, fix)
    columns = {name: np.array([getattr(fix, name) for fix in fixes], float) for name in _LIMITS}
    track = Track(
        path=path,
        lines=[fix.line for fix in fixes],
        times=np.array([fix.time for fix in fixes]),
        latitude=columns["latitude"],
        longitude=columns["longitude"],
        pressure=columns["pressure_hpa"] * 100,
        wind=columns["wind_kt"] * KNOT,
        rmax=columns["rmax_nmi"] * NAUTICAL_MILE,
        radii=_radii(fixes),
        averaging_factor=averaging_factor,
    )
    require_strength(track)
    return track


def _check(path, before, fix):
    for name, (lowest, highest) in _LIMITS.items():
        value = getattr(fix, name)
        if value < lowest or value > highest or (math.isnan(value) and name in _PLACE):
            said = "missing" if math.isnan(value) else f"{value:g}"
            raise InputError(
                f"{path}:{fix.line}: {name} is {said}; it must be from {lowest:g} to {highest:g}."
            )
    if before is not None and fix.time <= before.time:
        raise InputError(f"{path}:{fix.line}: the time {fix.time} does not come after {before.time}.")


def _radii(fixes):
    speeds = sorted({speed for fix in fixes for speed in fix.reach_nmi}, reverse=True)
    nothing = (math.nan, math.nan)
    found = []
    for speed in speeds:
        reaches = np.array([fix.reach_nmi.get(speed, nothing) for fix in fixes]) * NAUTICAL_MILE
        found.append(Radii(speed * KNOT, reaches[:, 0], reaches[:, 1]))
    return found


def choose(path, storms, wanted):
    """The key of the storm that is wanted.

    storms: their ids and names by key. wanted: one of them, whatever its case; None where there is but one.
    Raises InputError where there are several, none, or two of that name."""
    if wanted is None and len(storms) == 1:
        return next(iter(storms))
    if wanted is None:
        raise InputError(
            f"{path} holds {len(storms)} storms: {_listed(storms)}. Choose one by forcing.wind.storm."
        )
    found = [key for key, words in storms.items() if wanted.strip().lower() in {w.lower() for w in words}]
    if len(found) > 1:
        raise InputError(f"{path} holds {len(found)} storms '{wanted}': {_listed(found)}. Choose by the id.")
    if not found:
        raise InputError(f"{path} holds no storm '{wanted}'. It has {_listed(storms)}.")
    return found[0]


def _listed(storms):
    """`WP122022 HINNAMNOR, ...`: ids and names."""
    words = [" ".join(dict.fromkeys(storms[key])) if isinstance(storms, dict) else str(key) for key in storms]
    more = f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
    return ", ".join(words[:_SHOWN]) + more
