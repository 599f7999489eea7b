"""Small basins with steady incoming waves, for the validation of wave transport."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from halcyon import wave
from halcyon.base import EARTH_RADIUS
from halcyon.decomposition import LocalMesh
from halcyon.mesh import Mesh, cut, scvt, triangulation_of, voronoi_mesh
from halcyon_validation.atmosphere_runs import self_communicator

_REFINEMENT = 8  # spacing of the uniform mesh over the spacing near 0N 0E
SPACING = 480e3 / _REFINEMENT  # with G4 [m]
NORTH = np.radians(4)  # northern boundary of a box, which spans -NORTH to NORTH and 10 W to 10 E

Field = Callable[[np.ndarray, np.ndarray], np.ndarray]


@functools.cache
def _triangulation(level: int) -> Any:
    return scvt.uniform(level, tolerance=1e-4)


def box(depth: float | Field, level: int = 4) -> Mesh:
    """Makes a basin around 0N 0E of 8 by 20 degrees (latitude by longitude) with cells of 60 km, or 30 km
    with level 5.

    It is cut from G<level> after a conformal map of the sphere that concentrates points at 0N 0E; the map
    preserves circles, and thus the Delaunay triangulation.

    @param depth [m], a number or a function of latitude and longitude [rad]
    """
    uniform = _triangulation(level)
    strength = (_REFINEMENT**2 - 1) / (_REFINEMENT**2 + 1)
    mapped = np.hstack([strength + uniform.points[:, :1], np.sqrt(1 - strength**2) * uniform.points[:, 1:]])
    mapped /= 1 + strength * uniform.points[:, :1]
    whole = voronoi_mesh(triangulation_of(mapped, uniform.corners))
    inside = (np.abs(whole.cell_latitude) < NORTH) & (np.abs(signed(whole.cell_longitude)) < np.radians(10))
    mesh = cut(whole, inside.astype(np.uint8))
    values = depth(mesh.cell_latitude, mesh.cell_longitude) if callable(depth) else depth
    mesh.bottom_depth = np.broadcast_to(np.asarray(values, float), mesh.n_cells).copy()
    return mesh


def signed(radians: np.ndarray) -> np.ndarray:
    """Angles between -pi and pi."""
    return (radians + np.pi) % (2 * np.pi) - np.pi


def fraction(latitude: np.ndarray) -> np.ndarray:
    """Relative position between the southern (0) and the northern (1) boundary of a box."""
    return (latitude + NORTH) / (2 * NORTH)


def single_rank_model(mesh: Mesh, grid: wave.SpectralGrid, **options: Any) -> wave.Model:
    """Makes a model of a whole mesh in this process alone."""
    owners = np.zeros(mesh.n_cells, np.int32)
    return wave.Model(self_communicator(), LocalMesh(mesh, owners, 0, 2), grid, **options)


def propagate(model: wave.Model, time_s: float, limit_s: float) -> None:
    """Takes equal transport steps close to the stability limit."""
    n = int(np.ceil(time_s / (0.95 * limit_s)))
    for _ in range(n):
        model.transport(time_s / n)


def steady_state(
    mesh: Mesh,
    grid: wave.SpectralGrid,
    incoming: np.ndarray,
    *,
    time_s: float = 3e5,
    current: tuple[np.ndarray, np.ndarray] | None = None,
    **options: Any,
) -> np.ndarray:
    """Steady action (cell, frequency, direction) in a box with constant waves at the southern boundary.

    @param incoming action [m2 s2] (frequency, direction), or (cell, frequency, direction)
    @param current [m s-1] to the east and the north (cell)
    """
    model = single_rank_model(mesh, grid, great_circle=False, **options)
    if current is not None:
        model.set_water(None, *(each.astype(np.float32) for each in current))
    source = mesh.cell_latitude < -NORTH + 2 * SPACING / EARTH_RADIUS
    step_s = 0.95 * float(model.cfl_limits.min())
    for _ in range(int(time_s / step_s)):
        model.action[source] = incoming if incoming.ndim == 2 else incoming[source]
        model.transport(step_s)
    return model.action.astype(float)


def spread(grid: wave.SpectralGrid, towards: float, power: int) -> np.ndarray:
    """Directional distribution cos^power (direction) around the direction `towards` [degrees]."""
    return np.maximum(np.cos(np.array(grid.direction) - np.radians(towards)), 0) ** power


def unshadowed(mesh: Mesh) -> np.ndarray:
    """Flags of the cells away from the inflow and from the shadow zones of the lateral boundaries."""
    east = np.degrees(signed(mesh.cell_longitude))
    return (east > 3) & (east < 6) & (mesh.cell_latitude > -NORTH + 0.02)
