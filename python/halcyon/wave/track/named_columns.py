"""Best tracks in our own format: CSV with named columns."""

import re

import numpy as np

from halcyon.base import KNOT, InputError
from halcyon.wave.track.table import Column
from halcyon.wave.track.track import NAUTICAL_MILE, Radii, Track, require_strength

_NEEDED = ("time", "latitude", "longitude")
_NUMBERS = {"pressure_hpa": (800.0, 1050.0), "wind_kt": (0.0, 250.0), "rmax_nmi": (0.0, 500.0)}
_RADIUS = re.compile(r"r(\d+)_(longest_nmi|shortest_nmi|direction)")
_RADIUS_LIMITS = (0.0, 2000.0)


def read_named_columns(table) -> Track:
    """The track of a `Table`.

    Needed are `time` (ISO 8601, UTC), `latitude`, `longitude` [degrees] and `pressure_hpa` or `wind_kt`;
    used where given are `rmax_nmi` and, for any wind speed NN in knots, `rNN_longest_nmi` and
    `rNN_shortest_nmi`. Empty cells, and a wind or radius of 0, mean not given.

    Raises InputError with file and line for a missing column, a bad number, a position or value out of
    range, or times that do not increase.
    """
    path, header = table.path, table.header
    _check_columns(path, header)
    table.require_widths()
    columns = {name: Column(table, name) for name in header}
    n_records = len(table.lines)
    track = Track(
        path=path,
        lines=table.lines,
        times=columns["time"].times(),
        latitude=columns["latitude"].numbers(-90, 90, needed=True),
        longitude=columns["longitude"].numbers(-180, 360, needed=True),
        pressure=_optional(columns, "pressure_hpa", n_records) * 100,
        wind=_optional(columns, "wind_kt", n_records) * KNOT,
        rmax=_optional(columns, "rmax_nmi", n_records) * NAUTICAL_MILE,
        radii=_radii(columns, n_records),
    )
    require_strength(track)
    return track


def _check_columns(path, header):
    missing = [name for name in _NEEDED if name not in header]
    if not {"pressure_hpa", "wind_kt"} & set(header):
        missing.append("pressure_hpa or wind_kt")
    if missing:
        raise InputError(
            f"{path}: the track lacks the column {', '.join(missing)}; it has {', '.join(header)}."
        )
    for name in header:
        if header.count(name) > 1:
            raise InputError(f"{path}: the column '{name}' is named twice.")
        if not (name in _NEEDED or name in _NUMBERS or _RADIUS.fullmatch(name)):
            allowed = ", ".join([*_NEEDED, *_NUMBERS, "rNN_longest_nmi", "rNN_shortest_nmi", "rNN_direction"])
            raise InputError(
                f"{path}: unknown column '{name}'. Allowed are {allowed} (NN: wind speed in kt)."
            )


def _optional(columns, name, n_records):
    if name not in columns:
        return np.full(n_records, np.nan)
    return columns[name].numbers(*_NUMBERS[name])


def _radii(columns, n_records):
    speeds = sorted({int(match[1]) for name in columns if (match := _RADIUS.fullmatch(name))}, reverse=True)
    return [_radii_of(columns, speed, n_records) for speed in speeds]


def _radii_of(columns, speed, n_records):
    names = [name for name in (f"r{speed}_longest_nmi", f"r{speed}_shortest_nmi") if name in columns]
    given = [columns[name].numbers(*_RADIUS_LIMITS) * NAUTICAL_MILE for name in names]
    given = given or [np.full(n_records, np.nan)]
    longest, shortest = given[0], given[-1]
    return Radii(speed * KNOT, np.where(np.isnan(longest), shortest, longest), shortest)
