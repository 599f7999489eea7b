"""Meshes with cells in the order of recursive bisection of the icosahedron, and parts of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from halcyon import graph
from halcyon._core.mesh import bisected, delaunay, ordered_points, relax
from halcyon.base import ConfigError
from halcyon.mesh import MeshSpec, Zoom, scvt, select, voronoi_mesh
from halcyon.mesh.domain import MeshDomain
from halcyon.mesh.named import level_and_ratio
from halcyon.mesh.spacing_table import tabulated
from halcyon.mesh.target import target_spacing

if TYPE_CHECKING:
    from halcyon.mesh import Mesh, Triangulation

TOLERANCE = 1e-4  # a variable mesh has converged below this mean displacement per iteration / spacing
MAX_ITERATIONS = 300
MAX_WHOLE_LEVEL = 8  # of uniform meshes that are generated whole
COARSE_LEVEL = 7  # of the mesh from which parts of finer uniform meshes are refined
MIN_COARSE_PARTS = 16  # minimum number of parts of meshes that are not generated whole
MARGIN = 2  # layers of coarse cells around a part that are refined with it


def bisected_mesh(level: int, ratio: float | None = None) -> Mesh:
    """A mesh G<level> with cells in the order of recursive bisection of the icosahedron: first the cells of
    G<level - 1>, then one cell per edge of G<level - 1>, in the order of its edges. The points of uniform
    meshes are not converged, since only the connectivity matters.

    ratio: zoom ratio of a variable mesh (4 for G8X4), whose points are converged on every level without
    changing the order of cells; None: uniform mesh.
    Raises ConfigError unless 1 <= level <= 10."""
    if not 1 <= level <= 10:
        raise ConfigError(f"The level is {level}, but must be from 1 to 10.")
    spacing = None if ratio is None else _spacing_table(level, ratio)
    triangulation = scvt.uniform(0)
    for _ in range(level):
        triangulation = _bisected(triangulation)
        if spacing is not None:
            triangulation, _, _ = relax(
                triangulation, spacing, tolerance=TOLERANCE, limit=MAX_ITERATIONS, threads=0, progress=None
            )
    return voronoi_mesh(triangulation)


def parts(name: str, numbers: Sequence[int]) -> Iterator[tuple[int, Mesh, int]]:
    """Partitions the mesh `name`, such as G8 or G8X4, by METIS into each of the numbers of parts. Yields the
    number of parts, the mesh of part 0, and the number of cells of part 0. The mesh has the cells of the part
    in the order of bisection, followed by the surrounding cells.

    For uniform meshes finer than G8, G7 is partitioned and only the cells of part 0 are bisected further.
    Raises ConfigError for an unknown name or an invalid number of parts."""
    level, ratio = level_and_ratio(name)
    is_whole = level <= MAX_WHOLE_LEVEL or ratio is not None
    if not is_whole and min(numbers) < MIN_COARSE_PARTS:
        raise ConfigError(
            f"{name} in {min(numbers)} parts takes too much memory. Give at least {MIN_COARSE_PARTS},"
            f" or a mesh up to G{MAX_WHOLE_LEVEL}."
        )
    whole = bisected_mesh(level if is_whole else COARSE_LEVEL, ratio)
    for n_parts in numbers:
        is_inside = graph.partition(whole.cell_offsets, whole.cells_on_cell, n_parts) == 0
        yield n_parts, *(_with_halo(whole, is_inside) if is_whole else _refined(whole, is_inside, level))


def _spacing_table(level: int, ratio: float):
    """The spacing table of a mesh such as G8X4."""
    spec = MeshSpec(level=level, zoom=Zoom(ratio=ratio))
    return tabulated(target_spacing(spec, MeshDomain(spec)))


def _bisected(triangulation: Triangulation) -> Triangulation:
    """The triangulation with the midpoints of all edges added; old points come first, then edges in order."""
    from scipy.spatial import cKDTree

    mesh = voronoi_mesh(triangulation)
    finer = delaunay(bisected(triangulation))
    points = np.concatenate([mesh.cell_points, _edge_midpoints(mesh)])
    cells = cKDTree(finer.points).query(points)[1].astype(np.int32)
    return ordered_points(finer, cells)


def _edge_midpoints(mesh: Mesh) -> np.ndarray:
    """The midpoint (edge, 3) of the two cells of each edge."""
    sums = np.asarray(mesh.cell_points)[np.asarray(mesh.cells_on_edge)].sum(axis=1)
    return sums / np.linalg.norm(sums, axis=1)[:, None]


def _refined(coarse: Mesh, is_inside: np.ndarray, level: int) -> tuple[Mesh, int]:
    """A part of G7 (the cells of `coarse` marked in `is_inside`), refined to G<level>, with halo, and its
    number of cells. Cells far from the part stay coarse."""
    from scipy.spatial import cKDTree

    tree, near, mesh = cKDTree(coarse.cell_points), is_inside, coarse
    for _ in range(MARGIN):
        near = near | _neighbours_of(coarse, near)
    for _ in range(level - COARSE_LEVEL):
        midpoints = _edge_midpoints(mesh)
        midpoints = midpoints[near[tree.query(midpoints)[1]]]
        mesh = voronoi_mesh(scvt.triangulate(np.concatenate([mesh.cell_points, midpoints])))
    return _with_halo(mesh, is_inside[tree.query(mesh.cell_points)[1]])


def _with_halo(mesh: Mesh, is_inside: np.ndarray) -> tuple[Mesh, int]:
    """The mesh of the marked cells followed by their neighbours, and the number of marked cells."""
    owned, halo = np.flatnonzero(is_inside), np.flatnonzero(_neighbours_of(mesh, is_inside))
    return select(mesh, np.concatenate([owned, halo]).astype(np.int32)), len(owned)


def _neighbours_of(mesh: Mesh, is_inside: np.ndarray) -> np.ndarray:
    """Marks the cells that are not marked in `is_inside` but have a marked neighbour."""
    near = np.zeros(mesh.n_cells, bool)
    near[np.asarray(mesh.cells_on_cell)[np.repeat(is_inside, np.diff(mesh.cell_offsets))]] = True
    return near & ~is_inside
