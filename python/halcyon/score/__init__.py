"""How well the series of a run at its stations agree with what buoys measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from halcyon.base import EARTH_RADIUS, ConfigError, InputError
from halcyon.score.buoys import Buoy, read_buoy

VARIABLES = ("significant_height", "peak_period", "mean_period_02", "peak_direction")
FARTHEST = 50e3  # [m] from a position to the station that stands for it


@dataclass(frozen=True)
class Pairs:
    """What was modelled and measured at the same times: float64 (n), of a station and variable."""

    station: str
    buoy: str
    variable: str
    times: np.ndarray
    modelled: np.ndarray
    measured: np.ndarray

    @property
    def is_circular(self) -> bool:
        return "direction" in self.variable


@dataclass(frozen=True)
class Score:
    """The agreement of n pairs: bias (model - buoy); root mean square error; scatter index, the standard
    deviation of the error over the mean measured; correlation; slope of the line through the origin. Of
    directions bias and error are those of the shorter way round, the correlation is circular (Jammalamadaka
    and SenGupta 2001), and scatter index and slope are NaN."""

    n: int
    mean: float
    bias: float
    rmse: float
    scatter_index: float
    correlation: float
    slope: float


def score(pairs: Pairs) -> Score:
    """The agreement of pairs, of which there must be two or more."""
    x, y = pairs.measured, pairs.modelled
    apart = y - x
    if pairs.is_circular:
        apart = _turn(apart)
        bias = np.degrees(np.angle(np.exp(1j * np.radians(apart)).mean()))
        mean = _mean_direction(x)
        rest = np.nan, _circular_correlation(x, y), np.nan
    else:
        bias, mean = apart.mean(), x.mean()
        rest = apart.std() / mean, _correlation(x, y), (x * y).sum() / (x * x).sum()
    return Score(len(x), *(float(each) for each in (mean, bias, np.sqrt((apart**2).mean()), *rest)))


def pairs_of(
    stations: Path, buoys: Sequence[str], *, window_s: float = 1800.0, mean: bool = False
) -> list[Pairs]:
    """Pairs of each buoy and variable at the times of the run: with the nearest measurement within the
    window, or the mean of those in it.

    stations: `stations.nc` of a run, or its folder. buoys: each a file; or FILE@STATION, or FILE@LON,LAT for
    the nearest station, where the file's name does not begin with the name of a station.
    Raises InputError where files cannot be read or nothing can be paired, ConfigError for stations that there
    are not."""
    import xarray as xr

    path = stations / "stations.nc" if stations.is_dir() else stations
    try:
        file = xr.open_dataset(path, engine="netcdf4")
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be read as netCDF: {said}.") from None
    with file:
        if "station_name" not in file:
            raise InputError(f"{path} has no variable station_name: it holds no series at stations.")
        found = [each for text in buoys for each in _of_buoy(file, text, window_s, mean)]
    if not found:
        raise InputError(
            f"Fewer than two measurements lie within {window_s / 60:g} minutes of the times of {path}, for"
            " any variable. Give buoys of the time of the run, or another --window."
        )
    return found


def _of_buoy(file, text: str, window_s: float, mean: bool) -> list[Pairs]:
    name, where = _file_and_place(text)
    buoy = read_buoy(Path(name))
    names = [each.decode() if isinstance(each, bytes) else str(each) for each in file["station_name"].values]
    at = _station(file, [each.strip() for each in names], buoy, name, where)
    times, found = file["time"].values.astype("datetime64[s]"), []
    for variable in VARIABLES:
        if variable not in file or variable not in buoy.values:
            continue
        modelled = file[variable].transpose("station", "time").values[at].astype(float)
        circular = "direction" in variable
        measured = _at_times(buoy.times, buoy.values[variable], times, window_s, mean=mean, circular=circular)
        both = np.isfinite(modelled) & np.isfinite(measured)
        if both.sum() > 1:
            found.append(
                Pairs(names[at].strip(), buoy.name, variable, times[both], modelled[both], measured[both])
            )
    return found


def _file_and_place(text: str) -> tuple[str, str]:
    """Of FILE@STATION or FILE; the name of a file may hold an @, too."""
    if "@" not in text or Path(text).exists():
        return text, ""
    name, _, where = text.rpartition("@")
    return name, where


def _station(file, names: list[str], buoy: Buoy, name: str, where: str) -> int:
    lower = [each.lower() for each in names]
    wanted = (where or buoy.name).lower()
    if wanted in lower:
        return lower.index(wanted)
    place = _place(where) if where else buoy.place
    if place is None:
        raise ConfigError(
            f"--buoy {name}: no station is called '{where or buoy.name}'. There are {', '.join(names)}. Say"
            f" which by {name}@STATION, or by {name}@LON,LAT."
        )
    distances = _distances(place, file["lon"].values, file["lat"].values)
    if distances.min() > FARTHEST:
        raise ConfigError(
            f"--buoy {name}: the nearest station to {place[0]:g} E {place[1]:g} N,"
            f" {names[int(distances.argmin())]}, is {distances.min() / 1e3:.0f} km away; at most"
            f" {FARTHEST / 1e3:.0f} km will do."
        )
    return int(distances.argmin())


def _place(text: str) -> tuple[float, float] | None:
    try:
        longitude, latitude = (float(word) for word in text.split(","))
    except ValueError:
        return None
    return longitude, latitude


def _distances(place: tuple[float, float], longitude: np.ndarray, latitude: np.ndarray) -> np.ndarray:
    """Along great circles [m]."""
    lon, lat = np.radians(longitude), np.radians(latitude)
    x, y = np.radians(place)
    half = np.sin((lat - y) / 2) ** 2 + np.cos(lat) * np.cos(y) * np.sin((lon - x) / 2) ** 2
    return 2 * EARTH_RADIUS * np.arcsin(np.sqrt(half))


def _at_times(times, values, wanted, window_s: float, *, mean: bool, circular: bool) -> np.ndarray:
    """What was measured at each of the wanted times; NaN where nothing was."""
    there = np.isfinite(values)
    times, values = times[there], values[there]
    found = np.full(len(wanted), np.nan)
    for i, time in enumerate(wanted):
        apart_s = np.abs((times - time).astype("timedelta64[s]").astype(float))
        near = np.flatnonzero(apart_s <= window_s)
        if len(near) and mean:
            found[i] = _mean_direction(values[near]) if circular else values[near].mean()
        elif len(near):
            found[i] = values[near[np.argmin(apart_s[near])]]
    return found


def _turn(degrees):
    return (degrees + 180) % 360 - 180


def _mean_direction(degrees: np.ndarray) -> float:
    return float(np.degrees(np.angle(np.exp(1j * np.radians(degrees)).mean())) % 360)


def _correlation(x: np.ndarray, y: np.ndarray) -> float:
    spread = x.std() * y.std()
    return float(((x - x.mean()) * (y - y.mean())).mean() / spread) if spread > 0 else np.nan


def _circular_correlation(x: np.ndarray, y: np.ndarray) -> float:
    a, b = (np.sin(np.radians(each - _mean_direction(each))) for each in (x, y))
    spread = np.sqrt((a * a).sum() * (b * b).sum())
    return float((a * b).sum() / spread) if spread > 0 else np.nan
