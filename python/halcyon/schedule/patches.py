"""Neighbours of compact patches, the parts of a large mesh."""

from __future__ import annotations

import math

import numpy as np

N_NEIGHBOURS = 6  # number of neighbours of a hexagonal patch


def patch_neighbours(ranks: int) -> np.ndarray:
    """The ranks (rank, 6), ascending, whose patches adjoin that of a rank: equal hexagonal patches on a torus
    with helical boundaries (the end of each row adjoins the next row). Patches are numbered along a Morton
    curve: neighbours have similar numbers, as with METIS' recursive bisection. ranks: 7 or more."""
    columns = round(math.sqrt(ranks))
    position = np.arange(ranks)  # of a patch, row by row
    rank_at = np.empty(ranks, np.int64)  # (position)
    rank_at[np.argsort(_morton(position % columns, position // columns), kind="stable")] = position
    peers = np.empty((ranks, N_NEIGHBOURS), np.int64)
    for i, offset in enumerate((1, -1, columns, -columns, columns - 1, 1 - columns)):
        peers[rank_at, i] = rank_at[(position + offset) % ranks]
    peers.sort(axis=1)
    return peers


def _morton(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Interleaves the bits of both coordinates: the position along a Morton curve."""
    key = np.zeros(len(x), np.int64)
    for bit in range(31):
        key |= ((x >> bit) & 1) << (2 * bit) | ((y >> bit) & 1) << (2 * bit + 1)
    return key
