"""The atmosphere on meshes whose spacing varies by a factor of 4, against the uniform mesh of their coarse
spacing."""

from __future__ import annotations

from functools import partial

import numpy as np

import halcyon.mesh
from halcyon.mesh import Mesh, MeshSpec, Stretch, Zoom
from halcyon_validation.atmosphere_air import winds_at_rest
from halcyon_validation.atmosphere_runs import DAY_S, advance, air_core, run, uniform_mesh
from halcyon_validation.check import Check, Outcome, by_name

_FINE = {"ratio": 4, "longitude": 270, "latitude": 0}  # where resting_mountain has its mountain
_ZOOM_CELLS = 3.63  # cells of the zoom over those of the uniform mesh of its coarse spacing
_MOST = 1.3  # times the error of the uniform mesh


def variable_meshes(level: int = 4, days: int = 5, count: int = 8, rest_days: int = 2) -> Outcome:
    """Case 2 and steady jets on a stretched mesh and a zoom of ratio 4, and air at rest over a mountain in
    their fine part. level: of the uniform mesh of their coarse spacing; count: levels of the air."""
    coarse, checks = uniform_mesh(level), []
    flow, jets = partial(_steady_flow_error, days=days), partial(_jet_error, count=count)
    expected = flow(coarse), jets(coarse)
    for name, mesh in _refined(level).items():
        checks += [
            Check(f"{name}, {mesh.n_cells} cells: {text}, over G{level}", error(mesh) / of_coarse, 0, _MOST)
            for text, error, of_coarse in zip(
                (
                    f"l2 of the height of case 2 after {days} days",
                    "l2 of the wind of steady jets after 2 days",
                ),
                (flow, jets),
                expected,
                strict=True,
            )
        ]
        fastest = max(winds_at_rest(mesh, 10, rest_days, 0.0065))
        checks.append(Check(f"{name}: fastest wind over a mountain at rest", fastest, 0, 0.05, "m s-1"))
    return Outcome(checks)


def _refined(level: int) -> dict[str, Mesh]:
    """Meshes of ratio 4 with the coarse spacing of G<level>."""
    n_zoom = round(_ZOOM_CELLS * uniform_mesh(level).n_cells)
    refinements = {
        "stretch": {"level": level + 1, "stretch": Stretch(**_FINE)},
        "zoom": {"points": n_zoom, "zoom": Zoom(**_FINE)},
    }
    return {
        name: halcyon.mesh.make(MeshSpec(tolerance=1e-5, iterations=2000, **each))
        for name, each in refinements.items()
    }


def _steady_flow_error(mesh: Mesh, days: int) -> float:
    """l2 of the height of case 2 of Williamson et al. (1992)."""
    return run(mesh, "solid_rotation", days).norms("height")[1]


def _jet_error(mesh: Mesh, count: int) -> float:
    """l2 of the eastward wind [m s-1] of the steady jets of Jablonowski and Williamson (2006), 2 days."""
    core = air_core(mesh, "baroclinic_wave", count=count, options={"perturbation": 0})
    before = core.products(["eastward_wind"])["eastward_wind"]
    advance(core, 2 * DAY_S)
    change = core.products(["eastward_wind"])["eastward_wind"] - before
    area = np.asarray(mesh.area_cell)
    return float(np.sqrt((area[:, None] * change**2).mean() / area.mean()))


CASES = by_name(variable_meshes)
