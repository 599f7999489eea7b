"""Spherical centroidal Voronoi tessellations: points that are the centroids of their own Voronoi cells.

Each level of refinement starts from the converged triangulation of the coarser level, with each triangle
split into four. The kernels are in C++: `cpp/halcyon/mesh/generate`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon._core import mesh as core
from halcyon.base import ConfigError, InputError
from halcyon.graph import hilbert_order
from halcyon.mesh.growth import even_spacing
from halcyon.mesh.spacing import Scaled, Stretched
from halcyon.mesh.spacing_table import tabulated
from halcyon.mesh.spec import FEWEST_POINTS, HIGHEST_LEVEL, MOST_POINTS
from halcyon.mesh.sphere import fibonacci, schmidt_transform

if TYPE_CHECKING:
    from halcyon.mesh.spacing_spec import Stretch

__all__ = ["even", "stretched", "triangulate", "uniform", "variable"]

_Report = Callable[[int, int, float], None]  # of points, iteration and move
UNIFORM_TOLERANCE = 1e-6  # mean move of an iteration over the local spacing at convergence
VARIED_TOLERANCE = 1e-4  # the same measure for variable spacing
MAX_COARSER_LEVELS = 2  # maximum number of coarser levels for spacing with small features


def triangulate(points: np.ndarray) -> core.Triangulation:
    """Returns the Delaunay `Triangulation` of points (n, 3) on the unit sphere, in any order.

    Raises InputError if points are not finite, coincide, or lie on one half of the sphere."""
    from scipy.spatial import ConvexHull, QhullError

    points = np.ascontiguousarray(points, float)
    if not np.isfinite(points).all():
        raise InputError("Some points are not finite. Give points on the unit sphere.")
    try:
        hull = ConvexHull(points)
    except QhullError:
        raise InputError("The points lie in one plane. Give points all over the sphere.") from None
    if len(hull.vertices) < len(points):
        hidden = int(np.setdiff1d(np.arange(len(points)), hull.vertices)[0])
        raise InputError(f"Point {hidden} coincides with another, or lies inside the sphere. Remove it.")
    triangles = hull.simplices
    return core.delaunay(core.triangulation_of(points, np.ascontiguousarray(triangles, np.int32)))


def uniform(
    level: int,
    *,
    tolerance: float = UNIFORM_TOLERANCE,
    limit: int = 2000,
    threads: int = 0,
    progress: _Report | None = None,
    at_limit: Callable[[float], None] | None = None,
) -> core.Triangulation:
    """Returns the converged `Triangulation` of the uniform mesh G<level> with 10 * 4^level + 2 points,
    refined from the icosahedron.

    tolerance: mean move of an iteration over the local spacing at convergence. limit: maximum number of
    iterations per level. threads: 0 for one per processor; the number changes no bit of the result. progress:
    called with (points, iteration, move). at_limit: called with the last move if the last level did not
    converge within the limit. Raises ConfigError unless 0 <= level <= 10."""
    if not 0 <= level <= HIGHEST_LEVEL:
        raise ConfigError(f"G{level} cannot be made. Choose a level of G0 to G{HIGHEST_LEVEL}.")
    triangulation = core.icosahedron()
    for finer in range(1, level + 1):
        report_limit = at_limit if finer == level else None
        triangulation = _relax(
            core.bisected(triangulation), None, tolerance, limit, threads, progress, report_limit
        )
    return in_order(triangulation)


def variable(
    spacing: core.SpacingTable,
    n_points: int | None = None,
    *,
    coarser: int | None = None,
    tolerance: float = VARIED_TOLERANCE,
    limit: int = 300,
    threads: int = 0,
    progress: _Report | None = None,
    at_limit: Callable[[float], None] | None = None,
) -> core.Triangulation:
    """Returns the `Triangulation` of a converged SCVT with a given spacing.

    spacing: `SpacingTable` [rad]. n_points: number of points, with spacing scaled accordingly; by default it
    follows from the spacing. coarser: number of coarser levels to start from; None for all. More levels leave
    fewer cells that are not hexagons, but the coarsest levels do not resolve small features of the spacing.
    Other parameters: as `uniform`.
    Raises ConfigError unless 12 <= n_points <= 10 * 4^10 + 2."""
    n_points = round(spacing.n_cells) if n_points is None else n_points
    if not FEWEST_POINTS <= n_points <= MOST_POINTS:
        raise ConfigError(
            f"A mesh of {n_points} cells cannot be made. Choose {FEWEST_POINTS} to {MOST_POINTS}."
        )
    counts = _level_counts(n_points, coarser)
    triangulation = core.with_points(core.icosahedron(), scattered(counts[0] - FEWEST_POINTS, spacing))
    for count in counts:
        triangulation = triangulation if count == counts[0] else core.bisected(triangulation)
        triangulation = _with_missing_points(triangulation, count, spacing)
        report_limit = at_limit if count == n_points else None
        triangulation = _relax(triangulation, spacing, tolerance, limit, threads, progress, report_limit)
    return in_order(triangulation)


def even(n_points: int, *, tolerance: float = UNIFORM_TOLERANCE, **options: Any) -> core.Triangulation:
    """Returns the `Triangulation` of a converged SCVT of n points with uniform spacing; options as
    `variable`."""
    flat = core.SpacingTable(np.ones((6, 2, 2), np.float32))
    return variable(flat, n_points, tolerance=tolerance, **options)


def stretched(
    stretch: Stretch,
    n_points: int,
    *,
    tolerance: float = UNIFORM_TOLERANCE,
    limit: int = 2000,
    threads: int = 0,
    progress: _Report | None = None,
    at_limit: Callable[[float], None] | None = None,
) -> core.Triangulation:
    """Returns the `Triangulation` of a converged SCVT of n points with the spacing of a `Stretch`. The
    iteration starts from the uniform triangulation, moved by the Schmidt transform, which keeps the number of
    neighbours of each cell: twelve pentagons if n is 10 * 4^level + 2. Options as `uniform`."""
    options: Any = {"tolerance": tolerance, "limit": limit, "threads": threads, "progress": progress}
    level = next((k for k in range(HIGHEST_LEVEL + 1) if 10 * 4**k + 2 == n_points), None)
    start = even(n_points, **options) if level is None else uniform(level, **options)
    relative = Stretched(stretch)
    moved = schmidt_transform(start.points, relative.centre, stretch.ratio)
    triangulation = core.delaunay(core.triangulation_of(moved, start.corners), threads)
    table = tabulated(Scaled(relative, even_spacing(n_points) / np.sqrt(stretch.ratio)))
    return in_order(_relax(triangulation, table, at_limit=at_limit, **options))


def in_order(triangulation: core.Triangulation) -> core.Triangulation:
    """Returns the triangulation with its points ordered along a Hilbert curve."""
    return core.ordered_points(triangulation, hilbert_order(triangulation.points))


def _level_counts(n_points: int, coarser: int | None) -> list[int]:
    """Returns the number of points of each level, coarsest first, with at most `coarser` levels before the
    last, which has `n_points`. Bisection turns m points into 4 m - 6."""
    counts = [n_points]
    while (counts[0] + 6) // 4 >= FEWEST_POINTS and (coarser is None or len(counts) <= coarser):
        counts.insert(0, (counts[0] + 6) // 4)
    return counts


def scattered(n: int, spacing: core.SpacingTable) -> np.ndarray:
    """Returns n points (n, 3) with density spacing^-2, always the same.

    A point of a fine uniform lattice is selected wherever the density, accumulated along a Hilbert curve,
    exceeds the next integer."""
    lattice = fibonacci(max(40 * n, 20_000))
    finest = spacing(lattice).min() * np.sqrt(spacing.n_cells / max(n, 1))
    # About 8 lattice points per selected point where the spacing is finest.
    lattice = fibonacci(int(min(max(8 * 4 * np.pi / finest**2, 4 * n), 2_000_000)) + 20_000)
    lattice = lattice[hilbert_order(lattice)]
    weight = np.cumsum(spacing(lattice) ** -2.0)
    steps = np.floor(weight * (n / weight[-1]) * (1 - 1e-12))
    picked = np.flatnonzero(np.diff(steps, prepend=0.0) > 0)
    return np.ascontiguousarray(lattice[np.append(picked, len(lattice) - 1)[:n]])


def _relax(
    start: core.Triangulation,
    spacing: core.SpacingTable | None,
    tolerance: float,
    limit: int,
    threads: int,
    progress: _Report | None,
    at_limit: Callable[[float], None] | None,
) -> core.Triangulation:
    """Returns the triangulation `start` after Lloyd's iteration; other parameters as in `uniform`."""

    def report(iteration: int, move: float) -> None:
        if progress is not None:
            progress(start.n_points, iteration, move)

    triangulation, _, move = core.relax(
        start,
        spacing,
        tolerance=tolerance,
        limit=limit,
        threads=threads,
        progress=None if progress is None else report,
    )
    if at_limit and move >= tolerance:
        at_limit(move)
    return triangulation


def _with_missing_points(
    triangulation: core.Triangulation, count: int, spacing: core.SpacingTable
) -> core.Triangulation:
    """Returns the triangulation with `count` points: adds points in the triangles with the most missing
    points."""
    missing = count - triangulation.n_points
    if missing == 0:
        return triangulation
    corners = triangulation.points[triangulation.corners]
    sides = corners - np.roll(corners, 1, axis=1)
    centres = corners.sum(axis=1)
    centres /= np.linalg.norm(centres, axis=1)[:, None]
    # Proportional to the number of points that a triangle lacks: its area times the density of points.
    lacking = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1) * spacing(centres) ** -2.0
    chosen = np.argsort(-lacking, kind="stable")
    return core.with_points(triangulation, centres[chosen[:missing]])
