"""Measured series, and the variables that they may hold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from halcyon.base import InputError

_MISSING_TO = -99.0  # greatest negative code of a missing value
_ID = re.compile(r"(?:ndbc_)?([0-9a-z]{5})(?=h\d{4}|[^0-9a-z]|$)", re.IGNORECASE)


class Variable(NamedTuple):
    """A variable of buoys."""

    quantity: str  # its range of plausible values
    missing_from: float  # least code of a missing value: 99.0, 99.9, 999 ...
    names: tuple[str, ...]  # names of columns, in lower case

    def without_missing(self, values: np.ndarray) -> np.ndarray:
        """Returns values with NaN in place of codes of missing values."""
        values = np.asarray(values, float)
        return np.where((values >= self.missing_from) | (values <= _MISSING_TO), np.nan, values)


# By Halcyon's name. APD: zero-crossing period sqrt(m0/m2); MWD: direction at the peak (NDBC,
# https://www.ndbc.noaa.gov/faq/measdes.shtml). V...: Copernicus Marine in situ (CMEMS-INS-PUM-013).
TABLE = {
    "significant_height": Variable("wave_height", 99.0, ("wvht", "hs", "hm0", "swh", "vhm0", "vavh")),
    "peak_period": Variable("wave_period", 99.0, ("dpd", "tp", "vtpk")),
    "mean_period": Variable("wave_period", 99.0, ("tm-10", "tm_10", "te", "vtm10")),
    "mean_period_01": Variable("wave_period", 99.0, ("tm01", "vtm01")),
    "mean_period_02": Variable("wave_period", 99.0, ("apd", "tz", "tm02", "vtm02", "vtza")),
    "peak_direction": Variable("direction", 999.0, ("mwd", "dp", "vped")),
    "mean_direction": Variable("direction", 999.0, ("mdir", "vmdr")),
    "spreading": Variable("direction", 999.0, ("spr", "vpsp")),
    "wind_speed": Variable("wind", 99.0, ("wspd", "u10")),
}
VARIABLES = tuple(TABLE)


@dataclass(frozen=True)
class Buoy:
    """The measurements of a buoy.

    times: datetime64[s] (n), ascending. values: (n) by Halcyon's variable name, NaN where missing; wind_speed
    is at the height of the anemometer. position: longitude and latitude [degrees], None if the file lacks
    them. warnings: texts on doubtful parts of the file."""

    name: str
    times: np.ndarray
    values: dict[str, np.ndarray]
    position: tuple[float, float] | None = None
    warnings: tuple[str, ...] = ()


def name_of(path: Path) -> str:
    """Returns the five-character identifier at the beginning of NDBC's file names, or else the file name."""
    match = _ID.match(path.stem)
    return match[1].lower() if match else path.stem


def sorted_buoy(
    name: str, times: np.ndarray, values: dict[str, np.ndarray], position: tuple[float, float] | None = None
) -> Buoy:
    """Returns the buoy of series in any order of times."""
    order = np.argsort(times, kind="stable")
    return Buoy(name, times[order], {key: array[order] for key, array in values.items()}, position)


def require_waves(path: Path, buoy: Buoy, columns: str) -> Buoy:
    """Returns the buoy. Raises InputError if all its waves are missing; columns: their names in the file."""
    if not any(np.isfinite(array).any() for name, array in buoy.values.items() if name != "wind_speed"):
        raise InputError(f"{path} holds no waves: {columns} are all missing.")
    return buoy
