"""CSV of measurements with named columns, such as `time,hs [m],tp [s],mwd`."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.base import InputError
from halcyon.mesh.plausible import require_plausible
from halcyon.score.series import TABLE, Buoy, name_of, require_waves, sorted_buoy
from halcyon.wave.text_file import read_content

_TIMES = ("time", "datetime", "date_time", "valid_time")
_HEADER = re.compile(r"\s*#?\s*([^\[\]()]*?)\s*(?:[\[(]\s*([^\[\]()]*?)\s*[\])])?\s*")
_UNITS = {  # factors to m, s, degrees and m s-1
    "wave_height": {"m": 1.0, "metre": 1.0, "metres": 1.0, "cm": 0.01, "ft": 0.3048},
    "wave_period": {"s": 1.0, "sec": 1.0, "seconds": 1.0},
    "direction": {"degree": 1.0, "degrees": 1.0, "deg": 1.0, "degt": 1.0, "°": 1.0},
    "wind": {"m s-1": 1.0, "m/s": 1.0, "kt": 1852 / 3600, "kn": 1852 / 3600, "km/h": 1 / 3.6},
}
_GOOD = (1.0, 2.0)  # flags of good and probably good values (OceanSITES, QARTOD: pass and not evaluated)


def read_named_columns(path: Path) -> Buoy:
    """Reads CSV whose first line names the columns: `time` (ISO 8601, UTC), and variables by Halcyon's or
    other known names, each with its unit in brackets unless it is m, s, degrees or m s-1. Empty cells, NaN,
    MM, and 99, 999 and above are missing. A column NAME_qc holds flags of the column NAME; values with flags
    other than 1 and 2 are left out. Other columns are named in the buoy's warnings.

    Raises InputError, with file and line, for other files."""
    text = read_content(path, "buoy data").decode("utf-8-sig", errors="replace")
    rows = [(n, row) for n, row in enumerate(csv.reader(text.splitlines()), 1) if any(map(str.strip, row))]
    cells: list[Any] = [_HEADER.fullmatch(cell) for cell in _header(path, rows)]
    names, units = [match[1].lower() for match in cells], [match[2] for match in cells]
    rows = rows[1:]
    clock = next((names.index(name) for name in _TIMES if name in names), None)
    known = {variable: (variable, *TABLE[variable].names) for variable in TABLE}
    columns = {
        variable: next(names.index(name) for name in of_variable if name in names)
        for variable, of_variable in known.items()
        if {*of_variable} & {*names}
    }
    if clock is None or not columns.keys() - {"wind_speed"}:
        raise InputError(
            f"{path}: the first line must name the columns: time, and some of"
            f" {', '.join(known[v][1] for v in known)}; it is '{','.join(names)[:60]}'."
        )
    times = np.array([_time(path, line, row, clock) for line, row in rows], "datetime64[s]")
    series, read = {}, {clock, *columns.values()}
    for variable, i in columns.items():
        table = TABLE[variable]
        values = table.without_missing(
            np.array([_number(path, line, row, i, names[i]) for line, row in rows])
        )
        values = values * _factor(path, names[i], units[i], table.quantity)
        flags = next(
            (names.index(names[i] + end) for end in ("_qc", "_flag") if names[i] + end in names), None
        )
        if flags is not None:
            read.add(flags)
            flag = np.array([_number(path, line, row, flags, names[flags]) for line, row in rows])
            values = np.where(np.isin(flag, _GOOD), values, np.nan)
        require_plausible(
            table.quantity,
            f"{path}: {names[i]}",
            values,
            lambda index: f"in line {rows[index[0]][0]}",
            "leave the cell empty for a missing value",
        )
        series[variable] = values
    buoy = sorted_buoy(name_of(path), times, series)
    others = ", ".join(name or "without a name" for i, name in enumerate(names) if i not in read)
    if others:
        text = ", ".join(name for of_variable in known.values() for name in of_variable)
        buoy = replace(buoy, warnings=(f"{path}: columns that are not read: {others}. Known are {text}.",))
    return require_waves(path, buoy, ", ".join(names[i] for v, i in columns.items() if v != "wind_speed"))


def _header(path: Path, rows: list[Any]) -> list[str]:
    if not rows or not all(_HEADER.fullmatch(cell) for cell in rows[0][1]):
        raise InputError(f"{path}: the first line must name the columns, such as 'time,hs [m],tp [s]'.")
    return rows[0][1]


def _time(path: Path, line: int, row: list[str], column: int) -> np.datetime64:
    text = row[column].strip() if column < len(row) else ""
    try:
        if text and text.upper() != "NAT":
            return np.datetime64(text.removesuffix("Z").removesuffix("+00:00").replace(" ", "T"), "s")
    except ValueError:
        pass
    raise InputError(f"{path}:{line}: the time is '{text[:40]}'; give it as 2022-09-01T06:00, in UTC.")


def _number(path: Path, line: int, row: list[str], column: int, name: str) -> float:
    text = row[column].strip() if column < len(row) else ""
    if text.lower() in ("", "mm", "nan", "na", "null"):
        return np.nan
    try:
        return float(text)
    except ValueError:
        raise InputError(
            f"{path}:{line}: {name} is '{text[:40]}', but must be a number; leave it empty if it is missing."
        ) from None


def _factor(path: Path, name: str, unit: str | None, quantity: str) -> float:
    factors = _UNITS[quantity]
    if unit is not None and unit.lower() not in factors:
        raise InputError(f"{path}: {name} is in '{unit}'. Supported units are {', '.join(factors)}.")
    return 1.0 if unit is None else factors[unit.lower()]
