"""The cells or grid points that fields belong to, with the coast."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from halcyon import plot
from halcyon.api.display import Rows, as_html, as_text
from halcyon.api.picture import Picture
from halcyon.base import EARTH_RADIUS
from halcyon.mesh.sphere import to_points
from halcyon.plot.cells import Cells, as_faces, cells_of

MESH_VARIABLES = ("mesh", "node_lon", "node_lat", "lon", "lat", "face_nodes")  # of a UGRID file


class Geometry:
    """The cells of a mesh (UGRID), or the points of a grid of latitudes and longitudes.

    `dataset` has them as files have: `lon`, `lat` [degrees] (face) and the corners `face_nodes`, or axes."""

    def __init__(self, dataset: xr.Dataset, land: Callable[[], Any] = lambda: None) -> None:
        """land: returns the land as shapely geometry in degrees, or None"""
        names = [name for name in MESH_VARIABLES if name in dataset.variables]
        self.dataset = dataset[names].load()
        self._land = functools.cache(land)
        self._raster: tuple[Any, np.ndarray] | None = None

    @property
    def is_grid(self) -> bool:
        """Whether fields have the dimensions lat and lon, instead of face."""
        return "lat" in self.dataset.dims

    @property
    def dims(self) -> tuple[str, ...]:
        """The horizontal dimensions of fields."""
        return ("lat", "lon") if self.is_grid else ("face",)

    @property
    def n_cells(self) -> int:
        """Number of cells or points."""
        return int(np.prod([self.dataset.sizes[name] for name in self.dims]))

    @functools.cached_property
    def cells(self) -> Cells:
        """The cells as polygons, also those around the points of a grid."""
        return cells_of(as_faces(self.dataset))

    @property
    def land(self) -> Any:
        """The land as shapely geometry in degrees, or None where it is not known or not wanted."""
        return self._land()

    def nearest(self, longitude: np.ndarray, latitude: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The cells nearest to points [degrees], and their distances [m]."""
        from scipy.spatial import cKDTree

        tree = cKDTree(to_points(self.cells.longitude, self.cells.latitude))
        chord, cell = tree.query(to_points(np.asarray(longitude), np.asarray(latitude)))
        return cell, 2 * np.arcsin(np.minimum(chord / 2, 1)) * EARTH_RADIUS

    def width(self, cell: int) -> float:
        """The width of a cell [m], the square root of its area."""
        return _area(self.cells.polygons[cell]) ** 0.5 * EARTH_RADIUS

    def part(self, longitude: np.ndarray, latitude: np.ndarray) -> Cells:
        """The cells with these centres [degrees], in this order."""
        if len(longitude) == self.n_cells:
            return self.cells
        chosen, _ = self.nearest(longitude, latitude)
        polygons = [self.cells.polygons[cell] for cell in chosen]
        return Cells(polygons, self.cells.longitude[chosen], self.cells.latitude[chosen])

    def raster(self, cells: Cells, box: tuple[float, ...], width: int) -> np.ndarray:
        """`halcyon.plot.nearest_cells`, of which the last result is kept for further maps, as in
        animations."""
        key = box, width
        if cells is not self.cells:
            return plot.nearest_cells(cells, box, width)
        if self._raster is None or self._raster[0] != key:
            self._raster = key, plot.nearest_cells(cells, box, width)
        return self._raster[1]

    def rows(self) -> Rows:
        """What the geometry is, as rows of texts."""
        longitude, latitude = (self.dataset[name].values for name in ("lon", "lat"))
        if self.is_grid:
            size = f"{len(latitude)} latitudes x {len(longitude)} longitudes"
        else:
            size = f"{self.n_cells:,} cells of {self.dataset.sizes['node']:,} corners"
        box = f"{longitude.min():.1f} to {longitude.max():.1f} E"
        box += f", {latitude.min():.1f} to {latitude.max():.1f} N"
        return [("grid" if self.is_grid else "mesh", size), ("centres", box)]

    def plot(self) -> Picture:
        """A map of the widths of the cells [km]."""
        width = np.array([self.width(cell) for cell in range(self.n_cells)]) / 1e3
        attributes = {"long_name": "width of the cells", "units": "km"}
        scale = plot.colour_scale([width], attributes)
        texts = {
            "title": "Width of the cells",
            "subtitle": self.rows()[0][1],
            "label": "square root of the area [km]",
        }
        return Picture.of(
            lambda file: plot.several_maps(file, self.cells, {"": width}, scale, land=self.land, **texts)
        )

    def __repr__(self) -> str:
        return as_text("Geometry", self.rows())

    def _repr_html_(self) -> str:
        return as_html("Geometry", self.rows())


def _area(polygon: np.ndarray) -> float:
    """The area of a small polygon (corner, 2) [degrees] on the unit sphere, in the plane of its corners."""
    corners = to_points(*polygon.T)
    normals = np.cross(corners, np.roll(corners, -1, axis=0))
    return float(np.linalg.norm(normals.sum(axis=0)) / 2)
