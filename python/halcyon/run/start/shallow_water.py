"""Shallow water of a file on the cells and edges of a mesh."""

from __future__ import annotations

import numpy as np

from halcyon.base import InputError
from halcyon.run.start.quantities import EASTWARD, GROUND_HEIGHT, NORTHWARD, SURFACE_HEIGHT
from halcyon.run.start.source import Gathered, Source, Variable
from halcyon.run.start.target import Outlines, Target, ground_of


def require_shallow_water(source: Source) -> list[Variable]:
    """The height of the surface and the wind of a file. Raises InputError where one is missing."""
    return [source.required(SURFACE_HEIGHT), *require_wind(source)]


def require_wind(source: Source) -> list[Variable]:
    """The wind of a file, without levels. Raises InputError where it is missing."""
    return [source.required(each) for each in (EASTWARD, NORTHWARD)]


def water_of(
    source: Source, points: np.ndarray, outlines: Outlines, ground: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The heights [m] (point) of the surface and of the ground, by default that of the file.

    Raises InputError where the file lacks something, or the ground rises above the surface."""
    variable, topography = source.required(SURFACE_HEIGHT), source.variable(GROUND_HEIGHT)
    surface = Gathered(source, points).field(variable)
    if ground is None and topography is not None:
        ground = ground_of(source, topography, outlines)
    if ground is None:
        ground = np.zeros(len(surface))
    if not np.all(surface > ground):
        raise InputError(
            f"{variable.place} is not above the ground everywhere. Give another file: shallow water"
            " needs some depth in every cell."
        )
    return surface, ground


def shallow_water_of(
    source: Source, target: Target, ground: np.ndarray | None = None
) -> dict[str, np.ndarray]:
    """What `Core.set_state` takes; ground: its height [m] (local cell), by default that of the file. Raises
    InputError where the file lacks something, or the ground rises above the surface."""
    surface, ground = water_of(source, target.cell_points, target.outlines, ground)
    wind = require_wind(source)
    if not len(target.edge_points):
        across = np.empty((0, 1))
    else:
        across = Gathered(source, target.edge_points).across(*wind, target.edge_normals)
    return {"ground": ground, "surface": surface[: target.n_cells], "wind": across}
