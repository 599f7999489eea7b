"""Best tracks in NHC's format HURDAT2; winds are one-minute means.

Format: Landsea and Franklin (2013, Mon. Weather Rev. 141, 3576-3592) and
https://www.nhc.noaa.gov/data/hurdat/hurdat2-format-atl-1851-2021.pdf. A header line per storm has its id,
name and number of records; records have date, hour and minute, an identifier such as L (landfall), status,
position, wind, pressure, twelve radii of 34, 50 and 64 kt (NE, SE, SW, NW) and, since 2022, the radius of
maximum wind. -99 and -999 are missing values.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from halcyon.base import InputError
from halcyon.wave.track.fixes import (
    Fix,
    choose_storm,
    has_strength,
    make_track,
    nan_if_zero,
    parse_time,
    radii_of,
)
from halcyon.wave.track.table import number
from halcyon.wave.track.track import ONE_MINUTE_AT_SEA

if TYPE_CHECKING:
    from halcyon.wave.track.track import Track


_ID = re.compile(r"[A-Z]{2}\d{6}")
_DATE, _MINUTE, _LATITUDE, _LONGITUDE, _WIND, _PRESSURE = 0, 1, 4, 5, 6, 7
_RADII = {34: slice(8, 12), 50: slice(12, 16), 64: slice(16, 20)}
_RMAX = 20
_DEGREES = re.compile(r"(-?\d{1,3}(?:\.\d*)?)([NSEW])")


def is_hurdat(words: Sequence[str]) -> bool:
    """Returns whether the words of a line are a storm's header: id, name and number of records."""
    return len(words) in (3, 4) and bool(_ID.fullmatch(words[0])) and words[2].isdigit()


def read_hurdat(path: Path, lines: Sequence[tuple[int, str]], storm: str | None) -> Track:
    """Reads the track of a storm from numbered lines (number, text); storm: see `choose_storm`. Records
    without wind and pressure are left out. Raises InputError, with file and line, for invalid lines."""
    storms: dict[str, list[tuple[int, list[str]]]] = {}
    names: dict[str, list[str]] = {}
    counts: dict[str, tuple[int, int]] = {}
    key = ""
    for line_number, line in lines:
        words = [word.strip() for word in line.split(",")]
        if is_hurdat(words):
            key = words[0]
            storms[key], names[key], counts[key] = [], [key, words[1]], (line_number, int(words[2]))
        else:
            storms[key].append((line_number, words))
    key = choose_storm(path, names, storm, {key: key[-4:] for key in storms})
    line_number, count = counts[key]
    if len(storms[key]) != count:
        raise InputError(
            f"{path}:{line_number}: the header of {key} announces {count} records, but {len(storms[key])} "
            "follow. Replace the file, or correct the number."
        )
    fixes = [_fix(f"{path}:{line}", line, words) for line, words in storms[key]]
    title = f"best track of {' '.join(names[key])} (HURDAT2)"
    return make_track(path, [fix for fix in fixes if has_strength(fix)], ONE_MINUTE_AT_SEA, title, key)


def _fix(location: str, line: int, words: Sequence[str]) -> Fix:
    if len(words) <= _PRESSURE or not re.fullmatch(r"\d{4}", words[_MINUTE]):
        raise InputError(f"{location}: this is not a record of HURDAT2: date, hour and minute, ... pressure.")
    radii = {
        speed: radii_of([number(word, location, f"a radius of {speed} kt") for word in words[columns]])
        for speed, columns in _RADII.items()
    }
    return Fix(
        line,
        parse_time(words[_DATE] + words[_MINUTE], location),
        _degrees(words[_LATITUDE], location, "NS"),
        _degrees(words[_LONGITUDE], location, "EW"),
        pressure_hpa=nan_if_zero(number(words[_PRESSURE], location, "the pressure")),
        wind_kt=nan_if_zero(number(words[_WIND], location, "the wind")),
        rmax_nmi=nan_if_zero(number(words[_RMAX], location, "the radius of maximum wind"))
        if len(words) > _RMAX
        else math.nan,
        radii_nmi={speed: known for speed, known in radii.items() if known},
    )


def _degrees(word: str, location: str, letters: str) -> float:
    """Converts degrees with a hemisphere letter: 75.1W is -75.1."""
    match = _DEGREES.fullmatch(word)
    if not match or match[2] not in letters:
        raise InputError(
            f"{location}: the position '{word[:40]}' must be degrees and {' or '.join(letters)}, as 28.0N."
        )
    return float(match[1]) * (1 if match[2] in "NE" else -1)
