"""Many simulations, on all cores, each once: what has been done before is found again."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import xarray as xr

import halcyon.simulate.build as build
import halcyon.simulate.cache as cache
from halcyon.base import Error, RunError
from halcyon.config.points import Point
from halcyon.config.simulation import Simulation
from halcyon.launch.mpirun import usable_cores
from halcyon.simulate.computed import computed

Done = Callable[[Point, xr.Dataset, bool], None]


def simulate_all(
    points: Sequence[Point],
    *,
    workers: int | None = None,
    threads: int | None = None,
    fresh: bool = False,
    done: Done | None = None,
    warn: Callable[[str], None] = warnings.warn,
) -> list[xr.Dataset]:
    """The results of simulations, in their order.

    @param workers simulations at a time; by default one a core. One alone has as many threads, where its
        network and fidelity allow several
    @param threads of each simulation, where not as above
    @param fresh whether to simulate anew what is in the cache
    @param done is called with each result as it comes, the smallest numbers of ranks first, and with whether
        it was in the cache
    @param warn is called once where results cannot be kept in the cache
    @raises ConfigError or InputError, before any simulation, where one cannot be; ConfigError, InputError or
        RunError of the first simulation that fails, with its name; what has been simulated until then is kept
    """
    workers = workers or usable_cores()
    cases = [_settled(point.case, alone=len(points) == 1) for point in points]
    known = {} if fresh else {i: cache.find(case) for i, case in enumerate(cases)}
    found = {i: data for i, data in known.items() if data is not None}
    missing = [i for i in range(len(points)) if i not in found]
    require_possible([points[i] for i in missing])
    if done is not None:
        for i, data in found.items():
            done(points[i], data, True)
    keep = _keeper(warn) if missing else None
    for i, data in _computed(points, cases, missing, workers, threads):
        found[i] = data
        keep(cases[i], data)
        if done is not None:
            done(points[i], data, False)
    return [found[i] for i in range(len(points))]


def _settled(case: Simulation, *, alone: bool) -> Simulation:
    """The case with what `chunk_error: auto` stands for: of several, none has it."""
    if alone or case.engine.chunk_error != "auto":
        return case
    return case.model_copy(update={"engine": case.engine.model_copy(update={"chunk_error": False})})


def require_possible(points: Sequence[Point]) -> None:
    """Raises ConfigError or InputError where a simulation cannot be, with its name and the place of the
    option, as far as that can be told before it is done."""
    for point in points:
        try:
            build.require_possible(point.case)
        except Error as error:
            raise point.named(error) from None


def _keeper(warn: Callable[[str], None]) -> Callable[[Simulation, xr.Dataset], None]:
    """Keeps results as long as that is possible; where it is not, this is said once."""
    works = True

    def attempt(action: Callable[[], None]) -> None:
        nonlocal works
        try:
            if works:
                action()
        except RunError as error:
            works = False
            warn(str(error))

    attempt(cache.require_writable)
    return lambda case, data: attempt(lambda: cache.keep(case, data))


def _computed(
    points: Sequence[Point],
    cases: Sequence[Simulation],
    missing: Sequence[int],
    workers: int,
    threads: int | None,
) -> Iterator[tuple[int, xr.Dataset]]:
    """Results as they come. The engine leaves the interpreter to others while it works, so threads do. Where
    one fails, those under way end first."""
    cores = workers if len(missing) == 1 else 1
    order = sorted(missing, key=lambda i: cases[i].ranks or 0)
    pool = ThreadPoolExecutor(max(1, min(workers, len(missing))))
    failure: Error | None = None
    try:
        waiting: dict[Future, int] = {pool.submit(computed, cases[i], cores, threads): i for i in order}
        while waiting:
            ended, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in ended:
                i = waiting.pop(future)
                try:
                    data = _named(points[i], future)
                except Error as error:
                    failure = failure or error
                    waiting = {other: j for other, j in waiting.items() if not other.cancel()}
                else:
                    yield i, data
        if failure is not None:
            raise failure
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _named(point: Point, future: Future) -> xr.Dataset:
    """The result; an error names the simulation and, where it is a mistake of an option, its place."""
    try:
        return future.result()
    except Error as error:
        raise point.named(error) from None
    except MemoryError:
        what = str(point) or "the simulation"
        raise RunError(
            f"{what}: the memory does not suffice. Take fewer ranks, or fidelity reserve."
        ) from None
