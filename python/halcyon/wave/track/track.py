"""The best track of a storm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from halcyon.base import EARTH_RADIUS, InputError
from halcyon.mesh.cf_file import in_unit
from halcyon.mesh.sphere import arc, position_text, to_points, wrapped

NAUTICAL_MILE = 1852.0  # m
NEAR = 800e3  # m, largest distance of a storm from the region of a run
FASTEST = 45.0  # m/s; the fastest in HURDAT2 from 1970 to 2016 is 40.5 (Irene 1999: 39.7)
ROUNDING = 20e3  # m, of the distance between two positions in tenths of degrees
ONE_MINUTE_AT_SEA = 0.93  # ten-minute over one-minute wind (Harper et al. 2010, WMO/TD-No. 1555)


@dataclass(frozen=True)
class Radii:
    """Distances from the centre at which the wind falls to `speed` [m s-1], NaN where missing.

    longest, shortest [m] (record): of all directions; direction [degrees] (record): of the longest, clockwise
    from north; quadrants [m] (record, 4): the largest in the quadrants NE, SE, SW, NW, 0 where the wind is
    weaker."""

    speed: float
    longest: np.ndarray
    shortest: np.ndarray
    direction: np.ndarray | None = None
    quadrants: np.ndarray | None = None

    def __post_init__(self) -> None:
        n = len(self.longest)
        if self.direction is None:
            object.__setattr__(self, "direction", np.full(n, np.nan))
        if self.quadrants is None:
            object.__setattr__(self, "quadrants", np.full((n, 4), np.nan))

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """The arrays (record, ...) by their names."""
        return {name: values for name, values in vars(self).items() if name != "speed"}

    def part(self, records: np.ndarray) -> Radii:
        """Returns the radii of some records (boolean or indices)."""
        columns: Any = {name: values[records] for name, values in self.columns.items()}
        return replace(self, **columns)

    def only(self, known: np.ndarray) -> Radii:
        """Returns the radii of the records for which `known` (record) is true; the others are missing."""
        columns: Any = {
            name: np.where(known.reshape(-1, *[1] * (values.ndim - 1)), values, np.nan)
            for name, values in self.columns.items()
        }
        return replace(self, **columns)


@dataclass(frozen=True)
class Track:
    """The best track of a storm; NaN where a value is missing.

    All arrays are (record): times datetime64[s] UTC; latitude, longitude [degrees]; pressure [Pa] at the
    centre; wind [m s-1]: largest wind at 10 m; rmax [m]: radius of maximum wind. lines: line numbers of the
    records in the file at `path`; averaging_factor: ratio of the ten-minute wind to the wind of the track;
    title: storm and kind of the track, for the plan of a run; storm: its id in the file; cycle: the
    time of a forecast, datetime64[s]; earlier: the track of another file whose records are the first of this
    one.
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
    title: str = ""
    storm: str = ""
    cycle: np.datetime64 | None = None
    earlier: Track | None = None

    def __len__(self) -> int:
        return len(self.times)

    def location(self, record: int) -> str:
        """Returns file and line of a record, as `track.csv:12`."""
        path = self.path if self.earlier is None or record >= len(self.earlier) else self.earlier.path
        return f"{path}:{self.lines[record]}"

    def after(self, other: Track) -> Track:
        """Returns this track, after the records of another track that are before its first record."""
        is_before = other.times < self.times[0]
        if not is_before.any():
            return self
        earlier = other.part(is_before, averaging_factor=self.averaging_factor)
        speeds = sorted({radii.speed for track in (earlier, self) for radii in track.radii}, reverse=True)
        columns: Any = {
            name: np.concatenate([getattr(earlier, name), getattr(self, name)])
            for name in ("times", "latitude", "longitude", "pressure", "wind", "rmax")
        }
        lines, title = [*earlier.lines, *self.lines], f"{self.title} after {other.title}"
        radii = [_joined_radii(speed, earlier, self) for speed in speeds]
        joined = replace(self, **columns, lines=lines, radii=radii, title=title, earlier=earlier)
        require_motion(joined)
        return joined

    def part(self, records: np.ndarray, *, averaging_factor: float) -> Track:
        """Returns the track of some records (boolean per record), with its winds converted to another
        averaging factor."""
        ratio = self.averaging_factor / averaging_factor
        columns = {
            name: getattr(self, name)[records]
            for name in ("times", "latitude", "longitude", "pressure", "rmax")
        }
        return replace(
            self,
            **columns,
            lines=[self.lines[record] for record in np.flatnonzero(records)],
            wind=self.wind[records] * ratio,
            radii=[replace(each.part(records), speed=each.speed * ratio) for each in self.radii],
            averaging_factor=averaging_factor,
            earlier=None,
        )

    def check(
        self,
        start: np.datetime64 | datetime | str,
        end: np.datetime64 | datetime | str,
        region: tuple[float, float, float, float],
        *,
        partial: bool = False,
    ) -> None:
        """Raises InputError unless the track covers the run and comes near the region of the run.

        start, end: datetime64 or convertible to datetime64, UTC; region: west, east, south, north [degrees];
        partial: whether the track may cover only a part of the run, because there is a background wind."""
        check_tracks([self], start, end, region, partial=partial)

    def check_region(
        self, start: np.datetime64, end: np.datetime64, region: tuple[float, float, float, float]
    ) -> None:
        """Raises InputError unless the storm is near a region (NEAR) at any time from start to end."""
        start, end = max(start, self.times[0]), min(end, self.times[-1])
        if not self._is_near(start, end, *region):
            middle = (region[0] + region[1]) / 2
            raise InputError(
                f"{self.path}: the track does not come within {NEAR / 1e3:g} km of the region "
                f"{_region_text(*region)} during the run; from {start} to {end} UTC it stays within "
                f"{self._extent(start, end, middle)}. "
                "Move the region, or give another track."
            )

    def positions(self, times: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Returns latitude and longitude [degrees] of the centre at times (datetime64), linear between
        records."""
        seconds = (np.asarray(times, "datetime64[s]") - self.times[0]).astype(float)
        record_seconds = (self.times - self.times[0]).astype(float)
        longitude = np.interp(seconds, record_seconds, np.unwrap(self.longitude, period=360))
        return np.interp(seconds, record_seconds, self.latitude), longitude

    def _positions_during(self, start: np.datetime64, end: np.datetime64) -> tuple[np.ndarray, np.ndarray]:
        """Returns the positions (latitude, longitude) every ten minutes from start to end."""
        return self.positions(np.append(np.arange(start, end, np.timedelta64(600, "s")), end))

    def _is_near(
        self, start: np.datetime64, end: np.datetime64, west: float, east: float, south: float, north: float
    ) -> bool:
        """Returns whether the centre is in a region widened by NEAR at any time from start to end."""
        latitude, longitude = self._positions_during(start, end)
        margin = np.degrees(NEAR / EARTH_RADIUS)
        to_east = margin / np.cos(np.radians(min(max(-south, north), 80)))
        inside = (latitude >= south - margin) & (latitude <= north + margin)
        inside &= (longitude - west + to_east) % 360 <= east - west + 2 * to_east
        return bool(inside.any())

    def _extent(self, start: np.datetime64, end: np.datetime64, middle: float) -> str:
        """Returns the region that the centre does not leave from start to end, as text, with longitudes
        around `middle`."""
        latitude, longitude = self._positions_during(start, end)
        longitude += wrapped(longitude[0], middle) - longitude[0]
        longitude += 360 * (longitude.min() < -180)
        return _region_text(longitude.min(), longitude.max(), latitude.min(), latitude.max())


def _joined_radii(speed: float, *tracks: Track) -> Radii:
    """Returns the radii of a wind speed in successive tracks, NaN in tracks without it."""
    found = [next((radii for radii in track.radii if radii.speed == speed), None) for track in tracks]
    missing = [Radii(speed, *np.full((2, len(track)), np.nan)) for track in tracks]
    parts = [(radii or gap).columns for radii, gap in zip(found, missing, strict=True)]
    return Radii(speed, **{name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


def check_tracks(
    tracks: Sequence[Track],
    start: np.datetime64 | datetime | str,
    end: np.datetime64 | datetime | str,
    region: tuple[float, float, float, float],
    *,
    partial: bool = False,
) -> None:
    """Raises InputError unless each of the tracks is a part of the run, they cover it together, and one of
    them comes near its region. Arguments as of `Track.check`."""
    begin, finish = in_unit(start, "s"), in_unit(end, "s")
    covered = begin
    for track in sorted(tracks, key=lambda track: track.times[0]):
        first, last = track.times[0], track.times[-1]
        if finish < first or begin > last or not (partial or first <= covered):
            raise _coverage_error(track, begin, finish)
        covered = max(covered, last)
    if not partial and covered < finish:
        raise _coverage_error(max(tracks, key=lambda track: track.times[-1]), begin, finish)
    for i, track in enumerate(tracks):
        try:
            return track.check_region(begin, finish, region)
        except InputError:
            if i == len(tracks) - 1:
                raise


def _coverage_error(track: Track, start: np.datetime64, end: np.datetime64) -> InputError:
    return InputError(
        f"{track.path}: the track covers {track.times[0]} to {track.times[-1]} UTC, the run {start} to {end}."
        " Shorten the run, give a track that covers it, or set forcing.wind.background."
    )


def require_strength(track: Track) -> None:
    """Raises InputError where a record has neither pressure nor wind."""
    for record in range(len(track)):
        if np.isnan(track.pressure[record]) and np.isnan(track.wind[record]):
            raise InputError(f"{track.location(record)}: neither pressure nor wind is given; one is needed.")


def require_motion(track: Track) -> None:
    """Raises InputError where the centre moves faster than FASTEST from record to record, beyond ROUNDING."""
    points = to_points(track.longitude, track.latitude)
    distance = EARTH_RADIUS * arc(np.linalg.norm(np.diff(points, axis=0), axis=1))
    seconds = np.diff(track.times).astype("timedelta64[s]").astype(float)
    for before in np.flatnonzero(distance > FASTEST * seconds + ROUNDING):
        here, there = (
            position_text(float(track.longitude[i]), float(track.latitude[i])) for i in (before, before + 1)
        )
        raise InputError(
            f"{track.location(int(before) + 1)}: the centre moves by {distance[before] / 1e3:,.0f} km in"
            f" {seconds[before] / 3600:.3g} h, from {here} to {there}. No storm moves faster than"
            f" {FASTEST:g} m/s. Correct the position or the time."
        )


def _region_text(west: float, east: float, south: float, north: float) -> str:
    return f"{west:g} to {east:g} E, {south:g} to {north:g} N"
