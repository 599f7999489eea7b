"""Quality of uniform and variable meshes, compared with published figures; part of `mesh.py`."""

from types import SimpleNamespace

import numpy as np

import rows
from halcyon import mesh
from halcyon.mesh import scvt
from halcyon.mesh.growth import even_spacing
from halcyon.mesh.spacing import Stretched
from halcyon.mesh.spacing_table import tabulated

# Published figures of converged meshes, with their number of digits: ratio of the shortest to the longest
# side of cells and triangles, and ratios of the largest to the smallest neighbour distance and area.
SHARES = ("cell_min", "cell_mean", "triangle_min")
CONVERGED = {
    4: {"cell_min": 0.606, "cell_mean": 0.764, "triangle_min": 0.851, "dc_ratio": 1.24, "area_ratio": 1.33},
    5: {"cell_min": 0.604, "cell_mean": 0.768, "triangle_min": 0.851, "dc_ratio": 1.27, "area_ratio": 1.41},
}
CENTRE = np.array([0.6, 0.0, 0.8])
RADIUS, WIDTH = 0.5, 0.2  # [rad] of the fine region, and of the transition outside it


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
    """Deviation of the spacing from its target, and cell shapes compared with the uniform mesh of the level
    and with published meshes."""
    uniform = mesh.quality(mesh.uniform(level))
    others = {f"uniform G{level}": (uniform, 0.97)}
    others |= {f"converged G{n}": (SimpleNamespace(**values), 0) for n, values in CONVERGED.items()}
    found = []
    for ratio in (4, 12):
        stretch = mesh.Stretch(ratio=ratio)
        made = mesh.uniform(level, stretch=stretch)
        target_spacing = (
            even_spacing(made.n_cells) / np.sqrt(ratio) * Stretched(stretch)(np.asarray(made.cell_points))
        )
        name = f"G{level} stretched by {ratio}"
        found += _spacing_rows(f"{name}: spacing", _deviation(made, target_spacing))
        for other_name, (other, bar) in others.items():
            found += _shape_rows(name, mesh.quality(made), other, other_name, bar)
        found.append(_not_obtuse_row(name, made, bar=1))
    return found


def varied_rows(n_points):
    """Deviation of the spacing from its target in the fine region, mean and 95th percentile; and cell shapes
    compared with the uniform G4. Shapes have no threshold: where spacing does not change by a conformal map,
    rows of cells end in pairs of a pentagon and a heptagon."""
    found = []
    for ratio in (4, 12):
        made, deviation = _varied(ratio, n_points)
        name = f"ratio {ratio}"
        found += _spacing_rows(f"{name}: fine spacing", deviation)
        found += _shape_rows(name, mesh.quality(made), SimpleNamespace(**CONVERGED[4]), "uniform G4", bar=0)
        found.append(_not_obtuse_row(name, made, bar=0))
    return found


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


def _not_obtuse_row(name, made, bar):
    share = 1 - mesh.quality(made).n_obtuse / made.n_vertices
    return rows.row(f"{name}: triangles not obtuse", share, 1, "all", "1", bar=bar, more_is_better=True)


def _varied(ratio, n_points):
    """A converged mesh, and the deviation of the spacing of its fine cells; exits if it did not converge."""

    def spacing(points):
        distance = np.arccos(np.clip(points @ CENTRE, -1, 1))
        return 0.01 * (1 + (ratio - 1) / 2 * (1 + np.tanh((distance - RADIUS) / WIDTH - 2)))

    def fail(displacement):
        raise SystemExit(
            f"The mesh of ratio {ratio} did not converge: the last mean displacement is {displacement:.1e}."
        )

    target = tabulated(spacing)
    triangulation = scvt.variable(target, n_points, coarser=3, tolerance=1e-6, limit=4000, at_limit=fail)
    made = mesh.voronoi_mesh(triangulation)
    target = target.scaled(np.sqrt(target.n_cells / n_points))
    is_fine = np.arccos(np.clip(made.cell_points @ CENTRE, -1, 1)) < RADIUS
    return made, _deviation(made, target(made.cell_points))[is_fine]


def _deviation(made, target):
    """Mean distance of each cell from its neighbours, divided by the target (cell) [rad], minus 1."""
    sums = np.add.reduceat(made.dc_edge[made.edges_on_cell], made.cell_offsets[:-1])
    return sums / np.diff(made.cell_offsets) / target - 1
