"""Where a rank needs a state: its part of a mesh, polygons over which ground is averaged, and its levels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from halcyon._core import remap
from halcyon.atmosphere.levels import HIGHEST, lowest_surface_pressure
from halcyon.decomposition import LocalMesh
from halcyon.mesh import Mesh
from halcyon.remap import Faces
from halcyon.run.start.places import LatLonBoxes
from halcyon.run.start.source import Gathered, Source, Variable


@dataclass(frozen=True)
class Outlines:
    """centres (cell, 3) and corners of cells, on the unit sphere; spacing [rad] (cell), the root of a cell's
    area; growth: how many times as wide as the cell the polygon is.

    corners: (corner, 3) of one cell after the other; offsets: (cell + 1) into them."""

    centres: np.ndarray
    corners: np.ndarray
    offsets: np.ndarray
    spacing: np.ndarray
    growth: float = 1.0

    @classmethod
    def of(cls, mesh: Mesh, growth: float = 1.0) -> Outlines:
        """Of a mesh's cells, grown about their centres."""
        corners = np.asarray(mesh.vertex_points)[np.asarray(mesh.vertices_on_cell)]
        areas = np.asarray(mesh.area_cell)
        return cls.grown(np.asarray(mesh.cell_points), corners, np.asarray(mesh.cell_offsets), areas, growth)

    @classmethod
    def grown(
        cls, centres: np.ndarray, corners: np.ndarray, offsets: np.ndarray, areas: np.ndarray, growth: float
    ) -> Outlines:
        """Of polygons with areas [unit sphere] (cell), grown about their centres."""
        if growth != 1:
            middle = np.repeat(centres, np.diff(offsets), axis=0)
            corners = _normalized(middle + growth * (corners - middle))
        return cls(centres, corners, offsets, growth * np.sqrt(areas), growth)

    def part(self, cells: np.ndarray) -> Outlines:
        """Those of some cells, by their numbers."""
        counts = np.diff(self.offsets)[cells]
        offsets = np.concatenate([[0], np.cumsum(counts)])
        taken = np.repeat(self.offsets[cells] - offsets[:-1], counts) + np.arange(offsets[-1])
        return Outlines(self.centres[cells], self.corners[taken], offsets, self.spacing[cells], self.growth)

    @property
    def faces(self) -> Faces:
        """The same with corners of their own."""
        numbers = np.arange(len(self.corners), dtype=np.int32)
        return Faces(np.ascontiguousarray(self.corners), self.offsets.astype(np.int32), numbers)

    def latitudes(self) -> tuple[np.ndarray, np.ndarray]:
        """Two [degrees] (cell) between which each polygon lies."""
        away = self.corners - np.repeat(self.centres, np.diff(self.offsets), axis=0)
        chord = np.sqrt(np.maximum.reduceat((away**2).sum(axis=1), self.offsets[:-1]))
        reach = np.degrees(2 * np.arcsin(np.minimum(chord / 2, 1)))
        middle = np.degrees(np.arcsin(np.clip(self.centres[:, 2], -1, 1)))
        return np.maximum(middle - reach, -90), np.minimum(middle + reach, 90)


@dataclass(frozen=True)
class Target:
    """cell_points: (local cell, 3), of which n_cells are owned; outlines: over which ground is averaged;
    edge_points, edge_normals: (owned edge, 3) middles of the edges and directions across them; cells_on_edge:
    local (owned edge, 2); a [Pa] and b: (interface), from the top."""

    cell_points: np.ndarray
    outlines: Outlines
    n_cells: int
    edge_points: np.ndarray
    edge_normals: np.ndarray
    cells_on_edge: np.ndarray
    a: np.ndarray
    b: np.ndarray

    @classmethod
    def of(
        cls, local: LocalMesh, interfaces: tuple[np.ndarray, np.ndarray], smoothing: float = 1.0
    ) -> Target:
        """Of a rank's part of a mesh; smoothing: how many times as wide as cells their outlines are."""
        mesh, n_edges = local.mesh, local.part.edges.n_owned
        cells, ends = mesh.cells_on_edge[:n_edges], mesh.vertices_on_edge[:n_edges]
        points = mesh.cell_points
        return cls(
            cell_points=np.asarray(points),
            outlines=Outlines.of(mesh, smoothing),
            n_cells=local.part.cells.n_owned,
            edge_points=_normalized(mesh.vertex_points[ends[:, 0]] + mesh.vertex_points[ends[:, 1]]),
            edge_normals=_normalized(points[cells[:, 1]] - points[cells[:, 0]]),
            cells_on_edge=np.asarray(cells),
            a=interfaces[0],
            b=interfaces[1],
        )

    @property
    def n_levels(self) -> int:
        return len(self.a) - 1

    @property
    def surface_limits(self) -> tuple[float, float]:
        """The pressures at the ground [Pa] between which the levels hold."""
        return surface_limits(self.a[0])

    def interfaces(self, surface: np.ndarray) -> np.ndarray:
        """Pressures [Pa] (n, interface) under pressures at the ground [Pa] (n)."""
        return self.a + self.b * surface[:, None]


def surface_limits(top: float) -> tuple[float, float]:
    """The pressures at the ground [Pa] between which levels with that pressure at the top hold."""
    return lowest_surface_pressure(top), HIGHEST


def _normalized(vectors: np.ndarray) -> np.ndarray:
    x, y, z = vectors.T
    return vectors / np.sqrt(x * x + y * y + z * z)[:, None]


Array = np.ndarray
Change = Callable[[Array], Array]

_AT_ONCE = 2_000_000  # boxes
_LINEAR, _MEAN = 1.5, 2.0  # of the file's spacings in a cell's, up to which and from which on a value is so


def ground_of(source: Source, variable: Variable, outlines: Outlines, change: Change | None = None) -> Array:
    """A field (cell) under cells: its mean over a cell's outline where that is at least two of the file's
    spacings wide, linear at its centre where it is at most one and a half, and of both in parts between, so
    that no seam shows where cells change their size.

    change: of the file's values, before all. Raises InputError where a value is missing or cannot be."""
    found = Gathered(source, outlines.centres).field(variable, change)
    spacings = outlines.spacing / source.places.spacing(outlines.centres)
    share = np.clip((spacings - _LINEAR) / (_MEAN - _LINEAR), 0, 1)
    for cells in _alike(source.places.fineness(outlines.centres), np.flatnonzero(share > 0)):
        boxes = source.places.boxes(outlines.centres[cells[0]])
        for band in _bands(outlines, cells, boxes):
            means = _means(source, variable, outlines.part(band), boxes, change)
            found[band] += share[band] * (means - found[band])
    return found


def _alike(fineness: Array, cells: Array) -> Iterator[Array]:
    """The cells of each fineness."""
    for each in np.unique(fineness[cells]):
        yield cells[fineness[cells] == each]


def _bands(outlines: Outlines, cells: Array, boxes: LatLonBoxes) -> list[Array]:
    """Cells of near latitudes, so many that their rows of boxes can be held at once."""
    first, last = boxes.rows(*outlines.part(cells).latitudes())
    n_boxes = (int(last.max()) - int(first.min()) + 1) * boxes.n_columns
    order = cells[np.argsort(first, kind="stable")]
    return np.array_split(order, min(-(-n_boxes // _AT_ONCE), len(cells)))


def _means(
    source: Source, variable: Variable, outlines: Outlines, boxes: LatLonBoxes, change: Change | None
) -> Array:
    """sum_b A_b v_b / sum_b A_b over the boxes b of which a polygon holds the areas A_b (first order,
    conservative; Jones 1999)."""
    first, last = boxes.rows(*outlines.latitudes())
    boxes = boxes.between(int(first.min()), int(last.max()))
    faces = outlines.faces
    shared = remap.overlaps(faces.nodes, faces.offsets, faces.nodes_on_face, boxes.grid(), threads=1)
    box = np.repeat(np.arange(len(shared.box_areas)), np.diff(shared.offsets))
    used, at = np.unique(box, return_inverse=True)
    values = Gathered(source, boxes.points(used)).field(variable, change)[at]
    return _weighted(np.asarray(shared.faces), np.asarray(shared.areas), values, faces.n_faces)


def _weighted(face: Array, area: Array, values: Array, n: int) -> Array:
    """Means (n) of the entries of each face, as differences from its first: a constant stays."""
    first = np.empty(n)
    first[face[::-1]] = values[::-1]
    sums = np.bincount(face, area * (values - first[face]), minlength=n)
    return first + sums / np.bincount(face, area, minlength=n)
