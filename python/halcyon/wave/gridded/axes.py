"""Grids of latitude rows and longitude columns, with bilinear interpolation in longitude and latitude."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.base import InputError
from halcyon.mesh.cf_file import LATITUDE, LONGITUDE, find_axis, positions
from halcyon.mesh.sphere import to_points
from halcyon.wave.gridded.grid import FULL_CIRCLE, Interpolation, RowsAndColumns

_STEP_SLACK = 1e-3  # tolerance in grid steps, for axes in single precision


@dataclass(frozen=True, eq=False)
class Axes(RowsAndColumns):
    """Ascending latitudes and longitudes [degrees] of a grid, without repeated longitudes.

    is_periodic: whether the longitudes cover the full circle; dimensions: names of the latitude and longitude
    dimensions in the file; descending: names of the dimensions along which the file's coordinates descend.
    """

    is_plain = True
    path: Path
    latitude: np.ndarray
    longitude: np.ndarray
    is_periodic: bool
    dimensions: tuple[str, str]
    descending: tuple[str, ...]

    @classmethod
    def from_file(cls, path: Path | str, file: Any) -> Axes:
        """Reads the axes from an open file; its longitudes may jump from 180 to -180.

        Raises InputError where an axis is missing, not monotonic or has fewer than two values."""
        return cls.from_variables(path, *(find_axis(path, file, axis) for axis in (LATITUDE, LONGITUDE)))

    @classmethod
    def from_variables(cls, path: Path | str, latitude: Any, longitude: Any) -> Axes:
        """As `from_file`, with the variables of latitude and longitude."""
        variables = latitude, longitude
        values = [positions(path, v, name) for v, (name, *_) in zip(variables, _NAMED, strict=True)]
        return cls.of(path, *values, dimensions=tuple(variable.dims[0] for variable in variables))

    @classmethod
    def of(
        cls,
        path: Path | str,
        latitude: np.ndarray,
        longitude: np.ndarray,
        *,
        dimensions: tuple[str, str] = ("row", "column"),
    ) -> Axes:
        """The axes with latitudes (row) and longitudes (column) [degrees] in the file's order; longitudes may
        jump by a full circle.

        Raises InputError where they are not monotonic or fewer than two."""
        values = [np.asarray(latitude, float), np.unwrap(np.asarray(longitude, float), period=FULL_CIRCLE)]
        for (name, *_), coordinates in zip(_NAMED, values, strict=True):
            steps = np.diff(coordinates)
            if not len(steps) or not (np.all(steps > 0) or np.all(steps < 0)):
                raise InputError(
                    f"{path}: the {name}s are not monotonic, or fewer than two. Sort the grid by {name}."
                )
        descending = tuple(name for name, v in zip(dimensions, values, strict=True) if v[0] > v[-1])
        lat, lon = (v[::-1] if v[0] > v[-1] else v for v in values)
        step = np.diff(lon).max()
        is_periodic = bool(lon[0] + FULL_CIRCLE - lon[-1] <= step * (1 + _STEP_SLACK))
        lon = lon[lon < lon[0] + FULL_CIRCLE - step * _STEP_SLACK] if is_periodic else lon
        return cls(Path(path), lat, lon, is_periodic, dimensions, descending)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.latitude), len(self.longitude)

    @property
    def step(self) -> float:
        return float(np.radians(np.diff(self.latitude).mean()))

    @property
    def extent(self) -> str:
        (west, east), (south, north) = self.longitude[[0, -1]], self.latitude[[0, -1]]
        return f"from {west:g} to {east:g} E and from {south:g} to {north:g} N"

    def longitudes(self, ids: np.ndarray) -> np.ndarray:
        return self.longitude[ids % len(self.longitude)]

    def latitudes(self, ids: np.ndarray) -> np.ndarray:
        return self.latitude[ids // len(self.longitude)]

    def interpolation(self, longitude: np.ndarray, latitude: np.ndarray, reach: float = 0.0) -> Interpolation:
        passes = self.fill_passes(reach)
        row, north = self._row(latitude)
        column, east = self._column(longitude)
        corners = [(i, j) for i in (0, 1) for j in (0, 1)]  # offsets (row, column) of the four nodes
        n = len(self.longitude)
        ids = np.array([(row + i) * n + (column + j) % n for i, j in corners])
        weights = [(north if i else 1 - north) * (east if j else 1 - east) for i, j in corners]
        covered = self._covered(longitude, latitude)
        positions = to_points(longitude, latitude)
        return self._interpolation(ids, np.array(weights), covered, passes, positions)

    def _row(self, latitude: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The row south of each position, and the weight of the next row to the north."""
        lat = self.latitude
        row = np.clip(np.searchsorted(lat, latitude, "right") - 1, 0, len(lat) - 2)
        return row, np.clip((latitude - lat[row]) / (lat[row + 1] - lat[row]), 0, 1)

    def _column(self, longitude: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The column west of each position, and the weight of the next column to the east."""
        lon, wrapped = self.longitude, self._wrapped(longitude)
        lon = np.append(lon, lon[0] + FULL_CIRCLE) if self.is_periodic else lon
        column = np.clip(np.searchsorted(lon, wrapped, "right") - 1, 0, len(lon) - 2)
        return column, np.clip((wrapped - lon[column]) / (lon[column + 1] - lon[column]), 0, 1)

    def _wrapped(self, longitude: np.ndarray) -> np.ndarray:
        """Longitudes [degrees] in the full circle that begins at the grid's western side (periodic grid) or
        one grid step west of it."""
        west, margin = self.longitude[0], 0.0 if self.is_periodic else self.longitude[1] - self.longitude[0]
        return west + np.mod(longitude - west + margin, FULL_CIRCLE) - margin

    def _covered(self, longitude: np.ndarray, latitude: np.ndarray) -> np.ndarray:
        """Whether positions are inside the grid or at most one grid step outside."""
        lat, lon = self.latitude, self.longitude
        south, north = lat[0] - (lat[1] - lat[0]), lat[-1] + (lat[-1] - lat[-2])
        inside = (latitude >= south) & (latitude <= north)
        return inside & (self.is_periodic | (self._wrapped(longitude) <= lon[-1] + (lon[-1] - lon[-2])))


_NAMED = (LATITUDE, LONGITUDE)
