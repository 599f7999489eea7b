"""Spacing functions: return the requested distance between cells (n) [rad] at points (n, 3) of the unit
sphere.

Parameters are lengths in metres and angles in degrees. Functions can be composed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from halcyon.base import EARTH_RADIUS
from halcyon.mesh.sphere import to_lonlat, to_points

if TYPE_CHECKING:
    from halcyon.mesh.spacing_spec import Box, Circle, Stretch, Zoom
    from halcyon.mesh.spec import Region


SpacingFunction = Callable[[np.ndarray], np.ndarray]
GROWTH = 0.35  # [1] growth of spacing with distance where cells are removed later, to save points
FARTHEST = 1.2e6  # [m] the coarsest spacing, far outside the kept part


class Uniform:
    """The same spacing [m] everywhere."""

    def __init__(self, spacing: float) -> None:
        self.spacing = spacing / EARTH_RADIUS

    def __call__(self, points: np.ndarray) -> np.ndarray:
        return np.full(len(points), self.spacing)


class Minimum:
    """The minimum of several functions."""

    def __init__(self, functions: Sequence[SpacingFunction]) -> None:
        self.functions = tuple(functions)

    def __call__(self, points: np.ndarray) -> np.ndarray:
        minimum = self.functions[0](points)
        for function in self.functions[1:]:
            minimum = np.minimum(minimum, function(points))
        return minimum


class Scaled:
    """Another function times a factor."""

    def __init__(self, function: SpacingFunction, factor: float) -> None:
        self.function, self.factor = function, factor

    def __call__(self, points: np.ndarray) -> np.ndarray:
        return self.factor * self.function(points)


class Ramp:
    """Spacing that grows linearly with distance, from `finest` [m] at 0 to `coarsest` [m] at `transition`
    [m]."""

    def __init__(self, finest: float, coarsest: float, transition: float) -> None:
        self.finest, self.coarsest = finest / EARTH_RADIUS, coarsest / EARTH_RADIUS
        self.slope = (coarsest - finest) / transition

    def __call__(self, distance: np.ndarray) -> np.ndarray:
        """Returns spacing (n) [rad] at distances (n) [rad]."""
        return np.clip(self.finest + self.slope * distance, self.finest, self.coarsest)


class NearCircle:
    """Spacing around a `Circle` with a background spacing [m]."""

    def __init__(self, circle: Circle, background: float) -> None:
        self.centre = to_points(circle.longitude, circle.latitude)
        self.radius = circle.radius / EARTH_RADIUS
        self.ramp = Ramp(circle.spacing, background, circle.transition)

    def __call__(self, points: np.ndarray) -> np.ndarray:
        return self.ramp(angle_from(self.centre, points) - self.radius)


class NearBox:
    """Spacing around a `Box` with a background spacing [m]."""

    def __init__(self, box: Box, background: float) -> None:
        self.box = box
        self.ramp = Ramp(box.spacing, background, box.transition)

    def __call__(self, points: np.ndarray) -> np.ndarray:
        _, distance = nearest_in_box(self.box, points)
        return self.ramp(distance)


class Zoomed:
    """Relative spacing, 1 to `ratio`, of a `Zoom`: density
    rho = (1 - gamma) / 2 (tanh((beta - d) / alpha) + 1) + gamma (Ringler et al. 2011, Mon. Wea. Rev. 139,
    3348-3368, equation 4, normalised to 1), with the distance d from the centre and gamma = ratio^-4;
    spacing = rho^(-1/4)."""

    def __init__(self, zoom: Zoom) -> None:
        self.centre = to_points(zoom.longitude, zoom.latitude)
        assert zoom.transition is not None
        self.beta, self.alpha = zoom.radius / EARTH_RADIUS, zoom.transition / EARTH_RADIUS
        self.gamma = zoom.ratio**-4.0

    def __call__(self, points: np.ndarray) -> np.ndarray:
        step = np.tanh((self.beta - angle_from(self.centre, points)) / self.alpha) + 1
        return ((1 - self.gamma) / 2 * step + self.gamma) ** -0.25


class Stretched:
    """Relative spacing, 1 at the centre of a `Stretch` to `ratio` at the antipode:
    1 + (ratio - 1) (1 - cos theta) / 2 at the angle theta from the centre, the length scale of
    `halcyon.mesh.sphere.schmidt_transform`."""

    def __init__(self, stretch: Stretch) -> None:
        self.centre = to_points(stretch.longitude, stretch.latitude)
        self.ratio = stretch.ratio

    def __call__(self, points: np.ndarray) -> np.ndarray:
        chord = points - self.centre
        return 1 + (self.ratio - 1) / 4 * np.einsum("ij,ij->i", chord, chord)


class CoarserOutside:
    """A spacing function within a box; outside, spacing grows with the distance from the box."""

    def __init__(self, function: SpacingFunction, box: Region) -> None:
        self.function, self.box = function, box

    def __call__(self, points: np.ndarray) -> np.ndarray:
        nearest, distance = nearest_in_box(self.box, points)
        return grown(self.function(nearest), distance)


def grown(spacing: np.ndarray, distance: np.ndarray) -> np.ndarray:
    """Returns spacing (n) [rad] plus growth with a distance (n) [rad], at most FARTHEST."""
    return np.minimum(spacing + GROWTH * distance, np.maximum(spacing, FARTHEST / EARTH_RADIUS))


def angle_from(centre: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Returns the angles (n) [rad] between a point (3) and points (n, 3), accurate also for small angles."""
    return 2 * np.arctan2(np.linalg.norm(points - centre, axis=1), np.linalg.norm(points + centre, axis=1))


def nearest_in_box(box: Box | Region, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the points of a box (`west`, `east`, `south`, `north` [degrees]) nearest in coordinates to
    points (n, 3), and the angles (n) [rad] to them; points inside are returned unchanged."""
    lon, lat = to_lonlat(points)
    middle = (box.west + box.east) / 2
    lon = middle + (lon - middle + 180) % 360 - 180
    near_lon, near_lat = np.clip(lon, box.west, box.east), np.clip(lat, box.south, box.north)
    outside = np.flatnonzero((near_lon != lon) | (near_lat != lat))
    nearest, distance = np.array(points, float), np.zeros(len(points))
    nearest[outside] = to_points(near_lon[outside], near_lat[outside])
    distance[outside] = angle_between(nearest[outside], points[outside])
    return nearest, distance


def angle_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Returns the angles (n) [rad] between points (n, 3) and points (n, 3)."""
    return 2 * np.arctan2(np.linalg.norm(a - b, axis=1), np.linalg.norm(a + b, axis=1))
