"""From a specification to a mesh: spacing, points, Voronoi mesh, cut, depths."""

import time

import numpy as np

from halcyon._core.mesh import clean, cut, ordered, voronoi_mesh
from halcyon.base import EARTH_RADIUS, ConfigError, InputError
from halcyon.mesh.gentle import km
from halcyon.mesh.ground import Ground
from halcyon.mesh.scvt import COARSER, even, stretched, variable
from halcyon.mesh.scvt import uniform as converged_uniform
from halcyon.mesh.spec import MOST_POINTS, MeshSpec
from halcyon.mesh.sphere import fibonacci, to_lonlat
from halcyon.mesh.table import tabulated
from halcyon.mesh.target import HEXAGON, PLACES, expected_cells, target

LEAST_DISTANCE = 0.1  # of neighbours, over the spacing asked for; nearer ones are no mesh
NEARLY, FAR_OFF = 1.02, 0.05  # of the least spacing: which cells are the finest; what is told about them
MADE_ORDER = "hilbert"  # in which cells are made
COARSEST_POINTS = 2000  # of the level from which points of spacing with sharp features start
EVERY_S = 1.0  # between two reports
MEAN_RADIUS = 0.5  # of a cell's spacing, within which depth is averaged


def make(spec, progress=None):
    """The mesh that a `MeshSpec` asks for, with depths where it asks for them.

    progress: called with a line of text now and then. Raises ConfigError and InputError for a spec or a file
    that does not do."""
    say = progress or (lambda text: None)
    ground = Ground(spec)
    if spec.sea or (spec.spacing and spec.spacing.coast):
        say(f"reading the coast ({spec.coast.source})")
        ground.land  # noqa: B018 - reads it
    function = target(spec, ground)
    if spec.n_points is None:
        require_makeable(function)
    if spec.n_points is None or not is_whole(spec):
        _announce(spec, expected_cells(spec, ground, function), say)
    whole = voronoi_mesh(_triangulation(spec, function, say))
    spacing = function(whole.cell_points)
    require_usable(whole, spacing)
    whole.mesh_density = density(spacing)
    _tell_finest(whole, spacing, say)
    return part_of(whole, spec, ground, say)


def uniform(level, **options):
    """The converged uniform mesh G<level>, of 10 * 4^level + 2 cells; options of `MeshSpec`.

    Raises ConfigError unless 0 <= level <= 10."""
    return make(MeshSpec(level=level, **options))


def is_whole(spec):
    """Whether a spec keeps the whole sphere."""
    return not (spec.region or spec.polygon or spec.sea or spec.depths)


def _triangulation(spec, function, say):
    """The converged triangulation whose points have the spacing of a function."""
    given = {"tolerance": spec.tolerance, "limit": spec.iterations, "threads": spec.threads}
    options = {name: value for name, value in given.items() if value is not None}
    options |= {"progress": _reporter(say), "at_limit": _limit_reporter(say)}
    if spec.stretch is not None:
        return stretched(spec.stretch, spec.n_points, **options)
    if spec.zoom is None and spec.spacing is None:
        is_level = spec.level is not None
        return converged_uniform(spec.level, **options) if is_level else even(spec.points, **options)
    say("tabulating the spacing")
    table = tabulated(function)
    coarser = None if spec.zoom else _levels_below(spec.n_points or table.n_cells)
    return variable(table, spec.n_points, coarser=coarser, **options)


def _levels_below(n_points):
    """From how many levels below the wanted one points start where spacing has sharp features: no level is so
    coarse that it misses them, and halving leaves too few points in them."""
    return int(np.clip(np.log(n_points / COARSEST_POINTS) / np.log(4), 0, COARSER))


def part_of(whole, spec, ground, say):
    """The cells of a mesh of the sphere that a spec keeps, in its order, with their depths."""
    if is_whole(spec) and spec.depth is None:
        return whole if spec.order == MADE_ORDER else ordered(whole, spec.order)
    keep = ground.holds(whole.cell_points)
    if not keep.any():
        raise InputError(_nothing_text(spec, ground))
    relief = None
    if spec.depth or spec.depths:
        say(f"reading depths ({spec.needs_depth.source})")
        relief = np.zeros(whole.n_cells)
        radius = MEAN_RADIUS * np.sqrt(2 / np.sqrt(3) * whole.area_cell[keep])
        relief[keep] = ground.relief(whole.cell_points[keep], radius)
        found = relief[keep]
        keep &= ground.is_deep_enough(relief)
        if not keep.any():
            raise InputError(_no_depth_text(spec, found))
    kept = clean(whole, keep.astype(np.uint8))
    if not kept.any():
        raise InputError(_nothing_text(spec, ground))
    _tell_dropped(np.count_nonzero(keep) - np.count_nonzero(kept), np.count_nonzero(keep), say)
    mesh = cut(whole, kept)
    if relief is not None:
        mesh.bottom_depth = np.maximum(relief[kept == 1], spec.needs_depth.minimum)
    return mesh if spec.order == MADE_ORDER else ordered(mesh, spec.order)


def require_makeable(function):
    """Raises ConfigError if a function of points (n, 3) to spacing (n) [rad] takes more cells on the globe
    than can be made."""
    spacing = function(fibonacci(PLACES))
    n_cells = 4 * np.pi * HEXAGON * float(np.mean(spacing**-2.0))
    if n_cells > MOST_POINTS:
        raise ConfigError(
            f"The spacing takes about {n_cells:,.0f} cells on the globe, but at most {MOST_POINTS:,} can be "
            f"made. It goes down to {km(spacing.min() * EARTH_RADIUS)}. Give a coarser one, or a smaller "
            "area."
        )


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
    lon, lat = (float(x[0]) for x in to_lonlat(mesh.cell_points[cell : cell + 1]))
    raise InputError(
        f"The mesh cannot be used: at {lon:.2f} E {lat:.2f} N cells are {relative[edge]:.2g} of the asked "
        "spacing apart. Give a longer transition, or spacings that differ less."
    )


def density(spacing):
    """MPAS' meshDensity: (least spacing / spacing)^4."""
    return (spacing.min() / spacing) ** 4


def _nothing_text(spec, ground):
    west, south, east, north = (f"{side:g}" for side in ground.box.box)
    where = f"in the region {west}..{east} E, {south}..{north} N"
    what = "no sea" if spec.sea else "no cell centre"
    narrow = ", or it is too narrow for the spacing" if spec.sea else ""
    return f"There is {what} {where}{narrow}. Move or widen the region, or give a finer spacing."


def _no_depth_text(spec, found):
    least, most = spec.depths
    return (
        f"No cell has a depth of {least:g} to {most:g} m. They have {max(found.min(), 0):.4g} to "
        f"{max(found.max(), 0):.4g} m, with 0 for land. Give other depths."
    )


def _announce(spec, expected, say):
    if spec.n_points is not None:
        say(f"{spec.n_points:,} cells on the globe, of which about {expected:,} will be kept")
    else:
        say(f"about {expected:,} cells are expected")


def _tell_dropped(dropped, held, say):
    """Says how many of the cells that the region holds are thrown away, such as lakes and lone cells."""
    if dropped:
        say(
            f"{dropped:,} of {held:,} cells are left out, which do not join the largest connected part by "
            "two neighbours or more"
        )


def _tell_finest(mesh, asked, say):
    """Says where the finest cells are not as far apart (cell) [rad] as asked: near steep growth."""
    finest = asked < NEARLY * asked.min()
    sides = mesh.dc_edge[mesh.edges_on_cell]
    made = np.add.reduceat(sides, mesh.cell_offsets[:-1]) / np.diff(mesh.cell_offsets)
    ratio = float((made[finest] / asked[finest]).mean())
    if abs(ratio - 1) > FAR_OFF:
        km = asked.min() * EARTH_RADIUS / 1e3
        say(
            f"the finest cells are {ratio:.2f} times as far apart as the {km:.4g} km asked for: a longer "
            "transition or a larger fine part brings them nearer"
        )


def _reporter(say):
    last = time.monotonic()

    def report(level_points, iteration, relative_move):
        nonlocal last
        if time.monotonic() - last > EVERY_S:
            last = time.monotonic()
            say(
                f"making the mesh: {level_points:,} points, iteration {iteration}, mean move "
                f"{relative_move:.1e} of the spacing"
            )

    return report


def _limit_reporter(say):
    def report(move):
        say(
            f"the points still moved in the last iteration: by {move:.1e} of their spacing in the mean. More "
            "iterations bring them to rest."
        )

    return report
