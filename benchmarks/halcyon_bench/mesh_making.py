"""Time and memory of generating uniform meshes, and of writing and reading their files."""

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
from halcyon_bench.timing import Clock, memory

STAGES = ("points", "mesh", "write", "read")
Cost = dict[str, float]


def generation_cost(level: int, *, tolerance: float, path: Path) -> Cost:
    """Generates the mesh G<level>, writes it to `path` and reads it back, on all cores.

    Returns `n_cells`; the wall time of each of the STAGES [s]; the wall time `to_file` and CPU time
    `to_file_cpu` [s] of all stages before reading; and `most_bytes`, the peak memory of this process."""
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
    totals = {"to_file": to_file_s, "to_file_cpu": cpu_s, "most_bytes": peak_memory_bytes()}
    return {"n_cells": n_cells, **clock.seconds, **totals}


def bisection_cost(level: int, *, tolerance: float) -> Cost:
    """Generates the mesh G<level> by bisecting the edges of the triangles of the converged G<level - 1>.

    Returns `n_cells`, the wall time of the stages `points` and `mesh` [s], and `most_bytes`, the peak memory
    of this process."""
    clock = Clock()
    with clock.part("points"):
        triangulation = delaunay(bisected(scvt.uniform(level - 1, tolerance=tolerance)))
    with clock.part("mesh"):
        mesh = voronoi_mesh(triangulation)
    return {"n_cells": mesh.n_cells, **clock.seconds, "most_bytes": peak_memory_bytes()}


def peak_memory_bytes() -> int:
    """Peak memory of this process [bytes]."""
    return memory("VmHWM")


def in_new_process(level: int, *, tolerance: float, by_bisection: bool = False) -> Cost:
    """The result of `generation_cost`, or of `bisection_cost`, run in a new process with a temporary file."""
    with tempfile.TemporaryDirectory() as folder:
        path = "" if by_bisection else str(Path(folder) / "mesh.nc")
        command = [sys.executable, "-m", "halcyon_bench.mesh_making", str(level), str(tolerance), path]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RunError(f"G{level} could not be made: {done.stderr.strip() or done.stdout.strip()}")
    return json.loads(done.stdout.splitlines()[-1])


def on_levels(levels: Iterable[int], *, tolerance: float) -> dict[int, Cost]:
    """`generation_cost` of each level, each in a new process."""
    return {level: in_new_process(level, tolerance=tolerance) for level in levels}


def table(costs: Mapping[int, Cost]) -> str:
    """Table of the costs by level."""
    head = "".join(f"{stage + ' s':>9}" for stage in STAGES)
    lines = [f"{'mesh':<5}{'cells':>12}{head}{'to the file':>22}{'memory':>11}{'per cell':>9}"]
    for level, cost in costs.items():
        stages = "".join(f"{cost[stage]:>9.2f}" for stage in STAGES)
        rate = f"{cost['n_cells'] / cost['to_file']:,.0f} cells/s"
        memory = f"{cost['most_bytes'] / 2**20:,.0f} MiB"
        per_cell = f"{cost['most_bytes'] / cost['n_cells']:,.0f} B"
        lines.append(f"G{level:<4}{cost['n_cells']:>12,}{stages}{rate:>22}{memory:>11}{per_cell:>9}")
    return "\n".join(lines)


def _main() -> None:
    level, tolerance, path = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
    options = {"tolerance": tolerance}
    print(
        json.dumps(
            generation_cost(level, path=Path(path), **options) if path else bisection_cost(level, **options)
        )
    )


if __name__ == "__main__":
    _main()
