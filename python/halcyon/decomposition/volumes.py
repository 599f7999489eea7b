"""Who receives how much from whom in a halo exchange."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from halcyon._core import decomposition as core
from halcyon._core import schedule as walked

if TYPE_CHECKING:
    from halcyon._core.schedule import Schedule
    from halcyon.mesh import Mesh


@dataclass(frozen=True)
class Volumes:
    """A sparse matrix with a row a receiving rank, all int64: rank r hears from
    `peers[offsets[r]:offsets[r + 1]]`, ascending, by so many `messages` of so many `bytes` in all."""

    offsets: np.ndarray
    peers: np.ndarray
    messages: np.ndarray
    bytes: np.ndarray

    @property
    def n_ranks(self) -> int:
        return len(self.offsets) - 1

    @property
    def receivers(self) -> np.ndarray:
        """The rank that receives, beside `peers`, which sends."""
        return np.repeat(np.arange(self.n_ranks), np.diff(self.offsets))

    def received(self, values: np.ndarray) -> np.ndarray:
        """Sums (rank) of `messages` or `bytes` over what each rank receives. That of bytes, times the steps,
        is V of Eq. 2 of Pang et al. (2025)."""
        return _sums(self.receivers, values, self.n_ranks)

    def sent(self, values: np.ndarray) -> np.ndarray:
        """Sums (rank) over what each rank sends."""
        return _sums(self.peers, values, self.n_ranks)

    def is_symmetric(self) -> bool:
        """Whether every rank hears from just those to whom it sends, as with any halo."""
        there = self.receivers * self.n_ranks + self.peers
        back = self.peers * self.n_ranks + self.receivers
        return np.array_equal(there, np.sort(back))


def halo_volumes(
    mesh: Mesh,
    owners: np.ndarray,
    ranks: int,
    *,
    layers: int = 1,
    cell_bytes: int = 0,
    edge_bytes: int = 0,
    vertex_bytes: int = 0,
) -> Volumes:
    """What one exchange of a group of fields brings to each rank, on all processors.

    owners: the rank that owns each cell. *_bytes: of all fields of the group at one cell, edge, vertex.
    Raises ConfigError for fewer ranks or layers than 1, InputError for owners that are no such ranks."""
    found = core.halo_volumes(
        mesh,
        np.ascontiguousarray(owners, np.int32),
        ranks,
        n_layers=layers,
        cell_bytes=cell_bytes,
        edge_bytes=edge_bytes,
        vertex_bytes=vertex_bytes,
    )
    return Volumes(*(np.asarray(values, np.int64) for values in found))


def schedule_volumes(schedule: Schedule, *, threads: int = 1) -> Volumes:
    """What one run of any schedule brings to each rank, found by walking through its operations."""
    return Volumes(*(np.asarray(values, np.int64) for values in walked.volumes(schedule, threads)))


def _sums(ranks: np.ndarray, values: np.ndarray, n_ranks: int) -> np.ndarray:
    sums = np.zeros(n_ranks, np.int64)
    np.add.at(sums, ranks, values)
    return sums
