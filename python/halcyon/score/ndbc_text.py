"""NDBC's standard meteorological data as text, and its five files of spectra."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import yaml

from halcyon.base import InputError
from halcyon.mesh.plausible import require_plausible
from halcyon.score.series import TABLE, Buoy, name_of, require_waves, sorted_buoy
from halcyon.score.spectra import frequency_spectra
from halcyon.wave.spectra import open_spectra
from halcyon.wave.spectra.ndbc import names_of_set
from halcyon.wave.text_file import read_content

if TYPE_CHECKING:
    from halcyon.wave.spectra import SpectraSource


_COLUMNS = {  # by the name in NDBC's text files
    "WVHT": "significant_height",
    "DPD": "peak_period",
    "APD": "mean_period_02",
    "MWD": "peak_direction",
    "WSPD": "wind_speed",
}
_WAVES = tuple(_COLUMNS)[:4]
# Names of the columns of year, month, day, hour and minute.
_CLOCK = (("YY", "YYYY"), ("MM",), ("DD",), ("hh",), ("mm",))


def read_ndbc_text(path: Path) -> Buoy:
    """Reads standard meteorological data with one or two header lines, with or without minutes.

    Raises InputError for other texts."""
    lines = read_content(path, "buoy data").decode("ascii", errors="replace").splitlines()
    header = lines[0].lstrip("#").split() if lines else []
    clock = [next((header.index(name) for name in names if name in header), None) for names in _CLOCK]
    columns = {name: header.index(name) for name in _COLUMNS if name in header}
    if None in clock[:4] or not columns.keys() & set(_WAVES):
        raise InputError(
            f"{path} is no file of NDBC's standard meteorological data: its first line must name YY MM DD hh"
            f" and some of {', '.join(_WAVES)}."
        )
    rows = [(n, line.split()) for n, line in enumerate(lines[1:], 2) if line.strip() and line[0] != "#"]
    try:
        times = np.array([_time(row, clock) for _, row in rows], "datetime64[s]")
        values = {name: np.array([_number(row[i]) for _, row in rows]) for name, i in columns.items()}
    except (ValueError, IndexError, OverflowError):
        line_number = next(n for n, row in rows if not _is_valid_row(row, clock, columns))
        raise InputError(
            f"{path}:{line_number}: this line lacks numbers of columns that the header line names."
        ) from None
    series = {}
    for name, array in values.items():
        variable = TABLE[_COLUMNS[name]]
        series[_COLUMNS[name]] = variable.without_missing(array)
        require_plausible(
            variable.quantity,
            f"{path}: {name}",
            series[_COLUMNS[name]],
            lambda i: f"in line {rows[i[0]][0]}",
            "write MM for a missing value",
        )
    return require_waves(path, sorted_buoy(name_of(path), times, series), ", ".join(_WAVES))


def _time(row: list[str], clock: list[int | None]) -> datetime:
    year, month, day, hour, minute = (0 if i is None else int(row[i]) for i in clock)
    return datetime(year + 1900 if year < 100 else year, month, day, hour, minute)


def _number(text: str) -> float:
    return np.nan if text == "MM" else float(text)


def _is_valid_row(row: list[str], clock: list[int | None], columns: dict[str, int]) -> bool:
    try:
        _time(row, clock)
        return all(_number(row[i]) is not None for i in columns.values())
    except (ValueError, IndexError, OverflowError):
        return False


def open_ndbc_spectra(path: Path) -> SpectraSource:
    """Returns the `SpectraSource` of the five files to which a file belongs, at an unknown position (0, 0).

    Raises InputError if one is missing or invalid."""
    found = yaml.safe_load(names_of_set(path))
    names = [found] if isinstance(found, str) else found or [path.name]
    return open_spectra([path.parent / name for name in names], position=(0.0, 0.0))


def read_ndbc_spectra(path: Path) -> Buoy:
    """Returns heights, periods, directions and spreading of the five files to which a file belongs: integrals
    over the buoy's frequencies, without a tail beyond them, as in NDBC's own heights."""
    spectra = frequency_spectra(open_ndbc_spectra(path))
    return Buoy(path.name[:5].lower(), spectra.times, spectra.integrals())
