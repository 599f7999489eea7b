"""Spacing functions of the distance to the coast."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely

from halcyon.base import EARTH_RADIUS
from halcyon.mesh.spacing import FARTHEST, GROWTH, Ramp, grown
from halcyon.mesh.sphere import arc, chord, to_lonlat, to_points

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

    from halcyon.mesh.spacing import SpacingFunction
    from halcyon.mesh.spacing_spec import Spacing


SHORE_STEPS = 4  # points along the shore per cell at the coast
FINEST_SHORE = 500.0  # [m] between points along the shore; GSHHG is not finer
TABLE_STEPS = 2  # nodes of the table per cell at the coast, limited by TABLE_NODES
TABLE_NODES = 1_000_000  # maximum number of nodes
FARTHEST_SHORE = FARTHEST / GROWTH / EARTH_RADIUS  # [rad] upper limit of distances


class Shore:
    """Distance to the shore of land polygons: from a table far from the shore, exact near it.

    land: prepared shapely geometry in degrees, clipped to the box `land_box` (west, south, east, north),
    whose sides are not shore. finest: spacing [m] that the points along the shore must resolve."""

    def __init__(
        self, land: shapely.Geometry, land_box: tuple[float, float, float, float], finest: float
    ) -> None:
        from scipy.spatial import cKDTree

        self.land, self.west = land, land_box[0]
        self._cached: tuple[np.ndarray, np.ndarray] | None = (
            None  # points of the last call, and their distances
        )
        points = _shore_points(land, land_box, max(finest / SHORE_STEPS, FINEST_SHORE))
        self.tree = cKDTree(points, balanced_tree=False) if len(points) else None
        if self.tree is not None:
            self._tabulate(points, land_box, np.degrees(finest / EARTH_RADIUS) / TABLE_STEPS)

    def signed_distance(self, points: np.ndarray) -> np.ndarray:
        """Returns the distance (n) [rad] of points (n, 3) to the shore, negative on land. The result for the
        last array is cached."""
        if self._cached is None or self._cached[0] is not points:
            self._cached = points, self._signed_distance(points)
        return self._cached[1]

    def _signed_distance(self, points: np.ndarray) -> np.ndarray:
        if self.tree is None:
            return np.full(len(points), FARTHEST_SHORE)
        lon, lat = to_lonlat(points)
        lon = self.west + (lon - self.west) % 360
        distance = self._bilinear(lon, lat)
        near = np.flatnonzero(np.abs(distance) < self.exact_within)
        distance[near] = self._distance(self.tree, points[near], lon[near], lat[near])
        return distance

    def _distance(self, tree: cKDTree, points: np.ndarray, lon: np.ndarray, lat: np.ndarray) -> np.ndarray:
        distance, _ = tree.query(points, distance_upper_bound=chord(FARTHEST_SHORE), workers=-1)
        distance = arc(np.minimum(distance, chord(FARTHEST_SHORE)))
        return np.where(shapely.intersects_xy(self.land, lon, lat), -distance, distance)

    def _tabulate(self, points: np.ndarray, land_box: tuple[float, float, float, float], step: float) -> None:
        """Computes the table of distances from a thinned shore: distances near the shore are computed exactly
        instead."""
        from scipy.spatial import cKDTree

        west, south, east, north = land_box
        step = max(step, np.sqrt((east - west) * (north - south) / TABLE_NODES))
        self.lon, self.lat = _even_nodes(west, east, step), _even_nodes(south, north, step)
        self.exact_within = 2 * np.radians(np.hypot(self.lon[1] - self.lon[0], self.lat[1] - self.lat[0]))
        tree = cKDTree(_thinned(points, np.radians(step) / SHORE_STEPS), balanced_tree=False)
        lon, lat = (a.ravel() for a in np.meshgrid(self.lon, self.lat))
        distance = self._distance(tree, to_points(lon, lat), lon, lat)
        self.table = distance.reshape(len(self.lat), len(self.lon))

    def _bilinear(self, lon: np.ndarray, lat: np.ndarray) -> np.ndarray:
        """Interpolates the table bilinearly; points outside get the value at the table's edge."""
        x = np.clip((lon - self.lon[0]) / (self.lon[1] - self.lon[0]), 0, len(self.lon) - 1)
        y = np.clip((lat - self.lat[0]) / (self.lat[1] - self.lat[0]), 0, len(self.lat) - 1)
        j = np.minimum(x.astype(np.int32), len(self.lon) - 2)
        i = np.minimum(y.astype(np.int32), len(self.lat) - 2)
        x, y, t = x - j, y - i, self.table
        return (1 - y) * ((1 - x) * t[i, j] + x * t[i, j + 1]) + y * (
            (1 - x) * t[i + 1, j] + x * t[i + 1, j + 1]
        )


class NearCoast:
    """Spacing of a `Spacing` near the coast: `coast` [m] on land and at the shore, growing over `transition`
    [m] to `background` [m]."""

    def __init__(self, shore: Shore, spacing: Spacing) -> None:
        self.shore = shore
        assert spacing.coast is not None
        self.ramp = Ramp(spacing.coast, spacing.coarsest, spacing.transition)

    def __call__(self, points: np.ndarray) -> np.ndarray:
        return self.ramp(self.shore.signed_distance(points))


class NearCoastOnBothSides(NearCoast):
    """As `NearCoast`, but spacing also grows inland from the shore, for meshes that include land."""

    def __call__(self, points: np.ndarray) -> np.ndarray:
        return self.ramp(np.abs(self.shore.signed_distance(points)))


class CoarserInland:
    """A spacing function at sea. On land, where cells are removed later, spacing grows with the distance from
    the shore, starting one cell inland, so that cells at the shore keep their size."""

    def __init__(self, function: SpacingFunction, shore: Shore) -> None:
        self.function, self.shore = function, shore

    def __call__(self, points: np.ndarray) -> np.ndarray:
        spacing = self.function(points)
        return grown(spacing, np.maximum(-self.shore.signed_distance(points) - spacing, 0))


def _even_nodes(begin: float, end: float, step: float) -> np.ndarray:
    return np.linspace(begin, end, max(2, int(np.ceil((end - begin) / step)) + 1))


def _shore_points(
    land: shapely.Geometry, land_box: tuple[float, float, float, float], step: float
) -> np.ndarray:
    """Returns points (n, 3) along the shore, at most `step` [m] apart."""
    if land.is_empty:
        return np.empty((0, 3))
    shore = shapely.get_coordinates(shapely.segmentize(land.boundary, np.degrees(step / EARTH_RADIUS)))
    west, south, east, north = land_box
    on_side = np.isin(shore[:, 0], (west, east)) | np.isin(shore[:, 1], (south, north))
    return to_points(*shore[~on_side].T)


def _thinned(points: np.ndarray, step: float) -> np.ndarray:
    """Returns one of the points (n, 3) per cube of side `step`."""
    i, j, k = np.floor((points + 1) / step).astype(np.int64).T
    _, selected = np.unique(i << 42 | j << 21 | k, return_index=True)  # 21 bits per axis number a cube
    return points[selected]
