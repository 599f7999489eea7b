"""Best tracks of JTWC and NHC: ATCF b-decks, and JTWC's tables with a column CY.

Columns of a b-deck: https://science.nrlmry.navy.mil/atcf/docs/database/new/abrdeck.html. Winds are
one-minute means; the fourth column has the minutes of records that are not on the full hour, such as
landfalls.
"""

import re

from halcyon.base import InputError
from halcyon.wave.track.fixes import Fix, choose_storm, make_track, nan_if_zero, parse_time, radius_range
from halcyon.wave.track.table import number
from halcyon.wave.track.track import ONE_MINUTE_AT_SEA

_BASIN, _NUMBER, _TIME, _MINUTE, _TECH = range(5)
_LATITUDE, _LONGITUDE, _WIND, _PRESSURE = 6, 7, 8, 9
_RADIUS_SPEED, _RADIUS_CODE, _RADII, _RMAX, _NAME = 11, 12, slice(13, 17), 19, 27
_DEGREES = re.compile(r"(\d{1,4})([NSEW])")
_TABLE_COLUMNS = ("CY", "Year", "Month", "Day", "Hour", "Lat", "Lon", "VMax", "MSLP", "SN")


def is_b_deck(row) -> bool:
    """Returns whether a line has the format of a b-deck: basin, number, and a time of ten digits."""
    return len(row) > _PRESSURE and row[_BASIN].isalpha() and bool(re.fullmatch(r"\d{10}", row[_TIME]))


def read_b_deck(path, rows, lines, storm):
    """Reads the track of a storm from a b-deck, which has one line for each time and speed of wind radii.

    rows: words of the lines; lines: line numbers; storm: id or name, see `choose_storm`.

    Raises InputError, with file and line, for invalid lines."""
    storms = {}  # {storm id: {time: (fix, name)}}
    for row, line in zip(rows, lines, strict=True):
        location = f"{path}:{line}"
        if not is_b_deck(row):
            raise InputError(f"{location}: the line is not in the b-deck format of the first line.")
        if row[_TECH] in ("BEST", ""):
            if not re.fullmatch(r"\d{1,4}", row[_NUMBER]):
                raise InputError(f"{location}: the storm's number is '{row[_NUMBER][:40]}'; it must be digits.")
            key = f"{row[_BASIN]}{int(row[_NUMBER]):02}{_season(row)}"
            _add_line(storms.setdefault(key, {}), row, line, location)
    if not storms:
        raise InputError(f"{path}: no line is of a best track (BEST in the fifth column).")
    names = {key: [key, *(name for _, name in times.values() if name)] for key, times in storms.items()}
    times = storms[choose_storm(path, names, storm)]
    return make_track(path, [fix for fix, _ in times.values()], ONE_MINUTE_AT_SEA)


def _season(row):
    """Returns the year of the season; in the southern hemisphere the year in which it ends."""
    year, month = int(row[_TIME][:4]), int(row[_TIME][4:6])
    return year + (row[_BASIN] in ("SH", "SP", "SI") and month >= 7)


def _add_line(times, row, line, location):
    """Adds a line to `times`, a dict {time: (fix, name)}."""
    minute = row[_MINUTE].strip("0") and row[_MINUTE].zfill(2)  # empty on the full hour
    time = row[_TIME] + minute
    if time not in times:
        name = row[_NAME] if len(row) > _NAME else ""
        times[time] = (_b_deck_fix(row, line, location, time), name)
    fix, _ = times[time]
    speed = number(_word(row, _RADIUS_SPEED), location, "RAD")
    radii = [number(word, location, "a radius") for word in row[_RADII]]
    if _word(row, _RADIUS_CODE) == "AAA":  # one radius for the full circle instead of four quadrants
        radii = radii[:1]
    if speed > 0 and (longest_shortest := radius_range(radii)):
        fix.radii_nmi[int(speed)] = longest_shortest


def _b_deck_fix(row, line, location, time):
    return Fix(
        line,
        parse_time(time, location),
        _degrees(row[_LATITUDE], location, "NS"),
        _degrees(row[_LONGITUDE], location, "EW"),
        pressure_hpa=nan_if_zero(number(row[_PRESSURE], location, "MSLP")),
        wind_kt=nan_if_zero(number(row[_WIND], location, "VMAX")),
        rmax_nmi=nan_if_zero(number(_word(row, _RMAX), location, "MRD")),
    )


def _word(row, column):
    """Returns a word of a line, empty if the line is too short."""
    return row[column] if len(row) > column else ""


def _degrees(word, location, letters):
    """Converts tenths of degrees with a hemisphere letter to degrees: 259N is 25.9."""
    match = _DEGREES.fullmatch(word)
    if not match or match[2] not in letters:
        raise InputError(
            f"{location}: the position '{word[:40]}' must be tenths of degrees and {' or '.join(letters)}."
        )
    return int(match[1]) / 10 * (1 if match[2] in "NE" else -1)


def is_jtwc_table(header) -> bool:
    """Returns whether the column names are those of JTWC's best-track tables."""
    return set(_TABLE_COLUMNS) <= set(header)


def read_jtwc_table(table, storm):
    """Reads the track of a storm from a `Table` with the columns CY, Year, Month, Day, Hour, Lat, Lon, VMax
    [kt], MSLP [hPa] and SN, the storm's year and number. Raises InputError, with file and line, for invalid
    lines."""
    key = choose_storm(table.path, {row.words["SN"]: [row.words["SN"]] for row in table.rows}, storm)
    fixes = [_table_fix(row) for row in table.rows if row.words["SN"] == key]
    return make_track(table.path, fixes, ONE_MINUTE_AT_SEA)


def _table_fix(row):
    digits = "".join(row.words[name].zfill(2) for name in ("Year", "Month", "Day", "Hour"))
    latitude, longitude, wind, pressure = map(row.number, ("Lat", "Lon", "VMax", "MSLP"))
    time = parse_time(digits, row.location)
    return Fix(
        row.line, time, latitude, longitude, pressure_hpa=nan_if_zero(pressure), wind_kt=nan_if_zero(wind)
    )
