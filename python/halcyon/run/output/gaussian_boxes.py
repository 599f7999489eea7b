"""The boxes around the points of a Gaussian grid whose rows differ: as files have fields on cells."""

from __future__ import annotations

from math import gcd

import numpy as np

from halcyon.io.fields_file import OwnedMesh
from halcyon.mesh.ugrid import NOTHING
from halcyon.transform import Grid

_DESCRIBED = "boxes around the points of a Gaussian grid"


class GaussianBoxes:
    """Sides of constant latitude lie where the rows on either side have the areas of their Gaussian weights;
    those between the points of a row halfway. Side b lies north of row b; a box has the corners of its
    neighbours on its sides, too, so that boxes share all of these. The poles are one corner each.

    Corners are counted side by side from the north pole, each side eastward from longitude 0.
    """

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._lengths = [int(length) for length in grid.row_lengths]
        self._starts = np.concatenate([[0], np.cumsum(self._lengths)])
        n = len(self._lengths)
        counts = [1, *(_count(*self._beside(side)) for side in range(1, n)), 1]
        self._corners = np.concatenate([[0], np.cumsum(counts)])
        self._latitudes = _side_latitudes(grid.weights)
        self._most = max(
            _most_on_side(self._lengths[row - 1 : row + 1]) + _most_on_side(self._lengths[row : row + 2])
            for row in range(n)
        )

    @property
    def n_corners(self) -> int:
        return int(self._corners[-1])

    def part(self, points: np.ndarray, fixed: np.ndarray) -> OwnedMesh:
        """What a rank with these points (owned point), as the grid counts them, writes of the boxes; fixed
        (owned point): a field that does not change. Each corner is of one rank: of the box south-east of it,
        or the first at its pole."""
        nodes, corners = self._listed(points)
        longitude, latitude = self._places(corners)
        lon, lat = self._grid.longitude[points], self._grid.latitude[points]
        n = self._grid.n_points, self.n_corners
        return OwnedMesh(*n, points, corners, lon, lat, longitude, latitude, nodes, fixed, _DESCRIBED)

    def corners(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Longitudes and latitudes [degrees] (corner) of the boxes around points, one after the other, and
        where each begins (point + 1)."""
        nodes, _ = self._listed(points)
        there = nodes != NOTHING
        return *self._places(nodes[there]), np.concatenate([[0], np.cumsum(there.sum(axis=1))])

    def _listed(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The corners of boxes (box, most), -1 behind the last, and those that go with these boxes."""
        points = np.asarray(points, np.int64)
        rows = np.searchsorted(self._starts, points, side="right") - 1
        nodes = np.full((len(points), self._most), NOTHING, np.int32)
        corners = []
        for row in np.unique(rows):
            mine = np.flatnonzero(rows == row)
            columns = points[mine] - self._starts[row]
            south, n_south = self._on_side(row + 1, row, columns)
            north, n_north = self._on_side(row, row, columns)
            _take(nodes, mine, south, n_south, n_north, north)
            corners.append(self._owned(row, columns, north, n_north))
        return nodes, np.concatenate(corners) if corners else np.empty(0, np.int64)

    def _beside(self, side: int) -> tuple[int, int]:
        """The lengths of the rows north and south of a side that is no pole."""
        return self._lengths[side - 1], self._lengths[side]

    def _on_side(self, side: int, row: int, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The corners of boxes of a row on one of its sides, from west to east, (box, most); and how many."""
        first, n = self._corners[side], self._corners[side + 1] - self._corners[side]
        if n == 1:
            return np.full((len(columns), 1), first), np.ones(len(columns), np.int64)
        turns = self._turns(side)
        west, east = (
            np.searchsorted(turns, _western(column, self._lengths[row], *self._beside(side)))
            for column in (columns, columns + 1)
        )
        counts = (east - west) % n + 1
        return first + (west[:, None] + np.arange(counts.max())) % n, counts

    def _turns(self, side: int) -> np.ndarray:
        """Longitudes of the corners on a side, ascending, in parts of 1 / (2 L1 L2) of a turn."""
        beside = self._beside(side)
        each = [_western(np.arange(length, dtype=np.int64), length, *beside) for length in beside]
        return np.unique(np.concatenate(each))

    def _owned(self, row: int, columns: np.ndarray, north: np.ndarray, n_north: np.ndarray) -> np.ndarray:
        """The corners that go with boxes of a row."""
        found = []
        if row > 0:
            found.append(north[np.arange(north.shape[1]) < n_north[:, None] - 1])
        if row == 0 and 0 in columns:
            found.append(np.array([0]))
        if row == len(self._lengths) - 1 and 0 in columns:
            found.append(np.array([self.n_corners - 1]))
        return np.concatenate(found) if found else np.empty(0, np.int64)

    def _places(self, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Longitudes and latitudes [degrees] of corners."""
        sides = np.searchsorted(self._corners, corners, side="right") - 1
        longitude = np.zeros(len(corners))
        for side in np.unique(sides):
            if 0 < side < len(self._lengths):
                here = sides == side
                north, south = self._beside(side)
                turns = self._turns(side)[corners[here] - self._corners[side]]
                longitude[here] = turns * (360 / (2 * north * south))
        return longitude, self._latitudes[sides]


def _take(nodes, boxes, south, n_south, n_north, north) -> None:
    """Sets corners of boxes counter-clockwise: those in the south eastward, then in the north westward."""
    for i in range(south.shape[1]):
        there = i < n_south
        nodes[boxes[there], i] = south[there, i]
    for i in range(north.shape[1]):
        there = np.flatnonzero(i < n_north)
        nodes[boxes[there], n_south[there] + i] = north[there, n_north[there] - 1 - i]


def _western(columns: np.ndarray, length: int, north: int, south: int) -> np.ndarray:
    """The longitudes (2 i - 1) / (2 L) of the western sides of boxes, in parts of 1 / (2 L1 L2) of a turn."""
    parts = 2 * north * south
    return (2 * columns - 1) * (parts // (2 * length)) % parts


def _count(north: int, south: int) -> int:
    """Of the corners on a side: g of (2 i - 1) / L1 = (2 k - 1) / L2 where L1 / g and L2 / g are odd."""
    common = gcd(north, south)
    both = common if (north // common) % 2 and (south // common) % 2 else 0
    return north + south - both


def _most_on_side(lengths: list[int]) -> int:
    """Corners that a box has there at most, by the lengths of the rows beside it: one at a pole."""
    if len(lengths) < 2:
        return 1
    shorter, longer = sorted(lengths)
    return 2 if shorter == longer else 2 - (-longer // shorter)


def _side_latitudes(weights: np.ndarray) -> np.ndarray:
    """[degrees] from the north pole: their sines are 1 less the weights of the rows north of them."""
    north = np.concatenate([[0.0], np.cumsum(weights)])
    half = np.degrees(np.arctan2(1 - north, np.sqrt(np.maximum(north * (2 - north), 0))))
    return np.concatenate([half[: (len(half) + 1) // 2], -half[: len(half) // 2][::-1]])
