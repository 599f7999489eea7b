"""The baroclinic wave on a mesh against the same wave in spherical harmonics."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.spatial import cKDTree

from halcyon.base import EARTH_RADIUS
from halcyon.mesh import Mesh
from halcyon.transform import Grid, Transform
from halcyon_validation import spectral, spectral_runs
from halcyon_validation.atmosphere_runs import DAY_S, advance, air_core, product, uniform_mesh
from halcyon_validation.check import Check, Outcome, by_name
from halcyon_validation.figures import lines, maps

_SHOWN_LEVEL = -6  # of 26 levels, near 850 hPa
_TWINS = {42: (1200.0, 50000.0), 85: (600.0, 10000.0)}  # step, time scale of hyperdiffusion [s]
_REFERENCE = 1000.0  # initial surface pressure [hPa]
_SOUTHERN_LOWS = {4: (1.2, 2.4, 5.5), 5: (0.5, 0.9, 2.0)}  # bounds of days 7, 8, 9, by mesh [hPa]
_RESOLVED = 5  # the coarsest mesh whose lows are those of the spectral model


def baroclinic_twin(level: int = 4, count: int = 26, days: int = 9, truncation: int = 42) -> Outcome:
    """Baroclinic wave on a mesh against T<truncation>: lows in the southern hemisphere, which has no
    perturbation, and behind the wave; the lowest pressure; spectrum of kinetic energy, and vorticity."""
    step_s, time_scale_s = _TWINS[truncation]
    twin = spectral.air_model(truncation, "baroclinic_wave", count, diffusion=(4, time_scale_s))
    spectral_runs.advance(twin, days, step_s)
    core, mesh, grid = air_core(level, "baroclinic_wave", count=count), uniform_mesh(level), twin.grid
    points = _points(grid)
    south, history = np.asarray(mesh.cell_latitude) < 0, []
    for _ in range(days):
        advance(core, DAY_S)
        pressure = product(core, "surface_pressure") / 100
        history.append(_REFERENCE - pressure[south].min())
    cells = np.asarray(mesh.cell_points)
    behind = _low_behind(pressure, cells), _low_behind(product(twin, "surface_pressure") / 100, points)
    places = cells[pressure.argmin()], points[product(twin, "surface_pressure").argmin()]
    distance = float(np.degrees(np.arccos(np.clip(places[0] @ places[1], -1, 1))))
    vorticity = {
        f"G{level}": on_grid(mesh, points, product(core, "vorticity")[:, _SHOWN_LEVEL]),
        f"T{truncation}": product(twin, "vorticity")[:, _SHOWN_LEVEL],
    }
    spectra = {name: kinetic_energy(grid, truncation, each) for name, each in vorticity.items()}
    sixth = truncation // 6
    tail, middle = (spectra[f"G{level}"][end - sixth : end + 1].mean() for end in (truncation, 5 * sixth))
    checks = [
        Check(f"lowest pressure of the southern hemisphere below 1000 hPa, day {day}", history[day - 1],
              0, most, "hPa")
        for day, most in zip((7, 8, 9), _SOUTHERN_LOWS[level], strict=True)
        if day <= days
    ]  # fmt: skip
    name = f"kinetic energy at the last {sixth} degrees over that at {4 * sixth} to {5 * sixth}"
    checks.append(Check(name, float(tail / middle), 0, 0.6, source="no pile-up at the grid scale"))
    if days == 9 and level >= _RESOLVED:
        source = f"T{truncation}"
        checks += [
            Check("lowest pressure at 0 to 135 E below the spectral model's", behind[0] - behind[1],
                  -1, 15, "hPa", source),
            Check("distance of the lowest pressures", distance, 0, 5, "degrees", source),
        ]  # fmt: skip
    shown = lines(spectra, xscale="log", yscale="log", xlabel="degree", ylabel="kinetic energy [m2 s-2]")
    return Outcome(
        checks,
        {
            f"Vorticity near 850 hPa on day {days}": maps(grid, vorticity, "s-1", (0, 90)),
            f"Kinetic energy of the rotational wind near 850 hPa on day {days}": shown,
        },
    )


def _points(grid: Grid) -> np.ndarray:
    """The points (point, 3) of a grid on the unit sphere."""
    latitude, longitude = np.meshgrid(np.radians(grid.latitude), np.radians(grid.longitude), indexing="ij")
    east, north, up = np.cos(longitude), np.sin(longitude), np.sin(latitude)
    return np.stack([np.cos(latitude) * east, np.cos(latitude) * north, up], -1).reshape(-1, 3)


def _low_behind(pressure: np.ndarray, points: np.ndarray) -> float:
    """1000 hPa minus the lowest pressure at 0 to 135 E in the northern hemisphere [hPa]."""
    longitude = np.degrees(np.arctan2(points[:, 1], points[:, 0]))
    return float(_REFERENCE - pressure[(points[:, 2] > 0) & (longitude > 0) & (longitude < 135)].min())


def on_grid(mesh: Mesh, points: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Values (cell) interpolated linearly in the triangles of cell centres to points (point, 3)."""
    triangles = np.asarray(mesh.cells_on_vertex)
    _, near = cKDTree(mesh.vertex_points).query(points, k=6)
    corners = np.asarray(mesh.cell_points)[triangles[near]].swapaxes(-1, -2)
    shares = np.linalg.solve(corners, np.broadcast_to(points[:, None, :, None], (*near.shape, 3, 1)))[..., 0]
    rows, best = np.arange(len(points)), shares.min(axis=-1).argmax(axis=1)
    weights = shares[rows, best]
    return (values[triangles[near[rows, best]]] * weights).sum(axis=1) / weights.sum(axis=1)


def kinetic_energy(grid: Grid, truncation: int, vorticity: np.ndarray) -> np.ndarray:
    """Kinetic energy of the rotational wind [m2 s-2] by degree, from vorticity (point) [s-1]."""
    transform = Transform(grid, truncation)
    coefficients = transform.analysis(vorticity.reshape(grid.shape))
    square = np.where(transform.wavenumbers > 0, 2, 1) * np.abs(coefficients) ** 2
    sums = np.bincount(transform.degrees.ravel(), square.ravel(), truncation + 1)[: truncation + 1]
    degree = np.maximum(np.arange(truncation + 1), 1)
    return EARTH_RADIUS**2 * sums / (4 * degree * (degree + 1))


CASES = by_name(baroclinic_twin)
LONG = {"finer_baroclinic_twin": partial(baroclinic_twin, level=5, truncation=85)}
