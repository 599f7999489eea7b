"""Set-up of a decomposition from a mesh file on 8 ranks: time by part, and memory of each rank.

Each rank reads a slice of the mesh, receives the owners of its cells, which METIS computes on rank 0, finds
its neighbours by sparse consensus, and reads its part. For comparison, one process reads the whole mesh.
Threshold: each rank except rank 0 needs at most a fifth of the memory of that process.
"""

import tempfile
from pathlib import Path

import rows
from halcyon.mesh import uniform, write_mpas
from halcyon_bench.set_up import on_ranks, table

MEMORY_BAR = 5  # threshold: memory of the whole mesh over memory of a rank
GIB = 2**30


def main():
    options = command_line()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = Path(folder) / "mesh.nc"
        write_mpas(str(path), uniform(options.level, tolerance=1e-4))
        ours = on_ranks(options.ranks, "set_up", path)
        replicated = on_ranks(1, "whole", path)
    print(f"G{options.level}, 2 layers, {options.ranks} ranks", table(ours), sep="\n")
    print("the whole mesh in one process", table(replicated), sep="\n", end="\n\n")
    name = f"G{options.level}, {options.ranks} ranks"
    bytes_of = ours["bytes"]
    whole_bytes, seconds = replicated["bytes"][0], sum(ours["seconds"].values())
    result_rows = [
        rows.row(
            f"{name}: memory of a rank",
            max(bytes_of[1:]) / GIB,
            whole_bytes / GIB,
            "the whole",
            "GiB",
            bar=MEMORY_BAR,
        ),
        rows.row(
            f"{name}: memory of METIS' rank", bytes_of[0] / GIB, whole_bytes / GIB, "the whole", "GiB", bar=0
        ),
        rows.row(f"{name}: time", seconds, replicated["seconds"]["all"], "a whole mesh, alone", "s", bar=0),
    ]
    rows.report(result_rows, options.json)


def command_line():
    parser = rows.parser(__doc__.splitlines()[0])
    parser.add_argument("--level", type=int, help="level of the mesh, default 9")
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--folder", type=Path, help="folder of the mesh file")
    options = parser.parse_args()
    options.level = options.level or (5 if options.quick else 9)
    return options


if __name__ == "__main__":
    main()
