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

TOLERANCE = 1e-4  # mean displacement per iteration, relative to the spacing, of a converged variable mesh
MOST_ITERATIONS = 300
WHOLE, COARSE = (
    8,
    7,
)  # finest level that is generated whole; level from which parts of finer meshes are refined
MIN_PARTS = 16  # of meshes that are not generated whole
MARGIN = 2  # layers of coarse cells around a part that are refined with it


def bisected_mesh(level: int, ratio: float | None = None) -> Mesh:
    """A mesh G<level> with cells in the order of recursive bisection of the icosahedron: the cells of the
    coarser mesh, then the midpoints of its edges in their order. Its points are not converged, since only the
    connectivity matters.

    ratio: of a variable mesh such as G8X4, whose points are converged on every level and keep this order.
    Raises ConfigError unless 1 <= level <= 10."""
    if not 1 <= level <= 10:
        raise ConfigError(f"The level is {level}, but must be from 1 to 10.")
    spacing = None if ratio is None else _zoomed(level, ratio)
    triangulation = scvt.uniform(0)
    for _ in range(level):
        triangulation = _bisected(triangulation)
        if spacing is not None:
            triangulation, _, _ = relax(
                triangulation, spacing, tolerance=TOLERANCE, limit=MOST_ITERATIONS, threads=0, progress=None
            )
    return voronoi_mesh(triangulation)


def parts(name: str, numbers: Sequence[int]) -> Iterator[tuple[int, Mesh, int]]:
    """For each number of parts: the number, part 0 of the METIS partition of a mesh such as G8 or G8X4, and
    its number of cells. The cells of the part come first, in the order of bisection, then the surrounding
    cells.

    For uniform meshes finer than G8, G7 is partitioned and only the cells of part 0 are bisected further.
    Raises ConfigError for an unknown name or an invalid number of parts."""
    level, ratio = level_and_ratio(name)
    is_whole = level <= WHOLE or ratio is not None
    if not is_whole and min(numbers) < MIN_PARTS:
        raise ConfigError(
            f"{name} in {min(numbers)} parts takes too much memory. Give at least {MIN_PARTS}, or a mesh "
            f"up to G{WHOLE}."
        )
    whole = bisected_mesh(level if is_whole else COARSE, ratio)
    for n_parts in numbers:
        inside = graph.partition(whole.cell_offsets, whole.cells_on_cell, n_parts) == 0
        yield n_parts, *(_with_halo(whole, inside) if is_whole else _refined(whole, inside, level))


def _zoomed(level: int, ratio: float):
    """The spacing table of a mesh such as G8X4."""
    spec = MeshSpec(level=level, zoom=Zoom(ratio=ratio))
    return tabulated(target_spacing(spec, MeshDomain(spec)))


def _bisected(triangulation: Triangulation) -> Triangulation:
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


def _refined(coarse: Mesh, inside: np.ndarray, level: int) -> tuple[Mesh, int]:
    """The cells of G<level> nearest to the cells of G7 inside, see `parts`. The mesh stays coarse far from
    them."""
    from scipy.spatial import cKDTree

    tree, near, mesh = cKDTree(coarse.cell_points), inside, coarse
    for _ in range(MARGIN):
        near = near | _neighbours_of(coarse, near)
    for _ in range(level - COARSE):
        midpoints = _edge_midpoints(mesh)
        midpoints = midpoints[near[tree.query(midpoints)[1]]]
        mesh = voronoi_mesh(scvt.triangulate(np.concatenate([mesh.cell_points, midpoints])))
    return _with_halo(mesh, inside[tree.query(mesh.cell_points)[1]])


def _with_halo(mesh: Mesh, inside: np.ndarray) -> tuple[Mesh, int]:
    """The mesh of the cells inside followed by their neighbours, and the number of cells inside."""
    owned, halo = np.flatnonzero(inside), np.flatnonzero(_neighbours_of(mesh, inside))
    return select(mesh, np.concatenate([owned, halo]).astype(np.int32)), len(owned)


def _neighbours_of(mesh: Mesh, inside: np.ndarray) -> np.ndarray:
    """Whether each cell is outside and has a neighbour inside."""
    near = np.zeros(mesh.n_cells, bool)
    near[np.asarray(mesh.cells_on_cell)[np.repeat(inside, np.diff(mesh.cell_offsets))]] = True
    return near & ~inside
