"""Best tracks of IBTrACS (Knapp et al. 2010, Bull. Amer. Meteor. Soc. 91, 363-376): its CSV files.

The second line of a file holds units, and no id. Columns: IBTrACS v04 column documentation, NOAA NCEI.
"""

import math

from halcyon.wave.track.fixes import Fix, given, number, of_quadrants, time_of, track_of
from halcyon.wave.track.storms import choose
from halcyon.wave.track.track import ONE_MINUTE_AT_SEA

_QUADRANTS = ("NE", "SE", "SW", "NW")
_RADII = {
    "usa": {speed: [f"USA_R{speed}_{side}" for side in _QUADRANTS] for speed in (64, 50, 34)},
    "tokyo": {speed: [f"TOKYO_R{speed}_{side}" for side in ("LONG", "SHORT")] for speed in (50, 30)},
}
_FACTORS = {"usa": ONE_MINUTE_AT_SEA, "tokyo": 1.0}
_ID, _NAME, _OTHER_ID, _TIME = "SID", "NAME", "USA_ATCF_ID", "ISO_TIME"


def is_ibtracs(header) -> bool:
    """Whether the names of the columns are those of IBTrACS."""
    return {_ID, _NAME, _TIME, "LAT", "LON"} <= set(header)


def read_ibtracs(table, storm, agency):
    """The track of a storm as an agency, "usa" or "tokyo", has it; times at which it gives neither wind nor
    pressure are left out. Raises InputError with file and line for what is no track."""
    table.require_widths()
    at = {name: i for i, name in enumerate(table.header)}
    body = table.chosen([i for i, row in enumerate(table.rows) if row[at[_ID]]])
    words = {}
    for row in body.rows:
        words.setdefault(row[at[_ID]], set()).update(
            row[at[name]] for name in (_ID, _NAME, _OTHER_ID) if name in at and row[at[name]]
        )
    key = choose(table.path, {key: sorted(found) for key, found in words.items()}, storm)
    fixes = [_fix(body, i, at, agency) for i, row in enumerate(body.rows) if row[at[_ID]] == key]
    known = [fix for fix in fixes if not (math.isnan(fix.wind_kt) and math.isnan(fix.pressure_hpa))]
    return track_of(table.path, known, _FACTORS[agency])


def _fix(table, record, at, agency):
    row, place = table.rows[record], table.place(record)

    def value(name):
        return number(row[at[name]] if name in at else "", place, name)

    head = agency.upper()
    digits = "".join(letter for letter in row[at[_TIME]] if letter.isdigit())
    reaches = {
        speed: of_quadrants([value(name) for name in names]) for speed, names in _RADII[agency].items()
    }
    return Fix(
        table.lines[record],
        time_of(digits, place),
        value("LAT"),
        value("LON"),
        pressure_hpa=given(value(f"{head}_PRES")),
        wind_kt=given(value(f"{head}_WIND")),
        rmax_nmi=given(value(f"{head}_RMW")),
        reach_nmi={speed: reach for speed, reach in reaches.items() if reach},
    )
