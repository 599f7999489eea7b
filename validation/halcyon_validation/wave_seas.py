"""Small seas for the validation of transport, and waves that come into them for ever."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from halcyon import wave
from halcyon.base import EARTH_RADIUS
from halcyon.decomposition import LocalMesh
from halcyon.mesh import Mesh, cut, scvt, triangulation_of, voronoi_mesh
from halcyon_validation.globe_runs import alone

_CLOSER = 8  # cells near 0N 0E are so much smaller than those of G4
SPACING = 480e3 / _CLOSER  # [m]
NORTH = np.radians(4)  # of a box; it reaches as far to the south, and 10 degrees to the east and west

Field = Callable[[np.ndarray, np.ndarray], np.ndarray]


@functools.cache
def _triangulation() -> Any:
    return scvt.uniform(4, tolerance=1e-4)


def box(depth: float | Field) -> Mesh:
    """A sea around 0N 0E, 8 degrees from south to north and 20 from west to east, its cells 60 km wide.

    It is cut from G4 after a conformal map of the sphere that draws points closer to 0N 0E; the map keeps
    circles, and with them the Delaunay triangles.

    @param depth [m], a number or a function of latitude and longitude [rad]
    """
    g4 = _triangulation()
    pull = (_CLOSER**2 - 1) / (_CLOSER**2 + 1)
    drawn = np.hstack([pull + g4.points[:, :1], np.sqrt(1 - pull**2) * g4.points[:, 1:]])
    drawn /= 1 + pull * g4.points[:, :1]
    whole = voronoi_mesh(triangulation_of(drawn, g4.corners))
    inside = (np.abs(whole.cell_latitude) < NORTH) & (np.abs(signed(whole.cell_longitude)) < np.radians(10))
    mesh = cut(whole, inside.astype(np.uint8))
    values = depth(mesh.cell_latitude, mesh.cell_longitude) if callable(depth) else depth
    mesh.bottom_depth = np.broadcast_to(np.asarray(values, float), mesh.n_cells).copy()
    return mesh


def signed(radians: np.ndarray) -> np.ndarray:
    """Angles between -pi and pi."""
    return (radians + np.pi) % (2 * np.pi) - np.pi


def fraction(latitude: np.ndarray) -> np.ndarray:
    """The way from the southern side of a box, 0, to its northern, 1."""
    return (latitude + NORTH) / (2 * NORTH)


def one_rank(mesh: Mesh, grid: wave.SpectralGrid, **options: Any) -> wave.Model:
    """A model of a whole mesh on this process alone."""
    owners = np.zeros(mesh.n_cells, np.int32)
    return wave.Model(alone(), LocalMesh(mesh, owners, 0, 2), grid, **options)


def travel(model: wave.Model, time_s: float, limit_s: float) -> None:
    """Equal steps of transport, nearly as long as the limit."""
    n = int(np.ceil(time_s / (0.95 * limit_s)))
    for _ in range(n):
        model.transport(time_s / n)


def steady(
    mesh: Mesh,
    grid: wave.SpectralGrid,
    incoming: np.ndarray,
    *,
    time_s: float = 3e5,
    current: tuple[np.ndarray, np.ndarray] | None = None,
    **options: Any,
) -> np.ndarray:
    """The action (cell, frequency, direction) of a box into which waves come from the south for ever.

    @param incoming action [m2 s2] (frequency, direction), or (cell, frequency, direction)
    @param current [m s-1] to the east and the north (cell)
    """
    model = one_rank(mesh, grid, great_circle=False, **options)
    if current is not None:
        model.set_water(None, *(each.astype(np.float32) for each in current))
    source = mesh.cell_latitude < -NORTH + 2 * SPACING / EARTH_RADIUS
    step_s = 0.95 * float(model.cfl_limits.min())
    for _ in range(int(time_s / step_s)):
        model.action[source] = incoming if incoming.ndim == 2 else incoming[source]
        model.transport(step_s)
    return model.action.astype(float)


def spread(grid: wave.SpectralGrid, towards: float, power: int) -> np.ndarray:
    """A cosine to a power around a direction [degrees] (direction)."""
    return np.maximum(np.cos(np.array(grid.direction) - np.radians(towards)), 0) ** power


def lit(mesh: Mesh) -> np.ndarray:
    """Cells north of where waves come in and out of the shadows of the sides."""
    east = np.degrees(signed(mesh.cell_longitude))
    return (east > 3) & (east < 6) & (mesh.cell_latitude > -NORTH + 0.02)
