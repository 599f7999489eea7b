"""The domain of a mesh: the requested part of the sphere, its land and its depths."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import shapely

from halcyon.base import EARTH_RADIUS
from halcyon.mesh.coast import land_of
from halcyon.mesh.depth import relief_at
from halcyon.mesh.geojson import read_region
from halcyon.mesh.spacing_coast import Shore
from halcyon.mesh.spec import Region
from halcyon.mesh.sphere import to_lonlat

if TYPE_CHECKING:
    from halcyon.mesh.spec import MeshSpec


MARGIN = 3.0  # [degrees] around the region in which land is read, for spacing near its sides
GLOBE = Region(west=-180, east=180, south=-90, north=90)


class MeshDomain:
    """The domain of a `MeshSpec`. Files are read when they are first needed."""

    def __init__(self, spec: MeshSpec) -> None:
        self.spec = spec
        self.polygon = read_region(spec.polygon) if spec.polygon else None
        self.box = spec.region or self._bounds() or GLOBE
        self._shores: dict[float, Shore] = {}

    def _bounds(self) -> Region | None:
        if self.polygon is None:
            return None
        west, south, east, north = self.polygon.bounds
        return Region(west=west, south=south, east=east, north=north)

    @property
    def is_global(self) -> bool:
        return self.box is GLOBE

    @property
    def land_box(self) -> tuple[float, float, float, float]:
        """The box (west, south, east, north) [degrees] in which land is read."""
        return widened(self.box)

    @cached_property
    def land(self) -> shapely.Geometry:
        """Land as a prepared shapely geometry in degrees."""
        land = land_of(self.spec.land, self.land_box)
        shapely.prepare(land)
        return land

    def shore(self, finest: float) -> Shore:
        """Returns the `Shore`, with points close enough for a spacing `finest` [m]."""
        if finest not in self._shores:
            self._shores[finest] = Shore(self.land, self.land_box, finest)
        return self._shores[finest]

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Returns (n) whether points (n, 3) are in the region and, if land is excluded, at sea."""
        lon, lat = to_lonlat(points)
        inside = self.in_region(lon, lat)
        if self.spec.sea:
            inside[inside] = ~shapely.intersects_xy(self.land, self._wrapped(lon[inside]), lat[inside])
        return inside

    def in_region(self, lon: np.ndarray, lat: np.ndarray) -> np.ndarray:
        """Whether points [degrees] are in the box and in the polygon, or on a boundary."""
        box = self.box
        wrapped = self._wrapped(lon)
        inside = (wrapped <= box.east) & (lat >= box.south) & (lat <= box.north)
        if self.polygon is not None:
            west = self.polygon.bounds[0]
            shifted = west + (lon[inside] - west) % 360
            inside[inside] = shapely.intersects_xy(self.polygon, shifted, lat[inside])
        return inside

    def relief(self, points: np.ndarray, radius: np.ndarray) -> np.ndarray:
        """Returns the depth (n) [m] at points (n, 3), positive down, 0 or less on land. radius: (n) [rad] of
        the circle over which depth is averaged."""
        depth = self.spec.depth_source
        assert depth is not None
        lon, lat = to_lonlat(points)
        return relief_at(depth.source, lon, lat, radius=radius * EARTH_RADIUS, variable=depth.variable)

    def is_deep_enough(self, relief: np.ndarray) -> np.ndarray:
        """Whether depths (n) [m] are within the limits of the spec, if it has limits."""
        if self.spec.depths is None:
            return np.ones(len(relief), bool)
        least, most = self.spec.depths
        return (relief > 0) & (relief >= least) & (relief <= most)

    def _wrapped(self, lon: np.ndarray) -> np.ndarray:
        return self.box.west + (lon - self.box.west) % 360


def widened(region: Region) -> tuple[float, float, float, float]:
    """Returns the box (west, south, east, north) [degrees] around a region in which land is read."""
    west, east = region.west - MARGIN, region.east + MARGIN
    if east - west > 360:
        west, east = region.west, region.east
    return west, max(region.south - MARGIN, -90), east, min(region.north + MARGIN, 90)
