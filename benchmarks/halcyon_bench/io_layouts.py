"""What writing and reading a field takes in each layout: wall time and CPU time of all ranks."""

from __future__ import annotations

import json
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import RunError
from halcyon.launch.measure import print_result, result_of_job
from halcyon_bench.io_cases import Case, global_ids, request_of
from halcyon_bench.io_ways import Maker, Way, maker_of

if TYPE_CHECKING:
    from mpi4py import MPI

PARTS = ("set_up", "write", "read")
Taken = dict[str, Any]


def measured(
    comm: MPI.Comm, request: Mapping[str, Any], makers: Mapping[str, Maker], folder: Path
) -> dict[str, Taken]:
    """Collective. What each way takes: see `on_ranks`. Raises RunError if it reads other than was written."""
    ids, n_cells = global_ids(request, comm.rank)
    levels = request["levels"]
    values = ids[:, None] * levels + np.arange(levels, dtype=float)
    taken: dict[str, dict[str, list[tuple[float, float]]]] = {}
    ways: dict[str, Way] = {}
    for name, maker in makers.items():
        ways[name], set_up = _timed(comm, maker, comm, ids, n_cells, levels)
        taken[name] = {"set_up": [set_up], "write": [], "read": []}
    for _ in range(request["repetitions"]):
        for name, way in ways.items():
            for part, time_taken in _there_and_back(comm, way, str(folder / "field.nc"), values).items():
                taken[name][part].append(time_taken)
    return {name: {"said": ways[name].said, **_medians(parts)} for name, parts in taken.items()}


def _there_and_back(
    comm: MPI.Comm, way: Way, path: str, values: np.ndarray
) -> dict[str, tuple[float, float]]:
    from mpi4py import MPI

    back = np.full_like(values, np.nan)
    _, write = _timed(comm, way.write, path, values)
    _, read = _timed(comm, way.read, path, back)
    if not comm.allreduce(np.array_equal(back, values), op=MPI.LAND):
        raise RunError(f"{way.said}: other values were read than were written.")
    if comm.rank == 0:
        Path(path).unlink()
    return {"write": write, "read": read}


def _timed(comm: MPI.Comm, work: Callable[..., Any], *given: Any) -> tuple[Any, tuple[float, float]]:
    """Collective. What `work` gives; wall time of the slowest rank and CPU time of all [s]."""
    from mpi4py import MPI

    comm.Barrier()
    wall_s, cpu_s = time.perf_counter(), _cpu_s()
    made = work(*given)
    wall_s, cpu_s = time.perf_counter() - wall_s, _cpu_s() - cpu_s
    return made, (comm.allreduce(wall_s, op=MPI.MAX), comm.allreduce(cpu_s))


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _medians(taken: Mapping[str, Sequence[tuple[float, float]]]) -> dict[str, float]:
    found = {}
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
    program: Sequence[str] = ("-m", "halcyon_bench.io_layouts"),
    environment: Mapping[str, str] | None = None,
) -> dict[str, Taken]:
    """What each of some ways takes to write and to read the field of a case, in a job on its ranks.

    By way: `said` of itself; wall time of the slowest rank [s] of its `set_up` (once: who takes what),
    `write` and `read`, their sum `total`, and the CPU time of all ranks, `write_cpu` and so on [s]: medians
    of so many repetitions, in which the ways take turns. What is read lies in the system's page cache.

    folder: for the files, of about the field's size; by default one of the system. program, environment: of
    the ranks, the latter beside what they have.
    Raises RunError if the job fails, ConfigError for what it refuses."""
    with tempfile.TemporaryDirectory(dir=folder, prefix="halcyon_bench_io_") as files:
        request = request_of(case) | {"ways": list(names), "repetitions": repetitions, "folder": files}
        return result_of_job(case.ranks, [*program, json.dumps(request)], str(case), environment)


def table(found: Mapping[str, Taken]) -> str:
    """What each way took, as text."""
    lines = [f"{'[s]':<30}{'set-up':>8}{'write':>9}{'read':>9}{'total':>9}{'CPU write':>11}{'CPU read':>10}"]
    for name, taken in found.items():
        wall = "".join(f"{taken[part]:>9.3f}" for part in ("write", "read", "total"))
        cpu = f"{taken['write_cpu']:>11.2f}{taken['read_cpu']:>10.2f}"
        lines.append(f"{name:<30}{taken['set_up']:>8.3f}{wall}{cpu}  {taken['said']}")
    return "\n".join(lines)


def run_rank(request: Mapping[str, Any], maker_of: Callable[[str], Maker]) -> None:
    """Collective. Measures the ways that are asked for; rank 0 prints what `on_ranks` gives, as JSON.

    maker_of: of a way, by its name"""
    from halcyon.comm import world

    comm = world()
    print_result(
        comm,
        lambda: measured(
            comm, request, {name: maker_of(name) for name in request["ways"]}, Path(request["folder"])
        ),
    )


def _main() -> None:
    run_rank(json.loads(sys.argv[1]), maker_of)


if __name__ == "__main__":
    _main()
