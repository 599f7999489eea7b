"""The target of an initial state: a rank's part of a mesh, its levels, and the averaging of orography over
cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from halcyon._core import remap
from halcyon.atmosphere.levels import HIGHEST_PRESSURE, lowest_surface_pressure
from halcyon.decomposition import LocalMesh
from halcyon.mesh import Mesh
from halcyon.remap import Faces
from halcyon.run.start.source import Source, SourceInterpolator, Variable
from halcyon.run.start.source_grid import LatLonBoxes


@dataclass(frozen=True)
class CellPolygons:
    """Polygons on the unit sphere, one per cell, over which orography is averaged."""

    centres: np.ndarray  # (cell, 3)
    corners: np.ndarray  # (corner, 3), concatenated over cells
    offsets: np.ndarray  # beginning of each cell in `corners` (cell + 1)
    widths: np.ndarray  # square roots of the polygons' areas [rad] (cell)
    scale: float = 1.0  # ratio of a polygon's width to the cell's width

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
        """Polygons with these areas on the unit sphere (cell), scaled about their centres."""
        if scale != 1:
            cell_centres = np.repeat(centres, np.diff(offsets), axis=0)  # of the cell of each corner
            corners = _normalized(cell_centres + scale * (corners - cell_centres))
        return cls(centres, corners, offsets, scale * np.sqrt(areas), scale)

    def select(self, cells: np.ndarray) -> CellPolygons:
        """The polygons of some cells, by index."""
        counts = np.diff(self.offsets)[cells]
        offsets = np.concatenate([[0], np.cumsum(counts)])
        selected = np.repeat(self.offsets[cells] - offsets[:-1], counts) + np.arange(offsets[-1])
        return CellPolygons(
            self.centres[cells], self.corners[selected], offsets, self.widths[cells], self.scale
        )

    @property
    def faces(self) -> Faces:
        """The polygons as faces that do not share nodes."""
        numbers = np.arange(len(self.corners), dtype=np.int32)
        return Faces(np.ascontiguousarray(self.corners), self.offsets.astype(np.int32), numbers)

    def latitudes(self) -> tuple[np.ndarray, np.ndarray]:
        """Southern and northern bounds [degrees] (cell) of the circle around each polygon."""
        rays = self.corners - np.repeat(self.centres, np.diff(self.offsets), axis=0)
        chord = np.sqrt(np.maximum.reduceat((rays**2).sum(axis=1), self.offsets[:-1]))
        radius = np.degrees(2 * np.arcsin(np.minimum(chord / 2, 1)))
        centre = np.degrees(np.arcsin(np.clip(self.centres[:, 2], -1, 1)))
        return np.maximum(centre - radius, -90), np.minimum(centre + radius, 90)


@dataclass(frozen=True)
class TargetMesh:
    """A rank's part of a mesh with its levels; points and normals on the unit sphere."""

    cell_points: np.ndarray  # cell centres (local cell, 3)
    polygons: CellPolygons  # of the local cells, for averages of orography
    n_cells: int  # number of owned cells, which come first
    edge_points: np.ndarray  # midpoints (owned edge, 3)
    edge_normals: np.ndarray  # (owned edge, 3)
    cells_on_edge: np.ndarray  # local indices (owned edge, 2)
    a: np.ndarray  # [Pa] (interface), from the top; interface pressures are a + b ps
    b: np.ndarray  # (interface)

    @classmethod
    def of(
        cls, local: LocalMesh, interfaces: tuple[np.ndarray, np.ndarray], smoothing: float = 1.0
    ) -> TargetMesh:
        """The target for a rank's part of a mesh; smoothing: `scale` of the polygons."""
        mesh, n_edges = local.mesh, local.part.edges.n_owned
        cells, ends = mesh.cells_on_edge[:n_edges], mesh.vertices_on_edge[:n_edges]
        vertices, centres = mesh.vertex_points, mesh.cell_points
        return cls(
            cell_points=np.asarray(centres),
            polygons=CellPolygons.of(mesh, smoothing),
            n_cells=local.part.cells.n_owned,
            edge_points=_normalized(vertices[ends[:, 0]] + vertices[ends[:, 1]]),
            edge_normals=_normalized(centres[cells[:, 1]] - centres[cells[:, 0]]),
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
        """Pressures of the interfaces [Pa] (n, interface) for surface pressures [Pa] (n)."""
        return self.a + self.b * surface[:, None]


def surface_limits(top: float) -> tuple[float, float]:
    """The range of surface pressure [Pa] that levels with this top pressure [Pa] support."""
    return lowest_surface_pressure(top), HIGHEST_PRESSURE


def _normalized(vectors: np.ndarray) -> np.ndarray:
    x, y, z = vectors.T
    return vectors / np.sqrt(x * x + y * y + z * z)[:, None]


Array = np.ndarray
Change = Callable[[Array], Array]  # a function that is applied to the values of a file

_MAX_BOXES = 2_000_000  # largest number of boxes in memory at a time
# Ratios of the width of a polygon to the spacing of the file: up to _LINEAR the orography is interpolated
# linearly, from _MEAN on it is the mean over the polygon.
_LINEAR, _MEAN = 1.5, 2.0


def cell_orography(
    source: Source, variable: Variable, polygons: CellPolygons, change: Change | None = None
) -> Array:
    """Orography (cell): the mean over a cell's polygon if the polygon is at least 2 grid spacings of the file
    wide, linear interpolation to its centre if it is at most 1.5 grid spacings wide, and a weighted mean of
    both in between, for a smooth transition where the cell size varies.

    change: applied to the file's values first. Raises InputError for missing or invalid values."""
    orography = SourceInterpolator(source, polygons.centres).field(variable, change)
    widths_in_spacings = polygons.widths / source.grid.spacing(polygons.centres)
    mean_weight = np.clip((widths_in_spacings - _LINEAR) / (_MEAN - _LINEAR), 0, 1)
    for cells in _cells_by_level(source.grid.box_level(polygons.centres), np.flatnonzero(mean_weight > 0)):
        boxes = source.grid.boxes(polygons.centres[cells[0]])
        for band in _latitude_bands(polygons, cells, boxes):
            means = _polygon_means(source, variable, polygons.select(band), boxes, change)
            orography[band] += mean_weight[band] * (means - orography[band])
    return orography


def _cells_by_level(box_level: Array, cells: Array) -> Iterator[Array]:
    """Yields the cells of each refinement level of the file's boxes."""
    for level in np.unique(box_level[cells]):
        yield cells[box_level[cells] == level]


def _latitude_bands(polygons: CellPolygons, cells: Array, boxes: LatLonBoxes) -> list[Array]:
    """Splits cells into latitude bands, so that the rows of boxes of a band fit into memory."""
    first_row, last_row = boxes.rows(*polygons.select(cells).latitudes())
    n_boxes = (int(last_row.max()) - int(first_row.min()) + 1) * boxes.n_columns
    sorted_cells = cells[np.argsort(first_row, kind="stable")]
    return np.array_split(sorted_cells, min(-(-n_boxes // _MAX_BOXES), len(cells)))


def _polygon_means(
    source: Source, variable: Variable, polygons: CellPolygons, boxes: LatLonBoxes, change: Change | None
) -> Array:
    """Means over polygons, sum_b A_b v_b / sum_b A_b over the boxes b, where v_b is the value of the box and
    A_b the area of the overlap of polygon and box (first-order conservative; Jones 1999)."""
    first_row, last_row = boxes.rows(*polygons.latitudes())
    boxes = boxes.select_rows(int(first_row.min()), int(last_row.max()))
    faces = polygons.faces
    overlaps = remap.overlaps(faces.nodes, faces.offsets, faces.nodes_on_face, boxes.grid(), threads=1)
    box_of_overlap = np.repeat(np.arange(len(overlaps.box_areas)), np.diff(overlaps.offsets))
    used_boxes, index = np.unique(box_of_overlap, return_inverse=True)
    values = SourceInterpolator(source, boxes.points(used_boxes)).field(variable, change)[index]
    return _weighted_means(np.asarray(overlaps.faces), np.asarray(overlaps.areas), values, faces.n_faces)


def _weighted_means(polygons: Array, areas: Array, values: Array, n: int) -> Array:
    """Area-weighted means (n) over polygons, from the polygon, area and value of each overlap. Only the
    deviations from the first value of a polygon are averaged, so that constants are preserved exactly."""
    first_value = np.empty(n)
    first_value[polygons[::-1]] = values[::-1]
    sums = np.bincount(polygons, areas * (values - first_value[polygons]), minlength=n)
    return first_value + sums / np.bincount(polygons, areas, minlength=n)
