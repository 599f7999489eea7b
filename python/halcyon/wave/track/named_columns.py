"""Best tracks in Halcyon's own format: CSV with named columns."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import InputError
from halcyon.wave.track.fixes import LIMITS, RADIUS_LIMITS, Fix, direction_of, make_track, radii_of

if TYPE_CHECKING:
    from halcyon.wave.track.table import Table
    from halcyon.wave.track.track import Track


_REQUIRED = ("time", "latitude", "longitude")
_OPTIONAL = ("pressure_hpa", "wind_kt", "rmax_nmi")
_RADIUS = re.compile(r"r(\d{1,3})_(direction|(longest|shortest|ne|se|sw|nw)_nmi)")
_QUADRANTS = ("ne", "se", "sw", "nw")
_TIME = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?)?Z?")


def check_columns(path: Path, header: Sequence[str]) -> None:
    """Raises InputError for column names that are missing, unknown or repeated."""
    missing = [name for name in _REQUIRED if name not in header]
    if not {"pressure_hpa", "wind_kt"} & set(header):
        missing.append("pressure_hpa or wind_kt")
    if missing:
        raise InputError(
            f"{path}: the track lacks the column {', '.join(missing)}; it has {', '.join(header)}."
        )
    for name in header:
        if header.count(name) > 1:
            raise InputError(f"{path}: the column '{name}' is named twice.")
        if not (name in _REQUIRED or name in _OPTIONAL or _RADIUS.fullmatch(name)):
            allowed = ", ".join(
                [
                    *_REQUIRED,
                    *_OPTIONAL,
                    "rNN_longest_nmi",
                    "rNN_shortest_nmi",
                    "rNN_direction",
                    "rNN_ne_nmi ...",
                ]
            )
            raise InputError(
                f"{path}: unknown column '{name}'. Allowed are {allowed} (NN: wind speed in kt)."
            )


def read_named_columns(table: Table) -> Track:
    """Reads the track of a `Table` of one storm.

    Required columns are `time` (ISO 8601, UTC), `latitude`, `longitude` [degrees] and at least one of
    `pressure_hpa` and `wind_kt`; optional are `rmax_nmi` and, for any wind speed NN in knots,
    `rNN_longest_nmi`, `rNN_shortest_nmi` and `rNN_direction` of the longest (N, NE, ...; another word: not
    known), or the largest of each quadrant, `rNN_ne_nmi`, `rNN_se_nmi`, `rNN_sw_nmi`, `rNN_nw_nmi`. Empty
    cells, and a wind or radius of 0, are missing values; where one quadrant has a radius, the wind does not
    reach NN in those that have none.

    Raises InputError, with file and line, for an invalid number, a position or value out of range, or times
    that do not increase."""
    fixes = []
    for row in table.rows:
        fixes.append(_fix(row.line, row.words, row.location))
        if len(fixes) > 1 and fixes[-1].time <= fixes[-2].time:
            remedy = f"it must come after {fixes[-2].time} of the record before"
            raise _cell_error(row.location, "time", row.words["time"], remedy)
    return make_track(table.path, fixes, averaging_factor=1.0)


def _fix(line: int, cells: Mapping[str, str], location: str) -> Fix:
    """Returns the fix of a line; cells: dict {column name: text}."""
    radii = {}
    for speed in {int(match[1]) for name in cells if (match := _RADIUS.fullmatch(name))}:
        longest, shortest, *quadrants = (
            _number(cells, f"r{speed}_{side}_nmi", RADIUS_LIMITS, location)
            for side in ("longest", "shortest", *_QUADRANTS)
        )
        direction = direction_of(cells.get(f"r{speed}_direction", ""))
        if found := radii_of(quadrants) or radii_of([longest, shortest], direction):
            radii[speed] = found
    latitude, longitude = (_number(cells, name, LIMITS[name], location) for name in ("latitude", "longitude"))
    optional: Any = {name: _number(cells, name, LIMITS[name], location) for name in _OPTIONAL}
    return Fix(line, _time(cells["time"], location), latitude, longitude, **optional, radii_nmi=radii)


def _time(cell: str, location: str) -> np.datetime64:
    try:
        if _TIME.fullmatch(cell):
            return np.datetime64(cell.removesuffix("Z"), "s")
    except ValueError:
        pass
    raise _cell_error(location, "time", cell, "give it as 2022-09-01T06:00, in UTC")


def _number(cells: Mapping[str, str], name: str, limits: tuple[float, float], location: str) -> float:
    """Returns the number in a column; NaN if an optional number is missing or 0."""
    cell, is_required = cells.get(name, ""), name in _REQUIRED
    if not cell and not is_required:
        return math.nan
    try:
        value = float(cell)
    except ValueError:
        raise _cell_error(location, name, cell, "it must be a number") from None
    if not limits[0] <= value <= limits[1]:
        raise _cell_error(location, name, cell, f"it must be a number from {limits[0]:g} to {limits[1]:g}")
    return value if is_required or value != 0 else math.nan


def _cell_error(location: str, name: str, cell: str, remedy: str) -> InputError:
    return InputError(f"{location}: {name} is '{cell[:40]}'; {remedy}.")
