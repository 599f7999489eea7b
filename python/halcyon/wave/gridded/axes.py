"""The axes of a grid of longitudes and latitudes, whatever their order in the file, and windows of it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.base import InputError
from halcyon.mesh.cf_file import LATITUDE, LONGITUDE, find_axis, numbers

_ROUND = 360.0
_STEP_SLACK = 1e-3  # of a grid step, for axes in single precision


@dataclass(frozen=True)
class Window:
    """Rows first_row..last_row of a grid, and n_columns from first_column on, which may pass the seam."""

    first_row: int
    last_row: int
    first_column: int
    n_columns: int


@dataclass(frozen=True)
class Axes:
    """Ascending latitudes and longitudes [degrees] of a grid, of which those of the file beyond one round are
    left out.

    is_periodic: whether the longitudes go round the Earth; dimensions: of latitude and longitude in the file;
    descending: those that it has in the other order.
    """

    path: Path
    latitude: np.ndarray
    longitude: np.ndarray
    is_periodic: bool
    dimensions: tuple[str, str]
    descending: tuple[str, ...]

    @classmethod
    def of(cls, path, file):
        """Of an open file, whose longitudes may pass from 180 to -180.

        Raises InputError where there are none, they do not run steadily, or are fewer than two."""
        found = [find_axis(path, file, axis) for axis in (LATITUDE, LONGITUDE)]
        dimensions = tuple(each.dims[0] for each in found)
        values = [numbers(found[0]), np.unwrap(numbers(found[1]), period=_ROUND)]
        for (name, *_), each in zip((LATITUDE, LONGITUDE), values, strict=True):
            steps = np.diff(each)
            if not len(steps) or not (np.all(steps > 0) or np.all(steps < 0)):
                raise InputError(
                    f"{path}: the {name}s do not run steadily up or down, or are fewer than two. Sort them."
                )
        descending = tuple(name for name, v in zip(dimensions, values, strict=True) if v[0] > v[-1])
        lat, lon = (v[::-1] if v[0] > v[-1] else v for v in values)
        step = np.diff(lon).max()
        is_periodic = bool(lon[0] + _ROUND - lon[-1] <= step * (1 + _STEP_SLACK))
        lon = lon[lon < lon[0] + _ROUND - step * _STEP_SLACK] if is_periodic else lon
        return cls(Path(path), lat, lon, is_periodic, dimensions, descending)

    def same_as(self, other):
        """Whether another file has the same grid."""
        return np.array_equal(self.latitude, other.latitude) and np.array_equal(
            self.longitude, other.longitude
        )

    def read(self, variable: Any, window: Window) -> np.ndarray:
        """A window (..., row, column) of a variable of the file, whose other dimensions stay as they are."""
        lat, lon = self.dimensions
        ascending = variable.isel(dict.fromkeys(self.descending, slice(None, None, -1)))
        rows = ascending.isel({lat: slice(window.first_row, window.last_row + 1)})
        n, first, left, parts = len(self.longitude), window.first_column, window.n_columns, []
        while left:
            begin = first % n
            size = min(left, n - begin)
            part = rows.isel({lon: slice(begin, begin + size)}).compute()
            parts.append(part.transpose(..., lat, lon).values)
            first, left = first + size, left - size
        return np.concatenate(parts, axis=-1)
