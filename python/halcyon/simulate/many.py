"""Runs many simulations on all cores, and reuses cached results."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

import xarray as xr

import halcyon.simulate.build as build
import halcyon.simulate.cache as cache
from halcyon.base import Error, RunError
from halcyon.config.points import SweepPoint
from halcyon.config.simulation import Simulation
from halcyon.launch.mpirun import usable_cores
from halcyon.simulate.single import simulate_one

OnResult = Callable[
    [SweepPoint, xr.Dataset, bool], None
]  # arguments: simulation, result, whether it was cached


def simulate_all(
    points: Sequence[SweepPoint],
    *,
    workers: int | None = None,
    threads: int | None = None,
    fresh: bool = False,
    on_result: OnResult | None = None,
    warn: Callable[[str], None] = warnings.warn,
) -> list[xr.Dataset]:
    """Returns the results of simulations, in the order of `points`.

    @param workers number of simultaneous simulations, by default one per core. If a single simulation is
    left, it uses up to this number of threads, if its network and fidelity support them
    @param threads number of threads per simulation, instead of the default
    @param fresh ignore cached results
    @param on_result called when a result is available: first for cached results, then in about ascending
    order of the number of ranks
    @param warn called once if results cannot be cached
    @raises ConfigError or InputError, before the first simulation, for invalid cases; ConfigError, InputError
    or RunError of the first simulation that fails, with its name. The results completed before it are
    cached"""
    workers = workers or usable_cores()
    cases = [_with_resolved_chunk_error(point.case, alone=len(points) == 1) for point in points]
    cached = {} if fresh else {i: cache.find(case) for i, case in enumerate(cases)}
    results = {i: data for i, data in cached.items() if data is not None}
    missing = [i for i in range(len(points)) if i not in results]
    require_possible([points[i] for i in missing])
    if on_result is not None:
        for i, data in results.items():
            on_result(points[i], data, True)
    store = _cache_writer(warn) if missing else None
    for i, data in _completed_results(points, cases, missing, workers, threads):
        results[i] = data
        if store is not None:
            store(cases[i], data)
        if on_result is not None:
            on_result(points[i], data, False)
    return [results[i] for i in range(len(points))]


def _with_resolved_chunk_error(case: Simulation, *, alone: bool) -> Simulation:
    """The case with `chunk_error: auto` resolved: false for several simulations."""
    if alone or case.engine.chunk_error != "auto":
        return case
    return case.model_copy(update={"engine": case.engine.model_copy(update={"chunk_error": False})})


def require_possible(points: Sequence[SweepPoint]) -> None:
    """Raises ConfigError or InputError, with the name of the simulation and the location of the option, for
    errors that can be detected before simulating."""
    for point in points:
        try:
            build.require_possible(point.case)
        except Error as error:
            raise point.locate_error(error) from None


def _cache_writer(warn: Callable[[str], None]) -> Callable[[Simulation, xr.Dataset], None]:
    """Returns a function that caches results until writing fails, and warns once if it does."""
    is_writable = True

    def try_writing(action: Callable[[], None]) -> None:
        nonlocal is_writable
        try:
            if is_writable:
                action()
        except RunError as error:
            is_writable = False
            warn(str(error))

    try_writing(cache.require_writable)
    return lambda case, data: try_writing(lambda: cache.store(case, data))


def _completed_results(
    points: Sequence[SweepPoint],
    cases: Sequence[Simulation],
    missing: Sequence[int],
    workers: int,
    threads: int | None,
) -> Iterator[tuple[int, xr.Dataset]]:
    """Yields the index and the result of each missing simulation when it is available. Threads suffice, since
    the engine releases the interpreter's lock. A failure is raised after the running simulations have
    ended."""
    cores = workers if len(missing) == 1 else 1
    order = sorted(missing, key=lambda i: cases[i].ranks or 0)
    pool = ThreadPoolExecutor(max(1, min(workers, len(missing))))
    failure: Error | None = None
    try:
        pending: dict[Future[Any], int] = {
            pool.submit(simulate_one, cases[i], cores, threads): i for i in order
        }
        while pending:
            completed, _ = wait(pending, return_when=FIRST_COMPLETED)
            for future in completed:
                i = pending.pop(future)
                try:
                    data = _result_of(points[i], future)
                except Error as error:
                    failure = failure or error
                    pending = {remaining: j for remaining, j in pending.items() if not remaining.cancel()}
                else:
                    yield i, data
        if failure is not None:
            raise failure
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _result_of(point: SweepPoint, future: Future[Any]) -> xr.Dataset:
    """Returns the result. Raises Error, with the name of the simulation and the location of the option at
    fault, if the simulation failed."""
    try:
        return future.result()
    except Error as error:
        raise point.locate_error(error) from None
    except MemoryError:
        name = str(point) or "the simulation"
        raise RunError(f"{name}: not enough memory. Use fewer ranks, or fidelity reserve.") from None
