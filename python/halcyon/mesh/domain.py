"""The domain of a mesh: the requested part of the sphere, its land and its depths."""

from functools import cached_property

import numpy as np
import shapely

from halcyon.base import EARTH_RADIUS
from halcyon.mesh.coast import land_of
from halcyon.mesh.depth import relief_at
from halcyon.mesh.geojson import read_region
from halcyon.mesh.spacing_coast import Shore
from halcyon.mesh.spec import Region
from halcyon.mesh.sphere import to_lonlat

MARGIN = 3.0  # [degrees] around the region in which land is read, for spacing near its sides
GLOBE = Region(west=-180, east=180, south=-90, north=90)


class MeshDomain:
    """The domain of a `MeshSpec`. Files are read when they are first needed."""

    def __init__(self, spec):
        self.spec = spec
        self.polygon = read_region(spec.polygon) if spec.polygon else None
        self.box = spec.region or self._bounds() or GLOBE
        self._shores = {}

    def _bounds(self):
        if self.polygon is None:
            return None
        west, south, east, north = self.polygon.bounds
        return Region(west=west, south=south, east=east, north=north)

    @property
    def is_global(self):
        return self.box is GLOBE

    @property
    def land_box(self):
        """The box (west, south, east, north) [degrees] in which land is read."""
        return widened(self.box)

    @cached_property
    def land(self):
        """Land as a prepared shapely geometry in degrees."""
        land = land_of(self.spec.land, self.land_box)
        shapely.prepare(land)
        return land

    def shore(self, finest):
        """Returns the `Shore`, with points close enough for a spacing `finest` [m]."""
        if finest not in self._shores:
            self._shores[finest] = Shore(self.land, self.land_box, finest)
        return self._shores[finest]

    def contains(self, points):
        """Returns (n) whether points (n, 3) are in the region and, if land is excluded, at sea."""
        lon, lat = to_lonlat(points)
        inside = self.in_region(lon, lat)
        if self.spec.sea:
            inside[inside] = ~shapely.intersects_xy(self.land, self._wrapped(lon[inside]), lat[inside])
        return inside

    def in_region(self, lon, lat):
        """Whether points [degrees] are in the box and in the polygon, or on a boundary."""
        box = self.box
        wrapped = self._wrapped(lon)
        inside = (wrapped <= box.east) & (lat >= box.south) & (lat <= box.north)
        if self.polygon is not None:
            west = self.polygon.bounds[0]
            shifted = west + (lon[inside] - west) % 360
            inside[inside] = shapely.intersects_xy(self.polygon, shifted, lat[inside])
        return inside

    def relief(self, points, radius):
        """Returns the depth (n) [m] at points (n, 3), positive down, 0 or less on land. radius: (n) [rad] of
        the circle over which depth is averaged."""
        depth = self.spec.depth_source
        lon, lat = to_lonlat(points)
        return relief_at(depth.source, lon, lat, radius=radius * EARTH_RADIUS, variable=depth.variable)

    def is_deep_enough(self, relief):
        """Whether depths (n) [m] are within the limits of the spec, if it has limits."""
        if self.spec.depths is None:
            return np.ones(len(relief), bool)
        least, most = self.spec.depths
        return (relief > 0) & (relief >= least) & (relief <= most)

    def _wrapped(self, lon):
        return self.box.west + (lon - self.box.west) % 360


def widened(region):
    """Returns the box (west, south, east, north) [degrees] around a region in which land is read."""
    west, east = region.west - MARGIN, region.east + MARGIN
    if east - west > 360:
        west, east = region.west, region.east
    return west, max(region.south - MARGIN, -90), east, min(region.north + MARGIN, 90)
