"""The target of an initial state: a rank's part of a mesh, its levels, and the averaging of orography over
cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from halcyon._core import remap
from halcyon.atmosphere.levels import HIGHEST, lowest_surface_pressure
from halcyon.decomposition import LocalMesh
from halcyon.mesh import Mesh
from halcyon.remap import Faces
from halcyon.run.start.source import Source, SourceInterpolator, Variable
from halcyon.run.start.source_grid import LatLonBoxes


@dataclass(frozen=True)
class CellPolygons:
    """Polygons of cells, over which orography is averaged: centres (cell, 3) on the unit sphere; corners
    (corner, 3), concatenated over cells; offsets (cell + 1) into corners; spacing [rad] (cell), the square
    root of the polygon's area; scale: width of the polygon over that of the cell."""

    centres: np.ndarray
    corners: np.ndarray
    offsets: np.ndarray
    spacing: np.ndarray
    scale: float = 1.0

    @classmethod
    def of(cls, mesh: Mesh, scale: float = 1.0) -> CellPolygons:
        """The cells of a mesh, scaled about their centres."""
        corners = np.asarray(mesh.vertex_points)[np.asarray(mesh.vertices_on_cell)]
        areas = np.asarray(mesh.area_cell)
        return cls.scaled(np.asarray(mesh.cell_points), corners, np.asarray(mesh.cell_offsets), areas, scale)

    @classmethod
    def scaled(
        cls, centres: np.ndarray, corners: np.ndarray, offsets: np.ndarray, areas: np.ndarray, scale: float
    ) -> CellPolygons:
        """Polygons with areas [unit sphere] (cell), scaled about their centres."""
        if scale != 1:
            middle = np.repeat(centres, np.diff(offsets), axis=0)
            corners = _normalized(middle + scale * (corners - middle))
        return cls(centres, corners, offsets, scale * np.sqrt(areas), scale)

    def select(self, cells: np.ndarray) -> CellPolygons:
        """The polygons of some cells, by index."""
        counts = np.diff(self.offsets)[cells]
        offsets = np.concatenate([[0], np.cumsum(counts)])
        selected = np.repeat(self.offsets[cells] - offsets[:-1], counts) + np.arange(offsets[-1])
        return CellPolygons(
            self.centres[cells], self.corners[selected], offsets, self.spacing[cells], self.scale
        )

    @property
    def faces(self) -> Faces:
        """The polygons as faces that do not share nodes."""
        numbers = np.arange(len(self.corners), dtype=np.int32)
        return Faces(np.ascontiguousarray(self.corners), self.offsets.astype(np.int32), numbers)

    def latitudes(self) -> tuple[np.ndarray, np.ndarray]:
        """Southern and northern bounds [degrees] (cell) of each polygon."""
        rays = self.corners - np.repeat(self.centres, np.diff(self.offsets), axis=0)
        chord = np.sqrt(np.maximum.reduceat((rays**2).sum(axis=1), self.offsets[:-1]))
        reach = np.degrees(2 * np.arcsin(np.minimum(chord / 2, 1)))
        middle = np.degrees(np.arcsin(np.clip(self.centres[:, 2], -1, 1)))
        return np.maximum(middle - reach, -90), np.minimum(middle + reach, 90)


@dataclass(frozen=True)
class TargetMesh:
    """A rank's part of a mesh with its levels. cell_points: (local cell, 3), of which n_cells are owned;
    polygons: for averages of orography; edge_points, edge_normals: (owned edge, 3) midpoints and normals of
    edges; cells_on_edge: local indices (owned edge, 2); a [Pa] and b: (interface), from the top."""

    cell_points: np.ndarray
    polygons: CellPolygons
    n_cells: int
    edge_points: np.ndarray
    edge_normals: np.ndarray
    cells_on_edge: np.ndarray
    a: np.ndarray
    b: np.ndarray

    @classmethod
    def of(
        cls, local: LocalMesh, interfaces: tuple[np.ndarray, np.ndarray], smoothing: float = 1.0
    ) -> TargetMesh:
        """The target of a rank's part of a mesh; smoothing: scale of the averaging polygons."""
        mesh, n_edges = local.mesh, local.part.edges.n_owned
        cells, ends = mesh.cells_on_edge[:n_edges], mesh.vertices_on_edge[:n_edges]
        points = mesh.cell_points
        return cls(
            cell_points=np.asarray(points),
            polygons=CellPolygons.of(mesh, smoothing),
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
        """The range of surface pressure [Pa] that the levels support."""
        return surface_limits(self.a[0])

    def interfaces(self, surface: np.ndarray) -> np.ndarray:
        """Pressures [Pa] (n, interface) for surface pressures [Pa] (n)."""
        return self.a + self.b * surface[:, None]


def surface_limits(top: float) -> tuple[float, float]:
    """The range of surface pressure [Pa] that levels with this top pressure [Pa] support."""
    return lowest_surface_pressure(top), HIGHEST


def _normalized(vectors: np.ndarray) -> np.ndarray:
    x, y, z = vectors.T
    return vectors / np.sqrt(x * x + y * y + z * z)[:, None]


Array = np.ndarray
Change = Callable[[Array], Array]

_MAX_BOXES = 2_000_000  # in memory at a time
_LINEAR, _MEAN = 1.5, 2.0  # ratio of cell to file spacing: largest for linear values, smallest for means


def cell_orography(
    source: Source, variable: Variable, polygons: CellPolygons, change: Change | None = None
) -> Array:
    """Orography (cell): the mean over a cell's polygon if the polygon is at least 2 grid spacings of the file
    wide, linear interpolation to its centre if it is at most 1.5 grid spacings wide, and a weighted mean of
    both in between, for a smooth transition where the cell size varies.

    change: applied to the file's values first. Raises InputError for missing or invalid values."""
    found = SourceInterpolator(source, polygons.centres).field(variable, change)
    spacings = polygons.spacing / source.grid.spacing(polygons.centres)
    share = np.clip((spacings - _LINEAR) / (_MEAN - _LINEAR), 0, 1)
    for cells in _cells_by_level(source.grid.box_level(polygons.centres), np.flatnonzero(share > 0)):
        boxes = source.grid.boxes(polygons.centres[cells[0]])
        for band in _latitude_bands(polygons, cells, boxes):
            means = _means(source, variable, polygons.select(band), boxes, change)
            found[band] += share[band] * (means - found[band])
    return found


def _cells_by_level(box_level: Array, cells: Array) -> Iterator[Array]:
    """Yields the cells of each box level."""
    for each in np.unique(box_level[cells]):
        yield cells[box_level[cells] == each]


def _latitude_bands(polygons: CellPolygons, cells: Array, boxes: LatLonBoxes) -> list[Array]:
    """Splits cells into latitude bands whose rows of boxes fit into memory."""
    first, last = boxes.rows(*polygons.select(cells).latitudes())
    n_boxes = (int(last.max()) - int(first.min()) + 1) * boxes.n_columns
    order = cells[np.argsort(first, kind="stable")]
    return np.array_split(order, min(-(-n_boxes // _MAX_BOXES), len(cells)))


def _means(
    source: Source, variable: Variable, polygons: CellPolygons, boxes: LatLonBoxes, change: Change | None
) -> Array:
    """sum_b A_b v_b / sum_b A_b over the boxes b, where A_b is the area of the overlap of polygon and box
    (first-order conservative; Jones 1999)."""
    first, last = boxes.rows(*polygons.latitudes())
    boxes = boxes.select_rows(int(first.min()), int(last.max()))
    faces = polygons.faces
    shared = remap.overlaps(faces.nodes, faces.offsets, faces.nodes_on_face, boxes.grid(), threads=1)
    box = np.repeat(np.arange(len(shared.box_areas)), np.diff(shared.offsets))
    used, index = np.unique(box, return_inverse=True)
    values = SourceInterpolator(source, boxes.points(used)).field(variable, change)[index]
    return _weighted_means(np.asarray(shared.faces), np.asarray(shared.areas), values, faces.n_faces)


def _weighted_means(face: Array, area: Array, values: Array, n: int) -> Array:
    """Area-weighted means (n) of the entries of each face, relative to its first entry, which preserves
    constants exactly."""
    first = np.empty(n)
    first[face[::-1]] = values[::-1]
    sums = np.bincount(face, area * (values - first[face]), minlength=n)
    return first + sums / np.bincount(face, area, minlength=n)
