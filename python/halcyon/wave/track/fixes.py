"""Fixes (observed positions and strengths) of a storm, and the track made from them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.base import KNOT, ChoiceError, InputError
from halcyon.mesh.plausible import limits
from halcyon.wave.track.track import NAUTICAL_MILE, Radii, Track, require_motion, require_strength

_MAX_LISTED = 8  # number of storms that an error lists
_POSITION = ("latitude", "longitude")
LIMITS = {name: limits(name) for name in _POSITION} | {
    "pressure_hpa": limits("storm_pressure"),
    "wind_kt": limits("storm_wind"),
    "rmax_nmi": limits("storm_rmax"),
}
RADIUS_LIMITS = limits("storm_radius")


@dataclass(frozen=True)
class FixRadii:
    """Radii of a wind speed [nautical miles]; longest, shortest, direction, quadrants: as of `Radii`."""

    longest: float
    shortest: float
    direction: float = math.nan
    quadrants: tuple[float, ...] = (math.nan,) * 4


@dataclass
class Fix:
    """A storm at one time; NaN where a value is missing.

    line: line number in the file; time: datetime64[s] UTC; latitude, longitude [degrees]; rmax_nmi: radius of
    maximum wind; radii_nmi: for each wind speed [kt], its radii."""

    line: int
    time: np.datetime64
    latitude: float
    longitude: float
    pressure_hpa: float = math.nan
    wind_kt: float = math.nan
    rmax_nmi: float = math.nan
    radii_nmi: dict[int, FixRadii] = field(default_factory=dict)


def nan_if_zero(value: float) -> float:
    """Replaces 0, which agencies write for unknown values, by NaN."""
    return math.nan if value == 0 else value


def has_strength(fix: Fix) -> bool:
    """Returns whether a fix has a wind or a pressure."""
    return not (math.isnan(fix.wind_kt) and math.isnan(fix.pressure_hpa))


def parse_time(text: str, location: str, *, century: str = "") -> np.datetime64:
    """Parses `yyyymmddhh` or `yyyymmddhhmm` to datetime64[s]; century: digits to put in front of a two-digit
    year.

    Raises InputError for an invalid time."""
    digits = century + text
    try:
        minute = digits[10:12] or "00"
        return np.datetime64(f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}T{digits[8:10]}:{minute}", "s")
    except ValueError:
        raise InputError(
            f"{location}: the time is '{text[:40]}'; it must be a year, month, day and hour."
        ) from None


_DIRECTIONS = {"N": 0.0, "NE": 45.0, "E": 90.0, "SE": 135.0, "S": 180.0, "SW": 225.0, "W": 270.0, "NW": 315.0}
DIRECTION_CODES: dict[float, float] = {float(i): v for i, v in enumerate([*_DIRECTIONS.values()][1:], 1)} | {
    8: 0.0
}  # of JMA: 1 NE ... 8 N; 0, 9 none


def direction_of(word: str) -> float:
    """Returns the direction [degrees] that a word such as NE or NORTHEAST states; NaN for another word."""
    initials = (
        word.upper().replace("NORTH", "N").replace("SOUTH", "S").replace("EAST", "E").replace("WEST", "W")
    )
    return _DIRECTIONS.get(initials, math.nan)


def radii_of(radii: Iterable[float], direction: float = math.nan) -> FixRadii | None:
    """Returns the `FixRadii` of radii, which are those of four quadrants (NE, SE, SW, NW), the longest and
    the shortest, or one; None if none of them is above 0. Of the longest and the shortest, 0 is missing."""
    radii = list(radii)
    known = [
        radius for radius in radii if radius > 0 or radius < 0
    ]  # a negative one is refused by `make_track`
    if not known:
        return None
    if len(radii) == 4:
        return FixRadii(max(known), min(known), quadrants=tuple(np.nan_to_num(radii).tolist()))
    return FixRadii(max(known), min(known), direction)


def make_track(
    path: Path,
    fixes: Sequence[Fix],
    averaging_factor: float,
    title: str = "",
    storm: str = "",
    cycle: np.datetime64 | None = None,
) -> Track:
    """Returns the track of fixes, which must be in ascending time. title, storm, cycle: of
    `Track`.

    Raises InputError where there is no fix, a value is out of range, times do not increase, the centre jumps,
    or neither wind nor pressure is given."""
    if not fixes:
        raise InputError(f"{path}: the storm has no records with a wind or a pressure.")
    for previous, fix in zip([None, *fixes], fixes, strict=False):
        _check_fix(path, previous, fix)
    columns = {name: np.array([getattr(fix, name) for fix in fixes], float) for name in LIMITS}
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
        title=title,
        storm=storm,
        cycle=cycle,
    )
    require_strength(track)
    require_motion(track)
    return track


def _check_fix(path: Path, previous: Fix | None, fix: Fix) -> None:
    """Raises InputError for a value out of range, or a time that is not after the previous fix's."""
    radii = [
        (f"a radius of {speed} kt", radius, RADIUS_LIMITS)
        for speed, radii in fix.radii_nmi.items()
        for radius in (radii.longest, radii.shortest)
    ]
    values = [(name, getattr(fix, name), value_limits) for name, value_limits in LIMITS.items()]
    for name, value, (lowest, highest) in [*values, *radii]:
        if value < lowest or value > highest or (math.isnan(value) and name in _POSITION):
            text = "missing" if math.isnan(value) else f"{value:g}"
            raise InputError(
                f"{path}:{fix.line}: {name} is {text}; it must be from {lowest:g} to {highest:g}."
            )
    if previous is not None and fix.time <= previous.time:
        raise InputError(f"{path}:{fix.line}: the time {fix.time} does not come after {previous.time}.")


def _radii(fixes: Sequence[Fix]) -> list[Radii]:
    """Returns the `Radii` of each wind speed, highest first."""
    speeds = sorted({speed for fix in fixes for speed in fix.radii_nmi}, reverse=True)
    missing, result = FixRadii(math.nan, math.nan), []
    for speed in speeds:
        radii = [fix.radii_nmi.get(speed, missing) for fix in fixes]
        longest, shortest, quadrants = (
            NAUTICAL_MILE * np.array([getattr(each, name) for each in radii])
            for name in ("longest", "shortest", "quadrants")
        )
        direction = np.array([each.direction for each in radii])
        result.append(Radii(speed * KNOT, longest, shortest, direction, quadrants))
    return result


def choose_storm(
    path: Path,
    storms: Mapping[str, Collection[str]],
    requested: str | None,
    seasons: Mapping[str, Any] | None = None,
) -> str:
    """Returns the key of the requested storm.

    storms: for each key, the ids and names of the storm; requested: an id, a name, or a name and the year of
    its season (`IRENE 2011`), case-insensitive, or None if there is only one storm; seasons: the year of each
    key. Raises InputError if no storm or several storms match."""
    if requested is None and len(storms) == 1:
        return next(iter(storms))
    if requested is None:
        raise ChoiceError(
            f"{path} holds {len(storms)} storms: {_storms_text(storms)}. Choose one by forcing.wind.storm.",
            storm=list(storms)[-1],
        )
    label = " ".join(requested.split()).lower()
    matches = {
        key: words
        for key, words in storms.items()
        for word in {word.lower() for word in words}
        if label == word or (seasons and label == f"{word} {seasons.get(key)}")
    }
    if len(matches) > 1:
        raise InputError(
            f"{path} holds {len(matches)} storms '{requested}': {_storms_text(matches)}. "
            f"Choose one by its id: `storm: {next(reversed(matches))}`."
        )
    if not matches:
        similar = _similar(storms, label.split(" ")[0]) or storms
        raise InputError(f"{path} holds no storm '{requested}'. It has {_storms_text(similar)}.")
    return next(iter(matches))


def _similar(storms: Mapping[str, Collection[str]], name: str) -> Mapping[str, Collection[str]]:
    """Returns the storms with a name like `name`, if the file has more storms than an error lists."""
    if len(storms) <= _MAX_LISTED:
        return storms
    known = {word.lower() for words in storms.values() for word in words}
    similar = get_close_matches(name, known, n=3, cutoff=0.7)
    return {key: words for key, words in storms.items() if {w.lower() for w in words} & {*similar}}


def _storms_text(storms: Mapping[str, Collection[str]]) -> str:
    """Returns a text of ids and names, as `WP122022 HINNAMNOR, ...`; storms: a dict as in `choose_storm`."""
    texts = [" ".join(dict.fromkeys((str(key), *list(words)[-1:]))) for key, words in storms.items()]
    more = f" and {len(texts) - _MAX_LISTED} more" if len(texts) > _MAX_LISTED else ""
    return ", ".join(texts[:_MAX_LISTED]) + more
