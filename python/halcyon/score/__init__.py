"""Verification of a run's station series against buoy measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from halcyon.base import EARTH_RADIUS, ConfigError, InputError
from halcyon.deprecated import provide
from halcyon.mesh.cf_file import numbers, open_decoded, reading
from halcyon.score.buoys import Buoy, read_buoy

VARIABLES = ("significant_height", "peak_period", "mean_period_02", "peak_direction")
MAX_DISTANCE = 50e3  # [m] largest distance between a buoy and its station


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


@dataclass(frozen=True)
class Score:
    """Scores of n pairs: mean of the measurements; bias (model - buoy); root mean square error; scatter
    index, which is the standard deviation of the error over the mean; correlation; slope of the regression
    line through the origin. For directions, errors are the smaller angles, the correlation is circular
    (Jammalamadaka and SenGupta 2001), and scatter index and slope are NaN."""

    n: int
    mean: float
    bias: float
    rmse: float
    scatter_index: float
    correlation: float
    slope: float


def score(pairs: Pairs) -> Score:
    """Returns the scores of two or more pairs."""
    x, y = pairs.measured, pairs.modelled
    error = y - x
    if pairs.is_circular:
        error = _smaller_angle(error)
        bias = np.degrees(np.angle(np.exp(1j * np.radians(error)).mean()))
        mean = _mean_direction(x)
        scatter_index, correlation, slope = np.nan, _circular_correlation(x, y), np.nan
    else:
        bias, mean = error.mean(), x.mean()
        scatter_index, correlation = error.std() / mean, _correlation(x, y)
        slope = (x * y).sum() / (x * x).sum()
    return Score(
        n=len(x),
        mean=float(mean),
        bias=float(bias),
        rmse=float(np.sqrt((error**2).mean())),
        scatter_index=float(scatter_index),
        correlation=float(correlation),
        slope=float(slope),
    )


def collocate(
    stations: Path, buoys: Sequence[str], *, window_s: float = 1800.0, mean: bool = False
) -> list[Pairs]:
    """Pairs modelled with measured values of each buoy and variable at the output times of the run. The
    measured value is the measurement nearest to the time, at most `window_s` [s] before or after it, or with
    `mean` the mean of all measurements in that window.

    stations: `stations.nc` of a run, or its folder; buoys: FILE, if its name begins with the name of a
    station, else FILE@STATION, or FILE@LON,LAT for the nearest station. Raises InputError if files cannot
    be read or no values can be paired, ConfigError for an unknown station."""
    path = stations / "stations.nc" if stations.is_dir() else stations
    with open_decoded(path) as file, reading(path, "as a file of station series"):
        missing = [name for name in ("station_name", "time", "lon", "lat") if name not in file.variables]
        if missing or file["time"].dtype.kind != "M":
            text = f"no variable {missing[0]}" if missing else "no times in a calendar of civil dates"
            raise InputError(f"{path} has {text}: it is not a file of station series. Give stations.nc of a run.")
        pairs = [pair for text in buoys for pair in _collocate_buoy(file, text, window_s, mean)]
    if not pairs:
        raise InputError(
            f"Fewer than two measurements are within {window_s / 60:g} minutes of the times of {path}, for"
            " any variable. Give buoy files that cover the run, or a longer --window."
        )
    return pairs


def _collocate_buoy(file, text: str, window_s: float, mean: bool) -> list[Pairs]:
    file_name, station = _file_and_station(text)
    buoy = read_buoy(Path(file_name))
    names = np.atleast_1d(file["station_name"].values)
    stations = [(name.decode() if isinstance(name, bytes) else str(name)).strip() for name in names]
    index = _find_station(file, stations, buoy, file_name, station)
    times, pairs = file["time"].values.astype("datetime64[s]"), []
    for variable in VARIABLES:
        if variable not in file or variable not in buoy.values:
            continue
        modelled = numbers(file[variable].transpose("station", "time"))[index]
        circular = "direction" in variable
        measured = _at_times(buoy.times, buoy.values[variable], times, window_s, mean=mean, circular=circular)
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


def _file_and_station(text: str) -> tuple[str, str]:
    """Splits FILE@STATION into file and station; the station is "" if there is no @ or a file of that name
    exists."""
    if "@" not in text or Path(text).exists():
        return text, ""
    name, _, station = text.rpartition("@")
    return name, station


def _find_station(file, names: list[str], buoy: Buoy, buoy_file: str, station: str) -> int:
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
    distances = _distances(position, numbers(file["lon"]), numbers(file["lat"]))
    if distances.min() > MAX_DISTANCE:
        raise ConfigError(
            f"--buoy {buoy_file}: the nearest station to {position[0]:g} E {position[1]:g} N,"
            f" {names[int(distances.argmin())]}, is {distances.min() / 1e3:.0f} km away; at most"
            f" {MAX_DISTANCE / 1e3:.0f} km are allowed."
        )
    return int(distances.argmin())


def _position(text: str) -> tuple[float, float] | None:
    """Returns longitude and latitude of the text LON,LAT; None for another text."""
    try:
        longitude, latitude = (float(word) for word in text.split(","))
    except ValueError:
        return None
    return longitude, latitude


def _distances(position: tuple[float, float], longitude: np.ndarray, latitude: np.ndarray) -> np.ndarray:
    """Returns great-circle distances [m] from a position (longitude, latitude) [degrees] to points."""
    lon, lat = np.radians(longitude), np.radians(latitude)
    lon_0, lat_0 = np.radians(position)
    haversine = np.sin((lat - lat_0) / 2) ** 2 + np.cos(lat) * np.cos(lat_0) * np.sin((lon - lon_0) / 2) ** 2
    return 2 * EARTH_RADIUS * np.arcsin(np.sqrt(haversine))


def _at_times(times, values, requested, window_s: float, *, mean: bool, circular: bool) -> np.ndarray:
    """Returns the measured value at each of the requested times; NaN if no measurement is within the
    window."""
    valid = np.isfinite(values)
    times, values = times[valid], values[valid]
    selected = np.full(len(requested), np.nan)
    for i, time in enumerate(requested):
        offset_s = np.abs((times - time).astype("timedelta64[s]").astype(float))
        near = np.flatnonzero(offset_s <= window_s)
        if len(near) and mean:
            selected[i] = _mean_direction(values[near]) if circular else values[near].mean()
        elif len(near):
            selected[i] = values[near[np.argmin(offset_s[near])]]
    return selected


def _smaller_angle(degrees):
    """Returns the equivalent angles from -180 to 180 degrees."""
    return (degrees + 180) % 360 - 180


def _mean_direction(degrees: np.ndarray) -> float:
    return float(np.degrees(np.angle(np.exp(1j * np.radians(degrees)).mean())) % 360)


def _correlation(x: np.ndarray, y: np.ndarray) -> float:
    spread = x.std() * y.std()
    return float(((x - x.mean()) * (y - y.mean())).mean() / spread) if spread > 0 else np.nan


def _circular_correlation(x: np.ndarray, y: np.ndarray) -> float:
    a, b = (np.sin(np.radians(values - _mean_direction(values))) for values in (x, y))
    spread = np.sqrt((a * a).sum() * (b * b).sum())
    return float((a * b).sum() / spread) if spread > 0 else np.nan


provide(__name__)
