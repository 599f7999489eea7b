"""What writing and reading a field takes in each layout: wall time and CPU time of all ranks."""

from __future__ import annotations

import json
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from halcyon.base import ConfigError, RunError
from halcyon.bench.io_cases import Case, global_ids, request_of

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.io import IoOptions

FIELD = "field"
GROUPS, BOXES = (2, 4, 8, 16), (1, 2, 4, 8, 16)
PARTS = ("set_up", "write", "read")
Taken = dict[str, Any]


class Way(Protocol):
    """A way to write and read a field, on one rank. Made and called by all ranks together."""

    said: str

    def write(self, path: str, values: np.ndarray) -> None:
        """Makes a file of values float64 (owned cell, level)."""

    def read(self, path: str, values: np.ndarray) -> None:
        """Fills the values of the owned cells."""


Maker = Callable[["MPI.Comm", np.ndarray, int, int], Way]


class Ours:
    """The room `io` with some options: a file that is verified, and on the disk when it has its name."""

    def __init__(self, comm: MPI.Comm, ids: np.ndarray, n_cells: int, levels: int, options: IoOptions):
        from halcyon.comm import communicator
        from halcyon.io import Placement, Schema, Type, io_ranks

        self._ranks = io_ranks(communicator(comm), options, n_bytes=8 * n_cells * levels)
        self._placement = Placement(self._ranks, ids, n_cells)
        self._schema = Schema()
        self._schema.dimension("cell", n_cells)
        self._schema.dimension("level", levels)
        self._schema.variable(FIELD, Type.float64, ["cell", "level"])
        self.said = self._ranks.description

    def write(self, path: str, values: np.ndarray) -> None:
        from halcyon.io import Writer

        writer = Writer(self._ranks, path, self._schema, 0)
        writer.write(-1, self._placement, [(FIELD, values)])
        writer.close()
        writer.wait()

    def read(self, path: str, values: np.ndarray) -> None:
        from halcyon.io import Reader

        reader = Reader(self._ranks, path)
        reader.read(-1, self._placement, [(FIELD, values)])
        reader.close()


def way_names(ranks: int) -> list[str]:
    """Of all layouts that so many ranks may have."""
    groups = [f"groups of {n}" for n in GROUPS if n <= ranks]
    return ["direct", *groups, *(f"box of {n}" for n in BOXES if n <= ranks), "gather", "auto"]


def maker_of(name: str) -> Maker:
    """Of the way `direct`, `groups of 8`, `box of 2`, `gather` or `auto`. Raises ConfigError for another."""
    from halcyon.io import IoOptions

    found = re.fullmatch(r"(direct|gather|auto|(groups|box) of ([1-9]\d*))", name)
    if found is None:
        raise ConfigError(f"There is no layout '{name}'. Give direct, groups of N, box of N, gather or auto.")
    chosen: dict[str, Any] = {"layout": found[2] or found[1], "background": False}
    if found[2] is not None:
        chosen["group_size" if found[2] == "groups" else "ranks"] = int(found[3])
    options = IoOptions(**chosen)
    return lambda comm, ids, n_cells, levels: Ours(comm, ids, n_cells, levels, options)


def measured(
    comm: MPI.Comm, request: Mapping[str, Any], makers: Mapping[str, Maker], folder: Path
) -> dict[str, Taken]:
    """Collective. What each way takes: see `on_ranks`. Raises RunError if it reads other than was written."""
    ids, n_cells = global_ids(dict(request), comm.rank)
    levels = request["levels"]
    values = ids[:, None] * levels + np.arange(levels, dtype=float)
    found: dict[str, Taken] = {}
    ways: dict[str, Way] = {}
    for name, maker in makers.items():
        taken = _timed(comm, lambda name=name, maker=maker: ways.update({name: maker(comm, ids, n_cells, levels)}))
        found[name] = {"said": ways[name].said, "set_up": [taken], "write": [], "read": []}
    for _ in range(request["repetitions"]):
        for name, way in ways.items():
            path, back = str(folder / "field.nc"), np.full_like(values, np.nan)
            found[name]["write"].append(_timed(comm, lambda way=way, path=path: way.write(path, values)))
            found[name]["read"].append(
                _timed(comm, lambda way=way, path=path, back=back: way.read(path, back))
            )
            if not comm.allreduce(bool(np.array_equal(back, values)), op=_all()):
                raise RunError(f"{name}: other values were read than were written.")
            if comm.rank == 0:
                Path(path).unlink()
    return {name: _medians(taken) for name, taken in found.items()}


def _all() -> Any:
    from mpi4py import MPI

    return MPI.LAND


def _timed(comm: MPI.Comm, work: Callable[[], None]) -> tuple[float, float]:
    """Collective. Wall time of the slowest rank and CPU time of all [s]."""
    from mpi4py import MPI

    comm.Barrier()
    wall_s, cpu_s = time.perf_counter(), _cpu_s()
    work()
    wall_s, cpu_s = time.perf_counter() - wall_s, _cpu_s() - cpu_s
    return comm.allreduce(wall_s, op=MPI.MAX), comm.allreduce(cpu_s)


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _medians(taken: Taken) -> Taken:
    found: Taken = {"said": taken["said"]}
    for part in PARTS:
        found[part], found[f"{part}_cpu"] = map(statistics.median, zip(*taken[part], strict=True))
    found["total"] = sum(found[part] for part in PARTS)
    return found


def on_ranks(
    case: Case,
    names: Sequence[str],
    *,
    repetitions: int,
    folder: Path | None = None,
    program: Sequence[str] = ("-m", "halcyon.bench.io_layouts"),
) -> dict[str, Taken]:
    """What each of some ways takes to write and to read the field of a case, in a job on its ranks.

    By way: `said` of itself; wall time of the slowest rank [s] of its `set_up` (once: who takes what), `write`
    and `read`, their sum `total`, and the CPU time of all ranks, `write_cpu` and so on [s]: medians of so many
    repetitions, in which the ways take turns. What is read lies in the page cache of the system.

    folder: for the files, of about the field's size; by default one of the system. program: of the ranks.
    Raises RunError if the job fails."""
    from halcyon.run.launcher import find_mpirun, mpirun_command, rank_environment

    with tempfile.TemporaryDirectory(dir=folder, prefix="halcyon_bench_io_") as files:
        request = request_of(case) | {"ways": list(names), "repetitions": repetitions, "folder": files}
        command = [sys.executable, *program, json.dumps(request)]
        done = subprocess.run(
            mpirun_command(find_mpirun(), case.ranks, command),
            env=rank_environment(),
            capture_output=True,
            text=True,
        )
    if done.returncode != 0:
        raise RunError(f"The benchmark failed ({case}): {done.stderr.strip() or done.stdout.strip()}")
    return json.loads(done.stdout.splitlines()[-1])


def table(found: Mapping[str, Taken]) -> str:
    """What each way took, as text."""
    lines = [f"{'[s]':<22}{'set-up':>8}{'write':>9}{'read':>9}{'total':>9}{'CPU write':>11}{'CPU read':>10}  what it is"]
    for name, taken in found.items():
        wall = "".join(f"{taken[part]:>9.3f}" for part in ("write", "read", "total"))
        cpu = f"{taken['write_cpu']:>11.2f}{taken['read_cpu']:>10.2f}"
        lines.append(f"{name:<22}{taken['set_up']:>8.3f}{wall}{cpu}  {taken['said']}")
    return "\n".join(lines)


def run_rank(request: Mapping[str, Any], makers: Mapping[str, Maker]) -> None:
    """Collective. Measures the ways that are asked for; rank 0 prints what `on_ranks` gives, as JSON."""
    from halcyon.comm import world

    comm = world()
    found = measured(comm, request, makers, Path(request["folder"]))
    if comm.rank == 0:
        print(json.dumps(found))


def _main() -> None:
    request = json.loads(sys.argv[1])
    run_rank(request, {name: maker_of(name) for name in request["ways"]})


if __name__ == "__main__":
    _main()
