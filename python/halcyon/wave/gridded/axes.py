"""The axes of a grid of longitudes and latitudes, whatever their order in the file, and windows of it."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from halcyon.base import InputError

_ROUND = 360.0
_STEP_SLACK = 1e-3  # of a grid step, for axes in single precision


@dataclass(frozen=True)
class Window:
    """Rows first_row..last_row of a grid, and n_columns from first_column on, which may pass the seam."""

    first_row: int
    last_row: int
    first_column: int
    n_columns: int

    @property
    def shape(self):
        return self.last_row - self.first_row + 1, self.n_columns


@dataclass(frozen=True)
class Axes:
    """Ascending latitudes and longitudes [degrees] of a grid, and how they lie in the file.

    is_periodic: whether the longitudes go round the Earth; n_file_columns: those of the file, of which some
    may lie beyond one round.
    """

    path: Path
    latitude: np.ndarray
    longitude: np.ndarray
    is_periodic: bool
    rows_descend: bool
    columns_descend: bool
    n_file_columns: int

    @classmethod
    def of(cls, path, latitude, longitude):
        """Of latitudes and longitudes [degrees] in the order of the file, which may pass from 180 to -180.

        Raises InputError where they do not run steadily, or are fewer than two."""
        turned = np.unwrap(longitude, period=_ROUND)
        for name, values in (("latitude", latitude), ("longitude", turned)):
            steps = np.diff(values)
            if not len(steps) or not (np.all(steps > 0) or np.all(steps < 0)):
                raise InputError(
                    f"{path}: the {name}s do not run steadily up or down, or are fewer than two. Sort them."
                )
        rows_descend, columns_descend = bool(latitude[0] > latitude[-1]), bool(turned[0] > turned[-1])
        lon = turned[::-1] if columns_descend else turned
        step = np.diff(lon).max()
        is_periodic = bool(lon[0] + _ROUND - lon[-1] <= step * (1 + _STEP_SLACK))
        lon = lon[lon < lon[0] + _ROUND - step * _STEP_SLACK] if is_periodic else lon
        lat = latitude[::-1] if rows_descend else latitude
        return cls(Path(path), lat, lon, is_periodic, rows_descend, columns_descend, len(longitude))

    def same_as(self, other):
        """Whether another file has the same grid, in the same order."""
        return (self.rows_descend, self.columns_descend) == (other.rows_descend, other.columns_descend) and (
            np.array_equal(self.latitude, other.latitude) and np.array_equal(self.longitude, other.longitude)
        )

    def file_rows(self, window):
        """The slice of the file's rows; they come in the file's order."""
        n, first, last = len(self.latitude), window.first_row, window.last_row
        return slice(n - 1 - last, n - first) if self.rows_descend else slice(first, last + 1)

    def file_columns(self, window):
        """The slices of the file's columns, to be joined, each in the order of the window."""
        n, first, left = len(self.longitude), window.first_column, window.n_columns
        pieces = []
        while left:
            begin = first % n
            size = min(left, n - begin)
            pieces.append(self._slice(begin, begin + size))
            first, left = first + size, left - size
        return pieces

    def _slice(self, begin, end):
        if not self.columns_descend:
            return slice(begin, end)
        last, stop = self.n_file_columns - 1 - begin, self.n_file_columns - 1 - end
        return slice(last, stop if stop >= 0 else None, -1)
