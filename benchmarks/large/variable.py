"""Time and memory of writing a variable of more than 2^31 values in layout `box`, verifying and reading it.

    python benchmarks/large/variable.py --folder DIR

Needs 8.7 GB on the disk of DIR, and 8.7 GB of memory for the field, which the reported memory excludes.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

N_CELLS, LEVELS = 655_362, 3_300  # G8: 2.16e9 values
RANKS, IO_RANKS = 4, 2
BLOCK = 4096  # cells for which values are generated at a time


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="use a thousandth of the cells")
    parser.add_argument("--folder", type=Path, help="folder of the file")
    parser.add_argument("--rank", metavar="FILE", help="run as one of the ranks, with this file (internal)")
    options = parser.parse_args()
    n_cells = N_CELLS // 1000 if options.quick else N_CELLS
    if options.rank:
        work(options.rank, n_cells)
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        results = launch(Path(folder) / "large.nc", options.quick)
    for name, value in results.items():
        print(f"{name:<28}{value:>12,.2f}")


def launch(path, quick):
    """Runs this program on the ranks. Returns times and memory by name."""
    from halcyon.launch.mpirun import find_mpirun, mpirun_command, rank_environment

    program = [sys.executable, "-m", "mpi4py", __file__, "--rank", str(path), *(["--quick"] if quick else [])]
    command = mpirun_command(find_mpirun(), RANKS, program)
    done = subprocess.run(command, env=rank_environment(), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def work(path, n_cells):
    """Collective. Writes, verifies and reads the variable; rank 0 prints times and memory as JSON."""
    from mpi4py import MPI

    from halcyon.comm import communicator, world
    from halcyon.io import IoOptions, Placement, Reader, Schema, Type, Writer, io_ranks, verify
    from halcyon_bench.mesh_making import peak_memory_bytes

    comm = world()
    cells = np.random.default_rng(1).permutation(n_cells)[comm.rank :: comm.size].astype(np.int64)
    schema = Schema()
    schema.dimension("cell", n_cells)
    schema.dimension("level", LEVELS)
    schema.variable("field", Type.float32, ["cell", "level"])
    options = IoOptions(layout="box", ranks=IO_RANKS, background=False)
    ranks = io_ranks(communicator(comm), options, n_bytes=schema.bytes(0))
    placement = Placement(ranks, cells, n_cells)
    field = np.empty((len(cells), LEVELS), np.float32)
    for block, values in blocks(cells):
        field[block] = values
    before, bytes_before = time.perf_counter(), peak_memory_bytes()
    writer = Writer(ranks, path, schema, 0)
    writer.write(-1, placement, [("field", field)])
    writer.close()
    writer.wait()
    written = time.perf_counter()
    if comm.rank == 0:
        verified = verify(path)
        assert verified.n_checked == 1
    comm.Barrier()
    checked = time.perf_counter()
    field[:] = np.nan
    reader = Reader(ranks, path)
    reader.read(-1, placement, [("field", field)])
    reader.close()
    read = time.perf_counter()
    assert all(np.array_equal(field[block], values) for block, values in blocks(cells))
    extra = (peak_memory_bytes() - bytes_before) / 2**30
    results = {
        "numbers, 2^31": n_cells * LEVELS / 2**31,
        "file, GB": Path(path).stat().st_size / 1e9,
        "write, s": written - before,
        "verify, s": checked - written,
        "read, s": read - checked,
        "field of a rank, GiB": field.nbytes / 2**30,
        "memory, I/O rank, GiB": comm.allreduce(extra if ranks.is_io else 0.0, op=MPI.MAX),
        "memory, other rank, GiB": comm.allreduce(0.0 if ranks.is_io else extra, op=MPI.MAX),
    }
    if comm.rank == 0:
        print(json.dumps(results))


def blocks(cells):
    """Yields slices of the cells of a rank, each with the values of its cells, which encode cell and
    level."""
    for first in range(0, len(cells), BLOCK):
        block = slice(first, first + BLOCK)
        index = cells[block, None] * LEVELS + np.arange(LEVELS)
        yield block, (index % 16_777_213).astype(np.float32)  # modulo a prime below 2^24: exact in 32 bits


if __name__ == "__main__":
    main()
