"""How far apart cells should be: fine at the coast, coarse in the ocean, coarser on land and outside."""

import numpy as np
import shapely

from halcyon.base import EARTH_RADIUS
from halcyon.mesh.sphere import arc, chord, to_lonlat, to_points

GROWTH = 0.35  # [1] of spacing with distance inland and outside the region: saves points nobody keeps
FARTHEST = 1.2e6  # [m] the coarsest spacing, far outside
GRID_STEPS = 2  # grid points of the table to a cell at the coast
SHORE_STEPS = 4  # points along the shore to a cell at the coast


class SpacingTable:
    """Target spacing over a region as a table on longitudes and latitudes; outside, it grows with distance.

    region: `Region`. spacing: `Spacing`. land: shapely geometry in degrees, cut by the box `known` (west,
    south, east, north) around the region, whose sides are no shore."""

    def __init__(self, region, spacing, land, known):
        self.region = region
        step = np.degrees(spacing.coast / EARTH_RADIUS) / GRID_STEPS
        self.lon = _even(region.west, region.east, step)
        self.lat = _even(region.south, region.north, step)
        lon, lat = (a.ravel() for a in np.meshgrid(self.lon, self.lat))
        distance = _distance_to_shore(lon, lat, land, known, spacing)
        is_land = shapely.contains_xy(land, lon, lat)
        slope = (spacing.ocean - spacing.coast) / spacing.transition
        sea = np.minimum(spacing.coast + slope * distance, spacing.ocean)
        inland = np.maximum(distance - spacing.coast, 0)  # the shore's cells are whole
        values = np.where(is_land, np.minimum(spacing.coast + GROWTH * inland, FARTHEST), sea)
        self.table = (values / EARTH_RADIUS).reshape(len(self.lat), len(self.lon))

    def __call__(self, points):
        """Spacing (n) [rad] at points (n, 3) of the unit sphere."""
        lon, lat = to_lonlat(points)
        region = self.region
        middle = (region.west + region.east) / 2
        lon = middle + (lon - middle + 180) % 360 - 180
        near_lon, near_lat = np.clip(lon, region.west, region.east), np.clip(lat, region.south, region.north)
        spacing = self._bilinear(near_lon, near_lat)
        outside = (near_lon != lon) | (near_lat != lat)
        nearest = to_points(near_lon[outside], near_lat[outside])
        beyond = arc(np.linalg.norm(points[outside] - nearest, axis=1))
        grown = spacing[outside] + GROWTH * beyond
        spacing[outside] = np.minimum(grown, np.maximum(spacing[outside], FARTHEST / EARTH_RADIUS))
        return spacing

    def _bilinear(self, lon, lat):
        x = (lon - self.lon[0]) / (self.lon[1] - self.lon[0])
        y = (lat - self.lat[0]) / (self.lat[1] - self.lat[0])
        j = np.clip(x.astype(int), 0, len(self.lon) - 2)
        i = np.clip(y.astype(int), 0, len(self.lat) - 2)
        x, y = x - j, y - i
        t = self.table
        south = (1 - x) * t[i, j] + x * t[i, j + 1]
        north = (1 - x) * t[i + 1, j] + x * t[i + 1, j + 1]
        return (1 - y) * south + y * north


def _even(first, last, step):
    return np.linspace(first, last, max(2, int(np.ceil((last - first) / step)) + 1))


def _distance_to_shore(lon, lat, land, known, spacing):
    """Distance (n) [m] to points along the shore; the sides of the box `known` are none."""
    from scipy.spatial import cKDTree

    if land.is_empty:
        return np.full(len(lon), spacing.transition)
    step = spacing.coast / SHORE_STEPS
    shore = shapely.get_coordinates(shapely.segmentize(land.boundary, np.degrees(step / EARTH_RADIUS)))
    west, south, east, north = known
    on_side = np.isin(shore[:, 0], (west, east)) | np.isin(shore[:, 1], (south, north))
    shore = shore[~on_side]
    if len(shore) == 0:
        return np.full(len(lon), spacing.transition)
    tree = cKDTree(to_points(*shore.T))
    farthest = FARTHEST / GROWTH / EARTH_RADIUS
    distance, _ = tree.query(to_points(lon, lat), distance_upper_bound=chord(farthest))
    return arc(np.minimum(distance, chord(farthest))) * EARTH_RADIUS
