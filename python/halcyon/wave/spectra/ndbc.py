"""Directional spectra of NDBC's buoys from their five text files: density, alpha1, alpha2, r1, r2.

NDBC, https://www.ndbc.noaa.gov/measdes.shtml: alpha1 and alpha2 are the mean and the principal directions
from which waves come, and r1, r2 the first and second normalized polar coordinates of the Fourier
coefficients, in historical files times 100. The truncated series is negative in places, so the spread is that
of the maximum entropy method (Lygre and Krogstad 1986, J. Phys. Oceanogr. 16, 2052-2060), which has these
coefficients."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from halcyon.base import InputError
from halcyon.wave.spectra.file import SpectraFile
from halcyon.wave.spectra.text import read_lines
from halcyon.wave.text_file import beginning

N_DIRECTIONS = 72
_FINE = 10  # directions at which the spread is evaluated, for each direction of the spectra
_KINDS = ("density", "alpha1", "alpha2", "r1", "r2")
_REAL_TIME = dict(zip(("spec_1", "alpha1_1", "alpha2_1", "r1_1", "r2_1"), _KINDS, strict=True))
_FOLDERS = dict(zip(("swden", "swdir", "swdir2", "swr1", "swr2"), _KINDS, strict=True))
_LETTERS = dict(zip("wdijk", _KINDS, strict=True))
_NAME = re.compile(r"(?P<station>[a-z0-9]{5})(?P<kind>[wdijk])?\d*(\.\w+)*", re.IGNORECASE)
_MISSING = 900.0  # and above; a density may also be missing as 99 at all frequencies
# Largest |c1|, and largest |c2 - c1^2| / (1 - |c1|^2): below 1, so that peaks are resolved.
_LARGEST_FIRST, _LARGEST_SECOND = 0.98, 0.9


def is_ndbc_text(path: Path) -> bool:
    """Returns whether a file begins with a header of NDBC's files."""
    words = beginning(path).decode("ascii", errors="replace").split()
    return len(words) > 4 and words[0].lstrip("#") in ("YY", "YYYY") and words[1:4] == ["MM", "DD", "hh"]


def names_of_set(path: Path) -> str:
    """Returns the names of the five files to which a file belongs, as a text of YAML."""
    name = _NAME.match(path.name)
    if name and name["kind"]:
        return f"'{path.name[: name.start('kind')]}?{path.name[name.end('kind') :]}'"
    siblings = [each.name for each in sorted(path.parent.glob(f"{path.name[:5]}*")) if _has_kind(each)]
    return f"[{', '.join(siblings)}]"


def _has_kind(path: Path) -> bool:
    try:
        return bool(_kind_of(path))
    except InputError:
        return False


def read_ndbc(paths: Sequence[Path], position: tuple[float, float] | None) -> list[SpectraFile]:
    """Reads the spectra of one buoy from its files, five for each period. position: longitude and latitude
    [degrees]. Returns a list of `SpectraFile`, one for each set of frequencies. Raises InputError for files
    that are invalid or missing."""
    if position is None:
        raise InputError(
            f"{paths[0]}: NDBC's files have no position. Set boundary.position to the buoy's, as"
            " {longitude: -78.5, latitude: 28.9}."
        )
    tables: dict[str, list[_Table]] = {kind: [] for kind in _KINDS}
    stations: dict[str, Path] = {}
    for path in paths:
        kind, station = _kind_of(path)
        stations[station] = path
        tables[kind].append(_read_table(path, kind))
    if len(stations) > 1:
        raise InputError(f"{' and '.join(map(str, stations.values()))} are of two buoys. Give files of one.")
    missing = [kind for kind in _KINDS if not tables[kind]]
    if missing:
        raise InputError(
            f"{paths[0]}: the file of {' and of '.join(missing)} is missing. NDBC's spectra are five files:"
            " density, alpha1, alpha2, r1 and r2 (letters w, d, i, j, k)."
        )
    sets = {table.frequency.tobytes(): table.frequency for table in tables["density"]}
    return [_joined(tables, frequency, paths, position) for frequency in sets.values()]


def _kind_of(path: Path) -> tuple[str, str]:
    """Returns which of the five a file is, and the station; by its header, name or folder."""
    header, name = beginning(path).decode("ascii", errors="replace"), _NAME.match(path.name)
    kind = next((kind for word, kind in _REAL_TIME.items() if word in header.split()), None)
    if kind is None and "<" not in header and name and "WVHT" not in header:
        kind = _LETTERS.get((name["kind"] or "").lower())
        kind = kind or next((_FOLDERS[part] for part in path.parts[::-1] if part in _FOLDERS), None)
    if kind is None:
        raise InputError(
            f"{path} is not recognized as one of NDBC's five files of spectra. Give files named as NDBC does"
            " (41010w2019.txt, d, i, j and k; 41010.data_spec, .swdir, .swdir2, .swr1, .swr2)."
        )
    return kind, name["station"].lower() if name else path.name


@dataclass(frozen=True)
class _Table:
    """times datetime64[m] (record); frequency [Hz]; values (record, frequency), NaN where missing."""

    times: np.ndarray
    frequency: np.ndarray
    values: np.ndarray


def _read_table(path: Path, kind: str) -> _Table:
    """Reads a file in the historical format, with frequencies in the header, or that of real time, with each
    frequency in parentheses behind its value."""
    lines = read_lines(path, "NDBC's spectra")
    columns = lines[0].split()
    n_time = 5 if columns[4] == "mm" else 4
    is_real_time = lines[0].rstrip().endswith(">")
    n_skipped = n_time + (kind == "density" and "Sep_Freq" in columns)
    rows: dict[np.datetime64, list[float]] = {}
    names = [] if is_real_time else columns[n_time:]  # frequencies as they are written
    for number, line in enumerate(lines[1:], 2):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        try:
            of_row = words[n_skipped:]
            if is_real_time:
                of_row, of_line = of_row[::2], of_row[1::2]
                names = names or of_line
                if names != of_line:
                    raise ValueError
            row = [math.nan if word == "MM" else float(word) for word in of_row]
            year, month, day, hour, *minute = (int(word) for word in words[:n_time])
            year += (1900 if year > 50 else 2000) * (year < 100)
            time = np.datetime64(f"{year:04}-{month:02}-{day:02}T{hour:02}:{(minute or [0])[0]:02}")
        except ValueError:
            row = []
        if len(row) < 2 or len(row) != len(names):
            raise InputError(
                f"{path}:{number}: '{line[:40]}' is not a time and a value for each of the frequencies of the"
                " first line. Correct the file."
            )
        rows[time] = row
    if not rows:
        raise InputError(f"{path} has no spectra.")
    try:
        frequency = np.array([float(name.strip("()")) for name in names])
    except ValueError:
        raise InputError(f"{path}: the frequencies are not numbers: {' '.join(names)[:40]}.") from None
    values = np.array(list(rows.values()))
    values[(values >= _MISSING) | (values == 99).all(axis=1, keepdims=True)] = np.nan
    if kind in ("r1", "r2") and np.nanmax(values, initial=0) > 2:
        values /= 100
    return _Table(np.array(list(rows)), frequency, values)


def _joined(
    tables: Mapping[str, list[_Table]],
    frequency: np.ndarray,
    paths: Sequence[Path],
    position: tuple[float, float],
) -> SpectraFile:
    """Returns the spectra of the times that all five tables have, at these frequencies."""
    by_kind = {
        kind: {
            time: row
            for table in tables[kind]
            if np.array_equal(table.frequency, frequency)
            for time, row in zip(table.times.tolist(), table.values, strict=True)
        }
        for kind in _KINDS
    }
    times = sorted(set.intersection(*map(set, by_kind.values())))
    density, alpha1, alpha2, r1, r2 = (
        np.array([by_kind[kind][time] for time in times]).reshape(-1, len(frequency)) for kind in _KINDS
    )
    complete = np.isfinite(density).all(axis=1) & (
        (np.isfinite(alpha1 + alpha2 + r1 + r2) & (density > 0)).any(axis=1) | (density == 0).all(axis=1)
    )
    if not complete.any():
        raise InputError(
            f"{paths[0]}: no time has all five of density, alpha1, alpha2, r1 and r2 at {len(frequency)}"
            " frequencies. Give the five files of one buoy and period."
        )
    first = r1 * np.exp(1j * np.radians(alpha1 + 180))  # to the directions of propagation
    second = r2 * np.exp(2j * np.radians(alpha2))
    density, first, second = (each[complete] for each in (density, first, second))

    def read(record: int, points: np.ndarray) -> np.ndarray:
        spread = spread_of(*_filled(first[record], second[record]))
        return np.repeat((density[record][:, None] * spread)[None], len(points), axis=0)

    direction = 2 * np.pi * (np.arange(N_DIRECTIONS) + 0.5) / N_DIRECTIONS
    longitude, latitude = (np.array([float(value)]) for value in position)
    chosen = np.array(times, "datetime64[ms]")[complete]
    return SpectraFile(
        paths[0], frequency, direction, longitude, latitude, chosen, read, others=tuple(paths[1:])
    )


def _filled(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the coefficients (frequency) with those of the nearest frequency where they are missing."""
    present = np.flatnonzero(np.isfinite(first) & np.isfinite(second))
    if not len(present):
        return np.zeros_like(first), np.zeros_like(second)
    distance = np.abs(np.arange(len(first))[:, None] - present)
    nearest = present[np.argmin(distance, axis=1)]
    return first[nearest], second[nearest]


def spread_of(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Returns the spread D [rad-1] (n, direction) with the Fourier coefficients c1 = <exp(i theta)> and
    c2 = <exp(2 i theta)> (n): D = (1 - p1 conj(c1) - p2 conj(c2)) / (2 pi |1 - p1 exp(-i theta) - p2 exp(-2 i
    theta)|^2), p1 = (c1 - c2 conj(c1)) / (1 - |c1|^2), p2 = c2 - c1 p1 (Lygre and Krogstad 1986, eqs 13-14).

    A spread exists for |c1| < 1 and |c2 - c1^2| < 1 - |c1|^2; measured coefficients are moved there, and keep
    the mean direction. Values are means over the width of each direction."""
    c1 = first * np.minimum(1, _LARGEST_FIRST / np.maximum(np.abs(first), 1e-12))
    largest = _LARGEST_SECOND * (1 - np.abs(c1) ** 2)
    rest = second - c1**2
    c2 = c1**2 + rest * np.minimum(1, largest / np.maximum(np.abs(rest), 1e-12))
    p1 = (c1 - c2 * np.conj(c1)) / (1 - np.abs(c1) ** 2)
    p2 = c2 - c1 * p1
    n = N_DIRECTIONS * _FINE
    wave = np.exp(-2j * np.pi * (np.arange(n) + 0.5) / n)
    spread = 1 / np.abs(1 - p1[:, None] * wave - p2[:, None] * wave**2) ** 2
    means = spread.reshape(len(c1), N_DIRECTIONS, _FINE).mean(axis=2)
    return means / (means.sum(axis=1, keepdims=True) * 2 * np.pi / N_DIRECTIONS)
