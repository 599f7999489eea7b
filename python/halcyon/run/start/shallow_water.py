"""Interpolates a shallow water state from a file to the cells and edges of a mesh."""

from __future__ import annotations

import numpy as np

from halcyon.base import InputError
from halcyon.run.start.quantities import EASTWARD, GROUND_HEIGHT, NORTHWARD, SURFACE_HEIGHT
from halcyon.run.start.source import Source, SourceInterpolator, Variable
from halcyon.run.start.target import CellPolygons, TargetMesh, cell_orography


def require_shallow_water(source: Source) -> list[Variable]:
    """The variables of surface height and wind. Raises InputError if one is missing."""
    return [source.require_variable(SURFACE_HEIGHT), *require_wind(source)]


def require_wind(source: Source) -> list[Variable]:
    """The wind variables, without levels. Raises InputError if one is missing."""
    return [source.require_variable(component) for component in (EASTWARD, NORTHWARD)]


def shallow_water_heights(
    source: Source, points: np.ndarray, polygons: CellPolygons, ground: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The heights [m] (point) of the fluid surface and of the orography.

    ground: orography (point), by default from the file, or 0 if the file has none. Raises InputError if a
    variable is missing, or the orography is above the surface."""
    surface_variable, ground_variable = (
        source.require_variable(SURFACE_HEIGHT),
        source.variable(GROUND_HEIGHT),
    )
    surface = SourceInterpolator(source, points).field(surface_variable)
    if ground is None and ground_variable is not None:
        ground = cell_orography(source, ground_variable, polygons)
    if ground is None:
        ground = np.zeros(len(surface))
    if not np.all(surface > ground):
        raise InputError(
            f"{surface_variable.label} is not above the orography everywhere. Give another file: shallow"
            " water needs a positive depth in every cell."
        )
    return surface, ground


def shallow_water_state(
    source: Source, target: TargetMesh, ground: np.ndarray | None = None
) -> dict[str, np.ndarray]:
    """The arguments of `Core.set_state`; ground: height of the orography [m] (local cell), by default from
    the file. Raises InputError if a variable is missing, or the orography is above the surface."""
    surface, ground = shallow_water_heights(source, target.cell_points, target.polygons, ground)
    eastward, northward = require_wind(source)
    if not len(target.edge_points):
        normal_wind = np.empty((0, 1))
    else:
        interpolator = SourceInterpolator(source, target.edge_points)
        normal_wind = interpolator.component(eastward, northward, target.edge_normals)
    return {"ground": ground, "surface": surface[: target.n_cells], "wind": normal_wind}
