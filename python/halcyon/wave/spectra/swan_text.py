"""SWAN's spectral text files (SWAN user manual, appendix D: the format of spectrum files)."""

import math

import numpy as np

from halcyon.base import GRAVITY, InputError, read_bytes, require_regular_file
from halcyon.mesh.plausible import require_plausible
from halcyon.wave.spectra.netcdf import SpectraFile

_MAGIC = b"SWAN"
_MOST_ROWS = 1e9
_WATER_DENSITY = 1025.0  # kg m-3, SWAN's default
_UNITS = {  # factor to m2 s rad-1
    "m2/Hz/degr": 180 / math.pi,
    "J/m2/Hz/degr": 180 / math.pi / (_WATER_DENSITY * GRAVITY),
}


def is_swan_text(path):
    """Returns whether a file begins with SWAN's header. Raises InputError if the file cannot be read."""
    require_regular_file(path, "spectra")
    try:
        with open(path, "rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None


def read_swan_text(path):
    """Reads the spectra of a file with times, longitudes and latitudes. Raises InputError, which names the
    line, for invalid content."""
    lines = _Lines(path)
    lines.next("SWAN")
    lines.next("TIME")
    lines.next()
    longitude, latitude = np.array(lines.table("LONLAT", 2)).T
    for name, values in (("longitude", longitude), ("latitude", latitude)):
        require_plausible(name, f"{path}: the {name}", values, lambda i: f"of point {i[0] + 1}")
    frequency = np.array(lines.table("AFREQ", 1, alternative="RFREQ"))[:, 0]
    cartesian = lines.peek().startswith("CDIR")
    angle = np.radians(np.array(lines.table("NDIR", 1, alternative="CDIR"))[:, 0])
    direction = np.pi / 2 - angle if cartesian else angle + np.pi
    factor, missing = _next_quantity(lines)
    shape = len(frequency), len(angle)
    times, spectra = [], []
    while lines.has_more():
        times.append(_next_time(lines))
        spectra.append([_next_spectrum(lines, shape, factor, missing) for _ in longitude])
    densities = np.array(spectra)  # (record, point, frequency, direction)
    return SpectraFile(
        path,
        frequency,
        np.mod(direction, 2 * np.pi),
        longitude,
        latitude,
        np.array(times, "datetime64[ms]"),
        lambda record, points: densities[record][points],
    )


class _Lines:
    """The lines of a file without comment lines, read one after the other."""

    def __init__(self, path):
        self._path = path
        lines = read_bytes(path, "SWAN's spectra").decode("utf-8", errors="replace").splitlines()
        self._lines = [(i, line.strip()) for i, line in enumerate(lines, 1) if not line.startswith("$")]
        self._position = 0

    def has_more(self):
        """Returns whether there is a next line that is not empty."""
        return self._position < len(self._lines) and bool(self.peek())

    def peek(self):
        """Returns the next line without moving on, or an empty text at the end."""
        return self._lines[self._position][1] if self._position < len(self._lines) else ""

    def next(self, *words):
        """Returns the next line and moves on; if words are given, the line must begin with one of them."""
        line = self.peek()
        if not line or (words and not line.startswith(words)):
            self.fail(" or ".join(words) or "another line")
        self._position += 1
        return line

    def numbers(self, count):
        """Returns the first `count` numbers of the next line and moves on."""
        words = self.next().split()[:count]
        try:
            numbers = [float(word) for word in words]
        except ValueError:
            numbers = []
        if len(numbers) < count:
            self._position -= 1
            self.fail(f"{count} number{'s' * (count > 1)}")
        return numbers

    def table(self, keyword, columns, alternative=None):
        """Returns the rows of numbers below a keyword, or its alternative; the line after the keyword has the
        number of rows."""
        self.next(*filter(None, (keyword, alternative)))
        (count,) = self.numbers(1)
        if not 1 <= count <= _MOST_ROWS:
            self._position -= 1
            self.fail("a number of rows")
        return [self.numbers(columns) for _ in range(int(count))]

    def fail(self, expected):
        """Raises InputError for the next line."""
        if self._position >= len(self._lines):
            raise InputError(f"{self._path} ends where {expected} should be, in SWAN's format.")
        line, text = self._lines[self._position]
        raise InputError(
            f"{self._path}:{line}: '{text[:40]}' stands where {expected} should be, in SWAN's format."
        )


def _next_quantity(lines):
    """Reads the lines of the quantity. Returns the factor that converts its unit to m2 s rad-1, and the
    number that marks missing values."""
    lines.next("QUANT")
    lines.next()
    lines.next("VaDens", "EnDens")
    unit = lines.peek().partition(" ")[0]
    if unit not in _UNITS:
        lines.fail(f"a unit of {', '.join(_UNITS)}")
    lines.next()
    (missing,) = lines.numbers(1)
    return _UNITS[unit], missing


def _next_time(lines):
    """Reads a line with a time `yyyymmdd.hhmmss`."""
    word = lines.peek().split()[0]
    digits = word.replace(".", "").ljust(14, "0")
    try:
        date, clock = f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}", f"{digits[8:10]}:{digits[10:12]}"
        time = np.datetime64(f"{date}T{clock}:{digits[12:14]}", "ms")
    except ValueError:
        lines.fail("a time such as 20220901.060000")
    lines.next()
    return time


def _next_spectrum(lines, shape, factor, missing):
    """Reads densities [m2 s rad-1] (frequency, direction) of one point, NaN where missing."""
    kind = lines.next("FACTOR", "ZERO", "NODATA").split()[0]
    if kind != "FACTOR":
        return np.full(shape, 0.0 if kind == "ZERO" else np.nan)
    (scale,) = lines.numbers(1)
    rows = [lines.numbers(shape[1]) for _ in range(shape[0])]
    values = np.array(rows)
    return np.where(values == missing, np.nan, factor * scale * values)
