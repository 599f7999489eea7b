"""Collocation of the station series of a run with measurements of buoys."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from halcyon.base import EARTH_RADIUS, ConfigError, InputError
from halcyon.mesh.cf_file import numbers, open_decoded, reading
from halcyon.score.anemometer import NDBC_HEIGHT, to_10_m
from halcyon.score.buoys import VARIABLES, Buoy, read_buoy

if TYPE_CHECKING:
    import xarray as xr


MAX_DISTANCE = 50e3  # [m] largest distance between a buoy and its station
ARRAYS = ("times", "modelled", "measured")
_WIND = ("eastward_wind", "northward_wind")


@dataclass(frozen=True)
class Pairs:
    """Collocated modelled and measured values of a variable at a station: float64 (n)."""

    station: str
    buoy: str
    variable: str
    times: np.ndarray  # datetime64[s]
    modelled: np.ndarray
    measured: np.ndarray

    @property
    def is_circular(self) -> bool:
        return "direction" in self.variable


def selected(pairs: Pairs, chosen: np.ndarray) -> Pairs:
    """Returns the pairs with True in `chosen` (n)."""
    return replace(pairs, **{name: getattr(pairs, name)[chosen] for name in ARRAYS})


def collocate(
    stations: Path,
    buoys: Sequence[str],
    *,
    window_s: float = 1800.0,
    mean: bool = False,
    anemometer_height: float = NDBC_HEIGHT,
    warn: Callable[[str], None] = warnings.warn,
) -> list[Pairs]:
    """Pairs modelled with measured values of each buoy and variable at the output times of the run. The
    measured value is the measurement nearest to the time, at most `window_s` [s] before or after it, or with
    `mean` the mean of all measurements in that window. Measured winds are brought from `anemometer_height`
    [m] to 10 m.

    stations: `stations.nc` of a run, or its folder; buoys: FILE, if its name begins with the name of a
    station, else FILE@STATION, or FILE@LON,LAT for the nearest station. Raises InputError if files cannot
    be read or no values can be paired, ConfigError for an unknown station. warn: gets texts on doubtful
    files."""
    path = stations / "stations.nc" if stations.is_dir() else stations
    with open_decoded(path) as file, reading(path, "as a file of station series"):
        missing = [name for name in ("station_name", "time", "lon", "lat") if name not in file.variables]
        if missing or file["time"].dtype.kind != "M":
            text = f"no variable {missing[0]}" if missing else "no times in a calendar of civil dates"
            raise InputError(
                f"{path} has {text}: it is not a file of station series. Give stations.nc of a run."
            )
        pairs = [
            pair
            for text in buoys
            for pair in _collocate_buoy(
                file, text, window_s, mean, float(to_10_m(1.0, anemometer_height)), warn
            )
        ]
    if not pairs:
        raise InputError(
            f"Fewer than two measurements are within {window_s / 60:g} minutes of the times of {path}, for"
            " any variable. Give buoy files that cover the run, or a longer --window."
        )
    return pairs


def _collocate_buoy(
    file: xr.Dataset, text: str, window_s: float, mean: bool, wind_factor: float, warn: Callable[[str], None]
) -> list[Pairs]:
    """wind_factor: of the measured wind, to 10 m."""
    file_name, station = _file_and_station(text)
    buoy = read_buoy(Path(file_name))
    for doubt in buoy.warnings:
        warn(doubt)
    names = np.atleast_1d(file["station_name"].values)
    stations = [(name.decode() if isinstance(name, bytes) else str(name)).strip() for name in names]
    index = _find_station(file, stations, buoy, file_name, station)
    times, pairs = file["time"].values.astype("datetime64[s]"), []
    for variable in VARIABLES:
        modelled = _modelled(file, variable, index)
        if modelled is None or variable not in buoy.values:
            continue
        circular = "direction" in variable
        measured = _at_times(buoy.times, buoy.values[variable], times, window_s, mean=mean, circular=circular)
        measured = measured * wind_factor if variable == "wind_speed" else measured
        valid = np.isfinite(modelled) & np.isfinite(measured)
        if valid.sum() > 1:
            pairs.append(
                Pairs(
                    station=stations[index],
                    buoy=buoy.name,
                    variable=variable,
                    times=times[valid],
                    modelled=modelled[valid],
                    measured=measured[valid],
                )
            )
    return pairs


def _modelled(file: xr.Dataset, variable: str, index: int) -> np.ndarray | None:
    """Returns the values (time) of a variable at a station, None if the file lacks them."""
    names = _WIND if variable == "wind_speed" else (variable,)
    if any(name not in file for name in names):
        return None
    series = [numbers(file[name].transpose("station", "time"))[index] for name in names]
    return np.hypot(*series) if variable == "wind_speed" else series[0]


def _file_and_station(text: str) -> tuple[str, str]:
    """Splits FILE@STATION into file and station; the station is "" if there is no @ or a file of that name
    exists."""
    if "@" not in text or Path(text).exists():
        return text, ""
    name, _, station = text.rpartition("@")
    return name, station


def _find_station(file: xr.Dataset, names: list[str], buoy: Buoy, buoy_file: str, station: str) -> int:
    """Returns the index of the station with the name or position LON,LAT in `station`; if `station` is empty,
    of the station with the buoy's name or position. names: of all stations; buoy_file: for the error text."""
    lower_case_names = [station_name.lower() for station_name in names]
    requested = (station or buoy.name).lower()
    if requested in lower_case_names:
        return lower_case_names.index(requested)
    position = _position(station) if station else buoy.position
    if position is None:
        raise ConfigError(
            f"--buoy {buoy_file}: no station is called '{station or buoy.name}'. The stations are"
            f" {', '.join(names)}. Select one by {buoy_file}@STATION, or by {buoy_file}@LON,LAT."
        )
    from_position = distances(position, numbers(file["lon"]), numbers(file["lat"]))
    if from_position.min() > MAX_DISTANCE:
        raise ConfigError(
            f"--buoy {buoy_file}: the nearest station to {position[0]:g} E {position[1]:g} N,"
            f" {names[int(from_position.argmin())]}, is {from_position.min() / 1e3:.0f} km away; at most"
            f" {MAX_DISTANCE / 1e3:.0f} km are allowed."
        )
    return int(from_position.argmin())


def _position(text: str) -> tuple[float, float] | None:
    """Returns longitude and latitude of the text LON,LAT; None for another text."""
    try:
        longitude, latitude = (float(word) for word in text.split(","))
    except ValueError:
        return None
    return longitude, latitude


def distances(position: tuple[float, float], longitude: np.ndarray, latitude: np.ndarray) -> np.ndarray:
    """Returns great-circle distances [m] from a position (longitude, latitude) [degrees] to points."""
    lon, lat = np.radians(longitude), np.radians(latitude)
    lon_0, lat_0 = np.radians(position)
    haversine = np.sin((lat - lat_0) / 2) ** 2 + np.cos(lat) * np.cos(lat_0) * np.sin((lon - lon_0) / 2) ** 2
    return 2 * EARTH_RADIUS * np.arcsin(np.sqrt(haversine))


def _at_times(
    times: np.ndarray,
    values: np.ndarray,
    requested: np.ndarray,
    window_s: float,
    *,
    mean: bool,
    circular: bool,
) -> np.ndarray:
    """Returns the measured value at each of the requested times; NaN if no measurement is within the
    window."""
    valid = np.isfinite(values)
    times, values = times[valid], values[valid]
    selected = np.full(len(requested), np.nan)
    for i, time in enumerate(requested):
        offset_s = np.abs((times - time).astype("timedelta64[s]").astype(float))
        near = np.flatnonzero(offset_s <= window_s)
        if len(near) and mean:
            selected[i] = mean_direction(values[near]) if circular else values[near].mean()
        elif len(near):
            selected[i] = values[near[np.argmin(offset_s[near])]]
    return selected


def smaller_angle(degrees: np.ndarray) -> np.ndarray:
    """Returns the equivalent angles from -180 to 180 degrees."""
    return (degrees + 180) % 360 - 180


def mean_direction(degrees: np.ndarray) -> np.ndarray:
    """Returns the direction [degrees] of the sum of unit vectors over the last axis."""
    return np.degrees(np.angle(np.exp(1j * np.radians(degrees)).mean(axis=-1))) % 360
