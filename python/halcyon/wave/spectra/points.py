"""Linear interpolation from the points of a file to the cells of an open boundary."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Weights:
    """The two source points of each position (n) and their weights.

    points: indices of the points (n, 2); shares: weights (n, 2), which add up to 1."""

    points: np.ndarray
    shares: np.ndarray

    def combine(self, values: np.ndarray) -> np.ndarray:
        """Interpolates values (point, ...) to the positions (n, ...)."""
        first, second = (
            self.shares[:, i].reshape(-1, *[1] * (values.ndim - 1)) * values[self.points[:, i]]
            for i in (0, 1)
        )
        return first + second

    def restricted(self) -> tuple[np.ndarray, Weights]:
        """Returns the points in use, ascending, and these weights with indices into the points in use."""
        used, indices = np.unique(self.points, return_inverse=True)
        return used, Weights(indices.reshape(self.points.shape), self.shares)


def point_weights(positions: np.ndarray, points: np.ndarray) -> Weights:
    """Returns the weights of the two points nearest to each position, by linear interpolation between the
    two points to the projection of the position on the line through them.

    positions (n, 3), points (point, 3): unit vectors. The result at a position does not depend on other
    positions."""
    nearest = np.array([_two_nearest(position, points) for position in positions], int).reshape(-1, 2)
    first, second = points[nearest[:, 0]], points[nearest[:, 1]]
    projection, squared_length = (  # products of (vector from first) with (second - first)
        sum((vector[:, axis] - first[:, axis]) * (second[:, axis] - first[:, axis]) for axis in range(3))
        for vector in (positions, second)
    )
    share = np.clip(
        np.divide(projection, squared_length, out=np.zeros(len(positions)), where=squared_length > 0), 0, 1
    )
    return Weights(nearest, np.stack([1 - share, share], axis=1))


def nearest_distance(positions: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Returns the length of the chord from each position (n, 3) to the nearest point (point, 3), infinite
    without points; positions and points are unit vectors."""
    squared = [_squared_chords(position, points).min(initial=np.inf) for position in positions]
    return np.sqrt(np.array(squared, float))


def _two_nearest(position: np.ndarray, points: np.ndarray) -> tuple[int, int]:
    """Returns the indices of the two points nearest to a position, by distance and then by index; twice the
    same if there is one point."""
    squared = _squared_chords(position, points)
    first = int(squared.argmin())
    squared[first] = np.inf
    return first, int(squared.argmin()) if len(points) > 1 else first


def _squared_chords(position: np.ndarray, points: np.ndarray) -> np.ndarray:
    return sum((position[axis] - points[:, axis]) ** 2 for axis in range(3))
