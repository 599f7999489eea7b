"""Spherical centroidal Voronoi tessellations: points that are the centroids of their own Voronoi cells.

Lloyd's iteration with density rho = h^-4 gives a distance h between neighbours (Ju, Ringler and Gunzburger
2011); Nesterov's momentum, restarted when the mean move grows (O'Donoghue and Candes 2015), saves most
iterations.
"""

import numpy as np

from halcyon.base import ConfigError, RunError
from halcyon.graph import hilbert_order
from halcyon.mesh.sphere import fibonacci, normalized

TOLERANCE = 3e-4  # mean move of an iteration over mean distance at which points of varied spacing are at rest
COARSER = 2  # levels below the wanted one from which points are refined


def triangulate(points):
    """Delaunay triangles (m, 3) of points (n, 3) on the unit sphere, and the three neighbours of each,
    opposite to its corners: the faces of their convex hull. Raises RunError if points coincide."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points)
    if len(hull.simplices) != 2 * len(points) - 4:
        raise RunError(
            f"The triangulation lost points: {len(hull.vertices)} of {len(points)} are on the hull."
        )
    return hull.simplices, hull.neighbors


def edges_of(triangles, neighbours):
    """For every edge, its two cells (e, 2) and the two triangles beside it (e, 2)."""
    at = np.arange(len(triangles))
    cells, sides = [], []
    for corner in range(3):
        other = neighbours[:, corner]
        once = at < other
        cells.append(triangles[once][:, [(corner + 1) % 3, (corner + 2) % 3]])
        sides.append(np.column_stack([at[once], other[once]]))
    return np.concatenate(cells), np.concatenate(sides)


def lloyd(points, spacing):
    """The centroids (n, 3), on the sphere, of the Voronoi cells of points under density spacing^-4.

    A cell is cut into triangles (point, vertex, vertex), over which density is linear."""
    triangles, neighbours = triangulate(points)
    a, b, c = points[triangles].transpose(1, 0, 2)
    vertices = np.cross(b - a, c - a)
    vertices *= np.sign(np.einsum("ij,ij->i", vertices, a + b + c))[:, None]
    vertices = normalized(vertices)
    cells, sides = edges_of(triangles, neighbours)
    density_of_cell, density_of_vertex = spacing(points) ** -4.0, spacing(vertices) ** -4.0
    v, w = vertices[sides[:, 0]], vertices[sides[:, 1]]
    dv, dw = density_of_vertex[sides[:, 0], None], density_of_vertex[sides[:, 1], None]
    sums = np.zeros_like(points)
    for end in (0, 1):
        cell = cells[:, end]
        p, dp = points[cell], density_of_cell[cell, None]
        area = np.linalg.norm(np.cross(v - p, w - p), axis=1)[:, None]
        moment = area * ((dp + dv + dw) * (p + v + w) + dp * p + dv * v + dw * w)
        for axis in range(3):
            sums[:, axis] += np.bincount(cell, moment[:, axis], minlength=len(points))
    return normalized(sums)


def relax(points, spacing, *, tolerance, limit, progress=None, at_limit=None):
    """Points (n, 3) moved until they are centroids.

    spacing: function of points (n, 3) to spacing (n), of any unit. tolerance: mean move of an iteration,
    relative to the mean distance of neighbours, at which it ends. limit: most iterations. progress: called
    with (iteration, mean move [rad]). at_limit: called with the last mean move, relative as the tolerance,
    when the most iterations did not reach it."""
    step = np.sqrt(4 * np.pi / len(points))
    momentum, last_move, target = 1.0, np.inf, points
    for iteration in range(1, limit + 1):
        moved = lloyd(target, spacing)
        move = np.linalg.norm(moved - target, axis=1).mean()
        if progress:
            progress(iteration, move)
        if move < tolerance * step:
            return moved
        if move > last_move:
            momentum = 1.0
        ahead = (1 + np.sqrt(1 + 4 * momentum * momentum)) / 2
        target = normalized(moved + (momentum - 1) / ahead * (moved - points))
        points, momentum, last_move = moved, ahead, move
    if at_limit:
        at_limit(last_move / step)
    return points


def refine(points):
    """The points and the midpoints between neighbours: 4 n - 6 points (n, 3)."""
    cells, _ = edges_of(*triangulate(points))
    return np.concatenate([points, normalized(points[cells].sum(axis=1))])


def scattered(n, spacing):
    """About n points (n, 3), as dense as spacing^-2 asks, the same ones every time.

    They are picked from a fine even lattice along a Hilbert curve, whenever the density summed up to there
    passes another whole number."""
    lattice = fibonacci(max(40 * n, 20_000))
    finest = spacing(lattice).min()
    lattice = fibonacci(int(min(8 * 4 * np.pi / finest**2, 2_000_000)) + 20_000)
    lattice = lattice[hilbert_order(lattice)]
    weight = np.cumsum(spacing(lattice) ** -2.0)
    steps = np.floor(weight * (n / weight[-1]))
    return lattice[np.flatnonzero(np.diff(steps, prepend=0.0) > 0)]


def count_for(spacing):
    """The number of points whose hexagons fill the sphere at a spacing h [rad]: the integral of
    2 / sqrt(3) h^-2."""
    lattice = fibonacci(400_000)
    return int(np.round(4 * np.pi * np.mean(2 / np.sqrt(3) * spacing(lattice) ** -2.0)))


def variable(spacing, *, tolerance=TOLERANCE, limit=100, progress=None, at_limit=None):
    """Points (n, 3) of a converged SCVT with a spacing [rad] given as a function of points, in Hilbert order.

    It starts from a quarter of a quarter of the points, converged and refined twice. tolerance, limit,
    progress, at_limit: as `relax`, the last one for the last level alone."""
    points = scattered(max(12, round((count_for(spacing) - 2) / 4**COARSER) + 2), spacing)
    for _ in range(COARSER):
        points = relax(points, spacing, tolerance=tolerance, limit=2 * limit, progress=progress)
        points = refine(points)
    points = relax(points, spacing, tolerance=tolerance, limit=limit, progress=progress, at_limit=at_limit)
    return points[hilbert_order(points)]


def uniform(level, *, tolerance=1e-8, limit=2000, progress=None, at_limit=None):
    """Points (10 * 4^level + 2, 3) of the converged uniform mesh G<level>, each level started from the one
    below, level 0 being the icosahedron. tolerance, limit, progress, at_limit: as `variable`.

    Raises ConfigError unless 0 <= level <= 9."""
    if not 0 <= level <= 9:
        raise ConfigError(f"G{level} cannot be made here. Choose a level of 0..9.")
    golden = (1 + np.sqrt(5)) / 2
    corners = [(0, a, b * golden) for a in (-1, 1) for b in (-1, 1)]
    points = normalized(np.array([np.roll(corner, k) for corner in corners for k in range(3)], float))
    for _ in range(level):
        points = refine(points)
        last = at_limit if len(points) == 10 * 4**level + 2 else None
        points = relax(points, _same, tolerance=tolerance, limit=limit, progress=progress, at_limit=last)
    return points[hilbert_order(points)]


def _same(points):
    return np.ones(len(points))
