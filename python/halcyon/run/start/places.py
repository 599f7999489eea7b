"""Fields of a file on longitudes and latitudes: bilinear to places, or shared out over polygons as boxes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from halcyon._core import remap
from halcyon.base import InputError
from halcyon.io.field_source import faces_of, mesh_topology
from halcyon.mesh.cf_file import numbers, values_of
from halcyon.remap.faces import points_of
from halcyon.wave.gridded import Axes, Interpolation
from halcyon.wave.gridded.interpolation import Window


@dataclass(frozen=True)
class LatLonBoxes:
    """Edges of columns and rows [degrees], ascending, of the whole globe; longitudes and latitudes [degrees]
    of the places of which columns and rows have their values."""

    longitude_edges: np.ndarray
    latitude_edges: np.ndarray
    longitudes: np.ndarray
    latitudes: np.ndarray

    @classmethod
    def around(cls, longitudes: np.ndarray, latitudes: np.ndarray) -> LatLonBoxes:
        """Those around the points of a grid [degrees] that covers the globe, from middle to middle."""
        seam = (longitudes[0] + longitudes[-1] - 360) / 2
        middles = (longitudes[1:] + longitudes[:-1]) / 2, (latitudes[1:] + latitudes[:-1]) / 2
        return cls(
            np.concatenate([[seam], middles[0], [seam + 360]]),
            np.concatenate([[-90.0], middles[1], [90.0]]),
            longitudes,
            latitudes,
        )

    @classmethod
    def even(cls, n_rows: int) -> LatLonBoxes:
        """As wide as high [degrees], with their values in their middles."""
        rows, columns = np.linspace(-90, 90, n_rows + 1), np.linspace(-180, 180, 2 * n_rows + 1)
        return cls(columns, rows, (columns[1:] + columns[:-1]) / 2, (rows[1:] + rows[:-1]) / 2)

    @property
    def n_columns(self) -> int:
        return len(self.longitudes)

    def rows(self, south: np.ndarray, north: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The first and the last of the rows that reach between latitudes [degrees] (n)."""
        first = np.searchsorted(self.latitude_edges, south, "right") - 1
        last = np.searchsorted(self.latitude_edges, north, "left") - 1
        most = len(self.latitudes) - 1
        return np.clip(first, 0, most), np.clip(last, 0, most)

    def between(self, first: int, last: int) -> LatLonBoxes:
        """Rows first..last; all columns, so that areas do not depend on which part is taken."""
        return LatLonBoxes(
            self.longitude_edges,
            self.latitude_edges[first : last + 2],
            self.longitudes,
            self.latitudes[first : last + 1],
        )

    def grid(self) -> remap.LatLonGrid:
        return remap.LatLonGrid(np.radians(self.longitude_edges), np.radians(self.latitude_edges))

    def points(self, boxes: np.ndarray) -> np.ndarray:
        """The places (n, 3) on the unit sphere of boxes by their numbers, rows from the south (n)."""
        row, column = np.divmod(boxes, self.n_columns)
        return points_of(self.longitudes[column], self.latitudes[row])


@dataclass(frozen=True)
class Corners:
    """Around each of n places: nodes of the file's places, laid flat, and weights that sum to 1, (corner, n);
    longitudes and latitudes [rad] of the nodes, (corner, n)."""

    nodes: np.ndarray
    weights: np.ndarray
    longitude: np.ndarray
    latitude: np.ndarray

    @property
    def size(self) -> int:
        return self.nodes.shape[1]

    def mean(self, flat: np.ndarray) -> np.ndarray:
        """Values (n) of values (node); NaN where one that has weight is."""
        total = np.zeros(self.size)
        for node, weight in zip(self.nodes, self.weights, strict=True):
            total += np.where(weight != 0, weight * flat[node], 0)
        return total

    def bounded_mean(self, flat: np.ndarray) -> np.ndarray:
        """The same, to the last bit not beyond the values that have weight."""
        values = np.where(self.weights != 0, flat[self.nodes], np.nan)
        return np.clip(self.mean(flat), np.fmin.reduce(values), np.fmax.reduce(values))

    def along(self, directions: np.ndarray) -> tuple[Corners, Corners]:
        """The same with weights by which the components of a vector, eastward and northward at the nodes,
        give that along directions (n, 3)."""
        x, y, z = directions.T
        lon, lat = self.longitude, self.latitude
        east = -np.sin(lon) * x + np.cos(lon) * y
        north = -np.sin(lat) * (np.cos(lon) * x + np.sin(lon) * y) + np.cos(lat) * z
        return tuple(Corners(self.nodes, self.weights * part, lon, lat) for part in (east, north))


class LatLon:
    """The places of an open netCDF file on longitudes and latitudes. Raises InputError where they do not
    cover the globe."""

    def __init__(self, path: str, file: Any) -> None:
        self.axes = Axes.from_file(path, file)
        self.dimensions = self.axes.dimensions
        _require_globe(path, self.axes)

    def corners(self, points: np.ndarray) -> tuple[Corners, Window]:
        """Those around points (n, 3) of the unit sphere, and the part of the grid that holds them."""
        x, y, z = np.ascontiguousarray(points.T)
        lon, lat = np.degrees(np.arctan2(y, x)), np.degrees(np.arctan2(z, np.sqrt(x * x + y * y)))
        found = Interpolation(self.axes, lon, lat)
        row, column = np.divmod(found.nodes, found.window.n_columns)
        columns = (column + found.window.first_column) % len(self.axes.longitude)
        at = self.axes.longitude[columns], self.axes.latitude[row + found.window.first_row]
        return Corners(found.nodes, found.weights, *map(np.radians, at)), found.window

    def spacing(self, points: np.ndarray) -> np.ndarray:
        """That of the rows [rad], at points (n, 3)."""
        return np.full(len(points), np.radians(np.diff(self.axes.latitude).max()))

    def fineness(self, points: np.ndarray) -> np.ndarray:
        """What tells points (n, 3) apart that want boxes of another size: nothing does."""
        return np.zeros(len(points), np.int64)

    def boxes(self, point: np.ndarray) -> LatLonBoxes:
        """Those around the points of the grid."""
        return LatLonBoxes.around(self.axes.longitude, np.clip(self.axes.latitude, -90, 90))

    def read(self, part: Any, window: Window) -> np.ndarray:
        """Values (..., row, column) of some levels of a variable."""
        return self.axes.read(part, window)


def _require_globe(path: str, axes: Axes) -> None:
    lat, lon = axes.latitude, axes.longitude
    slack = 1.001 * np.diff(lat).max()
    if axes.is_periodic and lat[0] - slack <= -90 and lat[-1] + slack >= 90:
        return
    raise InputError(
        f"{path} does not cover the globe: it reaches from {lat[0]:g} to {lat[-1]:g} N and from {lon[0]:g} to"
        f" {lon[-1]:g} E. Give a file of the whole globe."
    )


class OnFaces:
    """The places of an open UGRID file, which all ranks see whole. Raises InputError where they do not tile
    the globe: where fewer than three meet in a corner."""

    def __init__(self, path: str, file: Any) -> None:
        from scipy.spatial import cKDTree

        mesh, self._faces = mesh_topology(file), faces_of(path, file)
        named = str(mesh.attrs.get("face_coordinates", "")).split()
        if len(named) != 2 or any(name not in file.variables for name in named):
            raise InputError(f"{path}: the mesh has no face_coordinates, the centres of its cells. Add them.")
        lon, lat = (numbers(file[name]) for name in named)
        self.dimensions = file[named[0]].dims
        self._lon, self._lat = np.radians(lon), np.radians(lat)
        self._points = points_of(lon, lat)
        self._cells, self._offsets, self._on_face = _triangles(path, self._faces, self._points)
        self._tree = cKDTree(self._points)

    def corners(self, points: np.ndarray) -> tuple[Corners, None]:
        """Those around points (n, 3) of the unit sphere."""
        _, nearest = self._tree.query(points)
        first, count = self._offsets[nearest], np.diff(self._offsets)[nearest]
        best = np.full(len(points), -np.inf)
        nodes, weights = np.zeros((3, len(points)), np.int64), np.zeros((3, len(points)))
        for j in range(int(count.max())):
            cells = self._cells[self._on_face[first + np.minimum(j, count - 1)]].T
            parts = _barycentric(points, *(self._points[each] for each in cells))
            least = parts.min(axis=0)
            better = least > best
            best = np.where(better, least, best)
            nodes, weights = np.where(better, cells, nodes), np.where(better, parts, weights)
        weights = np.maximum(weights, 0)
        weights /= weights[0] + weights[1] + weights[2]
        return Corners(nodes, weights, self._lon[nodes], self._lat[nodes]), None

    def spacing(self, points: np.ndarray) -> np.ndarray:
        """From the cell around each of points (n, 3) to the nearest other [rad]."""
        _, nearest = self._tree.query(points)
        chords, _ = self._tree.query(self._points[nearest], 2)
        return 2 * np.arcsin(chords[:, 1] / 2)

    def fineness(self, points: np.ndarray) -> np.ndarray:
        """Of the boxes that points (n, 3) want: at most half as wide as the file's cells, by powers of 2."""
        return np.ceil(np.log2(2 * np.pi / self.spacing(points))).astype(np.int64)

    def boxes(self, point: np.ndarray) -> LatLonBoxes:
        """Those for a point (3) by its fineness; values lie linearly in the middle of each."""
        return LatLonBoxes.even(2 ** int(self.fineness(point[None])[0]))

    def read(self, part: Any, window: None) -> np.ndarray:
        """Values (..., face) of some levels of a variable."""
        return values_of(part.compute().transpose(..., *self.dimensions))


def _triangles(path: str, faces: Any, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The cells whose centres are corners of triangles, int64 (triangle, 3); offsets (face + 1) into a list
    of the triangles around the corners of each face.

    Around a corner in which three cells meet, as those of Voronoi meshes do, is one triangle; where n meet,
    as the boxes around the points of a grid, n - 2, which share one cell."""
    owner = np.repeat(np.arange(faces.n_faces), np.diff(faces.offsets))
    counts = np.bincount(faces.nodes_on_face, minlength=len(faces.nodes))
    if not np.all(counts >= 3):
        raise InputError(
            f"{path}: {int((counts < 3).sum())} corners of its cells do not join three of them, so it is no"
            " mesh of the whole globe. Bring it to longitudes and latitudes, by `halcyon convert`."
        )
    around = owner[np.argsort(faces.nodes_on_face, kind="stable")]
    begins, firsts = (np.concatenate([[0], np.cumsum(each)]) for each in (counts, counts - 2))
    triangles = np.empty((firsts[-1], 3), np.int64)
    plain = np.flatnonzero(counts == 3)
    triangles[firsts[plain]] = around[begins[plain][:, None] + np.arange(3)]
    for node in np.flatnonzero(counts > 3):
        cells = _turned(faces.nodes[node], centres, around[begins[node] : begins[node + 1]])
        fan = np.stack([np.repeat(cells[0], len(cells) - 2), cells[1:-1], cells[2:]], axis=1)
        triangles[firsts[node] : firsts[node + 1]] = fan
    each = counts[faces.nodes_on_face] - 2
    ends = np.cumsum(each)
    on_face = np.repeat(firsts[faces.nodes_on_face] - (ends - each), each) + np.arange(each.sum())
    return triangles, np.concatenate([[0], ends])[faces.offsets], on_face


def _turned(corner: np.ndarray, centres: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Cells around a corner, one after the other."""
    away = centres[cells] - corner
    first = away[0] - (away[0] @ corner) * corner
    return cells[np.argsort(np.arctan2(away @ np.cross(corner, first), away @ first), kind="stable")]


def _barycentric(p: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Parts (3, n) of the corners of triangles on the sphere at points (n, 3), projected from its centre."""
    parts = np.stack([_volume(p, b, c), _volume(p, c, a), _volume(p, a, b)])
    return parts / (parts[0] + parts[1] + parts[2])


def _volume(p: np.ndarray, q: np.ndarray, r: np.ndarray) -> np.ndarray:
    """p . (q x r)"""
    (px, py, pz), (qx, qy, qz), (rx, ry, rz) = p.T, q.T, r.T
    return px * (qy * rz - qz * ry) + py * (qz * rx - qx * rz) + pz * (qx * ry - qy * rx)
