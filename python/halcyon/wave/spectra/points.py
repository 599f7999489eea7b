"""Linear interpolation from the points of a file to the cells of an open boundary."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Weights:
    """The two source points of each position (n) and their weights.

    points: indices of the points (n, 2); shares: weights (n, 2), which add up to 1."""

    points: np.ndarray
    shares: np.ndarray

    def combine(self, values):
        """Interpolates values (point, ...) to the positions (n, ...)."""
        first, second = (
            self.shares[:, i].reshape(-1, *[1] * (values.ndim - 1)) * values[self.points[:, i]]
            for i in (0, 1)
        )
        return first + second

    def restricted(self):
        """Returns the points in use, ascending, and these weights with indices into the points in use."""
        used, indices = np.unique(self.points, return_inverse=True)
        return used, Weights(indices.reshape(self.points.shape), self.shares)


def point_weights(positions, points):
    """Returns the weights of the two points nearest to each position, by linear interpolation between the
    two points to the projection of the position on the line through them.

    positions (n, 3), points (point, 3): unit vectors. The result at a position does not depend on other
    positions."""
    squared_chord = sum((positions[:, None, axis] - points[None, :, axis]) ** 2 for axis in range(3))
    nearest = np.argsort(squared_chord, axis=1, kind="stable")[:, :2]
    if nearest.shape[1] == 1:
        nearest = np.repeat(nearest, 2, axis=1)
    first, second = points[nearest[:, 0]], points[nearest[:, 1]]
    projection, squared_length = (  # products of (vector from first) with (second - first)
        sum((vector[:, axis] - first[:, axis]) * (second[:, axis] - first[:, axis]) for axis in range(3))
        for vector in (positions, second)
    )
    share = np.clip(
        np.divide(projection, squared_length, out=np.zeros(len(positions)), where=squared_length > 0), 0, 1
    )
    return Weights(nearest, np.stack([1 - share, share], axis=1))


def nearest_distance(positions, points):
    """Returns the length of the chord from each position (n, 3) to the nearest point (point, 3); positions
    and points are unit vectors."""
    squared_chord = sum((positions[:, None, axis] - points[None, :, axis]) ** 2 for axis in range(3))
    return np.sqrt(squared_chord.min(axis=1))
