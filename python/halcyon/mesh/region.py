"""A mesh of the sea of a region: spacing, SCVT, Voronoi mesh, cut, depth."""

import numpy as np
import shapely

from halcyon.base import EARTH_RADIUS, InputError
from halcyon.mesh import scvt
from halcyon.mesh.coast import land_of
from halcyon.mesh.depth import depth_at
from halcyon.mesh.spacing import SpacingTable
from halcyon.mesh.sphere import to_lonlat
from halcyon.mesh.table import tabulated

MARGIN = 3.0  # [degrees] around the region in which land is known, so that spacing grows away from it
LEAST_DISTANCE = 0.1  # of neighbours, over the spacing asked for; nearer ones are no mesh
EVERY = 50  # iterations between two reports
MEAN_RADIUS = 0.5  # of a cell's spacing, within which depth is averaged


def regional_mesh(spec, progress=None):
    """The mesh of the sea that a `MeshSpec` asks for, with depths.

    progress: called with a line of text now and then. Raises ConfigError and InputError for a spec or a file
    that does not do."""
    from halcyon.mesh import clean, cut, voronoi_mesh

    say = progress or (lambda text: None)
    say(f"reading the coast ({spec.coast.source})")
    known = widened(spec.region)
    land = land_of(spec.coast, known)
    shapely.prepare(land)
    spacing = tabulated(SpacingTable(spec.region, spec.spacing, land, known))
    whole = voronoi_mesh(scvt.variable(spacing, progress=_reporter(say), at_limit=_limit_reporter(say)))
    points = whole.cell_points
    whole.mesh_density = density(spacing(points))
    keep = is_sea(points, spec.region, land)
    if not keep.any():
        raise InputError(f"There is no sea in the region {spec.region.box}. Move or widen mesh.region.")
    mesh = cut(whole, clean(whole, keep.astype(np.uint8)))
    require_usable(mesh, spacing(mesh.cell_points))
    say(f"reading depths ({spec.depth.source})")
    mesh.bottom_depth = cell_depths(mesh, spec.depth)
    return mesh


def require_usable(mesh, asked):
    """Raises InputError if a cell has no area, or a neighbour nearer than a tenth of the spacing (cell) [rad]
    that was asked for there."""
    cells = mesh.cells_on_edge
    between = np.where(cells[:, 1] >= 0, asked[cells].mean(axis=1), asked[cells[:, 0]])
    relative = mesh.dc_edge / between
    edge = int(np.argmin(relative))
    if relative[edge] >= LEAST_DISTANCE and mesh.area_cell.min() > 0:
        return
    cell = int(cells[edge, 0]) if relative[edge] < LEAST_DISTANCE else int(np.argmin(mesh.area_cell))
    lon, lat = (float(x) for x in to_lonlat(mesh.cell_points[cell]))
    raise InputError(
        f"The mesh cannot be used: at {lon:.2f} E {lat:.2f} N cells are {relative[edge]:.2g} of the asked "
        "spacing apart. Give a longer mesh.spacing.transition, or spacings that differ less."
    )


def density(spacing):
    """MPAS' meshDensity: (least spacing / spacing)^4."""
    return (spacing.min() / spacing) ** 4


def is_sea(points, region, land):
    """Which points (n, 3) lie in the region and not on land."""
    lon, lat = to_lonlat(points)
    lon = region.west + (lon - region.west) % 360
    inside = (lon <= region.east) & (lat >= region.south) & (lat <= region.north)
    inside[inside] = ~shapely.contains_xy(land, lon[inside], lat[inside])
    return inside


def cell_depths(mesh, depth):
    """Depth (cell) [m] of a mesh from a `Depth` record, averaged over most of each cell."""
    radius = MEAN_RADIUS * np.sqrt(2 / np.sqrt(3) * mesh.area_cell) * EARTH_RADIUS
    lon, lat = to_lonlat(mesh.cell_points)
    return depth_at(depth.source, lon, lat, depth.minimum, radius=radius, variable=depth.variable)


def widened(region):
    """The box (west, south, east, north) [degrees] around a region in which land is read."""
    west, east = region.west - MARGIN, region.east + MARGIN
    if east - west > 360:
        west, east = region.west, region.east
    return west, max(region.south - MARGIN, -90), east, min(region.north + MARGIN, 90)


def _reporter(say):
    def report(points, iteration, move):
        if iteration % EVERY == 0:
            say(
                f"making the mesh: {points} points, iteration {iteration}, mean move {100 * move:.2g} % of their distance"
            )

    return report


def _limit_reporter(say):
    def report(move):
        say(
            f"the points still moved in the last iteration: by {100 * move:.2g} % of their distance in the "
            f"mean; below {100 * scvt.VARIED_TOLERANCE:.2g} % they count as at rest"
        )

    return report
