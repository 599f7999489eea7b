"""The self-test of `halcyon doctor` on two ranks: an allreduce, a partition, and a file written and read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mpi4py import MPI

N_CELLS = 40


def self_test(comm: MPI.Comm, folder: Path) -> None:
    """Collective. Raises RunError if two ranks do not work together; `folder` is the same on both ranks."""
    from halcyon.base import RunError

    total = comm.allreduce(comm.rank + 1)
    if (comm.size, total) != (2, 3):
        raise RunError(f"mpirun -n 2 started {comm.size} ranks, whose allreduce gave {total} instead of 3.")
    owners = _owners(comm.size)
    if comm.allreduce(int((owners == comm.rank).sum())) != N_CELLS or len(set(owners)) != comm.size:
        raise RunError(f"the partition of {N_CELLS} cells does not assign each cell to one of two ranks.")
    path = folder / "self_test.nc"
    _write(comm, path, np.flatnonzero(owners == comm.rank))
    comm.Barrier()
    if not np.array_equal(_read(path), _values(np.arange(N_CELLS))):
        raise RunError(f"rank {comm.rank} reads other values from {folder} than the two ranks wrote.")


def _owners(n_ranks: int) -> np.ndarray:
    """The owner of each cell of a ring, computed by METIS."""
    from halcyon import graph

    cells = np.arange(N_CELLS)
    neighbours = np.column_stack([(cells - 1) % N_CELLS, (cells + 1) % N_CELLS])
    offsets = np.arange(0, 2 * N_CELLS + 1, 2)
    return graph.partition(offsets.astype(np.int32), neighbours.ravel().astype(np.int32), n_ranks)


def _write(comm: MPI.Comm, path: Path, cells: np.ndarray) -> None:
    from halcyon.comm import communicator
    from halcyon.io import IoOptions, Placement, Schema, Type, Writer, io_ranks

    ranks = io_ranks(communicator(comm), IoOptions(layout="box", ranks=2), n_bytes=0)
    schema = Schema()
    schema.dimension("cell", N_CELLS)
    schema.variable("value", Type.float64, ["cell"])
    writer = Writer(ranks, str(path), schema, 0)
    writer.write(-1, Placement(ranks, cells.astype(np.int64), N_CELLS), [("value", _values(cells))])
    writer.close()
    writer.wait()


def _read(path: Path) -> np.ndarray:
    from netCDF4 import Dataset

    with Dataset(path) as file:
        return file["value"][:].data


def _values(cells: np.ndarray) -> np.ndarray:
    return np.sqrt(cells.astype(float))


def _main() -> None:
    from halcyon.cli.failure import report

    try:
        from halcyon.comm import world

        self_test(world(), Path(sys.argv[1]))
    except Exception as error:
        sys.exit(report(error))


if __name__ == "__main__":
    _main()
