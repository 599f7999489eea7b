"""Horizontal grids of initial state files: interpolation to points, and boxes for averages over polygons."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from halcyon._core import remap
from halcyon.base import InputError
from halcyon.io.field_source import faces_of, mesh_topology
from halcyon.mesh.cf_file import positions, values_of
from halcyon.remap.faces import points_of
from halcyon.wave.gridded import Axes, Window
from halcyon.wave.gridded.scattered import Triangulation


@dataclass(frozen=True)
class LatLonBoxes:
    """Longitude-latitude boxes that cover the globe, each with a point whose value represents the box. All
    arrays are in degrees, and ascending."""

    longitude_edges: np.ndarray  # (column + 1)
    latitude_edges: np.ndarray  # (row + 1)
    longitudes: np.ndarray  # of the points (column)
    latitudes: np.ndarray  # of the points (row)

    @classmethod
    def around(cls, longitudes: np.ndarray, latitudes: np.ndarray) -> LatLonBoxes:
        """Boxes around the points of a global grid [degrees], with edges halfway between points."""
        western_edge = (longitudes[0] + longitudes[-1] - 360) / 2
        middle_longitudes = (longitudes[1:] + longitudes[:-1]) / 2
        middle_latitudes = (latitudes[1:] + latitudes[:-1]) / 2
        return cls(
            longitude_edges=np.concatenate([[western_edge], middle_longitudes, [western_edge + 360]]),
            latitude_edges=np.concatenate([[-90.0], middle_latitudes, [90.0]]),
            longitudes=longitudes,
            latitudes=latitudes,
        )

    @classmethod
    def even(cls, n_rows: int) -> LatLonBoxes:
        """Boxes of equal width and height [degrees], with their points at the centres."""
        south_north, west_east = np.linspace(-90, 90, n_rows + 1), np.linspace(-180, 180, 2 * n_rows + 1)
        return cls(
            longitude_edges=west_east,
            latitude_edges=south_north,
            longitudes=(west_east[1:] + west_east[:-1]) / 2,
            latitudes=(south_north[1:] + south_north[:-1]) / 2,
        )

    @property
    def n_columns(self) -> int:
        return len(self.longitudes)

    def rows(self, south: np.ndarray, north: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The first and last rows that overlap each range between southern and northern latitudes [degrees]
        (n)."""
        first_row = np.searchsorted(self.latitude_edges, south, "right") - 1
        last_row = np.searchsorted(self.latitude_edges, north, "left") - 1
        northernmost = len(self.latitudes) - 1
        return np.clip(first_row, 0, northernmost), np.clip(last_row, 0, northernmost)

    def select_rows(self, first_row: int, last_row: int) -> LatLonBoxes:
        """The boxes of rows `first_row` to `last_row`, with all columns."""
        return LatLonBoxes(
            self.longitude_edges,
            self.latitude_edges[first_row : last_row + 2],
            self.longitudes,
            self.latitudes[first_row : last_row + 1],
        )

    def grid(self) -> remap.LatLonGrid:
        """The boxes as a grid for remapping."""
        return remap.LatLonGrid(np.radians(self.longitude_edges), np.radians(self.latitude_edges))

    def points(self, boxes: np.ndarray) -> np.ndarray:
        """The points (n, 3) on the unit sphere of the boxes with these indices (n); boxes are numbered row by
        row from the south."""
        row, column = np.divmod(boxes, self.n_columns)
        return points_of(self.longitudes[column], self.latitudes[row])


@dataclass(frozen=True)
class Stencil:
    """Interpolation stencils of n points. The nodes of a stencil are the file's grid points around the point.
    All arrays are (node of the stencil, n)."""

    nodes: np.ndarray  # flat indices of the nodes
    weights: np.ndarray  # of the nodes; their sum is 1, except in stencils of `projected`
    longitude: np.ndarray  # of the nodes [rad]
    latitude: np.ndarray  # of the nodes [rad]

    @property
    def size(self) -> int:
        return self.nodes.shape[1]

    def interpolate(self, flat: np.ndarray) -> np.ndarray:
        """Interpolated values (n) from the flat values of the grid points; NaN if a node with non-zero weight
        is NaN."""
        total = np.zeros(self.size)
        for node, weight in zip(self.nodes, self.weights, strict=True):
            total += np.where(weight != 0, weight * flat[node], 0)
        return total

    def interpolate_bounded(self, flat: np.ndarray) -> np.ndarray:
        """As `interpolate`, clipped to the range of the values with non-zero weight."""
        values = np.where(self.weights != 0, flat[self.nodes], np.nan)
        return np.clip(self.interpolate(flat), np.fmin.reduce(values), np.fmax.reduce(values))

    def projected(self, directions: np.ndarray) -> tuple[Stencil, Stencil]:
        """A stencil to apply to the eastward components of a vector at the nodes, and one to apply to the
        northward components: the sum of both results is the component along directions (n, 3)."""
        x, y, z = directions.T
        lon, lat = self.longitude, self.latitude
        east = -np.sin(lon) * x + np.cos(lon) * y
        north = -np.sin(lat) * (np.cos(lon) * x + np.sin(lon) * y) + np.cos(lat) * z
        return (
            Stencil(self.nodes, self.weights * east, lon, lat),
            Stencil(self.nodes, self.weights * north, lon, lat),
        )


class LatLonSourceGrid:
    """The longitude-latitude grid of an open netCDF file. Raises InputError if it does not cover the
    globe."""

    def __init__(self, path: str, file: Any) -> None:
        self.axes = Axes.from_file(path, file)
        self.dimensions = self.axes.dimensions
        _require_globe(path, self.axes)

    def stencil(self, points: np.ndarray) -> tuple[Stencil, Window]:
        """Bilinear stencils of points (n, 3) of the unit sphere, and the window of the grid that contains all
        their nodes."""
        x, y, z = np.ascontiguousarray(points.T)
        lon, lat = np.degrees(np.arctan2(y, x)), np.degrees(np.arctan2(z, np.sqrt(x * x + y * y)))
        bilinear, axes = self.axes.interpolation(lon, lat), self.axes
        coordinates = axes.longitudes(bilinear.ids), axes.latitudes(bilinear.ids)
        return Stencil(bilinear.nodes, bilinear.weights, *map(np.radians, coordinates)), bilinear.window

    def spacing(self, points: np.ndarray) -> np.ndarray:
        """Largest distance of adjacent rows [rad], for each of points (n, 3)."""
        return np.full(len(points), np.radians(np.diff(self.axes.latitude).max()))

    def box_level(self, points: np.ndarray) -> np.ndarray:
        """The refinement level of `boxes` at points (n, 3): always 0."""
        return np.zeros(len(points), np.int64)

    def boxes(self, point: np.ndarray) -> LatLonBoxes:
        """The boxes around the points of the grid, the same for any `point`."""
        return LatLonBoxes.around(self.axes.longitude, np.clip(self.axes.latitude, -90, 90))

    def read(self, part: Any, window: Window) -> np.ndarray:
        """Values (..., row, column) of some levels of a variable, in a window of the grid."""
        return self.axes.read(part, window)


def _require_globe(path: str, axes: Axes) -> None:
    lat, lon = axes.latitude, axes.longitude
    row_spacing = 1.001 * np.diff(lat).max()  # with a tolerance for rounding
    if axes.is_periodic and lat[0] - row_spacing <= -90 and lat[-1] + row_spacing >= 90:
        return
    raise InputError(
        f"{path} does not cover the globe: it reaches from {lat[0]:g} to {lat[-1]:g} N and from {lon[0]:g} to"
        f" {lon[-1]:g} E. Give a file of the whole globe."
    )


class FaceSourceGrid:
    """The cells of an open UGRID file, all on every rank. Raises InputError if the cells do not cover the
    globe, that is, if fewer than three cells meet at a corner."""

    def __init__(self, path: str, file: Any) -> None:
        from scipy.spatial import cKDTree

        mesh, self._faces = mesh_topology(file), faces_of(Path(path), file)
        assert mesh is not None  # as `faces_of` requires
        names = str(mesh.attrs.get("face_coordinates", "")).split()
        if len(names) != 2 or any(name not in file.variables for name in names):
            raise InputError(f"{path}: the mesh has no face_coordinates, the centres of its cells. Add them.")
        lon, lat = (
            positions(path, file[name], quantity)
            for name, quantity in zip(names, ("longitude", "latitude"), strict=True)
        )
        self.dimensions = file[names[0]].dims
        self._lon, self._lat = np.radians(lon), np.radians(lat)
        self._points = points_of(lon, lat)
        triangles = _triangles_of_corners(path, self._faces, self._points)
        self._triangulation = Triangulation(self._points, triangles)
        self._tree = cKDTree(self._points)

    def stencil(self, points: np.ndarray) -> tuple[Stencil, None]:
        """Barycentric stencils of points (n, 3) of the unit sphere, in triangles of cell centres."""
        nodes, weights, _ = self._triangulation.find(points, has_gaps=False)
        return Stencil(nodes, weights, self._lon[nodes], self._lat[nodes]), None

    def spacing(self, points: np.ndarray) -> np.ndarray:
        """Distance [rad] from the centre of the cell nearest to each of points (n, 3) to the nearest other
        centre."""
        _, nearest = self._tree.query(points)
        chords, _ = self._tree.query(self._points[nearest], 2)
        return 2 * np.arcsin(chords[:, 1] / 2)

    def box_level(self, points: np.ndarray) -> np.ndarray:
        """The refinement level of `boxes` at points (n, 3): boxes there are at most half as wide as the
        file's cells."""
        return np.ceil(np.log2(2 * np.pi / self.spacing(points))).astype(np.int64)

    def boxes(self, point: np.ndarray) -> LatLonBoxes:
        """The boxes of the refinement level at a point (3), with values interpolated to box centres."""
        return LatLonBoxes.even(2 ** int(self.box_level(point[None])[0]))

    def read(self, part: Any, window: None) -> np.ndarray:
        """Values (..., face) of some levels of a variable."""
        return values_of(part.compute().transpose(..., *self.dimensions))


def _triangles_of_corners(path: str, faces: Any, centres: np.ndarray) -> np.ndarray:
    """The triangulation of the cell centres: cells of each triangle, int64 (triangle, 3). A face is a cell.

    A corner where three cells meet, as in Voronoi meshes, gives one triangle. A corner where n cells meet, as
    for boxes around grid points, gives n - 2 triangles that share one cell."""
    face_of_corner = np.repeat(np.arange(faces.n_faces), np.diff(faces.offsets))
    counts = np.bincount(faces.nodes_on_face, minlength=len(faces.nodes))
    if not np.all(counts >= 3):
        raise InputError(
            f"{path}: {int((counts < 3).sum())} corners join fewer than three cells, so it is not a mesh of"
            " the whole globe. Convert it to longitudes and latitudes with `halcyon convert`."
        )
    cells_on_node = face_of_corner[np.argsort(faces.nodes_on_face, kind="stable")]
    cell_offsets, triangle_offsets = (np.concatenate([[0], np.cumsum(n)]) for n in (counts, counts - 2))
    triangles = np.empty((triangle_offsets[-1], 3), np.int64)
    nodes_of_three = np.flatnonzero(counts == 3)
    triangles[triangle_offsets[nodes_of_three]] = cells_on_node[
        cell_offsets[nodes_of_three][:, None] + np.arange(3)
    ]
    for node in np.flatnonzero(counts > 3):
        cells = cells_on_node[cell_offsets[node] : cell_offsets[node + 1]]
        cells = _sorted_by_angle(faces.nodes[node], centres, cells)
        fan = np.stack([np.repeat(cells[0], len(cells) - 2), cells[1:-1], cells[2:]], axis=1)
        triangles[triangle_offsets[node] : triangle_offsets[node + 1]] = fan
    return triangles


def _sorted_by_angle(corner: np.ndarray, centres: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Cells around a corner, in the order of the angle of their centres."""
    rays = centres[cells] - corner
    zero_angle = rays[0] - (rays[0] @ corner) * corner
    return cells[
        np.argsort(np.arctan2(rays @ np.cross(corner, zero_angle), rays @ zero_angle), kind="stable")
    ]
