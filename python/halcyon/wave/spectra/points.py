"""Linear interpolation from the points of a file to the cells of an open boundary."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Weights:
    """Two points and their weights for each position: points int (n, 2), shares (n, 2)."""

    points: np.ndarray
    shares: np.ndarray

    def combine(self, values):
        """Interpolates values (point, ...) to the positions (n, ...)."""
        first, last = (
            self.shares[:, i].reshape(-1, *[1] * (values.ndim - 1)) * values[self.points[:, i]]
            for i in (0, 1)
        )
        return first + last

    def restricted(self):
        """Returns the points in use, ascending, and the weights with indices into that list."""
        used, positions = np.unique(self.points, return_inverse=True)
        return used, Weights(positions.reshape(self.points.shape), self.shares)


def point_weights(positions, points):
    """Returns the weights of the two nearest points for each position, by its projection onto the line
    between the two points.

    positions (n, 3), points (point, 3) on the unit sphere. Each position is treated independently."""
    squared = sum((positions[:, None, axis] - points[None, :, axis]) ** 2 for axis in range(3))
    nearest = np.argsort(squared, axis=1, kind="stable")[:, :2]
    if nearest.shape[1] == 1:
        nearest = np.repeat(nearest, 2, axis=1)
    first, last = points[nearest[:, 0]], points[nearest[:, 1]]
    along, length = (
        sum((other[:, axis] - first[:, axis]) * (last[:, axis] - first[:, axis]) for axis in range(3))
        for other in (positions, last)
    )
    share = np.clip(np.divide(along, length, out=np.zeros(len(positions)), where=length > 0), 0, 1)
    return Weights(nearest, np.stack([1 - share, share], axis=1))


def nearest_distance(positions, points):
    """Returns the chord [unit sphere] from each position (n, 3) to the nearest of points (point, 3)."""
    squared = sum((positions[:, None, axis] - points[None, :, axis]) ** 2 for axis in range(3))
    return np.sqrt(squared.min(axis=1))
