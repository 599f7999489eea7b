"""Meshes whose cells come as recursive bisection of the icosahedron makes them, and parts of them."""

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

REST = 1e-4  # of the spacing, the mean move at which points of a mesh such as G8X4 rest on each level
MOST_ITERATIONS = 300
WHOLE, COARSE = 8, 7  # levels that are had whole; from which parts of finer ones are made
FEWEST_PARTS = 16  # of these
MARGIN = 2  # coarse cells around a part that are refined with it


def bisected_mesh(level: int, ratio: float | None = None) -> Mesh:
    """A mesh G<level> whose cells come as recursive bisection of the icosahedron makes them: after those of
    the coarser mesh the middles of its edges, as these come there. It is not converged: which cells are
    neighbours counts.

    ratio: that of a mesh such as G8X4, whose points come to rest on every level, and so keep this order.
    Raises ConfigError unless 1 <= level <= 10."""
    if not 1 <= level <= 10:
        raise ConfigError(f"The level is {level}, but must be from 1 to 10.")
    spacing = None if ratio is None else _zoomed(level, ratio)
    triangulation = scvt.uniform(0)
    for _ in range(level):
        triangulation = _finer(triangulation)
        if spacing is not None:
            triangulation, _, _ = relax(
                triangulation, spacing, tolerance=REST, limit=MOST_ITERATIONS, threads=0, progress=None
            )
    return voronoi_mesh(triangulation)


def parts(name: str, numbers: Sequence[int]) -> Iterator[tuple[int, Mesh, int]]:
    """Part 0 of each of some numbers of parts that METIS cuts a mesh such as G8 or G8X4 into, and how many
    cells it has. These come first, as by bisection, then the cells around it.

    Parts of uniform meshes finer than G8 are parts of G7, of which alone the cells are bisected further.
    Raises ConfigError for another name, and numbers of parts that cannot be had."""
    level, ratio = level_and_ratio(name)
    is_whole = level <= WHOLE or ratio is not None
    if not is_whole and min(numbers) < FEWEST_PARTS:
        raise ConfigError(
            f"{name} in {min(numbers)} parts takes too much memory. Give at least {FEWEST_PARTS}, or a mesh "
            f"up to G{WHOLE}."
        )
    whole = bisected_mesh(level if is_whole else COARSE, ratio)
    for n_parts in numbers:
        inside = graph.partition(whole.cell_offsets, whole.cells_on_cell, n_parts) == 0
        yield n_parts, *(_with_halo(whole, inside) if is_whole else _refined(whole, inside, level))


def _zoomed(level: int, ratio: float):
    """The table of spacing of a mesh such as G8X4."""
    spec = MeshSpec(level=level, zoom=Zoom(ratio=ratio))
    return tabulated(target_spacing(spec, MeshDomain(spec)))


def _finer(triangulation: Triangulation) -> Triangulation:
    from scipy.spatial import cKDTree

    mesh = voronoi_mesh(triangulation)
    finer = delaunay(bisected(triangulation))
    wanted = np.concatenate([mesh.cell_points, _middles(mesh)])
    cells = cKDTree(finer.points).query(wanted)[1].astype(np.int32)
    return ordered_points(finer, cells)


def _middles(mesh: Mesh) -> np.ndarray:
    """The points (edge, 3) between the two cells of each edge."""
    sums = np.asarray(mesh.cell_points)[np.asarray(mesh.cells_on_edge)].sum(axis=1)
    return sums / np.linalg.norm(sums, axis=1)[:, None]


def _refined(coarse: Mesh, inside: np.ndarray, level: int) -> tuple[Mesh, int]:
    """The cells of G<level> nearest to those of G7 that are inside, see `parts`. Far from them the mesh stays
    as coarse as it was."""
    from scipy.spatial import cKDTree

    tree, near, mesh = cKDTree(coarse.cell_points), inside, coarse
    for _ in range(MARGIN):
        near = near | _around(coarse, near)
    for _ in range(level - COARSE):
        middles = _middles(mesh)
        middles = middles[near[tree.query(middles)[1]]]
        mesh = voronoi_mesh(scvt.triangulate(np.concatenate([mesh.cell_points, middles])))
    return _with_halo(mesh, inside[tree.query(mesh.cell_points)[1]])


def _with_halo(mesh: Mesh, inside: np.ndarray) -> tuple[Mesh, int]:
    """The cells inside, then those around them, and how many are inside."""
    owned, halo = np.flatnonzero(inside), np.flatnonzero(_around(mesh, inside))
    return select(mesh, np.concatenate([owned, halo]).astype(np.int32)), len(owned)


def _around(mesh: Mesh, inside: np.ndarray) -> np.ndarray:
    """Whether a cell (cell) outside touches one inside."""
    near = np.zeros(mesh.n_cells, bool)
    near[np.asarray(mesh.cells_on_cell)[np.repeat(inside, np.diff(mesh.cell_offsets))]] = True
    return near & ~inside
