"""Polygons of the sphere: the cells of a mesh, or the faces of a UGRID file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from halcyon.base import InputError

if TYPE_CHECKING:
    from halcyon.mesh import Mesh


@dataclass(frozen=True)
class Faces:
    """Polygons whose sides are great-circle arcs.

    nodes: float64 (node, 3) on the unit sphere; nodes_on_face: int32, the nodes around each face, one face
    after another; offsets: int32 (face + 1), where the nodes of each face begin in nodes_on_face.
    """

    nodes: np.ndarray
    offsets: np.ndarray
    nodes_on_face: np.ndarray

    @property
    def n_faces(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def of_mesh(cls, mesh: Mesh) -> Self:
        """Returns the cells of a `halcyon.mesh.Mesh`."""
        return cls(
            nodes=np.asarray(mesh.vertex_points),
            offsets=np.asarray(mesh.cell_offsets),
            nodes_on_face=np.asarray(mesh.vertices_on_cell),
        )

    @classmethod
    def of_table(cls, longitude: ArrayLike, latitude: ArrayLike, face_nodes: ArrayLike) -> Self:
        """Returns faces from UGRID arrays: nodes at longitude, latitude [degrees]; face_nodes (face,
        max_nodes) counted from 0, padded with negative numbers. Raises InputError for a negative number
        before the last node of a face."""
        table = np.asarray(face_nodes)
        counts = (table >= 0).sum(axis=1)
        holes = (table >= 0) != (np.arange(table.shape[1]) < counts[:, None])
        if holes.any():
            face = int(np.flatnonzero(holes.any(axis=1))[0])
            raise InputError(
                f"The nodes of face {face} (counted from 0) have a hole: {table[face].tolist()}. "
                "Put missing entries after the last node."
            )
        return cls(
            nodes=points_of(longitude, latitude),
            offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
            nodes_on_face=table[table >= 0].astype(np.int32),
        )


def points_of(longitude: ArrayLike, latitude: ArrayLike) -> np.ndarray:
    """Returns the points (n, 3) of the unit sphere at longitudes and latitudes [degrees]."""
    lon, lat = np.radians(np.asarray(longitude, float)), np.radians(np.asarray(latitude, float))
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)
