"""Communication matrices: messages and bytes between each pair of ranks in an exchange."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from halcyon._core import decomposition as core
from halcyon._core import schedule as core_schedule

if TYPE_CHECKING:
    from halcyon._core.schedule import Schedule
    from halcyon.mesh import Mesh


@dataclass(frozen=True)
class Volumes:
    """A sparse communication matrix with one row per receiving rank (int64 arrays). Row r has the entries
    offsets[r] to offsets[r + 1] - 1: rank r receives `messages[i]` messages with `bytes[i]` bytes from rank
    `peers[i]`; peers of a row ascend."""

    offsets: np.ndarray
    peers: np.ndarray
    messages: np.ndarray
    bytes: np.ndarray

    @property
    def n_ranks(self) -> int:
        return len(self.offsets) - 1

    @property
    def receivers(self) -> np.ndarray:
        """The receiving rank of each entry; `peers` are the sending ranks."""
        return np.repeat(np.arange(self.n_ranks), np.diff(self.offsets))

    def received(self, values: np.ndarray) -> np.ndarray:
        """Returns the number of `messages` or `bytes` (values) that each rank receives, (rank). The sum of
        bytes, times the number of steps, is V of Eq. 2 of Pang et al. (2025)."""
        return _sums(self.receivers, values, self.n_ranks)

    def sent(self, values: np.ndarray) -> np.ndarray:
        """Returns the number of `messages` or `bytes` (values) that each rank sends, (rank)."""
        return _sums(self.peers, values, self.n_ranks)

    def is_symmetric(self) -> bool:
        """Whether every rank receives from exactly the ranks to which it sends, as in halo exchanges."""
        pairs = self.receivers * self.n_ranks + self.peers
        reverse_pairs = self.peers * self.n_ranks + self.receivers
        return np.array_equal(pairs, np.sort(reverse_pairs))


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
    """Returns the communication matrix of one halo exchange of a group of fields. Uses all processors.

    owners: the rank that owns each cell. cell_bytes, edge_bytes, vertex_bytes: bytes of all fields of the
    group per cell, edge and vertex. Raises ConfigError for fewer than 1 rank or layer, InputError for invalid
    owners."""
    arrays = core.halo_volumes(
        mesh,
        np.ascontiguousarray(owners, np.int32),
        ranks,
        n_layers=layers,
        cell_bytes=cell_bytes,
        edge_bytes=edge_bytes,
        vertex_bytes=vertex_bytes,
    )
    return Volumes(*(np.asarray(values, np.int64) for values in arrays))


def schedule_volumes(schedule: Schedule, *, threads: int = 1) -> Volumes:
    """Returns the communication matrix of any schedule, from its operations."""
    return Volumes(*(np.asarray(values, np.int64) for values in core_schedule.volumes(schedule, threads)))


def _sums(ranks: np.ndarray, values: np.ndarray, n_ranks: int) -> np.ndarray:
    """Returns the sum of the values of each rank. ranks: rank of each value."""
    sums = np.zeros(n_ranks, np.int64)
    np.add.at(sums, ranks, values)
    return sums
