"""One rank's cells: inner, boundary, and the layers of its halo."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from halcyon._core import decomposition as core
from halcyon.base import ConfigError

if TYPE_CHECKING:
    from halcyon.mesh import Mesh


@dataclass(frozen=True)
class Part:
    """The cells of the mesh, int64, that a rank owns and that its halo has.

    inner: owned, all of whose neighbours are owned; boundary: the other owned; both in the mesh's order.
    layers: of the halo, from the rank outwards, each by owner, then cell."""

    inner: np.ndarray
    boundary: np.ndarray
    layers: tuple[np.ndarray, ...]


def decompose(mesh: Mesh, owners: np.ndarray, rank: int, *, layers: int = 1) -> Part:
    """The part of a rank of any run, found without its other ranks.

    owners: the rank that owns each cell.
    Raises ConfigError for a rank that owns no cell and fewer layers than 1."""
    owners = np.ascontiguousarray(owners, np.int32)
    if not (owners == rank).any():
        raise ConfigError(f"Rank {rank} owns no cell. Give one of the ranks 0 to {owners.max()}.")
    cells, n_inner, starts = core.decompose(mesh, owners, rank, n_layers=layers)
    return Part(
        cells[:n_inner],
        cells[n_inner : starts[0]],
        tuple(cells[first:last] for first, last in pairwise(starts)),
    )
