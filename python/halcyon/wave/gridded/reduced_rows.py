"""Reduced grids: latitude rows, each with its own number of equidistant longitudes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from halcyon.base import InputError
from halcyon.mesh.sphere import to_points
from halcyon.wave.gridded.grid import FULL_CIRCLE, Interpolation, PointList, bounds_text

_SLACK = 1e-3  # tolerance in steps, for longitudes in single precision


@dataclass(frozen=True, eq=False)
class ReducedRows(PointList):
    """Rows of points, such as those of a reduced Gaussian grid, one row after another in the file's order.

    row_latitudes [degrees], row_counts, first_longitudes, steps [degrees] (row)."""

    path: Path
    row_latitudes: np.ndarray
    row_counts: np.ndarray
    first_longitudes: np.ndarray
    steps: np.ndarray
    dimensions: tuple[str] = ("point",)

    @classmethod
    def of(
        cls,
        path: Path | str,
        row_latitudes: np.ndarray,
        row_counts: np.ndarray,
        *,
        first_longitudes: np.ndarray | float = 0.0,
        steps: np.ndarray | float | None = None,
        dimensions: tuple[str] = ("point",),
    ) -> ReducedRows:
        """Rows in the file's order, from north to south or from south to north; rows without points are left
        out. steps: by default, the points of a row divide the full circle.

        Raises InputError where the latitudes are not monotonic, or fewer than two."""
        counts = np.asarray(row_counts, np.int64)
        used = counts > 0
        lat, counts = np.asarray(row_latitudes, float)[used], counts[used]
        change = np.diff(lat)
        if not len(change) or not (np.all(change > 0) or np.all(change < 0)):
            raise InputError(
                f"{path}: the rows of the reduced grid are not in the order of their latitudes, or fewer than"
                " two. Give a complete file."
            )
        given = FULL_CIRCLE / np.maximum(np.asarray(row_counts), 1) if steps is None else steps
        first, steps = (
            np.broadcast_to(np.asarray(x, float), used.shape)[used] for x in (first_longitudes, given)
        )
        return cls(Path(path), lat, counts, first, steps, dimensions)

    @classmethod
    def from_points(
        cls,
        path: Path | str,
        latitude: np.ndarray,
        longitude: np.ndarray,
        *,
        dimensions: tuple[str] = ("point",),
    ) -> ReducedRows | None:
        """The rows of points [degrees] (point) that are in rows of equidistant longitudes; None for other
        points."""
        first = np.flatnonzero(np.diff(latitude, prepend=np.nan) != 0)
        counts, change = np.diff(first, append=len(latitude)), np.diff(latitude[first])
        if len(first) < 2 or counts.max() < 3 or not (np.all(change > 0) or np.all(change < 0)):
            return None
        along = np.arange(len(latitude)) - np.repeat(first, counts)
        from_first = np.mod(longitude - np.repeat(longitude[first], counts), FULL_CIRCLE)
        steps = from_first[np.minimum(first + 1, len(latitude) - 1)]  # of the first two points
        last = from_first[first + counts - 1]  # more exact than the step of two points
        turns = np.round((steps * (counts - 1) - last) / FULL_CIRCLE)
        steps = np.where(counts > 1, (last + turns * FULL_CIRCLE) / np.maximum(counts - 1, 1), 1.0)
        closed = np.abs(steps * counts - FULL_CIRCLE) < _SLACK * steps * counts
        steps = np.where(closed, FULL_CIRCLE / counts, steps)
        error = np.mod(from_first - np.repeat(steps, counts) * along + 180, FULL_CIRCLE) - 180
        if not (np.abs(error) < 0.01 * np.repeat(steps, counts)).all():
            return None
        grid = cls.of(path, latitude[first], counts, first_longitudes=longitude[first], steps=steps)
        return replace(grid, dimensions=dimensions)

    @property
    def size(self) -> int:
        return int(self.row_counts.sum())

    @property
    def step(self) -> float:
        return float(np.radians(np.abs(np.diff(self.row_latitudes)).mean()))

    @property
    def extent(self) -> str:
        ids = np.arange(self.size)
        return bounds_text(self.longitudes(ids), self.latitudes(ids))

    def geometry(self) -> tuple[np.ndarray, ...]:
        return self.row_latitudes, self.row_counts, self.first_longitudes, self.steps

    def longitudes(self, ids: np.ndarray) -> np.ndarray:
        row = self._rows_of(ids)
        return self.first_longitudes[row] + self.steps[row] * (ids - self._offsets[row])

    def latitudes(self, ids: np.ndarray) -> np.ndarray:
        return self.row_latitudes[self._rows_of(ids)]

    @property
    def _offsets(self) -> np.ndarray:
        """The first point of each row."""
        return np.cumsum(self.row_counts) - self.row_counts

    @property
    def _is_closed(self) -> np.ndarray:
        """Whether each row goes around the globe."""
        return self.row_counts * self.steps >= FULL_CIRCLE - _SLACK * self.steps

    def _rows_of(self, ids: np.ndarray) -> np.ndarray:
        return np.searchsorted(self._offsets, ids, "right") - 1

    def interpolation(self, longitude: np.ndarray, latitude: np.ndarray, reach: float = 0.0) -> Interpolation:
        """Linear along the two rows, then between them. Between the last row and the pole, linear across the
        pole between that row at the longitude and at the opposite longitude."""
        passes = self.fill_passes(reach)
        order = np.argsort(self.row_latitudes)  # from south to north
        lat = self.row_latitudes[order]
        south = np.clip(np.searchsorted(lat, latitude, "right") - 1, 0, len(lat) - 2)
        share = (latitude - lat[south]) / (lat[south + 1] - lat[south])
        covered = (share >= -1) & (share <= 2)
        rows, longitudes = [order[south], order[south + 1]], [longitude, longitude]
        for last, beyond in ((0, share < 0), (1, share > 1)):  # the opposite point is in the same row
            to_pole = 90 - np.abs(self.row_latitudes[rows[last]])
            to_position = 90 - np.abs(latitude)
            opposite = np.divide(
                to_pole - to_position, 2 * to_pole, out=np.zeros(len(share)), where=beyond & (to_pole > 0)
            )
            spacing = np.abs(self.row_latitudes[rows[0]] - self.row_latitudes[rows[1]])
            beyond &= self._is_closed[rows[last]] & (to_pole <= spacing)
            rows[1 - last] = np.where(beyond, rows[last], rows[1 - last])
            longitudes[1 - last] = np.where(beyond, longitude + 180, longitudes[1 - last])
            share = np.where(beyond, opposite if last == 0 else 1 - opposite, share)
        share = np.clip(share, 0, 1)
        ids, weights = [], []
        for row, of_row, in_row in zip(rows, (1 - share, share), longitudes, strict=True):
            west, east, weight, is_in_row = self._in_row(row, in_row)
            ids += [west, east]
            weights += [of_row * (1 - weight), of_row * weight]
            covered &= is_in_row | (of_row == 0)
        positions = to_points(longitude, latitude)
        return self._interpolation(np.array(ids), np.array(weights), covered, passes, positions)

    def _in_row(
        self, row: np.ndarray, longitude: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The points west and east of longitudes in rows, the weight of the eastern one, and whether the row
        covers the longitude, up to one step outside."""
        count, first, step = self.row_counts[row], self.first_longitudes[row], self.steps[row]
        is_closed = self._is_closed[row]
        margin = np.where(is_closed, 0, step)
        distance = (np.mod(longitude - first + margin, FULL_CIRCLE) - margin) / step
        within = np.where(is_closed, distance, np.clip(distance, 0, count - 1))
        west = np.minimum(np.floor(within).astype(np.int64), count - 1)
        east = np.where(is_closed, (west + 1) % count, np.minimum(west + 1, count - 1))
        begin = self._offsets[row]
        return begin + west, begin + east, np.minimum(within - west, 1), is_closed | (distance <= count)

    def links(self) -> np.ndarray:
        """Each point with the next in its row, and with the two around it in the next row."""
        ids = np.arange(self.size)
        row, longitude = self._rows_of(ids), self.longitudes(ids)
        along = self._in_row(row, longitude + self.steps[row])[0]
        pairs = [np.stack([ids, along])]
        before = ids[row < len(self.row_counts) - 1]
        next_row = self._in_row(row[before] + 1, longitude[before])
        pairs += [np.stack([before, other]) for other in next_row[:2]]
        unique = np.unique(np.sort(np.concatenate(pairs, axis=1), axis=0), axis=1)
        return unique[:, unique[0] != unique[1]]
