"""Decks of ATCF, as of NHC and JTWC: best tracks (b-decks) and forecasts (a-decks).

Columns: https://science.nrlmry.navy.mil/atcf/docs/database/new/abrdeck.html. A deck has one line for each
technique, time, forecast period and speed of wind radii. Winds are one-minute means. The fourth column has
the minutes of records of best tracks that are not on the full hour, such as landfalls; in forecasts, a number
of the technique.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from halcyon.base import ChoiceError, InputError
from halcyon.mesh.cf_file import format_time
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


_BASIN, _NUMBER, _TIME, _MINUTE, _TECH, _TAU = range(6)
_LATITUDE, _LONGITUDE, _WIND, _PRESSURE = 6, 7, 8, 9
_RADIUS_SPEED, _RADIUS_CODE, _RADII, _RMAX, _NAME = 11, 12, slice(13, 17), 19, 27
_DEGREES = re.compile(r"(\d{1,4})([NSEW])")
_BEST, _ANALYSED = "BEST", "CARQ"  # techniques of best tracks, and of positions at forecast time and before
_OFFICIAL = ("OFCL", "JTWC")  # techniques of official forecasts
_MAX_LISTED = 60  # techniques or cycles that an error lists
_HOUR = np.timedelta64(3600, "s")


@dataclass(frozen=True)
class _Line:
    """A line of a deck: its number in the file, its location for errors, and its words."""

    number: int
    location: str
    words: list[str]

    @property
    def technique(self) -> str:
        return self.words[_TECH].upper() or _BEST

    def word(self, column: int) -> str:
        """Returns the word in a column, empty if the line is too short."""
        return self.words[column] if len(self.words) > column else ""

    @property
    def key(self) -> str:
        """The storm's id: basin, number and year of the season, in the southern hemisphere the year in which
        the season ends."""
        basin, year, month = self.words[_BASIN].upper(), int(self.words[_TIME][:4]), self.words[_TIME][4:6]
        if not re.fullmatch(r"\d{1,4}", self.words[_NUMBER]):
            raise InputError(
                f"{self.location}: the storm's number is '{self.words[_NUMBER][:40]}'; it must be digits."
            )
        year += basin in ("SH", "SP", "SI") and month >= "07"
        return f"{basin}{int(self.words[_NUMBER]):02}{year}"


def is_deck(words: Sequence[str]) -> bool:
    """Returns whether the words of a line are those of a deck: basin, number, and a time of ten digits."""
    return len(words) > _WIND and words[_BASIN].isalpha() and bool(re.fullmatch(r"\d{10}", words[_TIME]))


def read_deck(
    path: Path,
    lines: Sequence[tuple[int, str]],
    storm: str | None,
    technique: str | None = None,
    cycle: np.datetime64 | None = None,
    *,
    with_analyses: bool = True,
) -> Track:
    """Reads the track of a storm from numbered lines (number, text) of a deck.

    storm: id or name, see `choose_storm`; technique: of the forecast, such as OFCL, None for the best track;
    cycle: datetime64, the time of the forecast, needed if the deck has several; with_analyses: whether a
    forecast follows on the deck's own analysed positions (CARQ) of earlier times. Forecast periods without a
    position or a strength are left out. Raises InputError, with file and line, for invalid lines; for a
    storm, technique or cycle that is missing or ambiguous the error lists those of the file."""
    of_deck = [_line(path, line_number, text) for line_number, text in lines]
    requested = (technique or _BEST).upper()
    chosen = [line for line in of_deck if line.technique == requested]
    if not chosen:
        raise _technique_error(path, of_deck, technique)
    names: dict[str, dict[str, None]] = {line.key: {line.key: None} for line in chosen}
    for line in of_deck:
        if line.technique in (requested, _ANALYSED) and line.word(_NAME) and line.key in names:
            names[line.key][line.word(_NAME)] = None
    key = choose_storm(path, names, storm, {key: key[-4:] for key in names})
    chosen = [line for line in chosen if line.key == key]
    label = " ".join(dict.fromkeys((key, [*names[key]][-1])))
    if requested == _BEST:
        title = f"best track of {label} (ATCF)"
        return make_track(path, _fixes(chosen, _best_time), ONE_MINUTE_AT_SEA, title, key)
    cycle = _choose_cycle(path, chosen, requested, cycle)
    fixes = _fixes([line for line in chosen if _cycle(line) == cycle], _valid_time)
    fixes = sorted((fix for fix in fixes if has_strength(fix)), key=lambda fix: fix.time)
    title = f"{requested} forecast of {format_time(cycle)} UTC of {label}"
    if not fixes:
        raise InputError(
            f"{path}: the {title} has no position with a wind or a pressure. Choose another technique or "
            "cycle."
        )
    if with_analyses:
        of_storm = [line for line in of_deck if line.technique == _ANALYSED and line.key == key]
        analysed = _analysed(of_storm, cycle, fixes[0].time)
        fixes, title = [*analysed, *fixes], title + (" after its analyses (CARQ)" if analysed else "")
    return make_track(path, fixes, ONE_MINUTE_AT_SEA, title, key, cycle)


def forecast_techniques(path: Path, lines: Sequence[tuple[int, str]]) -> list[str]:
    """Returns the sorted techniques of the forecasts in a deck, given its numbered lines (number, text)."""
    found = {_line(path, line_number, text).technique for line_number, text in lines}
    return sorted(found - {_BEST, _ANALYSED})


def _line(path: Path, line_number: int, text: str) -> _Line:
    words, location = [word.strip() for word in text.split(",")], f"{path}:{line_number}"
    if not is_deck(words):
        raise InputError(f"{location}: the line is not in the format of the first line, a deck of ATCF.")
    return _Line(line_number, location, words)


def _technique_error(path: Path, lines: Sequence[_Line], technique: str | None) -> InputError:
    found = sorted({line.technique for line in lines} - {_ANALYSED})
    listed = ", ".join(found[:_MAX_LISTED]) + (" ..." if len(found) > _MAX_LISTED else "")
    example = next((name for name in (*_OFFICIAL, *found) if name in found), "OFCL")
    if technique is None:
        return ChoiceError(
            f"{path} has no best track (BEST in the fifth column), but forecasts of the techniques {listed}. "
            f"Choose one by forcing.wind.technique: `technique: {example}`.",
            technique=example,
        )
    if found == [_BEST]:
        return InputError(f"{path} has a best track and no forecasts. Remove forcing.wind.technique.")
    return InputError(
        f"{path} has no forecast of the technique '{technique}'. It has {listed}. Choose one of them: "
        f"`technique: {example}`."
    )


def _cycle(line: _Line) -> np.datetime64:
    return parse_time(line.words[_TIME], line.location)


def _best_time(line: _Line) -> np.datetime64:
    minute = line.words[_MINUTE].strip("0") and line.words[_MINUTE].zfill(2)  # empty on the full hour
    return parse_time(line.words[_TIME] + minute, line.location)


def _valid_time(line: _Line) -> np.datetime64:
    tau = line.word(_TAU)
    if not re.fullmatch(r"-?\d{1,3}", tau):
        raise InputError(f"{line.location}: the forecast period is '{tau[:40]}'; it must be hours.")
    return _cycle(line) + int(tau) * _HOUR


def _choose_cycle(
    path: Path, lines: Sequence[_Line], technique: str, requested: np.datetime64 | None
) -> np.datetime64:
    """Returns the requested time of forecast, or the only one of the lines."""
    digits = sorted({line.words[_TIME] for line in lines})
    cycles = {_cycle(line) for line in lines}
    if requested is None and len(cycles) == 1:
        return next(iter(cycles))
    if requested is not None and requested in cycles:
        return requested
    more = f" and {len(digits) - _MAX_LISTED} earlier ones" if len(digits) > _MAX_LISTED else ""
    listed = ", ".join(digits[-_MAX_LISTED:]) + more
    missing = "" if requested is None else f"no forecast of {technique} at {format_time(requested)} UTC, but "
    raise ChoiceError(
        f"{path} has {missing}{len(digits)} forecasts of {technique}: {listed}. Choose one by "
        f"forcing.wind.cycle: `cycle: {digits[-1]}`.",
        cycle=max(cycles),
    )


def _fixes(lines: Iterable[_Line], time_of: Callable[[_Line], np.datetime64]) -> list[Fix]:
    """Returns the fixes of lines, one per time, in the order of the lines; of several forecasts for a time,
    those of the first. Lines at 0N 0W, which is a missing position, are left out. Raises InputError where
    lines of a best track for one time differ in more than their radii."""
    fixes: dict[np.datetime64, Fix] = {}
    cycle_of: dict[np.datetime64, str] = {}
    for line in lines:
        time = time_of(line)
        if _is_missing(line) or cycle_of.setdefault(time, line.words[_TIME]) != line.words[_TIME]:
            continue
        fix = _fix(line, time)
        first = fixes.setdefault(time, fix)
        if line.technique == _BEST:
            _require_same(first, fix, line)
        _complete(first, fix)
        speed = number(line.word(_RADIUS_SPEED), line.location, "RAD")
        radii = [number(word, line.location, "a radius") for word in line.words[_RADII]]
        if line.word(_RADIUS_CODE) == "AAA":  # one radius for the full circle instead of four quadrants
            radii = radii[:1]
        if speed > 0 and (known := radii_of(radii)):
            fixes[time].radii_nmi.setdefault(int(speed), known)
    return list(fixes.values())


def _require_same(first: Fix, fix: Fix, line: _Line) -> None:
    for name, unit in (("latitude", " N"), ("longitude", " E"), ("wind_kt", " kt"), ("pressure_hpa", " hPa")):
        one, other = getattr(first, name), getattr(fix, name)
        if one < other or one > other:
            raise InputError(
                f"{line.location}: {name} is {other:g}{unit}, but {one:g}{unit} in line {first.line} of the"
                " same time. Correct one of them: the lines of a time differ in their radii only."
            )


def _complete(first: Fix, fix: Fix) -> None:
    for name in ("wind_kt", "pressure_hpa", "rmax_nmi"):
        if np.isnan(getattr(first, name)):
            setattr(first, name, getattr(fix, name))


def _is_missing(line: _Line) -> bool:
    return all(line.words[column].strip("0NSEW") == "" for column in (_LATITUDE, _LONGITUDE))


def _fix(line: _Line, time: np.datetime64) -> Fix:
    return Fix(
        line.number,
        time,
        _degrees(line.words[_LATITUDE], line.location, "NS"),
        _degrees(line.words[_LONGITUDE], line.location, "EW"),
        pressure_hpa=nan_if_zero(number(line.word(_PRESSURE), line.location, "MSLP")),
        wind_kt=nan_if_zero(number(line.word(_WIND), line.location, "VMAX")),
        rmax_nmi=nan_if_zero(number(line.word(_RMAX), line.location, "MRD")),
    )


def _analysed(lines: Sequence[_Line], cycle: np.datetime64, end: np.datetime64) -> list[Fix]:
    """Returns the fixes of analysed positions up to a cycle and before `end`, in ascending time: those of a
    time itself, or else the latest of the later analyses (negative periods)."""
    known: dict[np.datetime64, Fix] = {}
    for at_its_time in (False, True):
        chosen = [line for line in lines if (_valid_time(line) == _cycle(line)) == at_its_time]
        chosen = [line for line in chosen if _valid_time(line) <= _cycle(line) <= cycle]
        chosen.sort(key=_cycle, reverse=True)
        known |= {fix.time: fix for fix in _fixes(chosen, _valid_time)}
    return [known[time] for time in sorted(known) if time < end and has_strength(known[time])]


def _degrees(word: str, location: str, letters: str) -> float:
    """Converts tenths of degrees with a hemisphere letter to degrees: 259N is 25.9."""
    match = _DEGREES.fullmatch(word)
    if not match or match[2] not in letters:
        raise InputError(
            f"{location}: the position '{word[:40]}' must be tenths of degrees and {' or '.join(letters)}."
        )
    return int(match[1]) / 10 * (1 if match[2] in "NE" else -1)
