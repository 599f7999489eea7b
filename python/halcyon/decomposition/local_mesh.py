"""A rank's part of a mesh, and what becomes of its cells, edges and vertices: inner, boundary, halo."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from halcyon._core.decomposition import Decomposition, LocalMesh, MeshFile, Slice
from halcyon.base import InputError

if TYPE_CHECKING:
    from mpi4py import MPI


def decompose(
    comm: MPI.Comm, slice: Slice, owners: np.ndarray | None = None, layers: int = 1
) -> Decomposition:
    """Collective. This rank's part of a mesh from a slice on each rank: work and memory are those of a slice
    and a part. (Neighbours by the nonblocking consensus of Hoefler et al. 2010.)

    owners: the rank int32 (cell of this rank's block) of each cell; None on all ranks: as METIS on rank 0,
    which alone sees the graph, has them.

    Raises InputError and ConfigError, on all ranks, for slices, owners and layers that cannot be.
    """
    from halcyon.comm import communicator

    core_comm = communicator(comm)
    if not comm.allreduce(owners is not None):
        owners = slice.partition(core_comm)
    return slice.decompose(core_comm, owners, layers)


def read_local_mesh(
    comm: MPI.Comm,
    path: str,
    *,
    layers: int = 1,
    method: str = "kway",
    seed: int = 1,
    owners: np.ndarray | None = None,
) -> LocalMesh:
    """Collective. This rank's part of a mesh file that Halcyon wrote (`halcyon.mesh.write_mpas`), with its
    halo layers. Each rank reads a slice of the file, then what it needs; rank 0 alone sees the graph of the
    cells, for METIS. (Liu et al., GRIST infrastructure, 2.1; neighbours by the nonblocking consensus of
    Hoefler et al. 2010.)

    method: "kway" or "recursive", of METIS. seed: of METIS' random choices. owners: instead, on rank 0, the
    rank int32 (cell) of each cell; None on the others.

    Raises InputError for another kind of file or owners, ConfigError for what METIS cannot do, on all ranks.
    """
    from halcyon.comm import communicator

    core_comm = communicator(comm)
    file = MeshFile(core_comm, str(path))
    pieces = file.slice()
    if comm.bcast(owners is not None, root=0):
        mine = _scattered(comm, owners, file.n_cells)
    else:
        mine = pieces.partition(core_comm, method=method, seed=seed)
    return file.local_mesh(pieces.decompose(core_comm, mine, layers))


def _scattered(comm: MPI.Comm, owners: np.ndarray | None, n_cells: int) -> np.ndarray:
    """Collective. The owners of each rank's block of the cells, from rank 0."""
    n_owners = comm.bcast(0 if owners is None else len(owners), root=0)
    if n_owners != n_cells:
        raise InputError(f"There are {n_owners} owners of the {n_cells} cells of the mesh.")
    blocks = None
    if owners is not None:
        blocks = [owners[n_cells * r // comm.size : n_cells * (r + 1) // comm.size] for r in range(comm.size)]
    return comm.scatter(blocks, root=0)


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
