"""Fields of a file on cells that tile the globe: linear in the triangles between their centres."""

from __future__ import annotations

from typing import Any

import numpy as np

from halcyon.base import InputError
from halcyon.io.field_source import faces_of, mesh_of
from halcyon.mesh.cf_file import numbers
from halcyon.remap.faces import points_of
from halcyon.run.start.latlon import Corners, LatLonBoxes


class OnFaces:
    """The places of an open UGRID file, which all ranks see whole. Raises InputError where they do not tile
    the globe: where fewer than three meet in a corner."""

    def __init__(self, path: str, file: Any) -> None:
        from scipy.spatial import cKDTree

        mesh, self._faces = mesh_of(file), faces_of(path, file)
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
        return part.compute().transpose(..., *self.dimensions).values


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
