"""Best tracks from IBTrACS version 4, CSV and netCDF (Knapp et al. 2010, Bull. Amer. Meteor. Soc. 91,
363-376).

The second line of a CSV file has the units, and no storm id. Columns: IBTrACS v04 column documentation, NOAA
NCEI; the netCDF variables have the same names in lower case, the quadrants NE, SE, SW, NW as a dimension.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import InputError
from halcyon.mesh.cf_file import open_netcdf
from halcyon.wave.track.fixes import (
    DIRECTION_CODES,
    Fix,
    choose_storm,
    has_strength,
    make_track,
    nan_if_zero,
    parse_time,
    radii_of,
)
from halcyon.wave.track.table import Row, make_table
from halcyon.wave.track.track import ONE_MINUTE_AT_SEA

if TYPE_CHECKING:
    import xarray as xr

    from halcyon.wave.track.track import Track


_TEN_MINUTES, _THREE_MINUTES, _TWO_MINUTES = 1.0, 1.0, 1 / 1.02  # Harper et al. 2010, Table 1.1, at sea
_QUADRANTS = ("NE", "SE", "SW", "NW")
_SIDES = ("LONG", "SHORT")
_QUADRANT_RADII: dict[int, tuple[str, ...]] = dict.fromkeys((64, 50, 34), _QUADRANTS)


@dataclass(frozen=True)
class _Agency:
    """The ratio of the ten-minute wind to the agency's wind, and the radii of its columns for each wind speed
    [kt]."""

    factor: float
    radii: dict[int, tuple[str, ...]] = field(default_factory=dict)


AGENCIES = {
    "usa": _Agency(ONE_MINUTE_AT_SEA, _QUADRANT_RADII),
    "tokyo": _Agency(_TEN_MINUTES, dict.fromkeys((50, 30), _SIDES)),
    "cma": _Agency(_TWO_MINUTES),
    "hko": _Agency(_TEN_MINUTES),
    "newdelhi": _Agency(_THREE_MINUTES),
    "reunion": _Agency(_TEN_MINUTES, _QUADRANT_RADII),
    "bom": _Agency(_TEN_MINUTES, _QUADRANT_RADII),
    "nadi": _Agency(_TEN_MINUTES),
    "wellington": _Agency(_TEN_MINUTES),
    "wmo": _Agency(_TEN_MINUTES),  # by the agency that WMO_AGENCY names, see `_wind`
}
_OF_UNITED_STATES = ("hurdat_atl", "hurdat_epa", "atcf", "cphc", "nhc", "jtwc")  # in WMO_AGENCY
_ID, _NAME, _OTHER_ID, _TIME, _SEASON = "SID", "NAME", "USA_ATCF_ID", "ISO_TIME", "SEASON"
_ATCF_ID = re.compile(r"[A-Za-z]{2}\d{6}")


def is_ibtracs(header: Iterable[str]) -> bool:
    """Returns whether the column names are those of IBTrACS."""
    return {_ID, _NAME, _TIME, "LAT", "LON"} <= set(header)


def read_ibtracs(path: Path, lines: Sequence[tuple[int, str]], storm: str | None, agency: str) -> Track:
    """Reads the track of a storm by an agency, a key of AGENCIES, from numbered lines (number, text) of CSV,
    without the times that have neither wind nor pressure. Raises InputError, with file and line, for invalid
    lines."""
    header = [name.strip() for name in lines[0][1].split(",")]
    columns = {name: header.index(name) for name in (_ID, _NAME, _OTHER_ID, _SEASON) if name in header}
    last = max(columns.values()) + 1
    words_of: dict[str, dict[str | None, None]] = {}
    seasons: dict[str, str | None] = {}
    lines_of: dict[str, list[tuple[int, str]]] = {}
    for line in lines[1:]:
        words = [word.strip() for word in line[1].split(",", last)]
        of_line = {name: words[column] for name, column in columns.items() if column < len(words)}
        if key := of_line.get(_ID):
            words_of.setdefault(key, {}).update(
                {of_line.get(_OTHER_ID) or key: None, of_line.get(_NAME): None}
            )
            seasons.setdefault(key, of_line.get(_SEASON))
            lines_of.setdefault(key, []).append(line)
    names = {key: [key, *(word for word in words if word and word != key)] for key, words in words_of.items()}
    key = choose_storm(path, names, storm, seasons)
    rows = make_table(path, [lines[0], *lines_of[key]]).rows
    return _track(path, rows, agency, names[key])


def read_ibtracs_netcdf(path: Path, storm: str | None, agency: str) -> Track:
    """As `read_ibtracs`, from netCDF, of which only the records of the storm are read. A line number of the
    track is the number of a record of the storm."""
    with open_netcdf(path) as file:
        missing = {"sid", "name", "iso_time", "lat", "lon"} - set(file.variables)
        if missing:
            raise InputError(
                f"{path} has no variable {', '.join(sorted(missing))}, so it is not a file of IBTrACS "
                "version 4. Give one, or name gridded winds by forcing.wind.files."
            )
        ids, names = _texts(path, file["sid"]), _texts(path, file["name"])
        others: list[Any] = [()] * len(ids)
        if storm is not None and _ATCF_ID.fullmatch(storm.strip()) and "usa_atcf_id" in file:
            others = [filter(None, set(row)) for row in _texts(path, file["usa_atcf_id"])]
        words = {
            sid: list(dict.fromkeys([sid, *other, name]))
            for sid, other, name in zip(ids, others, names, strict=True)
        }
        years = file["season"].values.astype(int).tolist() if "season" in file else []
        key = choose_storm(path, words, storm, dict(zip(ids, years, strict=False)))
        of_storm = file.isel({file["sid"].dims[0]: ids.index(key)})
        return _track(path, _rows(path, of_storm, agency), agency, words[key])


def _texts(path: Path, variable: xr.DataArray) -> list[Any]:
    """Returns the texts of a character variable, whose last dimension has the characters, as nested lists."""
    if variable.dtype.kind != "S":
        raise InputError(f"{path}: {variable.name} is not a text, as in IBTrACS version 4. Give such a file.")
    characters = np.ascontiguousarray(variable.values)
    if variable.dtype.itemsize == 1:
        characters = characters.view(f"S{characters.shape[-1]}")[..., 0]
    return np.char.strip(np.char.decode(characters, "ascii", "replace")).tolist()


def _rows(path: Path, file: xr.Dataset, agency: str) -> list[Row]:
    """Returns the records of a storm with the column names of CSV. file: xarray dataset of the storm."""
    columns = {
        _TIME: _texts(path, file["iso_time"]),
        **{name: _numbers(file, name.lower()) for name in ("LAT", "LON")},
    }
    if "wmo_agency" in file:
        columns["WMO_AGENCY"] = _texts(path, file["wmo_agency"])
    for name in ("WIND", "PRES", "RMW"):
        columns[f"{agency.upper()}_{name}"] = _numbers(file, f"{agency}_{name.lower()}")
    for speed, sides in AGENCIES[agency].radii.items():
        radii: list[Any] = [f"{agency}_r{speed}_{side.lower()}" for side in sides]
        if sides == _QUADRANTS:
            radii = [(f"{agency}_r{speed}", quadrant) for quadrant in range(len(sides))]
        if sides == _SIDES:
            columns[f"{agency.upper()}_R{speed}_DIR"] = _numbers(file, f"{agency}_r{speed}_dir")
        for side, name in zip(sides, radii, strict=True):
            columns[f"{agency.upper()}_R{speed}_{side}"] = _numbers(
                file, *(name if sides == _QUADRANTS else [name])
            )
    records = (dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True))
    return [Row(f"{path}: record {i}", i, words) for i, words in enumerate(records, 1) if words[_TIME]]


def _numbers(file: xr.Dataset, name: str, quadrant: int | None = None) -> list[str]:
    """Returns the values of a variable as texts, empty where missing."""
    if name not in file:
        return [""] * file["iso_time"].shape[0]
    values = file[name].values if quadrant is None else file[name].values[:, quadrant]
    return ["" if np.isnan(value) else f"{value:.6g}" for value in values]


def _track(path: Path, rows: Iterable[Row], agency: str, words: Sequence[str]) -> Track:
    fixes = [_fix(row, agency) for row in rows]
    title = f"best track of {' '.join(dict.fromkeys((words[0], words[-1])))} (IBTrACS, agency {agency})"
    with_strength = [fix for fix in fixes if has_strength(fix)]
    return make_track(path, with_strength, AGENCIES[agency].factor, title, words[0])


def _fix(row: Row, agency: str) -> Fix:
    prefix = agency.upper()
    digits = "".join(character for character in row.words[_TIME] if character.isdigit())
    radii = {
        speed: radii_of(
            [row.number(f"{prefix}_R{speed}_{side}") for side in sides],
            DIRECTION_CODES.get(row.number(f"{prefix}_R{speed}_DIR"), math.nan),
        )
        for speed, sides in AGENCIES[agency].radii.items()
    }
    return Fix(
        row.line,
        parse_time(digits, row.location),
        row.number("LAT"),
        row.number("LON", fill=-999),
        pressure_hpa=nan_if_zero(row.number(f"{prefix}_PRES")),
        wind_kt=_wind(row, agency),
        rmax_nmi=nan_if_zero(row.number(f"{prefix}_RMW")),
        radii_nmi={speed: known for speed, known in radii.items() if known},
    )


def _wind(row: Row, agency: str) -> float:
    """Returns the wind [kt]; with agency wmo, whose averaging time differs between basins, the ten-minute
    wind."""
    wind = nan_if_zero(row.number(f"{agency.upper()}_WIND"))
    if agency != "wmo" or np.isnan(wind):
        return wind
    source = row.words.get("WMO_AGENCY", "").lower()
    source = "usa" if source in _OF_UNITED_STATES else source
    if source not in AGENCIES:
        raise InputError(
            f"{row.location}: WMO_AGENCY is '{source[:40]}', an agency whose averaging time is not known. "
            "Choose one by forcing.wind.agency: `agency: usa`."
        )
    return wind * AGENCIES[source].factor
