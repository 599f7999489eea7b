"""Writes temperatures on a ring of cells, and reads them with a halo, on all ranks: ring.py FILE"""

import sys

import numpy as np

from halcyon.comm import communicator, world
from halcyon.io import IoOptions, Placement, Reader, Schema, Type, Writer, io_ranks

N_CELLS, N_LEVELS, N_RECORDS = 40, 3, 2


def part_of(rank, n_ranks):
    """Global ids of the owned cells, and of the owned cells followed by the halo cells on either side."""
    first, end = N_CELLS * rank // n_ranks, N_CELLS * (rank + 1) // n_ranks
    owned = np.arange(first, end)
    return owned, np.append(owned, [(first - 1) % N_CELLS, end % N_CELLS])


def schema_of_ring():
    schema = Schema()
    schema.dimension("time", 0)
    schema.dimension("cell", N_CELLS)
    schema.dimension("level", N_LEVELS)
    schema.variable("time", Type.float64, ["time"])
    schema.attribute("time", "units", "hours since 2000-01-01")
    schema.variable("temperature", Type.float32, ["time", "cell", "level"])
    schema.attribute("temperature", "units", "K")
    schema.attribute("", "title", "a ring")
    return schema


def write_ring(ranks, path, cells):
    owned = Placement(ranks, cells, N_CELLS)
    writer = Writer(ranks, path, schema_of_ring(), N_RECORDS)
    for record in range(N_RECORDS):
        temperature = 300 + record - 6.5 * np.arange(N_LEVELS) + 0.5 * (cells[:, None] % 8)
        writer.write_root(record, [("time", np.array([6.0 * record]))])
        writer.write(record, owned, [("temperature", temperature.astype(np.float32))])
    writer.close()


def largest_difference(ranks, path, cells):
    """The largest difference between this rank's cells and their neighbours, in the last record."""
    temperature = np.empty((len(cells), N_LEVELS), np.float32)
    reader = Reader(ranks, path)
    reader.read(N_RECORDS - 1, Placement(ranks, cells, N_CELLS), [("temperature", temperature)])
    reader.close()
    *owned, before, after = temperature
    return np.abs(np.diff([before, *owned, after], axis=0)).max()


def main(comm, path):
    owned, with_halo = part_of(comm.rank, comm.size)
    ranks = io_ranks(communicator(comm), IoOptions(background=False), n_bytes=0)
    write_ring(ranks, path, owned)
    differences = comm.gather(largest_difference(ranks, path, with_halo))
    if comm.rank == 0:
        print(f"neighbours differ by {max(differences):.1f} K at most")


if __name__ == "__main__":
    main(world(), sys.argv[1] if len(sys.argv) > 1 else "ring.nc")
