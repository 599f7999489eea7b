"""Gaussian grids: full, reduced, octahedral; and doubly periodic planes."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import cached_property
from typing import Self

import numpy as np

from halcyon._core import transform as core
from halcyon.base import ConfigError
from halcyon.options import integer, number

__all__ = ["Grid", "Plane"]


class Grid:
    """A Gaussian grid: rows of evenly spaced values from north to south, each eastward from longitude 0.

    A field is (latitude, longitude) if all rows have the same length, otherwise (point), row after row.
    `row_lengths` are the numbers of values per row, symmetric about the equator and not decreasing towards
    it; ConfigError otherwise."""

    def __init__(self, row_lengths: Sequence[int] | np.ndarray) -> None:
        if np.ndim(row_lengths) != 1:
            raise ConfigError(f"row_lengths is {row_lengths!r}. Give a list of whole numbers.")
        self._set(core.Grid([integer("row_lengths", length) for length in row_lengths]))

    @classmethod
    def full(cls, n_latitudes: int, n_longitudes: int | None = None) -> Self:
        """Returns a grid with rows of equal length, by default twice the number of rows."""
        n_latitudes = integer("n_latitudes", n_latitudes)
        n_longitudes = 2 * n_latitudes if n_longitudes is None else n_longitudes
        return cls._from_core(core.Grid.full(n_latitudes, integer("n_longitudes", n_longitudes)))

    @classmethod
    def reduced(
        cls,
        n_latitudes: int,
        truncation: int,
        *,
        points_per_wave: int = 2,
        tolerance: float = 1e-14,
        shortest: int = 8,
    ) -> Self:
        """Returns a grid with rows of the shortest suitable lengths: even, without prime factors above 5, and
        not decreasing towards the equator.

        A row has at least `shortest` and `points_per_wave` M + 1 values (2: linear grid, 3: quadratic grid),
        where M is the largest wavenumber for which some |P_nm|, n <= truncation, exceeds `tolerance` (after
        Courtier and Naughton 1994). Raises ConfigError for invalid values."""
        n_rows, truncation = integer("n_latitudes", n_latitudes), integer("truncation", truncation)
        per_wave, shortest = integer("points_per_wave", points_per_wave), integer("shortest", shortest)
        return cls._from_core(
            core.Grid.reduced(n_rows, truncation, per_wave, number("tolerance", tolerance), shortest)
        )

    @classmethod
    def octahedral(cls, n: int) -> Self:
        """Returns a grid of 2 n rows with 20, 24, 28 .. values from each pole to the equator (Malardel et al.
        2016): the cubic grid for T up to n - 1. For larger T the rows next to the poles are too short
        (`holds`)."""
        return cls._from_core(core.Grid.octahedral(integer("n", n)))

    @classmethod
    def _from_core(cls, core_grid: core.Grid) -> Self:
        grid = cls.__new__(cls)
        grid._set(core_grid)
        return grid

    def _set(self, core_grid: core.Grid) -> None:
        self.core = core_grid
        self.n_points = core_grid.n_points
        self.row_lengths = core_grid.row_lengths
        lengths = np.unique(self.row_lengths)
        self.shape = (core_grid.n_rows, int(lengths[0])) if len(lengths) == 1 else (core_grid.n_points,)

    @cached_property
    def sines(self) -> np.ndarray:
        """Sines of the latitudes, from north to south: the zeros of a Legendre polynomial."""
        return self.core.sines

    @cached_property
    def cosines(self) -> np.ndarray:
        """Cosines of the latitudes."""
        return self.core.cosines

    @cached_property
    def weights(self) -> np.ndarray:
        """Gaussian weights (latitude) for integrals over the sine of latitude; their sum is 2."""
        return self.core.weights

    @cached_property
    def latitude(self) -> np.ndarray:
        """Latitudes [degrees]: of the rows if all rows have the same length, otherwise of the points."""
        rows = np.degrees(np.arctan2(self.sines, self.cosines))
        return rows if len(self.shape) == 2 else np.repeat(rows, self.row_lengths)

    @cached_property
    def longitude(self) -> np.ndarray:
        """Longitudes [degrees]: of the columns if all rows have the same length, otherwise of the points."""
        lengths = self.row_lengths[:1] if len(self.shape) == 2 else self.row_lengths
        return np.concatenate([np.arange(length) * (360 / length) for length in lengths])

    @cached_property
    def areas(self) -> np.ndarray:
        """Fraction of the sphere's area per point, in the shape of a field; their sum is 1."""
        return np.repeat(self.weights / 2 / self.row_lengths, self.row_lengths).reshape(self.shape)

    def holds(self, truncation: int) -> bool:
        """Whether the grid supports truncation T in `Transform`: more than T rows, 2 T + 1 values at the
        equator, and long enough rows elsewhere. A row of L values resolves wavenumbers up to (L - 1) / 2; for
        larger m, a row and its mirror image together may contribute at most 1e-11 of the mean square of a
        P_nm, so that round trips are accurate to 1e-10. `octahedral(T + 1)` and `reduced(T + 1, T)` support
        T."""
        return self.core.holds(integer("truncation", truncation))

    def location(self, point: int) -> tuple[float, float]:
        """Returns longitude and latitude [degrees] of a point, given by its index row after row. Raises
        ConfigError for an invalid index."""
        if not 0 <= integer("point", point) < self.n_points:
            raise ConfigError(f"There is no point {point}. Give 0 to {self.n_points - 1}.")
        row_ends = np.cumsum(self.row_lengths)
        row = int(np.searchsorted(row_ends, point, side="right"))
        length = int(self.row_lengths[row])
        column = point - (int(row_ends[row]) - length)  # index in the row
        return column * (360 / length), float(np.degrees(np.arctan2(self.sines[row], self.cosines[row])))

    def __repr__(self) -> str:
        """Describes the grid; a checksum identifies row lengths that differ. Ranks compare the text."""
        checksum = "" if len(self.shape) == 2 else f", lengths {zlib.crc32(self.row_lengths.tobytes()):08x}"
        return f"Grid of {len(self.row_lengths)} rows, {self.n_points} points{checksum}"

    def __reduce__(self) -> tuple[type[Grid], tuple[list[int]]]:
        return Grid, (self.row_lengths.tolist(),)


class Plane:
    """A plane with ny rows of nx evenly spaced values, periodic along x and y over `length_x` and `length_y`
    [m].

    A field is (y, x), `shape`. The first row is at y = 0, the first column at x = 0. Raises ConfigError for
    arguments that are not numbers; `Bifourier` checks their range."""

    def __init__(self, nx: int, ny: int, *, length_x: float, length_y: float) -> None:
        self.nx, self.ny = integer("nx", nx), integer("ny", ny)
        self.length_x, self.length_y = number("length_x", length_x), number("length_y", length_y)
        self.shape = (self.ny, self.nx)
        self.n_points = self.nx * self.ny

    @property
    def x(self) -> np.ndarray:
        """x of the columns [m]."""
        return np.arange(self.nx) * (self.length_x / self.nx)

    @property
    def y(self) -> np.ndarray:
        """y of the rows [m]."""
        return np.arange(self.ny) * (self.length_y / self.ny)

    def __repr__(self) -> str:
        return f"Plane of {self.nx} x {self.ny} points, {self.length_x:g} m x {self.length_y:g} m"
