"""The spectra of one file, as all readers return them."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from halcyon.base import InputError
from halcyon.mesh.plausible import at_index, require_plausible

WATER_DENSITY = 1025.0  # [kg m-3] of spectra of energy; the default of SWAN
# Largest allowed step between adjacent directions over the median step; beyond it, directions are missing.
MAX_STEP_RATIO = 2.0
_FEWEST_DIRECTIONS = 4
_WIDEST_STEP = np.radians(100)


def require_directions(path: str | os.PathLike[str], degrees: np.ndarray) -> None:
    """Raises InputError, with the value, for a direction [degrees] that is out of range."""
    require_plausible("direction", f"{path}: the direction of a bin", degrees, at_index)


@dataclass(frozen=True)
class SpectraFile:
    """The spectra of one file; members as in `SpectraSource`."""

    path: Path
    frequency: np.ndarray
    direction: np.ndarray
    longitude: np.ndarray
    latitude: np.ndarray
    times: np.ndarray
    read: Any
    others: tuple[Path, ...] = ()  # further files that the spectra are from
    warning: str = ""  # what a user of the spectra should know
    missing_is_calm: bool = False  # missing spectra of points that have others are calm sea or ice
    tail_of_last: bool = False  # the tail has the directions of the last frequency, see `rebinning.Tail`

    @classmethod
    def of_arrays(
        cls,
        path: Path,
        frequency: ArrayLike,
        direction: ArrayLike,
        places: ArrayLike,
        times: ArrayLike,
        densities: np.ndarray,
    ) -> Self:
        """Returns the file of arrays: direction [rad], any multiple of 2 pi added; places: longitudes and
        latitudes [degrees] (point, 2); densities (record, point, frequency, direction)."""
        longitude, latitude = np.array(places).T
        return cls(
            path,
            np.asarray(frequency),
            np.mod(direction, 2 * np.pi),
            longitude,
            latitude,
            np.array(times, "datetime64[ms]"),
            lambda record, points: densities[record][points],
        )

    def checked(self) -> SpectraFile:
        """Returns the file with ascending frequencies. Raises InputError for frequencies that are not above 0
        and different, for directions that do not cover the circle, and for positions that are not on the
        sphere."""
        for name in ("longitude", "latitude"):
            place = "of point {0[0]}, counted from 0".format
            require_plausible(name, f"{self.path}: the {name}", getattr(self, name), place)
        order = np.argsort(self.frequency, kind="stable")
        frequency = self.frequency[order]
        if len(frequency) < 2 or not np.all(np.diff(frequency, prepend=0) > 0):
            raise InputError(f"{self.path}: the frequencies must be above 0 and different, and at least two.")
        self._require_full_circle()
        if np.array_equal(frequency, self.frequency):
            return self
        return replace(self, frequency=frequency, read=lambda i, points: self.read(i, points)[:, order])

    def _require_full_circle(self) -> None:
        """Raises InputError where directions [rad] do not cover the full circle: they are few, or have one
        wide gap. Directions of several widths have several wide steps."""
        n = len(self.direction)
        if n < _FEWEST_DIRECTIONS:
            raise InputError(
                f"{self.path} has {n} direction{'s' * (n != 1)}, but spectra over all directions are needed."
            )
        steps = np.diff(np.sort(self.direction), append=self.direction.min() + 2 * np.pi)
        gaps = np.count_nonzero(steps > MAX_STEP_RATIO * np.median(steps) * (1 + 1e-6))
        if gaps == 1 or not steps.max() <= _WIDEST_STEP:
            raise InputError(
                f"{self.path}: the directions do not cover the full circle: two adjacent of the"
                f" {n} directions are {np.degrees(steps.max()):.0f} degrees apart. Give spectra over"
                " all directions."
            )
