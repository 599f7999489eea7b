"""Blending of the winds of storms with each other and with a background wind."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from halcyon.base import EARTH_RADIUS

if TYPE_CHECKING:
    from halcyon.wave.wind.quadrature import CellPoints


FADE_S = 6 * 3600.0  # time [s] in which a storm appears before its first record and vanishes after its last

_FAR = 1e6  # [m] see `BlendedWind`


def storm_weight(distance: np.ndarray, inner: float, outer: float) -> np.ndarray:
    """Returns the weight of the storm's wind at distances [m] from the storm's centre: 1 within `inner`, 0
    beyond `outer`.

    Liu and Sasaki (2019, Sci. Rep. 9, 12222) blend a parametric storm linearly with a reanalysis in a ring
    around the centre; x^2 (3 - 2 x), used here, is smooth at both ends of the ring."""
    return smooth_step((outer - distance) / (outer - inner))


def smooth_step(x: ArrayLike) -> np.ndarray:
    """Returns 3 x^2 - 2 x^3, 0 below x = 0 and 1 above x = 1."""
    x = np.clip(x, 0, 1)
    return x * x * (3 - 2 * x)


class WindSource(Protocol):
    """A wind at the cells."""

    def at(self, time_s: float) -> Sequence[np.ndarray] | np.ndarray: ...


class WindAtCells:
    """A wind (see `halcyon.wave.wind`) at cells: the mean over `points`, a `CellPoints`."""

    def __init__(self, wind: Any, points: CellPoints) -> None:
        self._wind, self._points = wind, points

    def at(self, time_s: float) -> tuple[np.ndarray, np.ndarray]:
        """Returns eastward and northward wind [m s-1] (cell) at a time of the run [s]."""
        u, v = np.empty(len(self._points.latitudes)), np.empty(len(self._points.latitudes))
        self._wind.at(time_s, self._points.latitudes, self._points.longitudes, u, v)
        return self._points.mean(u), self._points.mean(v)


class StormAtCells(WindAtCells):
    """The wind of a storm at cells.

    vortex: a C++ wind with the method `vortex(time_s)`, from FADE_S before to FADE_S after the storm;
    times_s: first and last time of the storm's track [s]."""

    def __init__(self, vortex: Any, points: CellPoints, *, times_s: tuple[float, float]) -> None:
        super().__init__(vortex, points)
        self._first_s, self._last_s = times_s

    def presence(self, time_s: float) -> float:
        """Returns a number from 0 (absent) to 1 (during the track), smooth in time."""
        outside_s = max(self._first_s - time_s, time_s - self._last_s, 0.0)
        return float(smooth_step(1 - outside_s / FADE_S))

    def distance(self, time_s: float, points: np.ndarray) -> np.ndarray:
        """Returns the distance [m] (cell) of unit vectors (cell, 3) from the centre of the vortex. Distances
        are chords: at 1000 km a thousandth shorter than arcs."""
        centre = self._wind.vortex(time_s)
        x, y, z = _unit_vector(centre.latitude, centre.longitude)
        offset = points[:, 0] - x, points[:, 1] - y, points[:, 2] - z
        return EARTH_RADIUS * np.sqrt(offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2])


class BlendedWind:
    """The winds of storms near their centres, and a background wind elsewhere and outside their times.

    storms: `StormAtCells`; background: a wind at the cells, with the method `at(time_s)`; points (cell, 3):
    unit vectors of the cells; inner, outer [m], see `storm_weight`, outer None for no limit.

    A storm has the weight w = presence x storm_weight. The storms together have the weight 1 - prod(1 - w),
    the background the rest. Among storms the wind is the mean with the weights w / (r^2 + (1 - w) L^2) of the
    distance r, L = 1000 km: inverse squared distances (Shepard 1968, Proc. 23rd ACM Nat. Conf., 517-524) for
    w = 1, so that each storm has its own wind near its centre; less near the centre of a storm that appears
    or vanishes. The wind is smooth in space and time."""

    def __init__(
        self,
        storms: Sequence[StormAtCells],
        background: WindSource,
        points: np.ndarray,
        *,
        inner: float,
        outer: float | None,
    ) -> None:
        self._storms, self._background, self._points = storms, background, points
        self._inner, self._outer = inner, outer

    def at(self, time_s: float) -> Sequence[np.ndarray] | np.ndarray:
        """Returns eastward and northward wind [m s-1] (cell) at a time [s]. Collective if `background.at` is
        collective."""
        background = self._background.at(time_s)
        present = [storm for storm in self._storms if storm.presence(time_s) > 0]
        if not present:
            return background
        distances = [storm.distance(time_s, self._points) for storm in present]
        weights = [self._weight(*pair, time_s) for pair in zip(present, distances, strict=True)]
        total = 1 - math.prod(1 - weight for weight in weights)
        shares = _shares(weights, distances)
        winds = [storm.at(time_s) for storm in present]
        return tuple(
            total * sum(share * wind[i] for share, wind in zip(shares, winds, strict=True))
            + (1 - total) * background[i]
            for i in (0, 1)
        )

    def _weight(self, storm: StormAtCells, distance: np.ndarray, time_s: float) -> np.ndarray:
        near = 1.0 if self._outer is None else storm_weight(distance, self._inner, self._outer)
        return np.broadcast_to(storm.presence(time_s) * near, distance.shape)


def _shares(weights: Sequence[np.ndarray], distances: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Returns the share of each storm (cell) in the mean: w / D over their sum, computed as w times D of the
    other storms; 0 where all weights are."""
    denominators = [
        distance**2 + (1 - weight) * _FAR**2 for weight, distance in zip(weights, distances, strict=True)
    ]
    products = [
        weight * math.prod(denominators[:i] + denominators[i + 1 :], start=np.ones(len(weight)))
        for i, weight in enumerate(weights)
    ]
    total = sum(products)
    return [np.divide(product, total, out=np.zeros_like(product), where=total > 0) for product in products]


def _unit_vector(latitude: float, longitude: float) -> tuple[float, float, float]:
    return np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)


class Calm:
    """A background wind of zero at `n_cells` cells."""

    def __init__(self, n_cells: int) -> None:
        self._n_cells = n_cells

    def at(self, time_s: float) -> np.ndarray:
        """Returns zero wind [m s-1] (cell)."""
        return np.zeros((2, self._n_cells))
