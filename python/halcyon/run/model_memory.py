"""What a model on a mesh takes of memory, before it is run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halcyon._core.wave import wave_variables

if TYPE_CHECKING:
    from halcyon.mesh import Mesh

SPECTRUM = ("cell", "frequency", "direction")
ATMOSPHERE_LEVELS = 30
# Assumed of a nonhydrostatic C-grid model: mass, potential temperature, vertical wind, geopotential, pressure
# and three kinds of water in cells, wind on edges; each of them old, new and tendency, in doubles.
_OF_CELLS, _OF_EDGES, _COPIES, _DOUBLE = 8, 1, 3, 8
_FLOAT = 4
_OLD_AND_NEW = 2
_LANES = 8  # directions that are computed with at once
_OF_FREQUENCIES = 9 * _FLOAT + 1  # (cell, frequency): dispersion, rates of turning, whether it is explicit
_OF_DIRECTIONS = 9 * _FLOAT  # (cell, direction): outflow, its reach, what turns on
_OF_EDGES_OF_CELLS = 152  # (cell, edge)
_ENTRY, _EXCHANGE = 68, 36  # (cell, edge, lanes)
_SLOPES = 3 * _FLOAT
_FRONT = 3.0  # cells whose slopes are held at once, over the root of their number


def wave_memory(mesh: Mesh, frequencies: int, directions: int) -> int:
    """Bytes that the wave model holds on one rank, about: its state from the table of variables, the tables
    of dispersion and of transport (`Model::memory_bytes`)."""
    states = sum(tuple(variable.dimensions) == SPECTRUM for variable in wave_variables())
    n_cells, n_inflows = mesh.n_cells, int(np.count_nonzero(mesh.cells_on_cell >= 0))
    bins, blocks = frequencies * directions, -(-directions // _LANES)
    crossed = min(1.0, 0.5 + _LANES / directions)  # of the blocks that waves of an edge come in
    bytes_of_cells = (
        bins * states * _OLD_AND_NEW * _FLOAT + frequencies * _OF_FREQUENCIES + directions * _OF_DIRECTIONS
    )
    bytes_of_inflows = _OF_EDGES_OF_CELLS + blocks * (crossed * _ENTRY + _EXCHANGE)
    slopes = _FRONT * np.sqrt(n_cells) * bins * _SLOPES
    return int(n_cells * bytes_of_cells + n_inflows * bytes_of_inflows + slopes)


def atmosphere_memory(mesh: Mesh, levels: int = ATMOSPHERE_LEVELS) -> int:
    """Bytes of an atmosphere model of the assumed variables."""
    return _DOUBLE * _COPIES * levels * (_OF_CELLS * mesh.n_cells + _OF_EDGES * mesh.n_edges)
