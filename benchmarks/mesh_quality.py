"""The quality of uniform and variable meshes beside published figures, for `benchmarks/mesh.py`."""

from types import SimpleNamespace

import numpy as np

import rows
from halcyon import mesh
from halcyon.mesh import scvt
from halcyon.mesh.growth import even_spacing
from halcyon.mesh.spacing import Stretched
from halcyon.mesh.spacing_table import tabulated

# Of converged meshes, in as many digits: shortest over longest side of a cell and of a triangle, largest over
# least distance of neighbours and area.
SHARES = ("cell_min", "cell_mean", "triangle_min")
CONVERGED = {
    4: {"cell_min": 0.606, "cell_mean": 0.764, "triangle_min": 0.851, "dc_ratio": 1.24, "area_ratio": 1.33},
    5: {"cell_min": 0.604, "cell_mean": 0.768, "triangle_min": 0.851, "dc_ratio": 1.27, "area_ratio": 1.41},
}
CENTRE = np.array([0.6, 0.0, 0.8])
RADIUS, WIDTH = 0.5, 0.2  # [rad] of the fine region, and of the change outside it


def uniform_rows():
    found = []
    for level, published in CONVERGED.items():
        made = mesh.uniform(level, tolerance=1e-8)
        quality = mesh.quality(made)
        for name, other in published.items():
            is_share = name in SHARES
            ours = quality.dc_max / quality.dc_min if name == "dc_ratio" else getattr(quality, name)
            ours = round(ours, 3 if is_share else 2)
            claim = f"G{level}: {name.replace('_', ' ')}"
            found.append(rows.row(claim, ours, other, "converged", "1", bar=1, more_is_better=is_share))
        found.append(_not_obtuse_row(f"G{level}", made, bar=1))
    return found


def stretched_rows(level):
    """How far spacing is off its target everywhere, and the shape of cells beside that of the uniform mesh of
    the level and of the published ones."""
    uniform = mesh.quality(mesh.uniform(level))
    others = {f"uniform G{level}": (uniform, 0.97)}
    others |= {f"converged G{n}": (SimpleNamespace(**values), 0) for n, values in CONVERGED.items()}
    found = []
    for ratio in (4, 12):
        stretch = mesh.Stretch(ratio=ratio)
        made = mesh.uniform(level, stretch=stretch)
        wanted = (
            even_spacing(made.n_cells) / np.sqrt(ratio) * Stretched(stretch)(np.asarray(made.cell_points))
        )
        name = f"G{level} stretched by {ratio}"
        found += _spacing_rows(f"{name}: spacing", _off(made, wanted))
        for other_name, (other, bar) in others.items():
            found += _shape_rows(name, mesh.quality(made), other, other_name, bar)
        found.append(_not_obtuse_row(name, made, bar=1))
    return found


def varied_rows(n_points):
    """How far spacing is off its target where it is fine, in the mean and for 95 % of the cells; and the
    shape of all cells beside that of the uniform G4. That is no bar: where spacing changes otherwise than by
    a conformal map, rows of cells end, each at a pentagon beside a heptagon."""
    found = []
    for ratio in (4, 12):
        made, away = _varied(ratio, n_points)
        name = f"ratio {ratio}"
        found += _spacing_rows(f"{name}: fine spacing", away)
        found += _shape_rows(name, mesh.quality(made), SimpleNamespace(**CONVERGED[4]), "uniform G4", bar=0)
        found.append(_not_obtuse_row(name, made, bar=0))
    return found


def _spacing_rows(what, away):
    return [
        rows.row(f"{what} off target, {text}", value * 100, 10, "the bar", "%", bar=1)
        for text, value in (("mean", abs(away).mean()), ("95 %", np.percentile(abs(away), 95)))
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


def _not_obtuse_row(name, made, bar):
    whole = 1 - mesh.quality(made).n_obtuse / made.n_vertices
    return rows.row(f"{name}: triangles not obtuse", whole, 1, "all", "1", bar=bar, more_is_better=True)


def _varied(ratio, n_points):
    """A converged mesh, and spacing over target - 1 of its fine cells; fails if it did not converge."""

    def spacing(points):
        distance = np.arccos(np.clip(points @ CENTRE, -1, 1))
        return 0.01 * (1 + (ratio - 1) / 2 * (1 + np.tanh((distance - RADIUS) / WIDTH - 2)))

    def fail(move):
        raise SystemExit(f"The mesh of ratio {ratio} did not converge: the last mean move is {move:.1e}.")

    target = tabulated(spacing)
    triangulation = scvt.variable(target, n_points, coarser=3, tolerance=1e-6, limit=4000, at_limit=fail)
    made = mesh.voronoi_mesh(triangulation)
    target = target.scaled(np.sqrt(target.n_cells / n_points))
    is_fine = np.arccos(np.clip(made.cell_points @ CENTRE, -1, 1)) < RADIUS
    return made, _off(made, target(made.cell_points))[is_fine]


def _off(made, wanted):
    """The mean distance of each cell from its neighbours, over the wanted one (cell) [rad], - 1."""
    sums = np.add.reduceat(made.dc_edge[made.edges_on_cell], made.cell_offsets[:-1])
    return sums / np.diff(made.cell_offsets) / wanted - 1
