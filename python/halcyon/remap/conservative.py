"""First-order conservative means over the boxes of a grid, for values that are constant in each face."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from halcyon._core import remap
from halcyon.base import ConfigError

if TYPE_CHECKING:
    from halcyon.remap.faces import Faces
    from halcyon.remap.grid import LatLonGrid


COVERAGE = 0.5  # [1] boxes that faces cover to less than this fraction have no mean
MIN_RESULTANT = 1e-6  # [1] mean unit vectors shorter than this have no direction


class Conservative:
    """Means of values on `Faces` over the boxes of a `LatLonGrid`.

    A mean is weighted by overlap area. It covers the part of the box where faces have values, and is NaN if
    this part is smaller than the fraction `coverage` (0..1) of the box. Raises ConfigError for an invalid
    coverage.

    overlaps: the overlap areas [unit sphere], see `cpp/halcyon/remap/overlap.hpp`.
    """

    def __init__(
        self, faces: Faces, grid: LatLonGrid, *, coverage: float = COVERAGE, threads: int = 0
    ) -> None:
        if not 0 <= coverage <= 1:
            raise ConfigError(f"A coverage of {coverage:g} is invalid. Give a fraction of a box: 0 to 1.")
        self.grid, self._coverage, self._threads = grid, coverage, threads
        self.overlaps = remap.overlaps(
            faces.nodes, faces.offsets, faces.nodes_on_face, grid.boxes(), threads=threads
        )

    def mean(self, values: ArrayLike) -> np.ndarray:
        """Returns the means (latitude, longitude) of values (face), NaN where missing."""
        means, covered = self._average(values)
        return self._mask_uncovered(means, covered)

    def mean_direction(self, degrees: ArrayLike) -> np.ndarray:
        """Returns the mean directions [degrees, 0..360] of directions (face) [degrees], as directions of mean
        unit vectors: the mean of 350 and 10 is 0. NaN where the vectors cancel."""
        angle = np.radians(np.asarray(degrees, float))
        east, covered = self._average(np.sin(angle))
        north, _ = self._average(np.cos(angle))
        means = np.mod(np.degrees(np.arctan2(east, north)), 360)
        means[np.hypot(east, north) < MIN_RESULTANT] = np.nan
        return self._mask_uncovered(means, covered)

    def covered(self) -> np.ndarray:
        """Returns the fraction (latitude, longitude) of each box that faces cover, 0..1."""
        _, covered = self._average(np.zeros(len(self.overlaps.face_areas)))
        return covered.reshape(self.grid.shape)

    def _average(self, values: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        values = np.ascontiguousarray(values, dtype=float)
        return remap.average(self.overlaps, values, threads=self._threads)

    def _mask_uncovered(self, means: np.ndarray, covered: np.ndarray) -> np.ndarray:
        means[covered < self._coverage] = np.nan
        return means.reshape(self.grid.shape)
