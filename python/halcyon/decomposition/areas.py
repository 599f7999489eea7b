"""A rank's cells by what becomes of them: inner, boundary, and the layers of its halo."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from halcyon._core.decomposition import Decomposition


@dataclass(frozen=True)
class Areas:
    """Cells of the mesh, int64, after Liu et al., GRIST infrastructure, 2.1.

    inner: owned, all of whose neighbours are owned; boundary: the other owned; both in the mesh's order.
    layers: of the halo, from the rank outwards, each by owner, then cell."""

    inner: np.ndarray
    boundary: np.ndarray
    layers: tuple[np.ndarray, ...]

    @property
    def owned(self) -> np.ndarray:
        """Inner and boundary cells."""
        return np.concatenate([self.inner, self.boundary])


def areas_of(part: Decomposition) -> Areas:
    """The areas of a rank's part."""
    cells = np.asarray(part.cells.to_global)
    return Areas(
        cells[: part.n_inner],
        cells[part.n_inner : part.cells.n_owned],
        tuple(cells[first:last] for first, last in pairwise(part.cells.layer_offsets)),
    )
