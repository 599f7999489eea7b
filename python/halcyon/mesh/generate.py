"""Generates a mesh from a specification: spacing, points, Voronoi mesh, limited area, depths."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon._core.mesh import clean_selection, cut, ordered, voronoi_mesh
from halcyon.base import EARTH_RADIUS, ConfigError, InputError
from halcyon.mesh.domain import MeshDomain
from halcyon.mesh.growth import km
from halcyon.mesh.scvt import MAX_COARSER_LEVELS, even, stretched, variable
from halcyon.mesh.scvt import uniform as converged_uniform
from halcyon.mesh.spacing_table import tabulated
from halcyon.mesh.spec import MOST_POINTS, MeshSpec
from halcyon.mesh.sphere import fibonacci, position_text, to_lonlat
from halcyon.mesh.target import HEXAGON, N_SAMPLES, expected_cells, target_spacing

if TYPE_CHECKING:
    from halcyon._core.mesh import Mesh, Triangulation
    from halcyon.mesh.spacing import SpacingFunction


LEAST_DISTANCE = 0.1  # smallest valid distance between neighbours, as a multiple of the requested spacing
FINEST_RANGE = 1.02  # cells with less than this multiple of the smallest spacing count as the finest cells
REPORTED_DEVIATION = 0.05  # smallest relative deviation of the finest cells' distances that is reported
GENERATED_ORDER = "hilbert"  # order of generated cells
COARSEST_POINTS = 2000  # approximate points of the coarsest level if the spacing has sharp features
REPORT_INTERVAL_S = 1.0  # interval of progress reports
MEAN_RADIUS = 0.5  # radius of the circle over which depths are averaged, as a multiple of a cell's spacing


def make(spec: MeshSpec, progress: Callable[[str], None] | None = None) -> Mesh:
    """Generates the mesh of a `MeshSpec`, with depths if requested.

    progress: called with lines of text. Raises ConfigError and InputError for invalid specs and files."""
    report = progress or (lambda text: None)
    domain = MeshDomain(spec)
    if spec.sea or (spec.spacing and spec.spacing.coast):
        report(f"reading the coast ({spec.coast.source})")
        domain.land  # noqa: B018 - reads the coast
    spacing_function = target_spacing(spec, domain)
    if spec.n_points is None:
        require_feasible_count(spacing_function)
    if spec.n_points is None or not is_whole(spec):
        _report_expected(spec, expected_cells(spec, domain, spacing_function), report)
    whole = voronoi_mesh(_triangulation(spec, spacing_function, report))
    spacing = spacing_function(whole.cell_points)
    require_usable(whole, spacing)
    whole.mesh_density = density(spacing)
    _report_finest(whole, spacing, report)
    return kept_part(whole, spec, domain, report)


def uniform(level: int, **options: Any) -> Mesh:
    """Generates the converged uniform mesh G<level> of 10 * 4^level + 2 cells; options of `MeshSpec`.

    Raises ConfigError unless 0 <= level <= 10."""
    return make(MeshSpec(level=level, **options))


def is_whole(spec: MeshSpec) -> bool:
    """Whether a spec covers the whole sphere."""
    return not (spec.region or spec.polygon or spec.sea or spec.depths)


def _triangulation(
    spec: MeshSpec, spacing_function: SpacingFunction, report: Callable[[str], None]
) -> Triangulation:
    """Returns the converged triangulation with the spacing of a function (point, 3) to (point) [rad]."""
    requested = {"tolerance": spec.tolerance, "limit": spec.iterations, "threads": spec.threads}
    options: dict[str, Any] = {name: value for name, value in requested.items() if value is not None}
    options |= {"progress": _iteration_reporter(report), "at_limit": _limit_reporter(report)}
    if spec.stretch is not None:
        assert spec.n_points is not None  # as `MeshSpec` requires
        return stretched(spec.stretch, spec.n_points, **options)
    if spec.zoom is None and spec.spacing is None:
        if spec.level is not None:
            return converged_uniform(spec.level, **options)
        assert spec.points is not None
        return even(spec.points, **options)
    report("tabulating the spacing")
    table = tabulated(spacing_function)
    coarser = None if spec.zoom else _levels_below(spec.n_points or table.n_cells)
    return variable(table, spec.n_points, coarser=coarser, **options)


def _levels_below(n_points: float) -> int:
    """Returns the number of coarser levels to start from if the spacing has sharp features: still coarser
    levels would miss the features and leave too few points there."""
    return int(np.clip(np.log(n_points / COARSEST_POINTS) / np.log(4), 0, MAX_COARSER_LEVELS))


def kept_part(whole: Mesh, spec: MeshSpec, domain: MeshDomain, report: Callable[[str], None]) -> Mesh:
    """Returns the part of a global mesh that a spec keeps, in the spec's order, with depths if requested."""
    if is_whole(spec) and spec.depth is None:
        return whole if spec.order == GENERATED_ORDER else ordered(whole, spec.order)
    keep = domain.contains(whole.cell_points)
    if not keep.any():
        raise InputError(_nothing_text(spec, domain))
    relief, depth = None, spec.depth_source
    if depth is not None and (spec.depth or spec.depths):
        report(f"reading depths ({depth.source})")
        relief = np.zeros(whole.n_cells)
        radius = MEAN_RADIUS * np.sqrt(HEXAGON * whole.area_cell[keep])
        relief[keep] = domain.relief(whole.cell_points[keep], radius)
        region_depths = relief[keep]
        keep &= domain.is_deep_enough(relief)
        if not keep.any():
            raise InputError(_no_depth_text(spec, region_depths))
    kept = clean_selection(whole, keep.astype(np.uint8))
    if not kept.any():
        raise InputError(_nothing_text(spec, domain))
    n_in_region = int(np.count_nonzero(keep))
    _report_dropped(n_in_region - int(np.count_nonzero(kept)), n_in_region, report)
    mesh = cut(whole, kept)
    if relief is not None and depth is not None:
        mesh.bottom_depth = np.maximum(relief[kept == 1], depth.minimum)
    return mesh if spec.order == GENERATED_ORDER else ordered(mesh, spec.order)


def require_feasible_count(function: SpacingFunction) -> None:
    """Raises ConfigError if a spacing function, points (n, 3) to spacing (n) [rad], needs more cells on the
    globe than can be generated."""
    spacing = function(fibonacci(N_SAMPLES))
    n_cells = 4 * np.pi * HEXAGON * float(np.mean(spacing**-2.0))
    if n_cells > MOST_POINTS:
        raise ConfigError(
            f"The spacing needs about {n_cells:,.0f} cells on the globe, but at most {MOST_POINTS:,} "
            f"are possible. Its minimum is {km(spacing.min() * EARTH_RADIUS)}. Give a coarser spacing, or a "
            "smaller area."
        )


def require_usable(mesh: Mesh, requested: np.ndarray) -> None:
    """Raises InputError if a cell has no area, or a neighbour nearer than a tenth of the requested spacing.

    requested: (cell) [rad]."""
    cells = mesh.cells_on_edge
    edge_spacing = np.where(cells[:, 1] >= 0, requested[cells].mean(axis=1), requested[cells[:, 0]])
    relative = mesh.dc_edge / edge_spacing
    edge = int(np.argmin(relative))
    if relative[edge] >= LEAST_DISTANCE and mesh.area_cell.min() > 0:
        return
    cell = int(cells[edge, 0]) if relative[edge] < LEAST_DISTANCE else int(np.argmin(mesh.area_cell))
    lon, lat = (float(x[0]) for x in to_lonlat(mesh.cell_points[cell : cell + 1]))
    raise InputError(
        f"The mesh cannot be used: at {position_text(lon, lat)} cells are {relative[edge]:.2g} of the "
        "requested spacing apart. Give a longer transition, or spacings that differ less."
    )


def density(spacing: np.ndarray) -> np.ndarray:
    """Returns MPAS' meshDensity: (least spacing / spacing)^4."""
    return (spacing.min() / spacing) ** 4


def _nothing_text(spec: MeshSpec, domain: MeshDomain) -> str:
    west, south, east, north = (f"{side:g}" for side in domain.box.box)
    where = f"in the region {west}..{east} E, {south}..{north} N"
    missing = "no sea" if spec.sea else "no cell centre"
    narrow = ", or it is too narrow for the spacing" if spec.sea else ""
    return f"There is {missing} {where}{narrow}. Move or widen the region, or give a finer spacing."


def _no_depth_text(spec: MeshSpec, region_depths: np.ndarray) -> str:
    assert spec.depths is not None
    least, most = spec.depths
    return (
        f"No cell has a depth of {least:g} to {most:g} m. The cells have {max(region_depths.min(), 0):.4g} "
        f"to {max(region_depths.max(), 0):.4g} m, with 0 for land. Give other limits of depth."
    )


def _report_expected(spec: MeshSpec, expected: int, report: Callable[[str], None]) -> None:
    if spec.n_points is not None:
        report(f"{spec.n_points:,} cells on the globe, of which about {expected:,} will be kept")
    else:
        report(f"about {expected:,} cells are expected")


def _report_dropped(dropped: int, in_region: int, report: Callable[[str], None]) -> None:
    """Reports how many cells of the region are removed, for example in lakes."""
    if dropped:
        report(
            f"{dropped:,} of {in_region:,} cells are left out: they are outside the largest connected part "
            "or have fewer than two neighbours"
        )


def _report_finest(mesh: Mesh, requested: np.ndarray, report: Callable[[str], None]) -> None:
    """Reports if the distances between the finest cells differ from the requested spacing (cell) [rad]."""
    finest = requested < FINEST_RANGE * requested.min()
    distances = mesh.dc_edge[mesh.edges_on_cell]
    actual = np.add.reduceat(distances, mesh.cell_offsets[:-1]) / np.diff(mesh.cell_offsets)
    ratio = float((actual[finest] / requested[finest]).mean())
    if abs(ratio - 1) > REPORTED_DEVIATION:
        requested_km = requested.min() * EARTH_RADIUS / 1e3
        report(
            f"the finest cells are {ratio:.2f} times as far apart as the requested {requested_km:.4g} km: a "
            "longer transition or a larger fine area reduces the difference"
        )


def _iteration_reporter(report: Callable[[str], None]) -> Callable[[int, int, float], None]:
    last_report_s = time.monotonic()

    def report_iteration(level_points: int, iteration: int, relative_move: float) -> None:
        nonlocal last_report_s
        if time.monotonic() - last_report_s > REPORT_INTERVAL_S:
            last_report_s = time.monotonic()
            report(
                f"generating the mesh: {level_points:,} points, iteration {iteration}, mean move "
                f"{relative_move:.1e} of the spacing"
            )

    return report_iteration


def _limit_reporter(report: Callable[[str], None]) -> Callable[[float], None]:
    def report_limit(move: float) -> None:
        report(
            f"the points still moved in the last iteration, by {move:.1e} of their spacing on average. "
            "Allow more iterations."
        )

    return report_limit
