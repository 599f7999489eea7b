"""What a mesh lies on: the part of the sphere that is wanted, its land and its depths."""

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

MARGIN = 3.0  # [degrees] around the region in which land is known, so that spacing grows away from it
GLOBE = Region(west=-180, east=180, south=-90, north=90)


class Ground:
    """The ground of a `MeshSpec`. Files are read when they are first needed."""

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
    def known(self):
        """The box (west, south, east, north) [degrees] in which land is known."""
        return widened(self.box)

    @cached_property
    def land(self):
        """Land as a prepared shapely geometry in degrees."""
        land = land_of(self.spec.land, self.known)
        shapely.prepare(land)
        return land

    def shore(self, finest):
        """The `Shore`, known for a spacing [m]."""
        if finest not in self._shores:
            self._shores[finest] = Shore(self.land, self.known, finest)
        return self._shores[finest]

    def holds(self, points):
        """Which (n) of points (n, 3) lie in the region, and on no land or shore if that is cut."""
        lon, lat = to_lonlat(points)
        held = self.in_region(lon, lat)
        if self.spec.sea:
            held[held] = ~shapely.intersects_xy(self.land, self._turned(lon[held]), lat[held])
        return held

    def in_region(self, lon, lat):
        """Which places [degrees] lie in the box and in the polygon; their sides belong to them."""
        box = self.box
        turned = self._turned(lon)
        inside = (turned <= box.east) & (lat >= box.south) & (lat <= box.north)
        if self.polygon is not None:
            west = self.polygon.bounds[0]
            at = west + (lon[inside] - west) % 360
            inside[inside] = shapely.intersects_xy(self.polygon, at, lat[inside])
        return inside

    def relief(self, points, radius):
        """Depth (n) [m] at points (n, 3), positive down, 0 or less on land; radius (n) [rad] of the mean."""
        depth = self.spec.needs_depth
        lon, lat = to_lonlat(points)
        return relief_at(depth.source, lon, lat, radius=radius * EARTH_RADIUS, variable=depth.variable)

    def is_deep_enough(self, relief):
        """Which depths (n) [m] are within the limits of the spec; all where it has none."""
        if self.spec.depths is None:
            return np.ones(len(relief), bool)
        least, most = self.spec.depths
        return (relief > 0) & (relief >= least) & (relief <= most)

    def _turned(self, lon):
        return self.box.west + (lon - self.box.west) % 360


def widened(region):
    """The box (west, south, east, north) [degrees] around a region in which land is read."""
    west, east = region.west - MARGIN, region.east + MARGIN
    if east - west > 360:
        west, east = region.west, region.east
    return west, max(region.south - MARGIN, -90), east, min(region.north + MARGIN, 90)
