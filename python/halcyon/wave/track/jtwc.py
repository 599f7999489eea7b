"""Best tracks in JTWC's tables with a column CY; winds are one-minute means."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from halcyon.wave.track.fixes import Fix, choose_storm, make_track, nan_if_zero, parse_time
from halcyon.wave.track.track import ONE_MINUTE_AT_SEA

if TYPE_CHECKING:
    from halcyon.wave.track.table import Row, Table
    from halcyon.wave.track.track import Track


_COLUMNS = ("CY", "Year", "Month", "Day", "Hour", "Lat", "Lon", "VMax", "MSLP", "SN")


def is_jtwc_table(header: Iterable[str]) -> bool:
    """Returns whether the column names are those of JTWC's best-track tables."""
    return set(_COLUMNS) <= set(header)


def read_jtwc_table(table: Table, storm: str | None) -> Track:
    """Reads the track of a storm from a `Table` with the columns CY, Year, Month, Day, Hour, Lat, Lon, VMax
    [kt], MSLP [hPa] and SN, the storm's year and number. Raises InputError, with file and line, for invalid
    lines."""
    key = choose_storm(table.path, {row.words["SN"]: [row.words["SN"]] for row in table.rows}, storm)
    fixes = [_fix(row) for row in table.rows if row.words["SN"] == key]
    return make_track(table.path, fixes, ONE_MINUTE_AT_SEA, f"best track of storm {key} (JTWC)", key)


def _fix(row: Row) -> Fix:
    digits = "".join(row.words[name].zfill(2) for name in ("Year", "Month", "Day", "Hour"))
    latitude, wind, pressure = map(row.number, ("Lat", "VMax", "MSLP"))
    longitude = row.number("Lon", fill=-999)
    time = parse_time(digits, row.location)
    return Fix(
        row.line, time, latitude, longitude, pressure_hpa=nan_if_zero(pressure), wind_kt=nan_if_zero(wind)
    )
