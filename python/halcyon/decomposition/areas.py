"""A rank's cells by what becomes of them: inner, boundary, layers of the halo; its edges and vertices."""

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


@dataclass(frozen=True)
class Places:
    """A rank's `edges` or `vertices` (kind), int64: those that it owns, and the layers of its halo."""

    kind: str
    owned: np.ndarray
    layers: tuple[np.ndarray, ...]


def places_of(part: Decomposition, kind: str) -> Places:
    """The `edges` or `vertices` of a rank's part."""
    share = getattr(part, kind)
    ids = np.asarray(share.to_global)
    layers = tuple(ids[first:last] for first, last in pairwise(share.layer_offsets))
    return Places(kind, ids[: share.n_owned], layers)
