"""Builds the schedule of a simulation from the options of its workload."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halcyon import schedule
from halcyon.base import ConfigError, require_regular_file
from halcyon.config import workload as kinds
from halcyon.config.simulation import Simulation
from halcyon.config.yaml_source import errors_at
from halcyon.schedule.trace import Trace, extrapolate, is_trace, read_trace, replay, trace_files
from halcyon.simulate.file_access import file_schedule
from halcyon.simulate.mesh_volumes import volumes_of
from halcyon.simulate.spectral_exchanges import exchange_schedule
from halcyon.simulate.traffic import traffic_schedule

if TYPE_CHECKING:
    from halcyon.schedule import Schedule


def ranks_of(case: Simulation) -> int:
    """The number of ranks of a case other than a replay. Raises ConfigError if it is missing."""
    if case.ranks is None:
        with errors_at("ranks"):
            raise ConfigError("ranks is missing. Give the number of ranks; only a replay needs none.")
    return case.ranks


def schedule_of(case: Simulation) -> Schedule:
    """The schedule of a case. Raises ConfigError for an unsupported number of ranks."""
    work = case.workload
    if isinstance(work, kinds.Replay):
        return _replay(work, case)
    if isinstance(work, kinds.Jobs):
        return schedule.side_by_side(_schedules_of_jobs(work, case))
    if isinstance(work, kinds.File):
        return file_schedule(work, ranks_of(case), case.machine.ranks_per_node)
    makers: dict[type, Callable[[Any, int], Schedule]] = {
        kinds.Transposition: _transposition,
        kinds.Pipeline: _pipeline,
        kinds.Alltoall: _alltoall,
        kinds.GridHalo: _grid_halo,
        kinds.MeshHalo: _mesh_halo,
        kinds.Allreduce: _allreduce,
        kinds.Gcr: _gcr,
        kinds.SpectralExchange: exchange_schedule,
        kinds.Traffic: traffic_schedule,
    }
    with errors_at("workload"):
        return makers[type(work)](work, ranks_of(case))


def _transposition(work: kinds.Transposition, ranks: int) -> Schedule:
    options: dict[str, Any] = {
        "algorithm": work.algorithm,
        "item_bytes": work.item_bytes,
        "item_s": work.computation,
    }
    return schedule.transposition(_points(work), _transposition_shape(work, ranks), **options)


def _pipeline(work: kinds.Pipeline, ranks: int) -> Schedule:
    options: dict[str, Any] = {"groups": work.groups, "ahead": work.ahead, "item_bytes": work.item_bytes}
    shape = _transposition_shape(work, ranks)
    return schedule.spectral_pipeline(_points(work), shape, item_s=work.computation, **options)


def _transposition_shape(work: kinds.Transposition | kinds.Pipeline, ranks: int) -> tuple[int, int]:
    """The number of ranks along x and y for transpositions."""
    nx, ny, nz = _points(work)
    return _shape(work, ranks, (min(nx, ny, nz), min(nx, ny)), ratio=1.0)


def _points(work: kinds.Transposition | kinds.Pipeline | kinds.GridHalo) -> tuple[int, int, int]:
    """The number of points along x, y, z. Raises ConfigError if the bytes of the grid do not fit into 64
    bits."""
    size = math.prod(work.grid) * work.item_bytes
    if size >= 2**62:
        with errors_at("workload", "grid"):
            raise ConfigError(f"the grid has {size:.3g} bytes, more than 4.6e18. Make it smaller.")
    nx, ny, nz = work.grid
    return nx, ny, nz


def _alltoall(work: kinds.Alltoall, ranks: int) -> Schedule:
    with errors_at("workload", "algorithm"):
        return schedule.alltoall(ranks, work.block_bytes, algorithm=work.algorithm)


def _grid_halo(work: kinds.GridHalo, ranks: int) -> Schedule:
    nx, ny, nz = _points(work)
    shape = _shape(work, ranks, (nx, ny), ratio=nx / ny)
    item_bytes = work.item_bytes * nz
    return schedule.grid_halo((nx, ny), shape, width=work.width, item_bytes=item_bytes, order=work.order)


def _mesh_halo(work: kinds.MeshHalo, ranks: int) -> Schedule:
    one_step = schedule.messages(volumes_of(work, ranks), order=work.order, compute_s=work.computation)
    return one_step if work.steps == 1 else schedule.repeated(one_step, work.steps)


def _allreduce(work: kinds.Allreduce, ranks: int) -> Schedule:
    single = schedule.allreduce(ranks, bytes=work.data_bytes, radix=work.radix)
    return single if work.repetitions == 1 else schedule.repeated(single, work.repetitions)


def _gcr(work: kinds.Gcr, ranks: int) -> Schedule:
    return schedule.gcr(
        ranks,
        iterations=work.iterations,
        directions=work.directions,
        radix=work.radix,
        numbers=work.numbers,
        compute_s=work.computation,
    )


def _replay(work: kinds.Replay, case: Simulation) -> Schedule:
    ranks = case.ranks
    with errors_at("workload", "file"):
        if is_trace(work.file):
            trace = _read_trace(work.file, _modified_ns(work.file))
            if ranks not in (None, trace.n_ranks) and work.scaling != "none":
                with errors_at("ranks"):
                    trace = extrapolate(trace, ranks, work.scaling)
            recorded = replay(trace, **_trace_options(work, case))
        else:
            recorded = _read_record(work.file, work.file.stat().st_mtime_ns if work.file.is_file() else 0)
    if ranks not in (None, recorded.n_ranks):
        with errors_at("ranks"):
            raise ConfigError(
                f"ranks = {ranks}, but {work.file} is a record of {recorded.n_ranks} ranks. Leave ranks "
                "out, or set workload.scaling of a trace."
            )
    return recorded


def _schedules_of_jobs(work: kinds.Jobs, case: Simulation) -> list[Schedule]:
    jobs = []
    for number, job in enumerate(work.jobs):
        with errors_at("workload", "jobs", number):
            alone = case.model_copy(update={"workload": job.workload, "ranks": job.ranks})
            jobs.append(schedule.repeated(schedule_of(alone), job.repetitions))
    n_ranks = sum(job.n_ranks for job in jobs)
    if case.ranks not in (None, n_ranks):
        with errors_at("ranks"):
            raise ConfigError(f"ranks = {case.ranks}, but the jobs have {n_ranks} ranks. Leave ranks out.")
    return jobs


def ranks_of_jobs(work: kinds.Jobs, case: Simulation) -> list[int]:
    """The number of ranks of each job."""
    return [
        job.ranks or one.n_ranks for job, one in zip(work.jobs, _schedules_of_jobs(work, case), strict=True)
    ]


def _trace_options(work: kinds.Replay, case: Simulation) -> dict[str, Any]:
    eager_bytes = case.machine.eager_bytes
    limit = eager_bytes if isinstance(eager_bytes, int) else 0
    return {
        "library": work.collectives,
        "computation": work.computation_factor,
        "buffered_bytes": limit if work.buffered_bytes == "auto" else work.buffered_bytes,
        "ranks_per_node": case.machine.ranks_per_node,
        "drop_unmatched": work.unmatched == "drop",
    }


def _modified_ns(file: Path) -> int:
    return max((path.stat().st_mtime_ns for path in trace_files(file)), default=0)


@functools.lru_cache(maxsize=1)
def _read_trace(file: Path, modified_ns: int) -> Trace:
    """Reads a trace, which all simulations of a sweep share. `modified_ns` is part of the cache key only."""
    return read_trace(file)


@functools.lru_cache(maxsize=1)
def _read_record(file: Path, modified_ns: int) -> Schedule:
    """Reads a record, which all simulations of a sweep share. `modified_ns` is part of the cache key only."""
    require_regular_file(file, "a record of messages")
    return schedule.read_record(file)


def _shape(
    work: kinds.Transposition | kinds.Pipeline | kinds.GridHalo,
    ranks: int,
    limits: tuple[int, int],
    *,
    ratio: float,
) -> tuple[int, int]:
    """The number of ranks along x and y: as given in the case, or at most `limits`, with a quotient x / y as
    close to `ratio` as possible. Raises ConfigError if `limits` do not permit the number of ranks; names the
    nearest number that they permit."""
    if work.ranks != "auto":
        x, y = work.ranks
        if x < 1 or y < 1 or x * y != ranks:
            with errors_at("workload", "ranks"):
                raise ConfigError(f"workload.ranks = [{x}, {y}] makes {x * y} ranks, but ranks = {ranks}.")
        return x, y
    shape = _best_shape(ranks, limits, ratio)
    if shape is not None:
        return shape
    most = math.prod(limits)
    candidates = (n for difference in range(1, ranks) for n in (ranks - difference, ranks + difference))
    nearest = most if ranks > most else next((n for n in candidates if _best_shape(n, limits, ratio)), None)
    advice = f" Use {nearest} ranks." if nearest else ""
    with errors_at("ranks"):
        raise ConfigError(
            f"ranks = {ranks} cannot be divided into at most {limits[0]} along x and {limits[1]} along "
            f"y, as the grid requires.{advice}"
        )


def _best_shape(ranks: int, limits: tuple[int, int], ratio: float) -> tuple[int, int] | None:
    """The automatic shape of `_shape`; None if there is none within the limits."""
    divisors = [d for d in range(1, math.isqrt(ranks) + 1) if ranks % d == 0]
    shapes = {(d, ranks // d) for d in divisors} | {(ranks // d, d) for d in divisors}
    fitting = [(x, y) for x, y in shapes if x <= limits[0] and y <= limits[1]]
    return min(fitting, key=lambda shape: (abs(math.log(shape[0] / shape[1] / ratio)), shape), default=None)
