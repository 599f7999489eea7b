"""The boxes around the points of a reduced Gaussian grid, written to files as cells."""

from __future__ import annotations

from math import gcd

import numpy as np

from halcyon.io.fields_file import OwnedMesh
from halcyon.mesh.ugrid import NOTHING
from halcyon.transform import Grid

_DESCRIPTION = "boxes around the points of a Gaussian grid"


class GaussianBoxes:
    """Boxes around grid points. Each row of boxes has the area of the row's Gaussian weight; the western and
    eastern sides of boxes are halfway between the points of a row. A *side* below is a circle of latitude
    between two rows, or a pole: side b is north of row b. A box includes the corners of adjacent boxes on its
    northern and southern sides, so that the mesh is conforming. Each pole is one corner.

    Corners are numbered side by side from the north pole, and eastward from longitude 0 on each side.
    """

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._row_lengths = [int(length) for length in grid.row_lengths]
        self._row_offsets = np.concatenate([[0], np.cumsum(self._row_lengths)])
        n = len(self._row_lengths)
        counts = [1, *(_n_corners_on_side(*self._adjacent_lengths(side)) for side in range(1, n)), 1]
        self._corner_offsets = np.concatenate([[0], np.cumsum(counts)])
        self._side_latitudes_degrees = _side_latitudes(grid.weights)
        self._max_corners = max(
            _max_corners_on_side(self._row_lengths[row - 1 : row + 1])
            + _max_corners_on_side(self._row_lengths[row : row + 2])
            for row in range(n)
        )

    @property
    def n_corners(self) -> int:
        return int(self._corner_offsets[-1])

    def owned_part(self, points: np.ndarray, fixed: np.ndarray) -> OwnedMesh:
        """The boxes that a rank writes. points: global indices (owned point); fixed (owned point): a
        time-independent field. A corner belongs to the owner of the box south-east of the corner, a pole to
        the owner of the first box of the adjacent row."""
        corners_of_boxes, owned_corners = self._corner_table(points)
        longitude, latitude = self._coordinates(owned_corners)
        return OwnedMesh(
            n_cells=self._grid.n_points,
            n_vertices=self.n_corners,
            cells=points,
            vertices=owned_corners,
            cell_longitude=self._grid.longitude[points],
            cell_latitude=self._grid.latitude[points],
            vertex_longitude=longitude,
            vertex_latitude=latitude,
            face_nodes=corners_of_boxes,
            fixed=fixed,
            long_name=_DESCRIPTION,
        )

    def corners(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Longitudes and latitudes [degrees] (corner) of the boxes around points, concatenated, and the
        offset of each box (point + 1)."""
        corners_of_boxes, _ = self._corner_table(points)
        is_used = corners_of_boxes != NOTHING
        return *self._coordinates(corners_of_boxes[is_used]), np.concatenate(
            [[0], np.cumsum(is_used.sum(axis=1))]
        )

    def _corner_table(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The corners of each box (box, maximum number of corners), padded with -1, and the corners that
        these boxes own."""
        points = np.asarray(points, np.int64)
        rows = np.searchsorted(self._row_offsets, points, side="right") - 1
        corners_of_boxes = np.full((len(points), self._max_corners), NOTHING, np.int32)
        owned_corners = []
        for row in np.unique(rows):
            boxes = np.flatnonzero(rows == row)
            columns = points[boxes] - self._row_offsets[row]
            south, n_south = self._corners_on_side(row + 1, row, columns)
            north, n_north = self._corners_on_side(row, row, columns)
            _fill_corners(corners_of_boxes, boxes, south, n_south, north, n_north)
            owned_corners.append(self._owned_corners(row, columns, north, n_north))
        return corners_of_boxes, np.concatenate(owned_corners) if owned_corners else np.empty(0, np.int64)

    def _adjacent_lengths(self, side: int) -> tuple[int, int]:
        """The lengths of the rows north and south of a side that is not a pole."""
        return self._row_lengths[side - 1], self._row_lengths[side]

    def _corners_on_side(self, side: int, row: int, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The corners of boxes of a row on one of the row's sides, from west to east (box, maximum number),
        and the number of corners of each box."""
        first_corner = self._corner_offsets[side]
        n = self._corner_offsets[side + 1] - first_corner
        if n == 1:
            return np.full((len(columns), 1), first_corner), np.ones(len(columns), np.int64)
        positions = self._corner_positions(side)
        west, east = (
            np.searchsorted(
                positions, _west_sides(column, self._row_lengths[row], *self._adjacent_lengths(side))
            )
            for column in (columns, columns + 1)
        )
        counts = (east - west) % n + 1
        return first_corner + (west[:, None] + np.arange(counts.max())) % n, counts

    def _corner_positions(self, side: int) -> np.ndarray:
        """Longitudes of the corners on a side, ascending, in units of 1 / (2 L1 L2) of a circle, where L1 and
        L2 are the lengths of the adjacent rows."""
        lengths = self._adjacent_lengths(side)
        west = [_west_sides(np.arange(length, dtype=np.int64), length, *lengths) for length in lengths]
        return np.unique(np.concatenate(west))

    def _owned_corners(
        self, row: int, columns: np.ndarray, north: np.ndarray, n_north: np.ndarray
    ) -> np.ndarray:
        """The corners that boxes of a row own."""
        owned = []
        if row > 0:
            owned.append(north[np.arange(north.shape[1]) < n_north[:, None] - 1])
        if row == 0 and 0 in columns:
            owned.append(np.array([0]))
        if row == len(self._row_lengths) - 1 and 0 in columns:
            owned.append(np.array([self.n_corners - 1]))
        return np.concatenate(owned) if owned else np.empty(0, np.int64)

    def _coordinates(self, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Longitudes and latitudes [degrees] of corners."""
        sides = np.searchsorted(self._corner_offsets, corners, side="right") - 1
        longitude = np.zeros(len(corners))
        for side in np.unique(sides):
            if 0 < side < len(self._row_lengths):
                is_on_side = sides == side
                north, south = self._adjacent_lengths(side)
                positions = self._corner_positions(side)[corners[is_on_side] - self._corner_offsets[side]]
                longitude[is_on_side] = positions * (360 / (2 * north * south))
        return longitude, self._side_latitudes_degrees[sides]


def _fill_corners(
    corners_of_boxes: np.ndarray,
    boxes: np.ndarray,
    south: np.ndarray,
    n_south: np.ndarray,
    north: np.ndarray,
    n_north: np.ndarray,
) -> None:
    """Sets the corners of boxes counter-clockwise: the southern corners eastward, then the northern corners
    westward. south, north: corners on these sides (box, maximum number), of which n_south, n_north are
    used."""
    for i in range(south.shape[1]):
        has_corner = i < n_south
        corners_of_boxes[boxes[has_corner], i] = south[has_corner, i]
    for i in range(north.shape[1]):
        used = np.flatnonzero(i < n_north)  # boxes with a corner i
        corners_of_boxes[boxes[used], n_south[used] + i] = north[used, n_north[used] - 1 - i]


def _west_sides(columns: np.ndarray, length: int, north: int, south: int) -> np.ndarray:
    """The longitudes (2 i - 1) / (2 L) circles of the western sides of boxes i of a row of length L, in units
    of 1 / (2 L1 L2) of a circle. north, south: L1 and L2, the lengths of two adjacent rows, one of them L."""
    full_circle = 2 * north * south
    return (2 * columns - 1) * (full_circle // (2 * length)) % full_circle


def _n_corners_on_side(north: int, south: int) -> int:
    """Number of corners on a side between rows of lengths L1 and L2: L1 + L2, less the shared corners.
    (2 i - 1) / L1 = (2 k - 1) / L2 has g = gcd(L1, L2) solutions if L1 / g and L2 / g are odd, else none."""
    common = gcd(north, south)
    n_shared = common if (north // common) % 2 and (south // common) % 2 else 0
    return north + south - n_shared


def _max_corners_on_side(lengths: list[int]) -> int:
    """Maximum number of corners of a box on a side between rows of these lengths; 1 at a pole, with one
    row."""
    if len(lengths) < 2:
        return 1
    shorter, longer = sorted(lengths)
    return 2 if shorter == longer else 2 - (-longer // shorter)  # 2 + longer / shorter, rounded up


def _side_latitudes(weights: np.ndarray) -> np.ndarray:
    """Latitudes of the sides [degrees], north to south. The sine of a side's latitude is 1 minus the sum of
    the weights of all rows north of the side."""
    north = np.concatenate([[0.0], np.cumsum(weights)])
    latitudes = np.degrees(np.arctan2(1 - north, np.sqrt(np.maximum(north * (2 - north), 0))))
    return np.concatenate([latitudes[: (len(latitudes) + 1) // 2], -latitudes[: len(latitudes) // 2][::-1]])
