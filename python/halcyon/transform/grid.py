"""Gaussian grids: full, reduced, octahedral; and doubly periodic planes."""

import zlib
from functools import cached_property

import numpy as np

from halcyon._core import transform as core
from halcyon.base import ConfigError
from halcyon.options import number, whole

__all__ = ["Grid", "Plane"]


class Grid:
    """A Gaussian grid: rows of values from north to south, each eastward from longitude 0, evenly spaced.

    A field on a grid whose rows are alike is (latitude, longitude); on others it is (point), row after row.
    `row_lengths` are the values of each row, alike north and south, never shrinking towards the equator;
    ConfigError otherwise.
    """

    def __init__(self, row_lengths):
        if np.ndim(row_lengths) != 1:
            raise ConfigError(f"row_lengths is {row_lengths!r}. Give a list of whole numbers.")
        self._set(core.Grid([whole("row_lengths", length) for length in row_lengths]))

    @classmethod
    def full(cls, n_latitudes, n_longitudes=None):
        """All rows have the same length: twice the number of rows unless it is given."""
        n_latitudes = whole("n_latitudes", n_latitudes)
        n_longitudes = 2 * n_latitudes if n_longitudes is None else n_longitudes
        return cls._of(core.Grid.full(n_latitudes, whole("n_longitudes", n_longitudes)))

    @classmethod
    def reduced(cls, n_latitudes, truncation, *, points_per_wave=2, tolerance=1e-14, shortest=8):
        """Rows as short as they may be, even, with no other factors than 2, 3 and 5.

        A row has at least `points_per_wave` M + 1 values (2: linear, 3: quadratic) and `shortest`, where M is
        the last wavenumber for which some |P_nm|, n <= truncation, is above `tolerance` (after Courtier and
        Naughton 1994). Raises ConfigError for values that make no sense.
        """
        given = whole("n_latitudes", n_latitudes), whole("truncation", truncation)
        per_wave, shortest = whole("points_per_wave", points_per_wave), whole("shortest", shortest)
        return cls._of(core.Grid.reduced(*given, per_wave, number("tolerance", tolerance), shortest))

    @classmethod
    def octahedral(cls, n):
        """2 n rows, of 20, 24, 28 .. values from the poles on (Malardel et al. 2016): for T up to n - 1, the
        cubic grid. Of larger T short rows next to the poles lack wavenumbers (`holds`)."""
        return cls._of(core.Grid.octahedral(whole("n", n)))

    @classmethod
    def _of(cls, found):
        grid = cls.__new__(cls)
        grid._set(found)
        return grid

    def _set(self, found):
        self.core = found
        self.n_points = found.n_points
        self.row_lengths = found.row_lengths
        lengths = np.unique(self.row_lengths)
        self.shape = (found.n_rows, int(lengths[0])) if len(lengths) == 1 else (found.n_points,)

    @cached_property
    def sines(self):
        """Sines of the latitudes, from north to south: the zeros of a Legendre polynomial."""
        return self.core.sines

    @cached_property
    def cosines(self):
        """Cosines of the latitudes."""
        return self.core.cosines

    @cached_property
    def weights(self):
        """Weights of Gauss (latitude) of integrals over the sine of latitude: their sum is 2."""
        return self.core.weights

    @cached_property
    def latitude(self):
        """Latitudes [degrees], of the rows where these are alike, else of the points."""
        rows = np.degrees(np.arctan2(self.sines, self.cosines))
        return rows if len(self.shape) == 2 else np.repeat(rows, self.row_lengths)

    @cached_property
    def longitude(self):
        """Longitudes [degrees], of the columns where rows are alike, else of the points."""
        lengths = self.row_lengths[:1] if len(self.shape) == 2 else self.row_lengths
        return np.concatenate([np.arange(length) * (360 / length) for length in lengths])

    @cached_property
    def areas(self):
        """The part of the sphere that each point stands for, in the shape of a field: their sum is 1."""
        return np.repeat(self.weights / 2 / self.row_lengths, self.row_lengths).reshape(self.shape)

    def holds(self, truncation):
        """Whether `Transform` can have this truncation T on the grid: it has more than T rows, 2 T + 1 values
        at the equator, and rows long enough where these shrink. Of L values, a row holds wavenumbers up to
        (L - 1) / 2; of the mean square of a P_nm with larger m, at most 1e-11 may lie in a row and the one as
        far south, so that round trips are good to 1e-10. `octahedral(T + 1)` and `reduced(T + 1, T)` hold
        T."""
        return self.core.holds(whole("truncation", truncation))

    def place(self, point):
        """Longitude and latitude [degrees] of a point, by its number row after row. Raises ConfigError where
        there is none."""
        if not 0 <= whole("point", point) < self.n_points:
            raise ConfigError(f"There is no point {point}. Give 0 to {self.n_points - 1}.")
        ends = np.cumsum(self.row_lengths)
        row = int(np.searchsorted(ends, point, side="right"))
        length = int(self.row_lengths[row])
        column = point - (int(ends[row]) - length)
        return column * (360 / length), float(np.degrees(np.arctan2(self.sines[row], self.cosines[row])))

    def __repr__(self):
        """Tells grids apart: of rows that differ by a checksum of their lengths."""
        mark = "" if len(self.shape) == 2 else f", lengths {zlib.crc32(self.row_lengths.tobytes()):08x}"
        return f"Grid of {len(self.row_lengths)} rows, {self.n_points} points{mark}"

    def __reduce__(self):
        return Grid, (self.row_lengths.tolist(),)


class Plane:
    """ny rows of nx values, evenly spaced, periodic along x and y over `length_x` and `length_y` [m].

    A field on it is (y, x), `shape`. The first row and column stand at 0. Raises ConfigError for what are no
    numbers, and `Bifourier` for those that cannot be."""

    def __init__(self, nx, ny, *, length_x, length_y):
        self.nx, self.ny = whole("nx", nx), whole("ny", ny)
        self.length_x, self.length_y = number("length_x", length_x), number("length_y", length_y)
        self.shape = (self.ny, self.nx)
        self.n_points = self.nx * self.ny

    @property
    def x(self):
        """Of the columns [m]."""
        return np.arange(self.nx) * (self.length_x / self.nx)

    @property
    def y(self):
        """Of the rows [m]."""
        return np.arange(self.ny) * (self.length_y / self.ny)

    def __repr__(self):
        return f"Plane of {self.nx} x {self.ny} points, {self.length_x:g} m x {self.length_y:g} m"
