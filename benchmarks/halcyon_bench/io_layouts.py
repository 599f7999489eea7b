"""Wall time and CPU time of writing and reading a field in each layout."""

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
from halcyon_bench.io_methods import IoMethod, IoMethodFactory, factory_named

if TYPE_CHECKING:
    from mpi4py import MPI

PARTS = ("set_up", "write", "read")
Times = dict[str, Any]  # times of one layout, see `on_ranks`


def measured(
    comm: MPI.Comm, request: Mapping[str, Any], factories: Mapping[str, IoMethodFactory], folder: Path
) -> dict[str, Times]:
    """Collective. Times of each layout, see `on_ranks`. Raises RunError if a layout reads wrong values."""
    ids, n_cells = global_ids(request, comm.rank)
    levels = request["levels"]
    values = ids[:, None] * levels + np.arange(levels, dtype=float)
    times: dict[str, dict[str, list[tuple[float, float]]]] = {}  # (wall, CPU) by layout and part
    methods: dict[str, IoMethod] = {}
    for name, factory in factories.items():
        methods[name], set_up = _timed(comm, factory, comm, ids, n_cells, levels)
        times[name] = {"set_up": [set_up], "write": [], "read": []}
    for _ in range(request["repetitions"]):
        for name, method in methods.items():
            for part, time_taken in _write_and_read(comm, method, str(folder / "field.nc"), values).items():
                times[name][part].append(time_taken)
    return {name: {"said": methods[name].description, **_medians(parts)} for name, parts in times.items()}


def _write_and_read(
    comm: MPI.Comm, method: IoMethod, path: str, values: np.ndarray
) -> dict[str, tuple[float, float]]:
    """Collective. Wall and CPU time [s] of writing and of reading the values."""
    from mpi4py import MPI

    values_read = np.full_like(values, np.nan)
    _, write = _timed(comm, method.write, path, values)
    _, read = _timed(comm, method.read, path, values_read)
    if not comm.allreduce(np.array_equal(values_read, values), op=MPI.LAND):
        raise RunError(f"{method.description}: the values that were read differ from those written.")
    if comm.rank == 0:
        Path(path).unlink()
    return {"write": write, "read": read}


def _timed(comm: MPI.Comm, work: Callable[..., Any], *arguments: Any) -> tuple[Any, tuple[float, float]]:
    """Collective. The result of `work`; wall time of the slowest rank and CPU time of all ranks [s]."""
    from mpi4py import MPI

    comm.Barrier()
    wall_s, cpu_s = time.perf_counter(), _cpu_s()
    result = work(*arguments)
    wall_s, cpu_s = time.perf_counter() - wall_s, _cpu_s() - cpu_s
    return result, (comm.allreduce(wall_s, op=MPI.MAX), comm.allreduce(cpu_s))


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
) -> dict[str, Times]:
    """Times of writing and reading the field of a case by each named layout, in a new job.

    Result per layout: `said`, the description of the layout; wall time of the slowest rank [s] for `set_up`
    (once: assignment of items to I/O ranks), `write` and `read`, and their sum `total`; CPU time of all ranks
    [s] `set_up_cpu`, `write_cpu` and `read_cpu`. Times are medians of the repetitions, in which the layouts
    are interleaved. Files are read from the page cache.

    @param folder folder of a file of about the size of the field; None: a temporary folder
    @param program Python arguments of the program that each rank runs
    @param environment variables that are added to the inherited environment
    Raises RunError if the job fails, ConfigError for an invalid configuration."""
    with tempfile.TemporaryDirectory(dir=folder, prefix="halcyon_bench_io_") as files:
        request = request_of(case) | {"ways": list(names), "repetitions": repetitions, "folder": files}
        return result_of_job(case.ranks, [*program, json.dumps(request)], str(case), environment)


def table(found: Mapping[str, Times]) -> str:
    """Table of the times of each layout."""
    lines = [f"{'[s]':<30}{'set-up':>8}{'write':>9}{'read':>9}{'total':>9}{'CPU write':>11}{'CPU read':>10}"]
    for name, times in found.items():
        wall = "".join(f"{times[part]:>9.3f}" for part in ("write", "read", "total"))
        cpu = f"{times['write_cpu']:>11.2f}{times['read_cpu']:>10.2f}"
        lines.append(f"{name:<30}{times['set_up']:>8.3f}{wall}{cpu}  {times['said']}")
    return "\n".join(lines)


def run_rank(request: Mapping[str, Any], factory_named: Callable[[str], IoMethodFactory]) -> None:
    """Collective. Measures the requested layouts; rank 0 prints the result of `on_ranks` as JSON.

    factory_named: returns the factory of a layout by its name"""
    from halcyon.comm import world

    comm = world()
    print_result(
        comm,
        lambda: measured(
            comm, request, {name: factory_named(name) for name in request["ways"]}, Path(request["folder"])
        ),
    )


def _main() -> None:
    run_rank(json.loads(sys.argv[1]), factory_named)


if __name__ == "__main__":
    _main()
