"""Best tracks of tropical cyclones: reading them from CSV, and checking that they serve a run."""

import csv
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from halcyon.base import InputError

KNOT = 1852 / 3600  # m s-1
NAUTICAL_MILE = 1852.0  # m
_NEEDED = ("time", "latitude", "longitude")
_NUMBERS = {"pressure_hpa": (800.0, 1050.0), "wind_kt": (0.0, 250.0), "rmax_nmi": (0.0, 500.0)}
_RADIUS = re.compile(r"r(\d+)_(longest_nmi|shortest_nmi|direction)")
_RADIUS_LIMITS = (0.0, 2000.0)
_TIME = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?)?Z?")


@dataclass(frozen=True)
class Radii:
    """How far winds of one speed reach, by record; NaN where not given.

    speed [m s-1]; longest, shortest [m] (record)
    """

    speed: float
    longest: np.ndarray
    shortest: np.ndarray


@dataclass(frozen=True)
class Track:
    """A storm's best track; NaN where a value is not given.

    times datetime64[s] UTC, latitude and longitude [degrees], pressure [Pa], wind [m s-1] at 10 m,
    rmax [m]; all (record). `lines` are the line numbers of the records in the file at `path`.
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

    def __len__(self):
        return len(self.times)

    def place(self, record: int) -> str:
        """Where a record stands in its file, as `track.csv:12`."""
        return f"{self.path}:{self.lines[record]}"

    def check(self, start, end, region) -> None:
        """That the track covers the run and enters its region.

        start, end: datetime64 or what numpy makes one from, UTC; region: west, east, south, north [degrees].
        Raises InputError that says what the track covers.
        """
        start, end = (np.datetime64(time, "s") for time in (start, end))
        if start < self.times[0] or end > self.times[-1]:
            raise InputError(
                f"{self.path}: the track covers {self.times[0]} to {self.times[-1]} UTC, "
                f"the run {start} to {end}. Shorten the run, or give a track that covers it."
            )
        if not self._enters(start, end, *region):
            raise InputError(
                f"{self.path}: the track does not enter the region {_box(*region)} during the run; "
                f"from {start} to {end} UTC it stays within {self._extent(start, end)}. "
                "Move the region, or give another track."
            )

    def positions(self, times) -> tuple[np.ndarray, np.ndarray]:
        """Latitude and longitude [degrees] of the centre at times (datetime64), linear between records."""
        seconds = (np.asarray(times, "datetime64[s]") - self.times[0]).astype(float)
        records = (self.times - self.times[0]).astype(float)
        longitude = np.interp(seconds, records, np.unwrap(self.longitude, period=360))
        return np.interp(seconds, records, self.latitude), longitude

    def _during(self, start, end):
        """Positions every ten minutes from start to end."""
        return self.positions(np.append(np.arange(start, end, np.timedelta64(600, "s")), end))

    def _enters(self, start, end, west, east, south, north):
        latitude, longitude = self._during(start, end)
        inside = (latitude >= south) & (latitude <= north) & ((longitude - west) % 360 <= east - west)
        return bool(inside.any())

    def _extent(self, start, end):
        latitude, longitude = self._during(start, end)
        return _box(longitude.min(), longitude.max(), latitude.min(), latitude.max())


def read_track(path) -> Track:
    """Reads a best track from a CSV file with named columns.

    Needed are `time` (ISO 8601, UTC), `latitude`, `longitude` [degrees] and `pressure_hpa` or `wind_kt`;
    used where given are `rmax_nmi` and, for any wind speed NN in knots, `rNN_longest_nmi` and
    `rNN_shortest_nmi`. Empty cells, and a wind or radius of 0, mean not given. Lines that start with # are
    comments.

    Raises InputError with file and line for a missing file or column, a bad number, a position or value out
    of range, or times that do not increase.
    """
    path = Path(path)
    header, rows, lines = _read_rows(path)
    _check_columns(path, header)
    _check_widths(path, header, rows, lines)
    columns = {name: _Column(path, name, header.index(name), rows, lines) for name in header}
    track = Track(
        path=path,
        lines=lines,
        times=columns["time"].times(),
        latitude=columns["latitude"].numbers(-90, 90, needed=True),
        longitude=columns["longitude"].numbers(-180, 360, needed=True),
        pressure=_optional(columns, "pressure_hpa", len(lines)) * 100,
        wind=_optional(columns, "wind_kt", len(lines)) * KNOT,
        rmax=_optional(columns, "rmax_nmi", len(lines)) * NAUTICAL_MILE,
        radii=_radii(columns, len(lines)),
    )
    _check_records(track)
    return track


def _read_rows(path):
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not a text file"
        raise InputError(f"{path}: the track cannot be read: {reason}.") from None
    numbered = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    numbered = [(number, line) for number, line in numbered if not line.lstrip().startswith("#")]
    rows = [[cell.strip() for cell in row] for row in csv.reader([line for _, line in numbered])]
    lines = [number for number, _ in numbered]
    if len(rows) < 2:
        raise InputError(
            f"{path}: the track has no records. Give a line of column names and a line a record."
        )
    return rows[0], rows[1:], lines[1:]


def _check_columns(path, header):
    missing = [name for name in _NEEDED if name not in header]
    if not {"pressure_hpa", "wind_kt"} & set(header):
        missing.append("pressure_hpa or wind_kt")
    if missing:
        raise InputError(
            f"{path}: the track lacks the column {', '.join(missing)}; it has {', '.join(header)}."
        )
    for name in header:
        if header.count(name) > 1:
            raise InputError(f"{path}: the column '{name}' is named twice.")
        if not (name in _NEEDED or name in _NUMBERS or _RADIUS.fullmatch(name)):
            allowed = ", ".join([*_NEEDED, *_NUMBERS, "rNN_longest_nmi", "rNN_shortest_nmi", "rNN_direction"])
            raise InputError(
                f"{path}: unknown column '{name}'. Allowed are {allowed} (NN: wind speed in kt)."
            )


def _check_widths(path, header, rows, lines):
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(header):
            raise InputError(f"{path}:{line}: {len(row)} values where {len(header)} columns are named.")


class _Column:
    """One column of the file, and how to make numbers or times of it."""

    def __init__(self, path, name, index, rows, lines):
        self.path, self.name, self.lines = path, name, lines
        self.cells = [row[index] for row in rows]

    def fail(self, record, what):
        raise InputError(f"{self.path}:{self.lines[record]}: {self.name} is '{self.cells[record]}'; {what}.")

    def times(self):
        values = []
        for record, cell in enumerate(self.cells):
            values.append(self._time(record, cell))
            if record and values[-1] <= values[-2]:
                self.fail(record, f"it must come after {values[-2]} of the record before")
        return np.array(values)

    def _time(self, record, cell):
        try:
            if _TIME.fullmatch(cell):
                return np.datetime64(cell.removesuffix("Z"), "s")
        except ValueError:
            pass
        self.fail(record, "give it as 2022-09-01T06:00, in UTC")

    def numbers(self, lowest, highest, *, needed=False):
        return np.array([self._number(record, lowest, highest, needed) for record in range(len(self.cells))])

    def _number(self, record, lowest, highest, needed):
        cell = self.cells[record]
        if not cell and not needed:
            return np.nan
        try:
            value = float(cell)
        except ValueError:
            self.fail(record, "it must be a number")
        if not lowest <= value <= highest:
            self.fail(record, f"it must be a number from {lowest:g} to {highest:g}")
        return value if needed or value != 0 else np.nan


def _optional(columns, name, n_records):
    if name not in columns:
        return np.full(n_records, np.nan)
    return columns[name].numbers(*_NUMBERS[name])


def _radii(columns, n_records):
    speeds = sorted({int(match[1]) for name in columns if (match := _RADIUS.fullmatch(name))}, reverse=True)
    return [_radii_of(columns, speed, n_records) for speed in speeds]


def _radii_of(columns, speed, n_records):
    names = [name for name in (f"r{speed}_longest_nmi", f"r{speed}_shortest_nmi") if name in columns]
    given = [columns[name].numbers(*_RADIUS_LIMITS) * NAUTICAL_MILE for name in names]
    given = given or [np.full(n_records, np.nan)]
    longest, shortest = given[0], given[-1]
    return Radii(speed * KNOT, np.where(np.isnan(longest), shortest, longest), shortest)


def _check_records(track):
    for record in range(len(track)):
        if np.isnan(track.pressure[record]) and np.isnan(track.wind[record]):
            raise InputError(
                f"{track.place(record)}: neither pressure_hpa nor wind_kt is given; one is needed."
            )


def _box(west, east, south, north):
    return f"{west:g} to {east:g} E, {south:g} to {north:g} N"
