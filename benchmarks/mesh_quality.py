"""Quality of uniform and variable meshes, compared with published figures; part of `mesh.py`."""

from types import SimpleNamespace

import numpy as np

import rows
from halcyon import mesh
from halcyon.mesh import scvt
from halcyon.mesh.growth import even_spacing
from halcyon.mesh.spacing import Stretched
from halcyon.mesh.spacing_table import tabulated

# Published figures of converged uniform meshes by level, with the published number of digits: `cell_*` and
# `triangle_*` are ratios of the shortest to the longest side of a cell or triangle, `dc_ratio` and
# `area_ratio` the largest over the smallest neighbour distance and cell area.
SHARES = ("cell_min", "cell_mean", "triangle_min")
CONVERGED = {
    4: {"cell_min": 0.606, "cell_mean": 0.764, "triangle_min": 0.851, "dc_ratio": 1.24, "area_ratio": 1.33},
    5: {"cell_min": 0.604, "cell_mean": 0.768, "triangle_min": 0.851, "dc_ratio": 1.27, "area_ratio": 1.41},
}
CENTRE = np.array([0.6, 0.0, 0.8])
RADIUS, WIDTH = 0.5, 0.2  # [rad] of the fine region, and of the transition outside it


def uniform_rows():
    result_rows = []
    for level, published in CONVERGED.items():
        generated = mesh.uniform(level, tolerance=1e-8)
        quality = mesh.quality(generated)
        for name, other in published.items():
            is_share = name in SHARES
            ours = quality.dc_max / quality.dc_min if name == "dc_ratio" else getattr(quality, name)
            ours = round(ours, 3 if is_share else 2)
            claim = f"G{level}: {name.replace('_', ' ')}"
            result_rows.append(rows.row(claim, ours, other, "converged", "1", bar=1, more_is_better=is_share))
        result_rows.append(_not_obtuse_row(f"G{level}", generated, bar=1))
    return result_rows


def stretched_rows(level):
    """Rows of stretched meshes: deviation of the spacing from its target, and cell shapes compared with the
    uniform mesh of the same level and with published meshes."""
    uniform = mesh.quality(mesh.uniform(level))
    others = {f"uniform G{level}": (uniform, 0.97)}
    others |= {f"converged G{n}": (SimpleNamespace(**values), 0) for n, values in CONVERGED.items()}
    result_rows = []
    for ratio in (4, 12):
        stretch = mesh.Stretch(ratio=ratio)
        generated = mesh.uniform(level, stretch=stretch)
        target_spacing = (
            even_spacing(generated.n_cells)
            / np.sqrt(ratio)
            * Stretched(stretch)(np.asarray(generated.cell_points))
        )
        name = f"G{level} stretched by {ratio}"
        result_rows += _spacing_rows(f"{name}: spacing", _deviation(generated, target_spacing))
        for other_name, (other, bar) in others.items():
            result_rows += _shape_rows(name, mesh.quality(generated), other, other_name, bar)
        result_rows.append(_not_obtuse_row(name, generated, bar=1))
    return result_rows


def varied_rows(n_points):
    """Rows of variable meshes: deviation of the spacing from its target in the fine region, and cell shapes
    compared with the uniform G4. Shapes have no threshold: where the spacing does not change by a conformal
    map, rows of cells end in pairs of a pentagon and a heptagon."""
    result_rows = []
    for ratio in (4, 12):
        generated, deviation = _varied(ratio, n_points)
        name = f"ratio {ratio}"
        result_rows += _spacing_rows(f"{name}: fine spacing", deviation)
        result_rows += _shape_rows(
            name, mesh.quality(generated), SimpleNamespace(**CONVERGED[4]), "uniform G4", bar=0
        )
        result_rows.append(_not_obtuse_row(name, generated, bar=0))
    return result_rows


def _spacing_rows(label, deviation):
    return [
        rows.row(f"{label} off target, {text}", value * 100, 10, "the bar", "%", bar=1)
        for text, value in (("mean", abs(deviation).mean()), ("95 %", np.percentile(abs(deviation), 95)))
    ]


def _shape_rows(name, ours, other, other_name, bar):
    return [
        rows.row(
            f"{name}: {share.replace('_', ' ')}",
            *(getattr(ours, share), getattr(other, share), other_name, "1"),
            bar=bar,
            more_is_better=True,
        )
        for share in SHARES
    ]


def _not_obtuse_row(name, generated, bar):
    share = 1 - mesh.quality(generated).n_obtuse / generated.n_vertices
    return rows.row(f"{name}: triangles not obtuse", share, 1, "all", "1", bar=bar, more_is_better=True)


def _varied(ratio, n_points):
    """A converged mesh with a fine region, and the deviation of the spacing of the fine cells from its
    target. Exits if the mesh does not converge.

    ratio: of the coarsest to the finest spacing"""

    def spacing(points):
        distance = np.arccos(np.clip(points @ CENTRE, -1, 1))
        return 0.01 * (1 + (ratio - 1) / 2 * (1 + np.tanh((distance - RADIUS) / WIDTH - 2)))

    def fail(displacement):
        raise SystemExit(
            f"The mesh of ratio {ratio} did not converge: the last mean displacement is {displacement:.1e}."
        )

    target = tabulated(spacing)
    triangulation = scvt.variable(target, n_points, coarser=3, tolerance=1e-6, limit=4000, at_limit=fail)
    generated = mesh.voronoi_mesh(triangulation)
    target = target.scaled(np.sqrt(target.n_cells / n_points))
    is_fine = np.arccos(np.clip(generated.cell_points @ CENTRE, -1, 1)) < RADIUS
    return generated, _deviation(generated, target(generated.cell_points))[is_fine]


def _deviation(generated, target):
    """Relative deviation (cell) of the mean distance of each cell from its neighbours, from `target`
    [rad]."""
    sums = np.add.reduceat(generated.dc_edge[generated.edges_on_cell], generated.cell_offsets[:-1])
    return sums / np.diff(generated.cell_offsets) / target - 1
