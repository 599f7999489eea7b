"""Between which points of a file a cell of an open boundary lies."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Weights:
    """Two points and their shares for each place: points int (n, 2), shares (n, 2)."""

    points: np.ndarray
    shares: np.ndarray

    def mixed(self, values):
        """Values (n, ...) of those (point, ...) of the points."""
        first, last = (
            self.shares[:, i].reshape(-1, *[1] * (values.ndim - 1)) * values[self.points[:, i]]
            for i in (0, 1)
        )
        return first + last

    def renumbered(self):
        """The points in use, ascending, and the same weights by their places in that list."""
        used, places = np.unique(self.points, return_inverse=True)
        return used, Weights(places.reshape(self.points.shape), self.shares)


def between_points(places, points):
    """Weights of the two nearest points for each place, by where it projects onto the line between them.

    places (n, 3), points (point, 3) on the unit sphere. What a place gets depends on no other."""
    squared = sum((places[:, None, axis] - points[None, :, axis]) ** 2 for axis in range(3))
    nearest = np.argsort(squared, axis=1, kind="stable")[:, :2]
    if nearest.shape[1] == 1:
        nearest = np.repeat(nearest, 2, axis=1)
    first, last = points[nearest[:, 0]], points[nearest[:, 1]]
    along, length = (
        sum((other[:, axis] - first[:, axis]) * (last[:, axis] - first[:, axis]) for axis in range(3))
        for other in (places, last)
    )
    share = np.clip(np.divide(along, length, out=np.zeros(len(places)), where=length > 0), 0, 1)
    return Weights(nearest, np.stack([1 - share, share], axis=1))


def nearest_distance(places, points):
    """The chord [unit sphere] from each of places (n, 3) to the nearest of points (point, 3)."""
    squared = sum((places[:, None, axis] - points[None, :, axis]) ** 2 for axis in range(3))
    return np.sqrt(squared.min(axis=1))
