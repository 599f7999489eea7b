"""Best tracks and forecasts of RSMC Tokyo; winds are ten-minute means.

Best tracks: https://www.jma.go.jp/jma/jma-eng/jma-center/rsmc-hp-pub-eg/Besttracks/e_format_bst.html.
Forecasts: the RSMC Tropical Cyclone Advisory (WTPQ50 to 55 RJTD), appendix of the Annual Report on the
Activities of the RSMC Tokyo - Typhoon Center: an analysis, then forecasts such as 24HF, each with position,
PRES, MXWD and, in the analysis, radii of 50 and 30 kt. It states day and hour, but neither month nor year.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import InputError
from halcyon.mesh.cf_file import format_time
from halcyon.wave.track.fixes import (
    DIRECTION_CODES,
    Fix,
    choose_storm,
    direction_of,
    has_strength,
    make_track,
    nan_if_zero,
    parse_time,
    radii_of,
)
from halcyon.wave.track.table import number

if TYPE_CHECKING:
    from halcyon.wave.track.fixes import FixRadii
    from halcyon.wave.track.track import Track


_HEADER = "66666"  # first word of a storm's header line
_NAME = slice(30, 50)  # of the storm in the header line
_FIRST_YEAR = 51  # the archive begins in 1951; smaller two-digit years are after 2000
# Wind speed [kt], and index of its longest radius among the words from the third on.
_RADII = ((50, 5), (30, 7))


def is_rsmc(line: str) -> bool:
    """Returns whether a line is the header line of a storm."""
    return line.split()[:1] == [_HEADER]


def read_rsmc(path: Path, lines: Sequence[tuple[int, str]], storm: str | None) -> Track:
    """Reads the track of a storm, given by international number or name, from numbered lines (number, text).

    Raises InputError, with file and line, for invalid lines."""
    storms: dict[str, list[Any]] = {}
    names: dict[str, list[str]] = {}
    key = ""
    for line_number, line in lines:
        if is_rsmc(line):
            key = next(iter(line.split()[1:]), "")
            if not key:
                raise InputError(f"{path}:{line_number}: the storm's header lacks its number. Correct it.")
            storms[key], names[key] = [], [key, line[_NAME].strip()]
        else:
            storms[key].append((line_number, line))
    key = choose_storm(path, names, storm, {key: _century(key) + key[:2] for key in names})
    fixes = [_fix(path, line_number, line) for line_number, line in storms[key]]
    title = f"best track of {' '.join(names[key])} (RSMC Tokyo)"
    return make_track(path, fixes, 1.0, title, key)


def _century(digits: str) -> str:
    return "19" if digits[:2] >= str(_FIRST_YEAR) else "20"


def _fix(path: Path, line_number: int, line: str) -> Fix:
    location, words = f"{path}:{line_number}", line.split()
    if len(words) < 6:
        raise InputError(f"{location}: a record of RSMC Tokyo has at least six words, this one {len(words)}.")
    latitude, longitude, pressure = (
        number(words[i], location, name) for i, name in ((3, "latitude"), (4, "longitude"), (5, "pressure"))
    )
    wind = number(words[6], location, "wind") if len(words) > 6 and words[6] != "#" else math.nan
    return Fix(
        line_number,
        parse_time(words[0], location, century=_century(words[0])),
        latitude / 10,  # the file has tenths of degrees
        longitude / 10,
        pressure_hpa=nan_if_zero(pressure),
        wind_kt=nan_if_zero(wind),
        radii_nmi=_wind_radii(words[2:], location),
    )


def _wind_radii(words: Sequence[str], location: str) -> dict[int, FixRadii]:
    """Returns, for each wind speed [kt], its longest and shortest radius [nautical miles]. The word of the
    longest radius begins with a digit for its direction."""
    radii: dict[int, FixRadii] = {}
    for speed, index in _RADII:
        if len(words) > index + 1 and words[index] != "#":
            longest, shortest = (
                number(words[index][1:], location, "radius"),
                number(words[index + 1], location, "radius"),
            )
            if longest > 0:
                code = number(words[index][0], location, "direction of the longest radius")
                direction = DIRECTION_CODES.get(code, math.nan)
                found = radii_of([longest, shortest], direction)
                if found is not None:
                    radii[speed] = found
    return radii


_ADVISORY = "RSMC TROPICAL CYCLONE ADVISORY"  # line below the heading of a bulletin
_NUMBERED_NAME = re.compile(r"NAME\s+.*?\b(\d{4})\s+([A-Z-]+)")
_POSITION = re.compile(
    r"(?:PSTN|(\d{2,3})HF)\s+(\d{6})UTC\s+(\d{1,2}(?:\.\d)?)([NS])\s+(\d{1,3}(?:\.\d)?)([EW])\b"
)
_STRENGTH = {"pressure_hpa": re.compile(r"PRES\s+(\d+)\s*HPA"), "wind_kt": re.compile(r"MXWD\s+(\d+)\s*KT")}
_GALE = re.compile(r"(\d+)\s*NM(?:\s+([A-Z]+))?")
_GALES = re.compile(r"(50|30)KT((?:\s+\d+\s*NM(?:\s+[A-Z]+)?)+)")


def is_advisory(lines: Sequence[tuple[int, str]]) -> bool:
    """Returns whether one of the first numbered lines (number, text) is that of an advisory."""
    return any(line.strip().startswith(_ADVISORY) for _, line in lines[:20])


def read_advisory(
    path: Path, lines: Sequence[tuple[int, str]], storm: str | None, cycle: np.datetime64 | None
) -> Track:
    """Reads the forecast of a storm, given by international number or name, from numbered lines (number,
    text) of one or several advisories; cycle: datetime64, the time of the analysis, which gives month and
    year. Raises InputError, with file and line, for invalid lines, and if there is no such advisory."""
    bulletins: dict[
        tuple[str, str], list[Any]
    ] = {}  # lines by storm, and day, hour and minute of the analysis
    names: dict[str, list[str]] = {}
    of_bulletin: list[tuple[int, str]] = []
    key = ""
    for line_number, line in lines:
        line = line.strip().upper()
        if line.startswith(_ADVISORY):
            key, of_bulletin = "", []
        elif name := _NUMBERED_NAME.match(line):
            key = name[1]
            names.setdefault(key, [key, name[2]])
        elif key:
            of_bulletin.append((line_number, line))
            if line.startswith("PSTN") and (position := _POSITION.match(line)):
                bulletins[key, position[2]] = of_bulletin
    key = choose_storm(path, names, storm, {key: _century(key) + key[:2] for key in names})
    analyses = sorted(at for number, at in bulletins if number == key)
    year = _century(key) + key[:2]
    if cycle is None and analyses:
        raise InputError(
            f"{path}: the advisory of {analyses[0]} (day, hour, minute) does not state its month. Give it by "
            f"forcing.wind.cycle: `cycle: {year}MM{analyses[0][:4]}` with the month for MM."
        )
    at = format_time(cycle)[8:].replace(" ", "").replace(":", "") if analyses else ""
    if cycle is None or at not in analyses:
        raise InputError(
            f"{path} has no advisory on {' '.join(names[key])} of {format_time(cycle)} UTC. Its analyses are"
            f" of {', '.join(analyses)} (day, hour, minute): `cycle: {year}MM{(analyses or [''])[-1][:4]}`."
        )
    fixes = _advisory_fixes(path, bulletins[key, at], cycle.astype("datetime64[s]"))
    title = f"RSMC Tokyo forecast of {format_time(cycle)} UTC of {' '.join(names[key])}"
    return make_track(path, [fix for fix in fixes if has_strength(fix)], 1.0, title, key, cycle)


def _gales(text: str) -> FixRadii | None:
    """Returns the radii that a text such as 120NM or 180NM NORTHEAST 90NM SOUTHWEST states."""
    radii = [(float(radius), direction_of(word)) for radius, word in _GALE.findall(text)]
    return radii_of([radius for radius, _ in radii], max(radii)[1] if len(radii) == 2 else math.nan)


def _advisory_fixes(path: Path, lines: Sequence[tuple[int, str]], cycle: np.datetime64) -> list[Fix]:
    """Returns the fixes of an advisory; its analysis first."""
    fixes = []
    for line_number, line in lines:
        if position := _POSITION.match(line):
            hours, at, latitude, north, longitude, east = position.groups()
            time = cycle + np.timedelta64(int(hours or 0), "h")
            if format_time(time)[8:].replace(" ", "").replace(":", "") != at:
                raise InputError(
                    f"{path}:{line_number}: the forecast of {hours} h is for {at} (day, hour, minute), but "
                    f"should be for {format_time(time)} UTC. Correct the file or forcing.wind.cycle."
                )
            signs = (1 if north == "N" else -1), (1 if east == "E" else -1)
            fixes.append(Fix(line_number, time, signs[0] * float(latitude), signs[1] * float(longitude)))
        elif line.startswith("PSTN") or re.match(r"\d{2,3}HF", line):
            raise InputError(
                f"{path}:{line_number}: '{line[:60]}' is not a position of an advisory, such as "
                "24HF 051800UTC 32.3N 127.2E 70NM 70%."
            )
        for name, pattern in _STRENGTH.items():
            if fixes and (value := pattern.match(line)):
                setattr(fixes[-1], name, nan_if_zero(float(value[1])))
        if fixes and (gales := _GALES.match(line)):
            found = _gales(gales[2])
            assert found is not None  # the pattern has a radius
            fixes[-1].radii_nmi[int(gales[1])] = found
    return fixes
