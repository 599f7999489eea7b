"""What a model on a mesh takes of memory, before it is run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from halcyon.mesh import Mesh

SPECTRUM = ("cell", "frequency", "direction")
ATMOSPHERE_LEVELS = 30
# Assumed of a nonhydrostatic C-grid model: mass, potential temperature, vertical wind, geopotential, pressure
# and three kinds of water in cells, wind on edges; each of them old, new and tendency, in doubles.
_OF_CELLS, _OF_EDGES, _COPIES, _DOUBLE = 8, 1, 3, 8
_FLOAT = 4
_OLD_AND_NEW = 2
_DISPERSION_TABLES = 5  # (cell, frequency)
_PER_INFLOW = 2  # (inflow, direction): weight, swept angle
_PER_CELL_DIRECTION = 5  # outflow, and two of those that grow and two of those that shrink on the way in
_TURNING = 2  # (cell, frequency)


def wave_memory(mesh: Mesh, frequencies: int, directions: int) -> int:
    """Bytes that the wave model holds on one rank: its state from the table of variables, the tables of
    dispersion and of transport (`Model::memory_bytes`)."""
    from halcyon._core.wave import wave_variables

    states = sum(tuple(variable.dimensions) == SPECTRUM for variable in wave_variables())
    n_cells, n_inflows = mesh.n_cells, int(np.count_nonzero(mesh.cells_on_cell >= 0))
    numbers = n_cells * frequencies * (states * _OLD_AND_NEW * directions + _DISPERSION_TABLES + _TURNING)
    numbers += directions * (n_inflows * _PER_INFLOW + n_cells * _PER_CELL_DIRECTION) + n_cells
    return _FLOAT * numbers + n_cells * frequencies


def atmosphere_memory(mesh: Mesh, levels: int = ATMOSPHERE_LEVELS) -> int:
    """Bytes of an atmosphere model of the assumed variables."""
    return _DOUBLE * _COPIES * levels * (_OF_CELLS * mesh.n_cells + _OF_EDGES * mesh.n_edges)
