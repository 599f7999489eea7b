"""Search for the quadrilateral of a curvilinear grid that contains a position, and bilinear weights in it.

The quadrilaterals are tested in the plane that touches the sphere at the position (gnomonic projection),
where their sides are straight, so that the date line and the poles are not special. Blocks of 4 x 4
quadrilaterals, of 4 x 4 such blocks and so on have bounding spheres; a position descends into all blocks
whose sphere contains it. The result at a position depends on no other position.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

_FACTOR = 4  # quadrilaterals or blocks along each side of a block
_BATCH = 20_000  # positions per batch
_LONGEST_SIDE = 0.8  # chord of the longest side of a valid quadrilateral
_SMALLEST_AREA = 1e-6  # area of a valid quadrilateral over the square of its longest side
_MARGIN = 4.0  # a sphere so many times as large contains the positions within one side
_SPHERE_SLACK = 1.05  # sides are arcs, which are not within the sphere around the corners
_ITERATIONS = 12  # of Newton's method
_SNAP = 1e-9  # coordinates in a quadrilateral that are so close to its side are on its side
_NONE = np.iinfo(np.int64).max
# Corners (row, column) around a quadrilateral.
CORNERS = ((0, 0), (0, 1), (1, 1), (1, 0))


class Quadrilaterals:
    """The quadrilaterals between points (row, column, 3) of the unit sphere, NaN where missing.

    Quadrilaterals with missing corners, without area or with a side above 47 degrees are not searched."""

    def __init__(self, points: np.ndarray) -> None:
        n, m = points.shape[0] - 1, points.shape[1] - 1
        self._points, self._n_columns = points, m
        corners = [points[i : i + n, j : j + m] for i, j in CORNERS]
        sides = [_length(b - a) for a, b in zip(corners, [*corners[1:], corners[0]], strict=True)]
        longest = np.maximum.reduce(sides)
        area = _length(np.cross(corners[2] - corners[0], corners[3] - corners[1])) / 2
        valid = (longest < _LONGEST_SIDE) & (area > _SMALLEST_AREA * longest**2)  # False for NaN
        self._side = np.ravel(sum(sides) / 4)
        centre = np.where(valid[..., None], sum(corners) / 4, np.nan)
        radius = np.maximum.reduce([_length(corner - centre) for corner in corners]) * _SPHERE_SLACK
        # Centres and radii of spheres, from the quadrilaterals to the largest blocks; the second radius also
        # contains the positions within one side of a quadrilateral.
        self._spheres = [(centre, np.stack([radius, _MARGIN * radius]))]
        while max(self._spheres[-1][0].shape[:2]) > _FACTOR:
            self._spheres.append(_enclosing(*self._spheres[-1]))

    def find(self, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The quadrilaterals of positions (n, 3): row and column (n), weights of the `CORNERS` (4, n), 0 for
        positions farther than one side outside all quadrilaterals.

        Positions outside have the weights of the nearest place of the nearest quadrilateral. Of several
        quadrilaterals, the first counts."""
        quads, weights = [], []
        for begin in range(0, len(positions), _BATCH):
            found, at_corners = self._find(positions[begin : begin + _BATCH])
            quads.append(found)
            weights.append(at_corners)
        row, column = np.divmod(np.concatenate(quads), self._n_columns)
        return row, column, np.concatenate(weights, axis=1)

    def _find(self, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = np.full(len(positions), _NONE)
        position, quad = self._candidates(positions, np.arange(len(positions)), is_wide=False)
        inside = _contains_origin(_projected(self._corners(quad), positions[position]))
        np.minimum.at(found, position[inside], quad[inside])
        outside = np.flatnonzero(found == _NONE)
        found[outside] = self._nearest(positions, outside)
        is_found = found != _NONE
        found = np.where(is_found, found, 0)
        s, t, _ = _coordinates(_projected(self._corners(found), positions))
        weights = np.array([(1 - s) * (1 - t), s * (1 - t), s * t, (1 - s) * t])
        return found, np.where(is_found, weights, 0)

    def _nearest(self, positions: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """The nearest quadrilateral of each chosen position within one side of it, or _NONE."""
        position, quad = self._candidates(positions, chosen, is_wide=True)
        _, _, distance = _coordinates(_projected(self._corners(quad), positions[position]))
        near = distance <= self._side[quad]
        position, quad, distance = position[near], quad[near], distance[near]
        order = np.lexsort((quad, distance, position))
        unique, first = np.unique(position[order], return_index=True)
        nearest = np.full(len(positions), _NONE)
        nearest[unique] = quad[order[first]]
        return nearest[chosen]

    def _corners(self, quads: np.ndarray) -> np.ndarray:
        """The corners (n, 4, 3) of quadrilaterals."""
        row, column = np.divmod(quads, self._n_columns)
        return np.stack([self._points[row + i, column + j] for i, j in CORNERS], axis=1)

    def _candidates(
        self, positions: np.ndarray, chosen: np.ndarray, is_wide: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        """Pairs (position, quadrilateral) where the bounding sphere contains the position."""
        rows, columns = self._spheres[-1][0].shape[:2]
        position = np.repeat(chosen, rows * columns)
        row, column = (np.tile(i.ravel(), len(chosen)) for i in np.indices((rows, columns)))
        for level in reversed(range(len(self._spheres))):
            centre, radius = self._spheres[level][0], self._spheres[level][1][int(is_wide)]
            if level < len(self._spheres) - 1:
                i, j = (each.ravel() for each in np.indices((_FACTOR, _FACTOR)))
                row, column = ((x[:, None] * _FACTOR + k).ravel() for x, k in ((row, i), (column, j)))
                position = np.repeat(position, _FACTOR**2)
                exists = (row < radius.shape[0]) & (column < radius.shape[1])
                position, row, column = position[exists], row[exists], column[exists]
            near = _length(centre[row, column] - positions[position]) <= radius[row, column]
            position, row, column = position[near], row[near], column[near]
        return position, row * self._n_columns + column


def _enclosing(centre: np.ndarray, radii: Iterable[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Spheres around blocks of spheres: centres (row, column, 3) and radii (2, row, column), NaN around
    blocks without any."""
    n, m = (-(-size // _FACTOR) for size in centre.shape[:2])
    pad = [(0, n * _FACTOR - centre.shape[0]), (0, m * _FACTOR - centre.shape[1])]

    def blocks(values: np.ndarray) -> np.ndarray:
        """Values (row, column) as (block row, block column, in the block)."""
        padded = np.pad(values, pad, constant_values=np.nan)
        return padded.reshape(n, _FACTOR, m, _FACTOR).swapaxes(1, 2).reshape(n, m, -1)

    inner = np.stack([blocks(centre[..., axis]) for axis in range(3)], axis=-1)
    count = np.isfinite(inner[..., 0]).sum(axis=2)
    mean = np.nansum(inner, axis=2) / np.where(count, count, np.nan)[..., None]
    distance = _length(inner - mean[:, :, None])
    return mean, np.stack([np.fmax.reduce(distance + blocks(radius), axis=2) for radius in radii])


def _length(vectors: np.ndarray) -> np.ndarray:
    x, y, z = np.moveaxis(vectors, -1, 0)
    return np.sqrt(x * x + y * y + z * z)


def _projected(corners: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Coordinates (4, n, 2) of corners (n, 4, 3) in the planes that touch the sphere at positions (n, 3),
    which are the origins. NaN for corners beyond the horizon."""
    x, y, z = positions.T
    # Two unit vectors in the plane; the first is normal to the axis that is farthest from the position.
    is_polar = np.abs(z) > 0.9
    zero = np.zeros(len(x))
    first = np.where(is_polar, [z, zero, -x], [-y, x, zero]).T
    first /= _length(first)[:, None]
    second = np.cross(positions, first)
    plane = []
    for corner in np.moveaxis(corners, 1, 0):
        offset = corner - positions
        height = 1 + _dot(offset, positions)
        height = np.where(height > 0.1, height, np.nan)
        plane.append(np.stack([_dot(offset, first) / height, _dot(offset, second) / height], axis=-1))
    return np.array(plane)


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[:, 0] * b[:, 0] + a[:, 1] * b[:, 1] + a[:, 2] * b[:, 2]


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _contains_origin(plane: np.ndarray) -> np.ndarray:
    """Whether quadrilaterals (4, n, 2) contain the origin: it is on the same side of all of their sides."""
    sides = _cross(plane, np.roll(plane, -1, axis=0))
    tolerance = 1e-12 * np.abs(_cross(plane[2] - plane[0], plane[3] - plane[1]))
    return (sides >= -tolerance).all(axis=0) | (sides <= tolerance).all(axis=0)


def _coordinates(plane: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coordinates s (along columns) and t (along rows), 0 to 1, of the place of quadrilaterals (4, n, 2) that
    is the origin, or the nearest that the iteration finds; and its distance from the origin.

    Newton's method for a + b s + c t + d s t = 0, limited to the quadrilateral."""
    a, b, c = plane[0], plane[1] - plane[0], plane[3] - plane[0]
    d = plane[2] - plane[1] - c
    s = t = np.full(plane.shape[1], 0.5)

    def place(s: np.ndarray, t: np.ndarray) -> np.ndarray:
        return a + b * s[:, None] + c * t[:, None] + d * (s * t)[:, None]

    for _ in range(_ITERATIONS):
        value, along_s, along_t = place(s, t), b + d * t[:, None], c + d * s[:, None]
        determinant = _cross(along_s, along_t)
        with np.errstate(divide="ignore", invalid="ignore"):
            step_s = -_cross(value, along_t) / determinant
            step_t = -_cross(along_s, value) / determinant
        s = np.clip(s + np.where(determinant == 0, 0, step_s), 0, 1)
        t = np.clip(t + np.where(determinant == 0, 0, step_t), 0, 1)
    s, t = (np.where(x < _SNAP, 0, np.where(x > 1 - _SNAP, 1, x)) for x in (s, t))
    end = place(s, t)
    return s, t, np.hypot(end[:, 0], end[:, 1])
