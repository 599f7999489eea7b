"""The cells at the open sides of a mesh, and the points of spectra that serve them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halcyon.base import EARTH_RADIUS
from halcyon.config.mesh import Region
from halcyon.decomposition import LocalMesh
from halcyon.mesh.sphere import arc, east_at, to_lonlat, to_points
from halcyon.wave.spectra.points import nearest_distance

# Tolerance of the estimated position of a missing neighbour, in distances between cell centres.
SLACK = 0.25
SIDES = ("north", "east", "south", "west")
# The automatic `boundary.distance`: the larger of these multiples of the median distance between adjacent
# points, with and without a region that states which sides are open, and of the width of the widest cell.
_POINT_SPACINGS = {True: 1.5, False: 0.75}
_CELL_WIDTHS = 2.0


@dataclass(frozen=True)
class OpenCells:
    """Owned cells at open sides: cells: ascending local indices (n); inward: (n, 2) the east and north
    components [m] of the inward normals of their open edges, times the lengths of these edges."""

    cells: np.ndarray
    inward: np.ndarray

    @property
    def sides(self) -> np.ndarray:
        """The index (n) in SIDES of the side to which each cell belongs: the direction of its open edges."""
        bearing = np.degrees(np.arctan2(-self.inward[:, 0], -self.inward[:, 1]))
        return np.floor(bearing / 90 + 0.5).astype(int) % 4

    def selected(self, mask: np.ndarray) -> OpenCells:
        return OpenCells(self.cells[mask], self.inward[mask])


def open_cells(local: LocalMesh, region: Region | None) -> OpenCells:
    """The owned cells that lack a neighbour because the region ends there.

    The centre of a missing neighbour is estimated by mirroring the cell's centre at the edge without
    neighbour. If the mirrored point is in the region, the missing neighbour is taken as land, otherwise as
    sea. Without a region all cells that lack a neighbour are open."""
    mesh, n_owned = local.mesh, local.part.cells.n_owned
    offsets = np.asarray(mesh.cell_offsets[: n_owned + 1])
    cell_of_neighbor = np.repeat(np.arange(n_owned), np.diff(offsets))
    missing_neighbors = np.flatnonzero(np.asarray(mesh.cells_on_cell[: offsets[-1]]) < 0)
    cells = cell_of_neighbor[missing_neighbors]
    edges = np.asarray(mesh.edges_on_cell)[missing_neighbors]
    centres = np.asarray(mesh.cell_points)[cells]
    outward = 2 * (np.asarray(mesh.edge_points)[edges] - centres)
    if region is not None:
        slack = SLACK * np.degrees(np.linalg.norm(outward, axis=1))
        mirrored = centres + outward
        longitude, latitude = to_lonlat(mirrored / np.linalg.norm(mirrored, axis=1)[:, None])
        is_open = ~_well_inside(region, longitude, latitude, slack)
        cells, edges, outward = cells[is_open], edges[is_open], outward[is_open]
    found, of_cell = np.unique(cells, return_inverse=True)
    normal = _east_north(np.asarray(mesh.cell_points)[cells], outward)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    inward = np.zeros((len(found), 2))
    np.add.at(inward, of_cell, -normal * (np.asarray(mesh.dv_edge)[edges] * EARTH_RADIUS)[:, None])
    return OpenCells(found, inward)


def _east_north(points: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """The east and north components (n, 2) of vectors (n, 3) at points of the unit sphere."""
    east = east_at(to_lonlat(points)[0])
    return np.stack([(vectors * axis).sum(axis=1) for axis in (east, np.cross(points, east))], axis=1)


def _well_inside(box: Region, longitude: np.ndarray, latitude: np.ndarray, slack: np.ndarray) -> np.ndarray:
    """Whether points lie in a box, at least `slack` [degrees of arc] from its sides."""
    longitude_slack = slack / np.cos(np.radians(latitude))
    degrees_from_west, width = (longitude - box.west) % 360, box.east - box.west
    is_within = (degrees_from_west >= longitude_slack) & (degrees_from_west <= width - longitude_slack)
    if width >= 360:
        is_within[:] = True
    return is_within & (latitude >= box.south + slack) & (latitude <= box.north - slack)


def distances_m(positions: np.ndarray, points: np.ndarray) -> np.ndarray:
    """The distances [m] (n) on the sphere from positions (n, 3) to the nearest of the points (point, 3)."""
    chords = nearest_distance(positions, points)
    return np.where(np.isinf(chords), np.inf, EARTH_RADIUS * arc(chords))


def distance_text(distance_m: float) -> str:
    """`83.2 km`, or `10 m`."""
    if distance_m < 1e3:
        return f"{distance_m:.4g} m"
    return f"{distance_m / 1e3:.{1 if distance_m < 1e5 else 0}f} km"


def automatic_distance(points: np.ndarray, region: Region | None, widest_m: float) -> float:
    """The automatic largest distance [m] of an open cell from the nearest of the points (point, 3).

    widest_m: width of the largest open cell. A single point serves a region if it is in it or about as near
    as it is wide."""
    from scipy.spatial import cKDTree

    different = np.unique(points, axis=0)
    if len(different) == 1:
        if region is None:
            return np.inf
        corners = to_points(
            np.array([region.west, region.east] * 2),
            np.array([region.south, region.north, region.north, region.south]),
        )
        return float(EARTH_RADIUS * max(arc(np.linalg.norm(a - b)) for a in corners for b in corners))
    spacing = float(np.median(cKDTree(different).query(different, k=2)[0][:, 1]))
    from_spacing = float(_POINT_SPACINGS[region is not None] * EARTH_RADIUS * arc(spacing))
    return max(from_spacing, _CELL_WIDTHS * widest_m)
