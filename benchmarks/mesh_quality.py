"""The quality of uniform and variable meshes beside published figures, for `benchmarks/mesh.py`."""

import numpy as np
import rows

from halcyon import mesh
from halcyon.mesh import scvt
from halcyon.mesh.table import tabulated

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
        quality = mesh.quality(mesh.uniform(level, tolerance=1e-8))
        for name, other in published.items():
            is_share = name in SHARES
            ours = quality.dc_max / quality.dc_min if name == "dc_ratio" else getattr(quality, name)
            ours = round(ours, 3 if is_share else 2)
            claim = f"G{level}: {name.replace('_', ' ')}"
            found.append(rows.row(claim, ours, other, "converged", "1", bar=1, more_is_better=is_share))
        whole = 1 - quality.n_obtuse / (20 * 4**level)
        claim = f"G{level}: triangles not obtuse"
        found.append(rows.row(claim, whole, 1, "all", "1", bar=1, more_is_better=True))
    return found


def varied_rows(n_points):
    """How far spacing is off its target where it is fine, in the mean and for 95 % of the cells; and the
    shape of all cells beside that of the uniform G4, in which no cell has neighbours of other sizes."""
    found = []
    for ratio in (4, 12):
        made, away = _varied(ratio, n_points)
        for text, value in (("mean", abs(away.mean())), ("95 %", np.percentile(abs(away), 95))):
            claim = f"ratio {ratio}: fine spacing off target, {text}"
            found.append(rows.row(claim, value * 100, 10, "the bar", "%", bar=1))
        quality = mesh.quality(made)
        for name in SHARES:
            ours, other = getattr(quality, name), CONVERGED[4][name]
            claim = f"ratio {ratio}: {name.replace('_', ' ')}"
            found.append(rows.row(claim, ours, other, "uniform G4", "1", bar=1, more_is_better=True))
        whole = 1 - quality.n_obtuse / made.n_vertices
        claim = f"ratio {ratio}: triangles not obtuse"
        found.append(rows.row(claim, whole, 1, "all", "1", bar=0, more_is_better=True))
    return found


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
    sums = np.add.reduceat(made.dc_edge[made.edges_on_cell], made.cell_offsets[:-1])
    is_fine = np.arccos(np.clip(made.cell_points @ CENTRE, -1, 1)) < RADIUS
    return made, (sums / np.diff(made.cell_offsets) / target(made.cell_points))[is_fine] - 1
