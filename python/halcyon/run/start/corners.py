"""Where places lie among those of a file: the corners around each, and their weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Corners:
    """Around each of n places: nodes of the file's places, laid flat, and weights that sum to 1, (corner, n);
    longitudes and latitudes [rad] of the nodes, (corner, n)."""

    nodes: np.ndarray
    weights: np.ndarray
    longitude: np.ndarray
    latitude: np.ndarray

    @property
    def size(self) -> int:
        return self.nodes.shape[1]

    def mean(self, flat: np.ndarray) -> np.ndarray:
        """Values (n) of values (node); NaN where one that has weight is."""
        return _sum(self.nodes, self.weights, flat)

    def bounded_mean(self, flat: np.ndarray) -> np.ndarray:
        """The same, to the last bit not beyond the values that have weight."""
        values = np.where(self.weights != 0, flat[self.nodes], np.nan)
        return np.clip(self.mean(flat), np.fmin.reduce(values), np.fmax.reduce(values))

    def along(self, directions: np.ndarray) -> tuple[Corners, Corners]:
        """The same with weights by which the components of a vector, eastward and northward at the nodes,
        give that along directions (n, 3)."""
        x, y, z = directions.T
        lon, lat = self.longitude, self.latitude
        east = -np.sin(lon) * x + np.cos(lon) * y
        north = -np.sin(lat) * (np.cos(lon) * x + np.sin(lon) * y) + np.cos(lat) * z
        return tuple(Corners(self.nodes, self.weights * part, lon, lat) for part in (east, north))


def _sum(nodes: np.ndarray, weights: np.ndarray, flat: np.ndarray) -> np.ndarray:
    total = np.zeros(nodes.shape[1])
    for node, weight in zip(nodes, weights, strict=True):
        total += np.where(weight != 0, weight * flat[node], 0)
    return total
