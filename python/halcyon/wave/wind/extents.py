"""Radii of a wind speed as functions of azimuth, from the largest extents in four quadrants.

A radius in a track is the largest extent of a wind in a quadrant. Its mean over the quadrant is smaller: 0.85
times, in NHC's wind speed probabilities (DeMaria et al. 2009, Weather Forecast. 24, 1573-1591). `curve`
returns a smooth function of azimuth that has the given maximum in each quadrant, and 0.85 of the maximum as
the mean over each quadrant."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

MEAN_OVER_LARGEST = 0.85  # mean radius over a quadrant, over the largest (DeMaria et al. 2009)
N_AZIMUTHS = 72  # of a curve
AZIMUTHS = np.arange(N_AZIMUTHS) * 360 / N_AZIMUTHS  # [degrees], clockwise from north
_STEP = 15  # degrees between the azimuths that may have the largest radius of a quadrant
_HIGHEST = 8  # highest wavenumber of a curve
_TOLERANCE = 0.02  # by which a curve may exceed a largest radius
_LOWEST = 0.25  # smallest radius of a curve, as a part of the smallest given
_IN_QUADRANT = np.array([((AZIMUTHS - 90 * quadrant) % 360) <= 90 for quadrant in range(4)])  # both ends


def curve(largest: ArrayLike) -> np.ndarray:
    """Returns the radius (azimuth) with the largest values of the quadrants NE, SE, SW, NW (4), all above 0.

    Among the sums of wavenumbers up to 8 with these maxima, at multiples of 15 degrees, and these means, it
    is the one with the smallest sum of (k^2 - 1)^2 times the squared amplitudes (k = 1, a displaced circle,
    is nearly free). Where all of them exceed a maximum by more than 2 %, as between a large and a very small
    quadrant, the radius is that of `inscribed`."""
    largest = np.asarray(largest, float)
    to_radius, to_cost = _operators()
    constraints = np.concatenate([largest, MEAN_OVER_LARGEST * largest])
    radii = to_radius @ constraints
    excess = np.max(
        [radii[:, of_quadrant].max(axis=1) / largest[i] for i, of_quadrant in enumerate(_IN_QUADRANT)], axis=0
    )
    allowed = (excess <= 1 + _TOLERANCE) & (radii.min(axis=1) >= _LOWEST * largest.min())
    if not allowed.any():
        return inscribed(largest)
    cost = np.einsum("cij,i,j->c", to_cost, constraints, constraints)
    return radii[np.argmin(np.where(allowed, cost, np.inf))]


def inscribed(largest: ArrayLike) -> np.ndarray:
    """Returns a radius (azimuth) that has the largest values (4) in the middle of the quadrants and, between
    two quadrants, the smaller one times a factor of at most 1, for which the mean over all azimuths is 0.85
    of the mean of the largest values. In between it follows x^2 (3 - 2 x)."""
    largest = np.asarray(largest, float)
    between = np.minimum(largest, np.roll(largest, 1))  # at 0, 90, 180, 270 degrees
    factor = min(1.0, (2 * MEAN_OVER_LARGEST - 1) * largest.sum() / between.sum())
    nodes = np.ravel(np.column_stack([factor * between, largest]))  # every 45 degrees from north
    position = AZIMUTHS / 45
    before = position.astype(int)
    x = position - before
    weight = x * x * (3 - 2 * x)
    return (1 - weight) * nodes[before] + weight * nodes[(before + 1) % len(nodes)]


@cache
def _operators() -> tuple[np.ndarray, np.ndarray]:
    """Returns, for each choice of the azimuths of the four maxima, the matrix (azimuth, 8) from maxima and
    means to the radius, and the matrix (8, 8) of the cost."""
    wavenumbers = np.repeat(np.arange(_HIGHEST + 1), 2)[1:]
    cost = np.where(wavenumbers > 1, (wavenumbers**2.0 - 1) ** 2, np.where(wavenumbers == 1, 1e-2, 1e-3))
    harmonics = _harmonics(AZIMUTHS)
    means = np.array([harmonics[of_quadrant].mean(axis=0) for of_quadrant in _IN_QUADRANT])
    offsets = range(0, 91, _STEP)
    choices = [
        azimuths
        for azimuths in product(*([90 * quadrant + offset for offset in offsets] for quadrant in range(4)))
        if len({azimuth % 360 for azimuth in azimuths}) == 4
    ]
    conditions = np.concatenate(
        [_harmonics(np.array(choices, float)), np.broadcast_to(means, (len(choices), *means.shape))], axis=1
    )
    inverse = np.linalg.inv(np.einsum("cik,k,cjk->cij", conditions, 1 / cost, conditions))
    amplitudes = np.einsum("k,cik,cij->ckj", 1 / cost, conditions, inverse)
    return harmonics @ amplitudes, np.einsum("cki,k,ckj->cij", amplitudes, cost, amplitudes)


def _harmonics(degrees: np.ndarray) -> np.ndarray:
    """Returns 1, cos(a), sin(a), cos(2 a), ... of azimuths [degrees], along a new last axis."""
    angle = np.radians(degrees)[..., None]
    k = np.arange(1, _HIGHEST + 1)
    waves = np.stack([np.cos(k * angle), np.sin(k * angle)], axis=-1)
    return np.concatenate([np.ones_like(angle), waves.reshape(*waves.shape[:-2], -1)], axis=-1)


def displaced_circle(longest: float, shortest: float, direction: float) -> np.ndarray:
    """Returns a radius (azimuth) that is `longest` in a direction [degrees] and `shortest` in the opposite
    one, as agencies such as JMA give it."""
    angle = np.radians(AZIMUTHS - direction)
    return (longest + shortest) / 2 + (longest - shortest) / 2 * np.cos(angle)
