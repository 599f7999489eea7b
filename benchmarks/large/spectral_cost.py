"""Cost and error of the baroclinic wave: spectral model with Eulerian and with semi-Lagrangian steps, and
grid-point model.

CPU time of a simulated day on one rank, and the l2 error of the surface pressure on day 9 against Eulerian
steps of the spectral model at T85, interpolated to its grid. 13 levels; no diffusion in the spectral model.
--picture FILE draws both, with one point for each resolution."""

import argparse
import json
import time
from pathlib import Path

import numpy as np

from halcyon.transform import Grid, Transform
from halcyon_validation.atmosphere_runs import DAY_S, air_core, product, uniform_mesh
from halcyon_validation.atmosphere_runs import advance as advance_core
from halcyon_validation.baroclinic_twin import on_grid, points_of
from halcyon_validation.figures import panels
from halcyon_validation.spectral import air_model
from halcyon_validation.spectral_runs import advance

DAYS, COUNT = 9, 13
REFERENCE, REFERENCE_STEP_S = 85, 600.0
EULERIAN = {21: 1800.0, 31: 1200.0, 42: 1200.0, 63: 800.0}  # steps [s]
SEMI_LAGRANGIAN = {21: 7200.0, 31: 5400.0, 42: 5400.0, 63: 3600.0}
GRIDS = {21: (32, 64), 31: (48, 96), 42: (64, 128), 63: (96, 192), 85: (128, 256)}
LEVELS = (3, 4)  # of the meshes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two truncations and one mesh")
    parser.add_argument("--json", type=Path, metavar="OUT", help="file for the results")
    parser.add_argument("--picture", type=Path, help="picture of cost and error, PNG")
    options = parser.parse_args()
    truncations = (21, 42) if options.quick else tuple(EULERIAN)
    reference, _ = spectral(REFERENCE, REFERENCE_STEP_S)
    curves = {
        "spectral, Eulerian": [spectral(T, EULERIAN[T]) for T in truncations],
        "spectral, semi-Lagrangian": [
            spectral(T, SEMI_LAGRANGIAN[T], scheme="semi_lagrangian") for T in truncations
        ],
        "grid-point": [grid_point(level) for level in LEVELS[: 1 if options.quick else None]],
    }
    areas = Grid.full(*GRIDS[REFERENCE]).areas.ravel()
    labels = {"grid-point": [f"G{level}" for level in LEVELS]}
    shown, results = {}, []
    for name, points in curves.items():
        errors = [float(np.sqrt((areas * (p - reference) ** 2).sum() / areas.sum())) for p, _ in points]
        shown[name] = ([cpu_s for _, cpu_s in points], errors)
        names = labels.get(name, [f"T{T}" for T in truncations])
        for label, error, (_, cpu_s) in zip(names, errors, points, strict=False):
            results.append((f"{name}, {label}", cpu_s, error))
            print(f"{name}, {label}: {cpu_s:.3g} s of CPU time per day, l2 error {error:.3g} hPa", flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n")
    if options.picture:
        with panels(options.picture, (6, 4)) as (axes,):
            for name, (costs, errors) in shown.items():
                axes.plot(costs, errors, "o-", label=name)
            axes.set(xscale="log", yscale="log", xlabel="CPU time of a day [s]", ylabel="l2 error [hPa]")
            axes.legend()


def spectral(truncation, step_s, **settings):
    """Surface pressure [hPa] of day 9 on the grid of the reference, and CPU time per day [s]."""
    grid = Grid.full(*GRIDS[truncation])
    model = air_model(truncation, "baroclinic_wave", COUNT, grid=grid, **settings)
    begin_s = time.process_time()
    advance(model, DAYS, step_s)
    cpu_s = (time.process_time() - begin_s) / DAYS
    pressure = product(model, "surface_pressure") / 100
    coefficients = Transform(grid, truncation).analysis(pressure.reshape(grid.shape))
    return Transform(Grid.full(*GRIDS[REFERENCE]), truncation).synthesis(coefficients).ravel(), cpu_s


def grid_point(level):
    """As `spectral`, for the grid-point model on a mesh with its default steps."""
    core, mesh = air_core(level, "baroclinic_wave", count=COUNT), uniform_mesh(level)
    begin_s = time.process_time()
    for _ in range(DAYS):
        advance_core(core, DAY_S)
    cpu_s = (time.process_time() - begin_s) / DAYS
    pressure = product(core, "surface_pressure") / 100
    return on_grid(mesh, points_of(Grid.full(*GRIDS[REFERENCE])), pressure), cpu_s


if __name__ == "__main__":
    main()
