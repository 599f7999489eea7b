"""Tabulates a spacing function on the faces of a cube, with fine steps only where cells are fine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halcyon._core.mesh import SpacingTable

if TYPE_CHECKING:
    from halcyon.mesh.spacing import SpacingFunction


COARSEST = 64  # minimum number of steps along the side of a face
FINEST = 2048  # maximum number of steps along the side of a face
STEPS_PER_CELL = 2  # steps of the table over the spacing of the mesh
CHUNK = 1 << 20  # points per call of the spacing function


def tabulated(spacing: SpacingFunction) -> SpacingTable:
    """Returns the `SpacingTable` of a function of points (n, 3) to spacing (n) [rad].

    Steps are halved until they are at most half the spacing. The function is evaluated at new nodes only
    where a step was too wide; elsewhere, new nodes are interpolated bilinearly. Values are in single
    precision."""
    n = COARSEST
    values = _evaluate(spacing, SpacingTable.nodes(n)).reshape(6, n + 1, n + 1)
    while n < FINEST:
        is_coarse = _least_at_corners(values) < STEPS_PER_CELL * (np.pi / 2 / n)
        if not is_coarse.any():
            break
        n *= 2
        values = _doubled(values)
        is_new = _corners_of(np.repeat(np.repeat(is_coarse, 2, axis=1), 2, axis=2))
        is_new[:, ::2, ::2] = False
        values[is_new] = _evaluate(spacing, _points(np.argwhere(is_new), n))
    return SpacingTable(values)


def _evaluate(spacing: SpacingFunction, points: np.ndarray) -> np.ndarray:
    values = np.empty(len(points), np.float32)
    for begin in range(0, len(points), CHUNK):
        values[begin : begin + CHUNK] = spacing(points[begin : begin + CHUNK])
    return values


def _least_at_corners(values: np.ndarray) -> np.ndarray:
    """Returns the minimum of the four corner values of each cell of the table."""
    rows = np.minimum(values[:, 1:], values[:, :-1])
    return np.minimum(rows[:, :, 1:], rows[:, :, :-1])


def _corners_of(cells: np.ndarray) -> np.ndarray:
    """Returns the nodes (face, n + 1, n + 1) at the corners of marked cells (face, n, n)."""
    nodes = np.zeros((6, cells.shape[1] + 1, cells.shape[2] + 1), bool)
    for down, right in ((0, 0), (0, 1), (1, 0), (1, 1)):
        nodes[:, down : down + cells.shape[1], right : right + cells.shape[2]] |= cells
    return nodes


def _doubled(values: np.ndarray) -> np.ndarray:
    """Returns the table with half the step, interpolated bilinearly."""
    n = values.shape[1] - 1
    fine = np.empty((6, 2 * n + 1, 2 * n + 1), np.float32)
    fine[:, ::2, ::2] = values
    fine[:, 1::2, ::2] = (values[:, 1:] + values[:, :-1]) / 2
    fine[:, :, 1::2] = (fine[:, :, 2::2] + fine[:, :, :-2:2]) / 2
    return fine


def _points(nodes: np.ndarray, n: int) -> np.ndarray:
    """Returns the points (m, 3) of the sphere at nodes (m, 3): face, row, column; as `SpacingTable.nodes`."""
    face, row, column = nodes.T
    corner = np.stack([np.where(face % 2 == 0, 1.0, -1.0), 2 * column / n - 1, 2 * row / n - 1], axis=1)
    points = np.take_along_axis(corner, (np.arange(3) - (face // 2)[:, None]) % 3, axis=1)
    return points / np.sqrt(np.einsum("ij,ij->i", points, points))[:, None]
