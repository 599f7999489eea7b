"""Shallow water of a file on the cells and edges of a mesh."""

from __future__ import annotations

import numpy as np

from halcyon.base import InputError
from halcyon.run.start_file.ground import ground_of
from halcyon.run.start_file.quantities import EASTWARD, GROUND_HEIGHT, NORTHWARD, SURFACE_HEIGHT
from halcyon.run.start_file.source import Gathered, Source
from halcyon.run.start_file.target import Target
from halcyon.run.start_file.variables import Variable


def require_shallow_water(source: Source) -> list[Variable]:
    """The height of the surface and the wind of a file. Raises InputError where one is missing."""
    return [source.required(each) for each in (SURFACE_HEIGHT, EASTWARD, NORTHWARD)]


def shallow_water_of(
    source: Source, target: Target, ground: np.ndarray | None = None
) -> dict[str, np.ndarray]:
    """What `Core.set_state` takes; ground: its height [m] (local cell), by default that of the file. Raises
    InputError where the file lacks something, or the ground rises above the surface."""
    variables = require_shallow_water(source)
    topography = source.variable(GROUND_HEIGHT)
    at = Gathered(source, target.cell_points)
    surface = at.field(variables[0])
    if ground is None and topography is not None:
        ground = ground_of(source, topography, target.outlines)
    if ground is None:
        ground = np.zeros(len(surface))
    if not np.all(surface > ground):
        raise InputError(
            f"{variables[0].place} is not above the ground everywhere. Give another file: shallow water"
            " needs some depth in every cell."
        )
    if not len(target.edge_points):
        wind = np.empty((0, 1))
    else:
        wind = Gathered(source, target.edge_points).across(*variables[1:], target.edge_normals)
    return {"ground": ground, "surface": surface[: target.n_cells], "wind": wind}
