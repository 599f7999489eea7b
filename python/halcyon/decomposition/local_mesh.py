"""The part of a mesh on one rank, and the areas of the part: inner, boundary and halo cells."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon._core.decomposition import Decomposition, LocalMesh, MeshFile, Slice
from halcyon.base import InputError

if TYPE_CHECKING:
    from mpi4py import MPI


def decompose(
    comm: MPI.Comm, slice: Slice, owners: np.ndarray | None = None, layers: int = 1
) -> Decomposition:
    """Collective. Returns the part of a mesh on this rank. Each rank passes its slice, a block of consecutive
    cells, so that work and memory scale with the slice and the part. (Neighbours are found by the nonblocking
    consensus of Hoefler et al. 2010.)

    owners: the rank that owns each cell of the slice, int32 (cell). If it is None on all ranks, METIS chooses
    the owners on rank 0, which gathers the graph of the cells.

    Raises InputError or ConfigError, on all ranks, for an invalid slice, owner or number of layers.
    """
    from halcyon.comm import communicator

    core_comm = communicator(comm)
    of_slice: Any = owners
    if not comm.allreduce(owners is not None):
        of_slice = slice.partition(core_comm)
    return slice.decompose(core_comm, of_slice, layers)


def read_local_mesh(
    comm: MPI.Comm,
    path: str,
    *,
    layers: int = 1,
    method: str = "kway",
    seed: int = 1,
    owners: np.ndarray | None = None,
) -> LocalMesh:
    """Collective. Reads the part of this rank, with its halo layers, of a mesh file that Halcyon wrote
    (`halcyon.mesh.write_mpas`). Each rank reads a slice of the file, then its part; only rank 0 gathers the
    graph of the cells, for METIS (as in GRIST, Liu et al. 2020, 2.1; neighbours are found by the nonblocking
    consensus of Hoefler et al. 2010).

    method: "kway" or "recursive" of METIS. seed: seed of METIS' random numbers. owners: instead of METIS, the
    rank that owns each cell, int32 (cell), on rank 0; None on other ranks.

    Raises InputError for invalid files and owners, ConfigError for invalid options of METIS, on all ranks.
    """
    from halcyon.comm import communicator

    core_comm = communicator(comm)
    file = MeshFile(core_comm, str(path))
    slice = file.slice()
    if comm.bcast(owners is not None, root=0):
        block_owners = _scatter_owners(comm, owners, file.n_cells)
    else:
        block_owners = slice.partition(core_comm, method=method, seed=seed)
    return file.local_mesh(slice.decompose(core_comm, block_owners, layers))


def _scatter_owners(comm: MPI.Comm, owners: np.ndarray | None, n_cells: int) -> np.ndarray:
    """Collective. Sends each rank the owners of the cells in its block, from rank 0."""
    n_owners = comm.bcast(0 if owners is None else len(owners), root=0)
    if n_owners != n_cells:
        raise InputError(
            f"There are {n_owners} owners of the {n_cells} cells of the mesh. Give one per cell."
        )
    blocks = None
    if owners is not None:
        blocks = [owners[n_cells * r // comm.size : n_cells * (r + 1) // comm.size] for r in range(comm.size)]
    return comm.scatter(blocks, root=0)


@dataclass(frozen=True)
class Areas:
    """The cells of a rank (global ids, int64) by area (as in GRIST, Liu et al. 2020, 2.1).

    inner: owned cells whose neighbours are all owned; boundary: the other owned cells. inner and boundary are
    in the order of the mesh. layers: halo layers from inside to outside, each sorted by owner, then id."""

    inner: np.ndarray
    boundary: np.ndarray
    layers: tuple[np.ndarray, ...]

    @property
    def owned(self) -> np.ndarray:
        """Inner and boundary cells."""
        return np.concatenate([self.inner, self.boundary])


def areas_of(part: Decomposition) -> Areas:
    """Returns the areas of the part of a rank."""
    cells = np.asarray(part.cells.to_global)
    return Areas(
        cells[: part.n_inner],
        cells[part.n_inner : part.cells.n_owned],
        tuple(cells[begin:end] for begin, end in pairwise(part.cells.layer_offsets)),
    )


@dataclass(frozen=True)
class EntityAreas:
    """The edges or vertices of a rank (global ids, int64) by area: owned, and each halo layer.

    kind: `edges` or `vertices`."""

    kind: str
    owned: np.ndarray
    layers: tuple[np.ndarray, ...]


def entity_areas_of(part: Decomposition, kind: str) -> EntityAreas:
    """Returns the `edges` or `vertices` of the part of a rank."""
    index_map = getattr(part, kind)
    ids = np.asarray(index_map.to_global)
    layers = tuple(ids[begin:end] for begin, end in pairwise(index_map.layer_offsets))
    return EntityAreas(kind, ids[: index_map.n_owned], layers)
