"""Points in no order, such as the cells of an icosahedral grid, with linear interpolation in triangles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.base import InputError
from halcyon.mesh.sphere import to_points
from halcyon.wave.gridded.grid import Interpolation, PointList, dot

MAX_POINTS = 5_000_000
_CAP = 0.5  # points whose unit vectors are so close to their mean (cosine) are projected to a plane
_LONG_SIDE = 3.0  # a triangle with a longer side, in steps at its corners, lies in a gap between the points
_INSIDE = -1e-12  # smallest weight in the triangle that contains a position, with rounding


@dataclass(frozen=True, eq=False)
class Scattered(PointList):
    """Points with latitude and longitude [degrees] (point), NaN where missing."""

    path: Path
    latitude: np.ndarray
    longitude: np.ndarray
    dimensions: tuple[str] = ("point",)

    @classmethod
    def of(
        cls,
        path: Path | str,
        latitude: np.ndarray,
        longitude: np.ndarray,
        *,
        dimensions: tuple[str] = ("point",),
    ) -> Scattered:
        """Points [degrees] in any order. Raises InputError for fewer than 3 or too many points."""
        lat, lon = np.asarray(latitude, float), np.asarray(longitude, float)
        n = int(np.isfinite(lat + lon).sum())
        if not 3 <= n <= MAX_POINTS:
            raise InputError(f"{path} has {n} points with a position. From 3 to {MAX_POINTS} are supported.")
        return cls(Path(path), lat, lon, dimensions)

    @property
    def size(self) -> int:
        return len(self.latitude)

    @property
    def step(self) -> float:
        return float(np.median(self.triangulation.spacing[self.triangulation.used]))

    @cached_property
    def triangulation(self) -> Triangulation:
        """The triangulation of the points, made when it is first used."""
        points = to_points(self.longitude, self.latitude)
        valid = np.flatnonzero(np.isfinite(points[:, 0]))
        return Triangulation(points, valid[delaunay(self.path, points[valid])])

    def interpolation(self, longitude: np.ndarray, latitude: np.ndarray, reach: float = 0.0) -> Interpolation:
        passes, positions = self.fill_passes(reach), to_points(longitude, latitude)
        ids, weights, covered = self.triangulation.find(positions)
        return self._interpolation(ids, weights, covered, passes, positions)

    def links(self) -> np.ndarray:
        return self.triangulation.links

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "triangulation"}


class Triangulation:
    """Triangles between points (point, 3) of the unit sphere, NaN where missing.

    triangles: int64 (triangle, 3); used: points in triangles; spacing (point): a third of the sides at a
    point are shorter; links (2, m): the pairs of points that are sides."""

    def __init__(self, points: np.ndarray, triangles: np.ndarray) -> None:
        from scipy.spatial import cKDTree

        self.points, self.triangles = points, triangles
        pairs = np.concatenate([self.triangles[:, [1, 2]], self.triangles[:, [2, 0]], self.triangles[:, :2]])
        key = np.sort(pairs, axis=1) @ np.array([len(points), 1])
        self._across = _across(key).reshape(3, -1).T  # the triangle beyond the side opposite to each corner
        self.links = np.array(np.divmod(np.unique(key), len(points)))
        start, end = self.links
        length = _length(points[start] - points[end])
        self.spacing = _lower_thirds(np.concatenate([start, end]), np.concatenate([length] * 2), len(points))
        self.used = np.unique(self.triangles)
        self._triangle_of = np.zeros(len(points), np.int64)
        self._triangle_of[self.triangles.ravel()] = np.repeat(np.arange(len(self.triangles)), 3)
        self._tree = cKDTree(points[self.used])

    def find(
        self, positions: np.ndarray, *, has_gaps: bool = True
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Corners and barycentric weights (3, n) of the triangles that contain positions (n, 3), and whether
        there is one (n). In gaps and beyond the hull, the nearest point counts, up to its spacing.
        has_gaps: whether large triangles are gaps."""
        distance, nearest = self._tree.query(positions)
        nearest = self.used[nearest]
        triangle, weights, inside = self._walk(positions, self._triangle_of[nearest])
        ids = self.triangles[triangle].T
        corners = self.points[ids]
        longest = np.maximum.reduce([_length(corners[i] - corners[i - 1]) for i in range(3)])
        inside &= (not has_gaps) | (longest <= _LONG_SIDE * self.spacing[ids].max(axis=0))
        inside &= dot(corners[0], positions) > 0  # the weights at the antipode are the same
        weights = np.maximum(weights, 0)
        weights = np.where(inside, weights / (weights[0] + weights[1] + weights[2]), [[1], [0], [0]])
        return np.where(inside, ids, nearest), weights, inside | (distance <= self.spacing[nearest])

    def _walk(self, positions: np.ndarray, triangle: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Walks from triangles (n) towards positions, over the side of the most negative weight.

        Returns the last triangle, the weights in it (3, n) and whether it contains the position."""
        weights = self._weights(positions, triangle)
        active = np.arange(len(positions))
        seen = 0
        while len(active) and seen < len(self.triangles):
            seen += 1
            beyond = self._across[triangle[active], weights[:, active].argmin(axis=0)]
            moves = (weights[:, active].min(axis=0) < _INSIDE) & (beyond >= 0)
            active, beyond = active[moves], beyond[moves]
            weights_beyond = self._weights(positions[active], beyond)
            # Rounding may make both triangles at a side exclude a position on it: then it stays.
            is_back = self._across[beyond, weights_beyond.argmin(axis=0)] == triangle[active]
            is_better = weights_beyond.min(axis=0) > weights[:, active].min(axis=0)
            goes = ~is_back | is_better
            active, beyond, weights_beyond = active[goes], beyond[goes], weights_beyond[:, goes]
            triangle[active], weights[:, active] = beyond, weights_beyond
        return triangle, weights, weights.min(axis=0) >= -1e-6

    def _weights(self, positions: np.ndarray, triangle: np.ndarray) -> np.ndarray:
        """Barycentric weights (3, n) of positions in triangles, projected from the centre of the sphere."""
        a, b, c = (self.points[self.triangles[triangle, i]] - positions for i in range(3))
        volumes = np.array([dot(positions, np.cross(*sides)) for sides in ((b, c), (c, a), (a, b))])
        return volumes / (volumes[0] + volumes[1] + volumes[2])


def delaunay(path: Path, points: np.ndarray) -> np.ndarray:
    """Returns the Delaunay triangles, int64 (triangle, 3), of points (n, 3) of the unit sphere: their convex
    hull, or, within 60 degrees around their mean, the planar triangulation of their stereographic projection,
    which maps circles to circles. Raises InputError if the points are on one line."""
    from scipy.spatial import ConvexHull, Delaunay, QhullError

    centre = points.mean(axis=0)
    centre = centre / max(np.sqrt(centre @ centre), 1e-300)
    try:
        if (points @ centre).min() < _CAP:
            return ConvexHull(points).simplices.astype(np.int64)
        first = np.cross(centre, np.eye(3)[np.abs(centre).argmin()])
        axes = np.stack([first, np.cross(centre, first)], axis=1)
        plane = points @ axes / (1 + points @ centre)[:, None]
        return Delaunay(plane / np.abs(plane).max()).simplices.astype(np.int64)
    except (QhullError, ValueError):
        raise InputError(
            f"{path}: the points are on one line. Give a file of a two-dimensional grid."
        ) from None


def _across(key: np.ndarray) -> np.ndarray:
    """For each side, identified by its key (side), the triangle of its other occurrence, or -1. The sides are
    three lists, each of one side per triangle."""
    order = np.argsort(key, kind="stable")
    across = np.full(len(key), -1, np.int64)
    same = np.flatnonzero(key[order][1:] == key[order][:-1])
    first, second = order[same], order[same + 1]
    n_triangles = len(key) // 3
    across[first], across[second] = second % n_triangles, first % n_triangles
    return across


def _lower_thirds(group: np.ndarray, values: np.ndarray, n: int) -> np.ndarray:
    """The value (n) at a third of the sorted values of each group; NaN without values."""
    order = np.lexsort((values, group))
    count = np.bincount(group, minlength=n)
    begin = np.cumsum(count) - count
    third = np.minimum(begin + count // 3, len(values) - 1)
    return np.where(count > 0, values[order][third], np.nan)


def _length(vectors: np.ndarray) -> np.ndarray:
    return np.sqrt(dot(vectors, vectors))
