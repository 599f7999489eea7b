"""Best tracks in the text format of RSMC Tokyo; winds are ten-minute means.

Columns: https://www.jma.go.jp/jma/jma-eng/jma-center/rsmc-hp-pub-eg/Besttracks/e_format_bst.html
"""

import math

from halcyon.base import InputError
from halcyon.wave.track.fixes import Fix, choose_storm, make_track, nan_if_zero, parse_time
from halcyon.wave.track.table import number

_HEADER = "66666"  # first word of a storm's header line
_NAME = slice(30, 50)  # of the storm in the header line
_FIRST_YEAR = 51  # the archive begins in 1951; smaller two-digit years are after 2000
# Wind speed [kt], and index of its longest radius among the words from the third on.
_RADII = ((50, 5), (30, 7))


def is_rsmc(line) -> bool:
    """Returns whether a line is the header line of a storm."""
    return line.split()[:1] == [_HEADER]


def read_rsmc(path, lines, storm):
    """Reads the track of a storm, given by international number or name, from numbered lines (number, text).

    Raises InputError, with file and line, for invalid lines."""
    storms, names = {}, {}
    for line_number, line in lines:
        if is_rsmc(line):
            key = next(iter(line.split()[1:]), None)
            if key is None:
                raise InputError(f"{path}:{line_number}: the storm's header lacks its number. Correct it.")
            storms[key], names[key] = [], [key, line[_NAME].strip()]
        else:
            storms[key].append((line_number, line))
    key = choose_storm(path, names, storm)
    fixes = [_fix(path, line_number, line) for line_number, line in storms[key]]
    return make_track(path, fixes, averaging_factor=1.0)


def _fix(path, line_number, line):
    location, words = f"{path}:{line_number}", line.split()
    if len(words) < 6:
        raise InputError(f"{location}: a record of RSMC Tokyo has at least six words, this one {len(words)}.")
    century = "19" if words[0][:2] >= str(_FIRST_YEAR) else "20"
    latitude, longitude, pressure = (
        number(words[i], location, name) for i, name in ((3, "latitude"), (4, "longitude"), (5, "pressure"))
    )
    wind = number(words[6], location, "wind") if len(words) > 6 and words[6] != "#" else math.nan
    return Fix(
        line_number,
        parse_time(words[0], location, century=century),
        latitude / 10,  # the file has tenths of degrees
        longitude / 10,
        pressure_hpa=nan_if_zero(pressure),
        wind_kt=nan_if_zero(wind),
        radii_nmi=_wind_radii(words[2:], location),
    )


def _wind_radii(words, location):
    """Returns, for each wind speed [kt], its longest and shortest radius [nautical miles]. The word of the
    longest radius begins with a digit for its direction."""
    radii = {}
    for speed, index in _RADII:
        if len(words) > index + 1 and words[index] != "#":
            longest, shortest = (
                number(words[index][1:], location, "radius"),
                number(words[index + 1], location, "radius"),
            )
            if longest > 0:
                radii[speed] = longest, shortest if shortest > 0 else longest
    return radii
