"""Estimates of the memory of a model on a mesh, before a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halcyon._core.wave import wave_variables

if TYPE_CHECKING:
    from halcyon.mesh import Mesh

SPECTRUM = ("cell", "frequency", "direction")
ATMOSPHERE_LEVELS = 30  # assumed number of levels
# Assumed nonhydrostatic C-grid model: mass, potential temperature, vertical wind, geopotential, pressure and
# three water species in cells, wind on edges; three copies of each in double precision: old value, new value
# and tendency.
_CELL_VARIABLES, _EDGE_VARIABLES, _COPIES = 8, 1, 3
_FLOAT_BYTES, _DOUBLE_BYTES = 4, 8
_OLD_AND_NEW = 2  # values of the state variables
_LANES = 8  # directions per SIMD block
# Bytes of the wave model's tables, by their dimensions.
# (cell, frequency): dispersion, refraction rates, flag of explicit turning
_PER_FREQUENCY = 8 * _FLOAT_BYTES + 1
_PER_DIRECTION = 9 * _FLOAT_BYTES  # (cell, direction): tables of outflow, extents and turning in FlowTables
_PER_CELL_EDGE = 152  # (cell, edge)
_FLOW_ENTRY, _DIFFUSION_ENTRY = 68, 36  # (cell, edge, SIMD block of directions)
_SLOPES = 3 * _FLOAT_BYTES  # (cell with slopes, frequency, direction)
_SLOPE_CELLS_PER_ROOT = 3.0  # slopes are stored for about 3 sqrt(n_cells) cells


def wave_memory(mesh: Mesh, frequencies: int, directions: int) -> int:
    """Approximate bytes of the wave model on one rank: the state variables, and the tables of dispersion and
    of transport. An estimate of `Model::memory_bytes` in C++."""
    states = sum(tuple(variable.dimensions) == SPECTRUM for variable in wave_variables())
    n_cells, n_neighbours = mesh.n_cells, int(np.count_nonzero(mesh.cells_on_cell >= 0))
    bins, blocks = frequencies * directions, -(-directions // _LANES)
    # Share of blocks with waves entering across an edge: half the directions, and the rest of their blocks.
    incoming_share = min(1.0, 0.5 + _LANES / directions)
    bytes_per_cell = (
        bins * states * _OLD_AND_NEW * _FLOAT_BYTES
        + frequencies * _PER_FREQUENCY
        + directions * _PER_DIRECTION
    )
    bytes_per_neighbour = _PER_CELL_EDGE + blocks * (incoming_share * _FLOW_ENTRY + _DIFFUSION_ENTRY)
    slopes = _SLOPE_CELLS_PER_ROOT * np.sqrt(n_cells) * bins * _SLOPES
    return int(n_cells * bytes_per_cell + n_neighbours * bytes_per_neighbour + slopes)


def atmosphere_memory(mesh: Mesh, levels: int = ATMOSPHERE_LEVELS) -> int:
    """Bytes of an atmosphere model with the assumed variables."""
    return (
        _DOUBLE_BYTES * _COPIES * levels * (_CELL_VARIABLES * mesh.n_cells + _EDGE_VARIABLES * mesh.n_edges)
    )
