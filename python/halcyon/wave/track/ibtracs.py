"""Best tracks from the CSV files of IBTrACS (Knapp et al. 2010, Bull. Amer. Meteor. Soc. 91, 363-376).

The second line of a file has the units, and no storm id. Columns: IBTrACS v04 column documentation, NOAA
NCEI."""

import math

from halcyon.wave.track.fixes import Fix, choose_storm, make_track, nan_if_zero, parse_time, radius_range
from halcyon.wave.track.track import ONE_MINUTE_AT_SEA

_QUADRANTS = ("NE", "SE", "SW", "NW")
_RADII = {
    "usa": {speed: [f"USA_R{speed}_{side}" for side in _QUADRANTS] for speed in (64, 50, 34)},
    "tokyo": {speed: [f"TOKYO_R{speed}_{side}" for side in ("LONG", "SHORT")] for speed in (50, 30)},
}
_AVERAGING_FACTORS = {"usa": ONE_MINUTE_AT_SEA, "tokyo": 1.0}
_ID, _NAME, _OTHER_ID, _TIME = "SID", "NAME", "USA_ATCF_ID", "ISO_TIME"


def is_ibtracs(header) -> bool:
    """Returns whether the column names are those of IBTrACS."""
    return {_ID, _NAME, _TIME, "LAT", "LON"} <= set(header)


def read_ibtracs(table, storm, agency):
    """Reads the track of a storm by an agency, "usa" or "tokyo", without the times that have neither wind
    nor pressure. Raises InputError, with file and line, for invalid lines."""
    names = {}
    for row in table.rows:
        words = filter(None, (row.words.get(name) for name in (_ID, _NAME, _OTHER_ID)))
        names.setdefault(row.words[_ID], set()).update(words)
    names.pop("", None)
    key = choose_storm(table.path, {key: sorted(words) for key, words in names.items()}, storm)
    fixes = [_fix(row, agency) for row in table.rows if row.words[_ID] == key]
    with_strength = [fix for fix in fixes if not (math.isnan(fix.wind_kt) and math.isnan(fix.pressure_hpa))]
    return make_track(table.path, with_strength, _AVERAGING_FACTORS[agency])


def _fix(row, agency):
    prefix = agency.upper()
    digits = "".join(character for character in row.words[_TIME] if character.isdigit())
    radii = {speed: radius_range(map(row.number, names)) for speed, names in _RADII[agency].items()}
    return Fix(
        row.line,
        parse_time(digits, row.location),
        row.number("LAT"),
        row.number("LON"),
        pressure_hpa=nan_if_zero(row.number(f"{prefix}_PRES")),
        wind_kt=nan_if_zero(row.number(f"{prefix}_WIND")),
        rmax_nmi=nan_if_zero(row.number(f"{prefix}_RMW")),
        radii_nmi={speed: longest_shortest for speed, longest_shortest in radii.items() if longest_shortest},
    )
