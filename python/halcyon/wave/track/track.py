"""The best track of a storm."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from halcyon.base import InputError
from halcyon.mesh.sphere import wrapped

NAUTICAL_MILE = 1852.0  # m
ONE_MINUTE_AT_SEA = 0.93  # ten-minute over one-minute wind (Harper et al. 2010, WMO/TD-No. 1555)


@dataclass(frozen=True)
class Radii:
    """Distances from the centre at which the wind falls to `speed` [m s-1]: longest and shortest of all
    directions [m] (record), NaN where missing."""

    speed: float
    longest: np.ndarray
    shortest: np.ndarray


@dataclass(frozen=True)
class Track:
    """The best track of a storm; NaN where a value is missing.

    All arrays are (record): times datetime64[s] UTC; latitude, longitude [degrees]; pressure [Pa] at the
    centre; wind [m s-1]: largest wind at 10 m; rmax [m]: radius of maximum wind. lines: line numbers of the
    records in the file at `path`; averaging_factor: ratio of the ten-minute wind to the wind of the track.
    """

    path: Path
    lines: list[int]
    times: np.ndarray
    latitude: np.ndarray
    longitude: np.ndarray
    pressure: np.ndarray
    wind: np.ndarray
    rmax: np.ndarray
    radii: list[Radii] = field(default_factory=list)
    averaging_factor: float = 1.0

    def __len__(self):
        return len(self.times)

    def location(self, record: int) -> str:
        """Returns file and line of a record, as `track.csv:12`."""
        return f"{self.path}:{self.lines[record]}"

    def check(self, start, end, region, *, partial=False) -> None:
        """Raises InputError unless the track covers the run and enters the region of the run during the run.

        start, end: datetime64 or convertible to datetime64, UTC; region: west, east, south, north [degrees];
        partial: whether the track may cover only a part of the run, because there is a background wind."""
        start, end = (np.datetime64(time, "s") for time in (start, end))
        first, last = self.times[0], self.times[-1]
        if end < first or start > last or not (partial or (first <= start and end <= last)):
            raise InputError(
                f"{self.path}: the track covers {first} to {last} UTC, the run {start} to {end}."
                " Shorten the run, give a track that covers it, or set forcing.wind.background."
            )
        start, end = max(start, first), min(end, last)
        if not self._enters(start, end, *region):
            middle = (region[0] + region[1]) / 2
            raise InputError(
                f"{self.path}: the track does not enter the region {_region_text(*region)} during the run; "
                f"from {start} to {end} UTC it stays within {self._extent(start, end, middle)}. "
                "Move the region, or give another track."
            )

    def positions(self, times) -> tuple[np.ndarray, np.ndarray]:
        """Returns latitude and longitude [degrees] of the centre at times (datetime64), linear between
        records."""
        seconds = (np.asarray(times, "datetime64[s]") - self.times[0]).astype(float)
        record_seconds = (self.times - self.times[0]).astype(float)
        longitude = np.interp(seconds, record_seconds, np.unwrap(self.longitude, period=360))
        return np.interp(seconds, record_seconds, self.latitude), longitude

    def _positions_during(self, start, end):
        """Returns the positions (latitude, longitude) every ten minutes from start to end."""
        return self.positions(np.append(np.arange(start, end, np.timedelta64(600, "s")), end))

    def _enters(self, start, end, west, east, south, north):
        """Returns whether the centre is in a region at any time from start to end."""
        latitude, longitude = self._positions_during(start, end)
        inside = (latitude >= south) & (latitude <= north) & ((longitude - west) % 360 <= east - west)
        return bool(inside.any())

    def _extent(self, start, end, middle):
        """Returns the region that the centre does not leave from start to end, as text, with longitudes
        around `middle`."""
        latitude, longitude = self._positions_during(start, end)
        longitude += wrapped(longitude[0], middle) - longitude[0]
        longitude += 360 * (longitude.min() < -180)
        return _region_text(longitude.min(), longitude.max(), latitude.min(), latitude.max())


def require_strength(track) -> None:
    """Raises InputError where a record has neither pressure nor wind."""
    for record in range(len(track)):
        if np.isnan(track.pressure[record]) and np.isnan(track.wind[record]):
            raise InputError(f"{track.location(record)}: neither pressure nor wind is given; one is needed.")


def _region_text(west, east, south, north):
    return f"{west:g} to {east:g} E, {south:g} to {north:g} N"
