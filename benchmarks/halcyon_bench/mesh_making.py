"""What it takes to make uniform meshes, from nothing to a file and back: time and memory."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from halcyon._core.mesh import bisected, delaunay
from halcyon.base import RunError
from halcyon.mesh import read_mpas, scvt, voronoi_mesh, write_mpas
from halcyon_bench.turns import Clock, memory

STAGES = ("points", "mesh", "write", "read")
Made = dict[str, float]


def making(level: int, *, tolerance: float, path: Path) -> Made:
    """Makes the mesh G<level>, writes it to `path` and reads it back, on all processors.

    Gives the cells, wall time of each stage and up to the file, CPU time up to the file [s], and the most
    memory [bytes] that this process ever had."""
    clock, cpu_s = Clock(), time.process_time()
    with clock.part("points"):
        triangulation = scvt.uniform(level, tolerance=tolerance)
    with clock.part("mesh"):
        mesh = voronoi_mesh(triangulation)
    with clock.part("write"):
        write_mpas(str(path), mesh)
    to_file_s, cpu_s = sum(clock.seconds.values()), time.process_time() - cpu_s
    del mesh, triangulation
    with clock.part("read"):
        n_cells = read_mpas(str(path)).n_cells
    more = {"to_file": to_file_s, "to_file_cpu": cpu_s, "most_bytes": most_bytes()}
    return {"n_cells": n_cells, **clock.seconds, **more}


def bisecting(level: int, *, tolerance: float) -> Made:
    """Makes the mesh G<level> by cutting the triangles of the converged G<level - 1> in four.

    Gives the cells, wall time of the stages `points` and `mesh` [s], and the most memory [bytes]."""
    clock = Clock()
    with clock.part("points"):
        triangulation = delaunay(bisected(scvt.uniform(level - 1, tolerance=tolerance)))
    with clock.part("mesh"):
        mesh = voronoi_mesh(triangulation)
    return {"n_cells": mesh.n_cells, **clock.seconds, "most_bytes": most_bytes()}


def most_bytes() -> int:
    """The most memory that this program ever had."""
    return memory("VmHWM")


def in_child(level: int, *, tolerance: float, by_bisection: bool = False) -> Made:
    """`making`, or `bisecting`, in a process of its own, whose file is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        way = "" if by_bisection else str(Path(folder) / "mesh.nc")
        command = [sys.executable, "-m", "halcyon_bench.mesh_making", str(level), str(tolerance), way]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RunError(f"G{level} could not be made: {done.stderr.strip() or done.stdout.strip()}")
    return json.loads(done.stdout.splitlines()[-1])


def on_levels(levels: Iterable[int], *, tolerance: float) -> dict[int, Made]:
    """`making` of each level in a process of its own."""
    return {level: in_child(level, tolerance=tolerance) for level in levels}


def table(made: Mapping[int, Made]) -> str:
    """What was made, by level, as text."""
    head = "".join(f"{stage + ' s':>9}" for stage in STAGES)
    lines = [f"{'mesh':<5}{'cells':>12}{head}{'to the file':>22}{'memory':>11}{'a cell':>9}"]
    for level, found in made.items():
        stages = "".join(f"{found[stage]:>9.2f}" for stage in STAGES)
        rate = f"{found['n_cells'] / found['to_file']:,.0f} cells/s"
        memory = f"{found['most_bytes'] / 2**20:,.0f} MiB"
        a_cell = f"{found['most_bytes'] / found['n_cells']:,.0f} B"
        lines.append(f"G{level:<4}{found['n_cells']:>12,}{stages}{rate:>22}{memory:>11}{a_cell:>9}")
    return "\n".join(lines)


def _main() -> None:
    level, tolerance, path = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
    how = {"tolerance": tolerance}
    print(json.dumps(making(level, path=Path(path), **how) if path else bisecting(level, **how)))


if __name__ == "__main__":
    _main()
