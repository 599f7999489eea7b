"""Swell over great circles on the sphere, against exact rays of every part of its spectral bins."""

from __future__ import annotations

import functools
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from halcyon import wave
from halcyon.base import EARTH_RADIUS, GRAVITY
from halcyon.mesh import Mesh, uniform
from halcyon_validation import wave_basins as basins
from halcyon_validation.check import Check, Outcome

_PATH = np.radians(50)  # cg t [rad]
_FREQUENCY = 3  # index of the tested frequency, 0.080 Hz
_PARTS = 8, 5  # parts of a bin in direction and frequency
_SOURCE = "rays of deep water: cg = g / 2 sigma along great circles"

# Latitude and longitude of the start, and direction [degrees].
RAYS = {
    "east on the equator": (0, 0, 90),
    "east from 45 N": (45, 100, 90),
    "west from 45 N": (45, 100, 270),
    "north over the equator": (-25, 30, 0),
    "oblique over the equator": (-10, 200, 40),
    "over the pole": (65, 20, 0),
}


@dataclass(frozen=True)
class Arrival:
    """A packet of swell after 50 degrees, relative to its exact rays: distance along the ray, standard
    deviation along and across it, and lateral deviation over distance."""

    distance: float
    spread_along: float
    spread_across: float
    lateral: float


@functools.cache
def _sphere(level: int) -> Mesh:
    mesh = uniform(level, tolerance=1e-4)
    mesh.bottom_depth = np.full(mesh.n_cells, 5000.0)
    return mesh


def arrival(
    ray: tuple[float, float, float], *, directions: int, level: int, width: float = 0.1, **options: Any
) -> Arrival:
    """Transports a packet with the directional spreading cos^20 around a ray over 50 degrees.

    The exact rays start from every cell, from 8 directions and 5 frequencies of every bin, since a bin stands
    for all waves within its bounds.

    @param ray latitude and longitude of the start, direction [degrees]
    @param width standard deviation of the packet at the start [rad]
    """
    grid = wave.SpectralGrid(frequencies=8, first_frequency=0.06, ratio=1.1, directions=directions)
    mesh = _sphere(level)
    points, area = mesh.cell_points, mesh.area_cell
    start, forward, left = _frame(*np.radians(ray))
    east, north = _compass(points)
    tangents = np.cross(left, points)
    towards = np.arctan2((tangents * east).sum(1), (tangents * north).sum(1))
    theta = _parts(np.array(grid.direction), grid.direction_width, _PARTS[0])  # (direction, part)
    spreading = np.maximum(np.cos(towards[:, None, None] - theta), 0) ** 20
    envelope = np.exp(-0.5 * (np.arccos(np.clip(points @ start, -1, 1)) / width) ** 2)

    model = basins.single_rank_model(mesh, grid, **options)
    model.action[:] = (envelope[:, None] * spreading.mean(axis=2))[:, None]
    before = model.action[:, _FREQUENCY].astype(float).sum(axis=1) * area
    time_s = _PATH * EARTH_RADIUS * 2 * grid.sigma[_FREQUENCY] / GRAVITY
    basins.propagate(model, time_s, wave.cfl_limit(mesh, grid, **options))
    after = model.action[:, _FREQUENCY].astype(float).sum(axis=1) * area

    ends, weights = [], []
    cells = envelope > 1e-7
    octave = _parts(np.zeros(1), np.log(grid.ratio), _PARTS[1])[0]  # ln of frequency over the bin's
    for angle, part in zip(theta.ravel(), spreading[cells].reshape(cells.sum(), -1).T, strict=True):
        heading = np.sin(angle) * east[cells] + np.cos(angle) * north[cells]
        for arc in _PATH * np.exp(-octave):
            ends.append(points[cells] * np.cos(arc) + heading * np.sin(arc))
            weights.append(part * (envelope * area)[cells])
    ends, weights = np.concatenate(ends), np.concatenate(weights)

    def along(places: np.ndarray) -> np.ndarray:
        return np.arctan2(places @ forward, places @ start)

    def across(places: np.ndarray) -> np.ndarray:
        return np.arcsin(np.clip(places @ left, -1, 1))

    first = np.average(along(points), weights=before)
    distance, spread_along = _moments(along(points), after)
    exact_distance, exact_along = _moments(along(ends), weights)
    lateral, spread_across = _moments(across(points), after)
    exact_lateral, exact_across = _moments(across(ends), weights)
    return Arrival(
        float((distance - first) / (exact_distance - first)),
        float(spread_along / exact_along),
        float(spread_across / exact_across),
        float((lateral - exact_lateral) / _PATH),
    )


def _frame(latitude: float, longitude: float, direction: float) -> tuple[np.ndarray, ...]:
    """Unit vectors of a ray's start, of its direction, and to its left."""
    start = np.array(
        [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)]
    )
    east, north = _compass(start[None])
    forward = np.sin(direction) * east[0] + np.cos(direction) * north[0]
    return start, forward, np.cross(start, forward)


def _compass(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eastward and northward unit vectors at points (n, 3)."""
    east = np.stack([-points[:, 1], points[:, 0], np.zeros(len(points))], axis=1)
    east /= np.linalg.norm(east, axis=1)[:, None]
    return east, np.cross(points, east)


def _parts(centres: np.ndarray, width: float, n: int) -> np.ndarray:
    """The centres (bin, part) of n equal parts of bins."""
    return centres[:, None] + width * ((np.arange(n) + 0.5) / n - 0.5)


def _moments(values: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """Weighted mean and standard deviation."""
    mean = np.average(values, weights=weights)
    return mean, np.sqrt(np.average((values - mean) ** 2, weights=weights))


def swell(levels: Collection[int] = (4, 5)) -> Outcome:
    """Packets of swell of 640 km over 50 degrees of great circles: arrival and spread along and across the
    way, over those of exact rays."""
    checks = []
    for directions in (36, 24):
        for level in levels:
            spacing_km = 480 * 2 ** (4 - level)
            names = RAYS if level == 4 else ("east from 45 N", "north over the equator")
            for name in names:
                found = arrival(RAYS[name], directions=directions, level=level)
                label = f"{directions} directions, {spacing_km} km, {name}"
                checks += [
                    Check(f"distance, {label}", found.distance, 0.99, 1.01, source=_SOURCE),
                    Check(f"spread along, {label}", found.spread_along, 0.9, 1.2, source=_SOURCE),
                    Check(f"spread across, {label}", found.spread_across, 0.9, 1.25, source=_SOURCE),
                    Check(f"lateral deviation, {label}", found.lateral, -0.01, 0.01, source=_SOURCE),
                ]
    return Outcome(checks)
