"""Buoy measurements from files of NOAA's National Data Buoy Center (NDBC)."""

from __future__ import annotations

import gzip
import re
import zlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np

from halcyon.base import InputError, format_bytes, read_bytes, require_regular_file
from halcyon.mesh.cf_file import numbers, open_decoded, positions, reading
from halcyon.mesh.plausible import require_plausible


class _Column(NamedTuple):
    """A variable in NDBC's files."""

    variable: str  # Halcyon's name
    netcdf_name: str  # NDBC's name in netCDF files
    quantity: str  # its range of plausible values
    missing_from: float  # least code of a missing value: 99.0, 99.9, 999 ...


# By the name in NDBC's text files (https://www.ndbc.noaa.gov/faq/measdes.shtml). APD: zero-crossing period
# sqrt(m0/m2). MWD: direction at the peak.
_COLUMNS = {
    "WVHT": _Column("significant_height", "wave_height", "wave_height", 99.0),
    "DPD": _Column("peak_period", "dominant_wpd", "wave_period", 99.0),
    "APD": _Column("mean_period_02", "average_wpd", "wave_period", 99.0),
    "MWD": _Column("peak_direction", "mean_wave_dir", "direction", 999.0),
}
_MISSING_TO = -99.0  # greatest negative code of a missing value
# Names of the columns of year, month, day, hour and minute.
_CLOCK = (("YY", "YYYY"), ("MM",), ("DD",), ("hh",), ("mm",))
_LARGEST_BYTES = 100_000_000  # of a packed file; a year of a buoy has 5 MB
_ID = re.compile(r"(?:ndbc_)?([0-9a-z]{5})(?=h\d{4}|[^0-9a-z]|$)", re.IGNORECASE)


@dataclass(frozen=True)
class Buoy:
    """The measurements of a buoy.

    times: datetime64[s] (n), ascending. values: (n) by Halcyon's variable name, NaN where missing. position:
    longitude and latitude [degrees], None if the file lacks them."""

    name: str
    times: np.ndarray
    values: dict[str, np.ndarray]
    position: tuple[float, float] | None = None


def read_buoy(path: Path) -> Buoy:
    """Reads heights, periods and directions of a buoy: NDBC standard meteorological data as text (one or two
    header lines, with or without minutes, plain or gzipped) or netCDF.

    Raises InputError for other files, and for files without wave data."""
    path = Path(path)
    buoy = _read_netcdf(path) if path.suffix in (".nc", ".nc4") else _read_text(path)
    if not any(np.isfinite(values).any() for values in buoy.values.values()):
        raise InputError(f"{path} holds no waves: {', '.join(_COLUMNS)} are all missing.")
    return buoy


def _name_of(path: Path) -> str:
    """Returns the five-character identifier at the beginning of NDBC's file names, or else the file name."""
    match = _ID.match(path.stem)
    return match[1].lower() if match else path.stem


def _read_text(path: Path) -> Buoy:
    lines = _text_of(path).splitlines()
    header = lines[0].lstrip("#").split() if lines else []
    clock = [next((header.index(name) for name in names if name in header), None) for names in _CLOCK]
    columns = {name: header.index(name) for name in _COLUMNS if name in header}
    if None in clock[:4] or not columns:
        raise InputError(
            f"{path} is no file of NDBC's standard meteorological data: its first line must name YY MM DD hh"
            f" and some of {', '.join(_COLUMNS)}."
        )
    rows = [(n, line.split()) for n, line in enumerate(lines[1:], 2) if line.strip() and line[0] != "#"]
    try:
        times = np.array([_time(row, clock) for _, row in rows], "datetime64[s]")
        values = {name: np.array([_number(row[i], name) for _, row in rows]) for name, i in columns.items()}
    except (ValueError, IndexError, OverflowError):
        line_number = next(n for n, row in rows if not _is_valid_row(row, clock, columns))
        raise InputError(
            f"{path}:{line_number}: this line lacks numbers of columns that the header line names."
        ) from None
    for name, array in values.items():
        require_plausible(
            _COLUMNS[name].quantity,
            f"{path}: {name}",
            array,
            lambda i: f"in line {rows[i[0]][0]}",
            "write MM for a missing value",
        )
    return _sorted(_name_of(path), times, {_COLUMNS[name].variable: array for name, array in values.items()})


def _text_of(path: Path) -> str:
    """Returns the text of a file, decompressed if it is gzipped."""
    require_regular_file(path, "buoy data")
    try:
        with path.open("rb") as file:
            is_packed = file.read(2) == b"\x1f\x8b"
        if not is_packed:
            return read_bytes(path, "buoy data").decode("ascii", errors="replace")
        with gzip.open(path) as file:
            content = file.read(_LARGEST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be read: {reason}. Replace it.") from None
    if len(content) > _LARGEST_BYTES:
        most = format_bytes(_LARGEST_BYTES)
        raise InputError(f"{path} has more than {most} when decompressed, which no file of a buoy has.")
    return content.decode("ascii", errors="replace")


def _time(row: list[str], clock: list[int | None]) -> datetime:
    year, month, day, hour, minute = (0 if i is None else int(row[i]) for i in clock)
    return datetime(year + 1900 if year < 100 else year, month, day, hour, minute)


def _number(text: str, name: str) -> float:
    value = np.nan if text == "MM" else float(text)
    column = _COLUMNS[name]
    return np.nan if value >= column.missing_from or value <= _MISSING_TO else value


def _is_valid_row(row: list[str], clock: list[int | None], columns: dict[str, int]) -> bool:
    try:
        _time(row, clock)
        return all(_number(row[i], name) is not None for name, i in columns.items())
    except (ValueError, IndexError, OverflowError):
        return False


def _sorted(name: str, times: np.ndarray, values: dict[str, np.ndarray], position=None) -> Buoy:
    order = np.argsort(times, kind="stable")
    return Buoy(name, times[order], {key: array[order] for key, array in values.items()}, position)


def _read_netcdf(path: Path) -> Buoy:
    with open_decoded(path) as file, reading(path, "as netCDF"):
        names = {
            column.variable: column.netcdf_name
            for column in _COLUMNS.values()
            if column.netcdf_name in file and file[column.netcdf_name].dims[:1] == ("time",)
        }
        if "time" not in file or file["time"].dtype.kind != "M" or not names:
            known = ", ".join(column.netcdf_name for column in _COLUMNS.values())
            raise InputError(
                f"{path} is not an NDBC file: it needs time, in units like 'seconds since 1970-01-01', and"
                f" some of {known} on the dimension time."
            )
        times = file["time"].values.astype("datetime64[s]")
        values = {variable: _series(path, file[name], times) for variable, name in names.items()}
        axes = [
            next((n for n in pair if n in file), None) for pair in (("longitude", "lon"), ("latitude", "lat"))
        ]
        position = (
            None
            if None in axes
            else tuple(
                float(positions(path, file[name], quantity).ravel()[0])
                for name, quantity in zip(axes, ("longitude", "latitude"), strict=True)
            )
        )
    return _sorted(_name_of(path), times, values, position)


def _series(path: Path, data, times: np.ndarray) -> np.ndarray:
    """Returns the values (time) of NDBC's netCDF variable `data`, NaN where missing. Raises InputError for
    values that are not plausible."""
    column = next(column for column in _COLUMNS.values() if column.netcdf_name == data.name)
    values = numbers(data, path).reshape(len(times), -1)[:, 0]
    values = np.where((values >= column.missing_from) | (values <= _MISSING_TO), np.nan, values)
    require_plausible(column.quantity, f"{path}: {data.name}", values, lambda i: f"at {times[i[0]]}")
    return values
