"""Best tracks of RSMC Tokyo in its own text format; winds are ten-minute means.

Columns: https://www.jma.go.jp/jma/jma-eng/jma-center/rsmc-hp-pub-eg/Besttracks/e_format_bst.html
"""

import math

from halcyon.base import InputError
from halcyon.wave.track.fixes import Fix, choose, given, time_of, track_of
from halcyon.wave.track.table import number

_HEADER = "66666"
_NAME = slice(30, 50)
_FIRST_YEAR = 51  # the archive begins in 1951: smaller numbers of a year are of this century
_REACHES = ((50, 5), (30, 7))  # speed [kt], and the word that holds direction and longest radius


def is_rsmc(line) -> bool:
    """Whether a line is the header of a storm."""
    return line.split()[:1] == [_HEADER]


def read_rsmc(path, lines, storm):
    """The track of a storm, by its international number or its name, of numbered lines (number, text).

    Raises InputError with file and line for what is no best track."""
    storms, names = {}, {}
    for number_of_line, line in lines:
        if is_rsmc(line):
            key = line.split()[1]
            storms[key], names[key] = [], [key, line[_NAME].strip()]
        else:
            storms[key].append((number_of_line, line))
    key = choose(path, names, storm)
    return track_of(path, [_fix(path, *entry) for entry in storms[key]], 1.0)


def _fix(path, line, text):
    place, words = f"{path}:{line}", text.split()
    if len(words) < 6:
        raise InputError(f"{place}: a record of RSMC Tokyo has at least six words, this one {len(words)}.")
    century = "19" if words[0][:2] >= str(_FIRST_YEAR) else "20"
    latitude, longitude, pressure = (
        number(words[i], place, name) for i, name in ((3, "latitude"), (4, "longitude"), (5, "pressure"))
    )
    wind = number(words[6], place, "wind") if len(words) > 6 and words[6] != "#" else math.nan
    return Fix(
        line,
        time_of(words[0], place, century=century),
        latitude / 10,
        longitude / 10,
        pressure_hpa=given(pressure),
        wind_kt=given(wind),
        reach_nmi=_reaches(words[2:], place),
    )


def _reaches(words, place):
    """By the speed of wind [kt], the longest and the shortest reach [nautical miles]; the first digit of the
    longest is its direction."""
    found = {}
    for speed, at in _REACHES:
        if len(words) > at + 1 and words[at] != "#":
            longest, shortest = number(words[at][1:], place, "radius"), number(words[at + 1], place, "radius")
            if longest > 0:
                found[speed] = longest, shortest if shortest > 0 else longest
    return found
