"""Best tracks of RSMC Tokyo in its own text format; winds are ten-minute means.

Columns: https://www.jma.go.jp/jma/jma-eng/jma-center/rsmc-hp-pub-eg/Besttracks/e_format_bst.html
"""

import math

from halcyon.base import InputError
from halcyon.wave.track.fixes import Fix, choose_storm, make_track, nan_if_zero, parse_time
from halcyon.wave.track.table import number

_HEADER = "66666"
_NAME = slice(30, 50)
_FIRST_YEAR = 51  # the archive begins in 1951: smaller two-digit years are 20yy
_RADII = ((50, 5), (30, 7))  # speed [kt], and index of the word with direction and longest radius


def is_rsmc(line) -> bool:
    """Whether a line is the header line of a storm."""
    return line.split()[:1] == [_HEADER]


def read_rsmc(path, lines, storm):
    """Reads the track of a storm, by its international number or its name, from numbered lines (number,
    text).

    Raises InputError, with file and line, for invalid lines."""
    storms, names = {}, {}
    for number_of_line, line in lines:
        if is_rsmc(line):
            key = line.split()[1]
            storms[key], names[key] = [], [key, line[_NAME].strip()]
        else:
            storms[key].append((number_of_line, line))
    key = choose_storm(path, names, storm)
    return make_track(path, [_fix(path, *entry) for entry in storms[key]], 1.0)


def _fix(path, line, text):
    location, words = f"{path}:{line}", text.split()
    if len(words) < 6:
        raise InputError(f"{location}: a record of RSMC Tokyo has at least six words, this one {len(words)}.")
    century = "19" if words[0][:2] >= str(_FIRST_YEAR) else "20"
    latitude, longitude, pressure = (
        number(words[i], location, name) for i, name in ((3, "latitude"), (4, "longitude"), (5, "pressure"))
    )
    wind = number(words[6], location, "wind") if len(words) > 6 and words[6] != "#" else math.nan
    return Fix(
        line,
        parse_time(words[0], location, century=century),
        latitude / 10,
        longitude / 10,
        pressure_hpa=nan_if_zero(pressure),
        wind_kt=nan_if_zero(wind),
        radii_nmi=_wind_radii(words[2:], location),
    )


def _wind_radii(words, location):
    """Returns the longest and the shortest radius [nautical miles] by wind speed [kt]; the first digit of the
    longest is its direction."""
    found = {}
    for speed, at in _RADII:
        if len(words) > at + 1 and words[at] != "#":
            longest, shortest = (
                number(words[at][1:], location, "radius"),
                number(words[at + 1], location, "radius"),
            )
            if longest > 0:
                found[speed] = longest, shortest if shortest > 0 else longest
    return found
