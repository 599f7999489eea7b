"""SWAN's spectral text files (SWAN user manual, appendix D: the format of spectrum files), and its restart
files (command HOTFILE) of action densities."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from halcyon.base import GRAVITY, InputError
from halcyon.wave.spectra.file import WATER_DENSITY, SpectraFile, require_directions
from halcyon.wave.spectra.text import Lines
from halcyon.wave.text_file import beginning

_MAGIC = b"SWAN"
_MOST_ROWS = 1e9
_PER_DEGREE = 180 / math.pi
_UNITS = {  # of each quantity: factors to m2 s rad-1, of the action density to that over 2 pi f
    "VaDens": {"m2/Hz/degr": _PER_DEGREE},
    "EnDens": {"J/m2/Hz/degr": _PER_DEGREE / (WATER_DENSITY * GRAVITY)},
    "AcDens": {"m2s/Hz/deg": _PER_DEGREE, "m2s/Hz/degr": _PER_DEGREE},
}


def is_swan_text(path: Path) -> bool:
    """Returns whether a file begins with SWAN's header. Raises InputError if the file cannot be read."""
    return beginning(path).startswith(_MAGIC)


def read_swan_text(path: Path, position: tuple[float, float] | None = None) -> SpectraFile:
    """Reads the spectra of a file; a stationary file has no times. position: longitude and latitude [degrees]
    of a single point, which replace its x and y. Raises InputError, which names the line, for invalid
    content."""
    lines = _SwanLines(path, "SWAN's format", comment="$")
    lines.next("SWAN")
    is_stationary = not lines.peek().startswith("TIME")
    if not is_stationary:
        lines.next()
        lines.next("1")
    are_degrees = lines.peek().startswith("LONLAT")
    places = np.array(lines.table(2, "LONLAT", "LOCATIONS"))
    if position and not are_degrees and len(places) == 1:
        places = np.array([position])
    if not are_degrees and (np.abs(places) > (360, 90)).any():
        raise InputError(
            f"{path}: LOCATIONS are x and y [m], not longitude and latitude. For one point set"
            " boundary.position; else write spectra with spherical coordinates (LONLAT)."
        )
    frequency = np.array(lines.table(1, "AFREQ", "RFREQ"))[:, 0]
    is_cartesian = lines.peek().startswith("CDIR")
    degrees = np.array(lines.table(1, "NDIR", "CDIR"))[:, 0]
    require_directions(path, degrees)
    angle = np.radians(degrees)
    direction = np.pi / 2 - angle if is_cartesian else angle + np.pi
    factor, missing = _next_quantity(lines, frequency)
    shape = len(frequency), len(angle)
    times: list[np.datetime64] = []
    spectra: list[list[np.ndarray]] = []
    while lines.has_more():
        if not is_stationary:
            date, _, clock = lines.peek().split()[0].partition(".")
            times.append(lines.time(date, clock.ljust(6, "0"), "20220901.060000"))
        elif spectra:
            lines.fail("the end")
        spectra.append([_next_spectrum(lines, shape, factor, missing) for _ in places])
    if not spectra:
        lines.fail("a spectrum")
    return SpectraFile.of_arrays(path, frequency, direction, places, times, np.array(spectra))


class _SwanLines(Lines):
    """The lines of a file of SWAN, with tables."""

    def table(self, columns: int, *keywords: str) -> list[list[float]]:
        """Returns the rows of numbers below one of the keywords; the line after the keyword has the number of
        rows."""
        self.next(*keywords)
        (count,) = self.numbers(1)
        if not 1 <= count <= _MOST_ROWS:
            self._position -= 1
            self.fail("a number of rows")
        return [self.numbers(columns) for _ in range(int(count))]


def _next_quantity(lines: _SwanLines, frequency: np.ndarray) -> tuple[np.ndarray, float]:
    """Reads the lines of the quantity. Returns the factors (frequency, 1) that convert its unit to m2 s
    rad-1, and the number that marks missing values.

    Action densities are those over frequency and direction, over the angular frequency. Their exception value
    is that of calm sea, 0; points on land have NODATA."""
    lines.next("QUANT")
    lines.next()
    quantity = lines.next(*_UNITS)[:6]
    units, unit = _UNITS[quantity], lines.peek().partition(" ")[0]
    if unit not in units:
        lines.fail(f"a unit of {quantity}, {next(iter(units))},")
    lines.next()
    (missing,) = lines.numbers(1)
    is_action = quantity == "AcDens"
    factors = units[unit] * (2 * math.pi * frequency if is_action else np.ones_like(frequency))
    return factors[:, None], math.nan if is_action else missing


def _next_spectrum(
    lines: _SwanLines, shape: tuple[int, int], factor: np.ndarray, missing: float
) -> np.ndarray:
    """Reads densities [m2 s rad-1] (frequency, direction) of one point, NaN where missing."""
    kind = lines.next("FACTOR", "ZERO", "NODATA").split()[0]
    if kind != "FACTOR":
        return np.full(shape, 0.0 if kind == "ZERO" else np.nan)
    (scale,) = lines.numbers(1)
    rows = [lines.numbers(shape[1]) for _ in range(shape[0])]
    values = np.array(rows)
    return np.where(values == missing, np.nan, factor * scale * values)
