"""First-order conservative means of what is constant in each face over the boxes of a grid."""

import numpy as np

from halcyon._core import remap
from halcyon.base import ConfigError

COVERAGE = 0.5  # of a box, below which it has no mean
RESULTANT = 1e-6  # length of a mean of unit vectors, below which it has no direction


class Conservative:
    """Means over the boxes of a `LatLonGrid` of values on `Faces`.

    A mean is over the part of the box that faces with a value cover, weighted by shared area. It is NaN where
    that part is below `coverage` (0..1). Raises ConfigError for another coverage.

    overlaps: the shared areas [unit sphere], see `cpp/halcyon/remap/overlap.hpp`.
    """

    def __init__(self, faces, grid, *, coverage=COVERAGE, threads=0):
        if not 0 <= coverage <= 1:
            raise ConfigError(f"A coverage of {coverage:g} is none. Give a part of a box: 0 to 1.")
        self.grid, self._coverage, self._threads = grid, coverage, threads
        self.overlaps = remap.overlaps(
            faces.nodes, faces.offsets, faces.nodes_on_face, grid.boxes(), threads=threads
        )

    def mean(self, values):
        """Means (latitude, longitude) of values (face), NaN where missing."""
        means, covered = self._average(values)
        return self._where_covered(means, covered)

    def mean_direction(self, degrees):
        """Directions [degrees, 0..360] of the means of unit vectors along directions (face) [degrees]: the
        mean of 350 and 10 is 0. NaN where the vectors cancel."""
        angle = np.radians(np.asarray(degrees, float))
        east, covered = self._average(np.sin(angle))
        north, _ = self._average(np.cos(angle))
        means = np.mod(np.degrees(np.arctan2(east, north)), 360)
        means[np.hypot(east, north) < RESULTANT] = np.nan
        return self._where_covered(means, covered)

    def covered(self):
        """The part (latitude, longitude) of each box that faces cover, 0..1."""
        _, covered = self._average(np.zeros(len(self.overlaps.face_areas)))
        return covered.reshape(self.grid.shape)

    def _average(self, values):
        values = np.ascontiguousarray(values, dtype=float)
        return remap.average(self.overlaps, values, threads=self._threads)

    def _where_covered(self, means, covered):
        means[covered < self._coverage] = np.nan
        return means.reshape(self.grid.shape)
